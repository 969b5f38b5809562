package auth

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// LinkLife is the lifetime of a one-time link of a local installation.
const LinkLife = 15 * time.Minute

// maxLinkLife is the maximum lifetime of any one-time link.
const maxLinkLife = 7 * 24 * time.Hour

func errBadLink() error {
	return loci.Errorf(loci.Unauthenticated, "this link was already used or has expired; ask for a new one")
}

func errBadInvitation() error {
	return loci.Errorf(loci.NotFound, "this invitation was used or revoked, or has expired; ask for a new one")
}

// NewLink returns the token of a link that signs a person in once. It fails with Invalid unless
// life is between 1 s and 7 days.
func (s *SignIn) NewLink(ctx context.Context, who loci.Person, life time.Duration) (loci.Secret, error) {
	if life < time.Second || life > maxLinkLife {
		return "", loci.Errorf(loci.Invalid, "the lifetime of a link must be from 1 second to 7 days")
	}
	now, token := loci.CutTime(s.o.Now()), NewSecret(linkPrefix)
	return token, s.o.Store.Credentials().Insert(ctx,
		loci.Credential{ID: loci.NewCredentialID(), OrgID: who.OrgID, UserID: who.UserID,
			Kind: loci.KindUser, Method: loci.ByLink, Name: "one-time link", Hash: Hash(token), Prefix: linkPrefix,
			CreatedAt: now, ExpiresAt: now.Add(life)})
}

// UseLink consumes a link and returns the person whom it signs in. If several callers use it at
// once, only one succeeds. It fails with Unauthenticated if the link is unknown, used or expired.
func (s *SignIn) UseLink(ctx context.Context, token loci.Secret, from From) (loci.Person, error) {
	if len(token) > maxToken {
		return loci.Person{}, errBadLink()
	}
	hash := Hash(token)
	c, err := s.o.Store.Credentials().ByHash(ctx, hash)
	if err == nil && c.Method != loci.ByLink { // Use would revoke a key pasted here by mistake
		return loci.Person{}, errBadLink()
	}
	var used loci.Credential
	if err == nil {
		used, err = s.o.Store.Credentials().Use(ctx, hash, loci.CutTime(s.o.Now()))
	}
	var who loci.Person
	if err == nil {
		who, err = s.o.Store.People().ByID(ctx, used.UserID)
	}
	if loci.CodeOf(err) == loci.NotFound {
		s.o.Log.InfoContext(ctx, "rejected a one-time link", "address", from.Address.String())
		return loci.Person{}, errBadLink()
	}
	return who, err
}

// CheckLink reports whether UseLink would accept a link, without consuming it. It fails with
// Unauthenticated if the link is unknown, used or expired.
func (s *SignIn) CheckLink(ctx context.Context, token loci.Secret) error {
	if len(token) > maxToken {
		return errBadLink()
	}
	c, err := s.o.Store.Credentials().ByHash(ctx, Hash(token))
	if loci.CodeOf(err) == loci.NotFound || err == nil && (c.Method != loci.ByLink || !c.Usable(s.o.Now())) {
		return errBadLink()
	}
	return err
}

// Invitation returns the org and the invitation of a token. It fails with NotFound if the token is
// unknown, used, revoked or expired.
func (s *SignIn) Invitation(ctx context.Context, token loci.Secret) (loci.Org, loci.Invite, error) {
	if len(token) > maxToken {
		return loci.Org{}, loci.Invite{}, errBadInvitation()
	}
	id, invite, err := s.o.Store.People().Invited(ctx, Hash(token))
	if loci.CodeOf(err) == loci.NotFound || err == nil && !invite.Usable(s.o.Now()) {
		return loci.Org{}, loci.Invite{}, errBadInvitation()
	}
	if err != nil {
		return loci.Org{}, loci.Invite{}, err
	}
	org, err := s.o.Store.Orgs().Get(ctx, id)
	return org, invite, err
}

// Join creates an account for an invited address and adds it to the org and team. The token alone
// proves little, because the inviter has it, too. So Join fails with Forbidden if the holder can
// prove the address here: they must sign in with that proof, which also accepts the invitation. It
// fails with Conflict if the address has an account. Its holder must sign in and accept.
func (s *SignIn) Join(ctx context.Context, token loci.Secret) (loci.Person, error) {
	org, invite, err := s.Invitation(ctx, token)
	if err != nil {
		return loci.Person{}, err
	}
	if s.proves(invite.Email) {
		return loci.Person{}, loci.Errorf(loci.Forbidden,
			"prove first that this address is yours: sign in with single sign-on, which also accepts the invitation")
	}
	_, err = s.o.Store.People().ByEmail(ctx, invite.Email)
	if err == nil {
		return loci.Person{}, errHasAccount()
	}
	if loci.CodeOf(err) != loci.NotFound {
		return loci.Person{}, err
	}
	who, err := s.o.Authenticator.join(ctx, org.ID, invite)
	if loci.CodeOf(err) == loci.Conflict {
		return loci.Person{}, errHasAccount()
	}
	if loci.CodeOf(err) == loci.NotFound {
		return loci.Person{}, errBadInvitation()
	}
	return who, err
}

// InvitedAccount returns the address of an invitation whose holder must sign in to accept it. It returns "" if there
// is no such invitation, and wherever Join would not tell that the address has an account.
func (s *SignIn) InvitedAccount(ctx context.Context, token loci.Secret) (string, error) {
	_, invite, err := s.Invitation(ctx, token)
	if err == nil && !s.proves(invite.Email) {
		if _, err = s.o.Store.People().ByEmail(ctx, invite.Email); err == nil {
			return invite.Email, nil
		}
	}
	if loci.CodeOf(err) == loci.NotFound {
		err = nil
	}
	return "", err
}

// proves reports whether a trusted party can prove who holds an address: the dashboard, or a provider with which its
// holder could get an account. Otherwise a stranger could create the holder's account first, and set its password.
func (s *SignIn) proves(email string) bool {
	return s.o.Authenticator.o.Dashboard.ServiceKey != "" || len(s.Providers()) > 0 &&
		(s.oidc.open || slices.ContainsFunc(s.oidc.list, func(c *oidcClient) bool { return c.allows(email) }))
}

func errHasAccount() error {
	return loci.Errorf(loci.Conflict, "this e-mail address has an account; sign in first, then open the invitation again")
}
