package auth

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// LinkLife is how long a one-time link of a laptop can be used.
const LinkLife = 15 * time.Minute

// maxLinkLife is how long any one-time link can be used at most.
const maxLinkLife = 7 * 24 * time.Hour

func errBadLink() error {
	return loci.Errorf(loci.Unauthenticated, "this link was used or has expired; ask for a new one")
}

func errBadInvitation() error {
	return loci.Errorf(loci.NotFound, "this invitation was used or revoked, or has expired; ask for a new one")
}

// NewLink returns the token of a link that signs a person in once. Invalid if
// life is not between 1 s and 7 days.
func (s *SignIn) NewLink(ctx context.Context, who loci.Person, life time.Duration) (loci.Secret, error) {
	if life < time.Second || life > maxLinkLife {
		return "", loci.Errorf(loci.Invalid, "a link lives between a second and 7 days")
	}
	now, token := loci.CutTime(s.now()), NewSecret(linkPrefix)
	return token, s.store.Credentials().Insert(ctx,
		loci.Credential{ID: loci.NewCredentialID(), OrgID: who.OrgID, UserID: who.UserID,
			Kind: loci.KindUser, Method: loci.ByLink, Name: "one-time link", Hash: Hash(token), Prefix: linkPrefix,
			CreatedAt: now, ExpiresAt: now.Add(life)})
}

// UseLink uses a link up and returns whom it signs in: one caller of several
// at once. Unauthenticated for a link that is unknown, used or expired.
func (s *SignIn) UseLink(ctx context.Context, token loci.Secret, from From) (loci.Person, error) {
	if len(token) > maxToken {
		return loci.Person{}, errBadLink()
	}
	hash := Hash(token)
	c, err := s.store.Credentials().ByHash(ctx, hash)
	if err == nil && c.Method != loci.ByLink { // Use would revoke a key that somebody pasted here
		return loci.Person{}, errBadLink()
	}
	var used loci.Credential
	if err == nil {
		used, err = s.store.Credentials().Use(ctx, hash, loci.CutTime(s.now()))
	}
	var who loci.Person
	if err == nil {
		who, err = s.store.People().ByID(ctx, used.UserID)
	}
	if loci.CodeOf(err) == loci.NotFound {
		s.log.InfoContext(ctx, "a one-time link was refused", "address", from.Address.String())
		return loci.Person{}, errBadLink()
	}
	return who, err
}

// Invitation returns what a token invites to. NotFound if it is unknown, used,
// revoked or expired.
func (s *SignIn) Invitation(ctx context.Context, token loci.Secret) (loci.Org, loci.Invite, error) {
	if len(token) > maxToken {
		return loci.Org{}, loci.Invite{}, errBadInvitation()
	}
	id, invite, err := s.store.People().Invited(ctx, Hash(token))
	if loci.CodeOf(err) == loci.NotFound || err == nil && !invite.Usable(s.now()) {
		return loci.Org{}, loci.Invite{}, errBadInvitation()
	}
	if err != nil {
		return loci.Org{}, loci.Invite{}, err
	}
	org, err := s.store.Orgs().Get(ctx, id)
	return org, invite, err
}

// Join makes the account of an invited address that has none, as a member of
// the org and team. The token proves little: whoever invited has it too.
// Forbidden therefore for an address that its holder can prove here: they sign
// in with that, and join by it. Conflict if the address has an account: its
// holder signs in and accepts.
func (s *SignIn) Join(ctx context.Context, token loci.Secret) (loci.Person, error) {
	org, invite, err := s.Invitation(ctx, token)
	if err != nil {
		return loci.Person{}, err
	}
	if s.proves(invite.Email) {
		return loci.Person{}, loci.Errorf(loci.Forbidden,
			"show first that this address is yours: sign in with single sign-on, and you join by that")
	}
	_, err = s.store.People().ByEmail(ctx, invite.Email)
	if err == nil {
		return loci.Person{}, errHasAccount()
	}
	if loci.CodeOf(err) != loci.NotFound {
		return loci.Person{}, err
	}
	who, err := s.people.join(ctx, org.ID, invite)
	if loci.CodeOf(err) == loci.Conflict {
		return loci.Person{}, errHasAccount()
	}
	if loci.CodeOf(err) == loci.NotFound {
		return loci.Person{}, errBadInvitation()
	}
	return who, err
}

// proves reports whether somebody whom we believe says whose an address is: the
// dashboard, or a provider by which its holder could get an account themselves.
// An account that a stranger made of it before would be theirs, with the
// stranger's password.
func (s *SignIn) proves(email string) bool {
	return s.people.dashboard.ServiceKey != "" || len(s.Providers()) > 0 &&
		(s.oidc.open || slices.ContainsFunc(s.oidc.list, func(c *oidcClient) bool { return c.allows(email) }))
}

func errHasAccount() error {
	return loci.Errorf(loci.Conflict, "this e-mail address has an account; sign in first, then open the invitation again")
}
