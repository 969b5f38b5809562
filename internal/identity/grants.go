package identity

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/store"
)

// Sight is the number of memories that a vendor would see, and the number that the person sees. The
// counts are exact up to store.MaxTotal.
type Sight struct {
	Vendor            loci.Vendor
	Sees              int
	Total             int
	SeesIsLowerBound  bool
	TotalIsLowerBound bool
}

// maxPreview is the maximum number of vendors that one preview compares.
const maxPreview = 20

// Preview returns, for each vendor, how many of the person's visible memories it would see. It
// fails with Invalid for an invalid vendor name.
func (s *Service) Preview(ctx context.Context, p loci.Principal, vendors []loci.Vendor) ([]Sight, error) {
	if err := s.Begin(ctx, p, GrantConsent); err != nil {
		return nil, err
	}
	if len(vendors) > maxPreview {
		return nil, loci.FieldErrorf("vendors", "must have at most %d entries", maxPreview)
	}
	for _, v := range vendors {
		if err := checkVendor(v); err != nil {
			return nil, err
		}
	}
	out := make([]Sight, len(vendors))
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		q := store.ListQuery{Limit: 1, Total: true}
		all, err := tx.Lists().List(ctx, p.Viewer(), q)
		if err != nil {
			return err
		}
		for i, vendor := range vendors {
			v := p.Viewer()
			v.Vendor = vendor
			some, err := tx.Lists().List(ctx, v, q)
			if err != nil {
				return err
			}
			out[i] = Sight{Vendor: vendor, Sees: some.Total, Total: all.Total, SeesIsLowerBound: !some.Exact,
				TotalIsLowerBound: !all.Exact}
		}
		return nil
	})
	return out, err
}

func checkVendor(v loci.Vendor) error {
	if err := auth.CheckVendor(v); err != nil {
		return loci.FieldErrorf("vendor", "is not valid: %s", err)
	}
	return nil
}

// Consent lets an OAuth client act as a vendor for the person, with these rights, and returns the code for the
// client. It requires a browser sign-in. It fails with Invalid if the operator set another vendor, if the client
// didn't request the rights, or if agents can't have them. It fails with Unavailable without an authorization server.
func (s *Service) Consent(ctx context.Context, p loci.Principal, c *oauth.Consent, vendor loci.Vendor,
	rights []loci.Right) (loci.Secret, error) {
	if err := s.Begin(ctx, p, GrantConsent); err != nil {
		return "", err
	}
	if s.oauth == nil {
		return "", loci.Errorf(loci.Unavailable, "this server has no OAuth authorization server")
	}
	if err := checkVendor(vendor); err != nil {
		return "", err
	}
	// The consent dates from when the page was shown. Use what the operator has decided since then.
	client, err := s.Store.OAuth().Client(ctx, c.Client.ID)
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		return "", err
	}
	if err == nil && client.Vendor != "" && client.Vendor != vendor || c.Fixed && c.Suggested != vendor {
		return "", loci.FieldErrorf("vendor", "of this client was set by the operator and cannot be changed here")
	}
	if len(rights) == 0 {
		return "", loci.FieldErrorf("scopes", "must name at least one")
	}
	for _, r := range rights {
		if !slices.Contains(loci.AgentRights(), r) || !slices.Contains(c.Rights, r) || !p.Has(r) {
			return "", loci.FieldErrorf("scopes", "has a scope that the client did not request, or that no agent can have")
		}
	}
	if err := s.Record(ctx, p, GrantConsent, c.Client.ID); err != nil {
		return "", err
	}
	code, _, err := s.oauth.Allow(ctx, p, c, vendor, rights)
	return code, err
}

// Grants returns the person's grants to OAuth clients, newest first, including revoked ones.
func (s *Service) Grants(ctx context.Context, p loci.Principal) ([]loci.Grant, error) {
	if err := s.Begin(ctx, p, GrantList); err != nil {
		return nil, err
	}
	return s.Store.OAuth().Grants(ctx, p.OrgID, p.UserID)
}

// OrgGrants returns all grants in the org, newest first. Only the operator may call it.
func (s *Service) OrgGrants(ctx context.Context, p loci.Principal) ([]loci.Grant, error) {
	if err := s.Begin(ctx, p, GrantListAll); err != nil {
		return nil, err
	}
	return s.Store.OAuth().Grants(ctx, p.OrgID, loci.UserID{})
}

// RevokeGrant revokes a grant of the person with all its tokens, effective immediately. The
// operator may revoke anyone's in the org. It fails with NotFound if there is none.
func (s *Service) RevokeGrant(ctx context.Context, p loci.Principal, id loci.GrantID) error {
	if err := s.Begin(ctx, p, GrantRevoke); err != nil {
		return err
	}
	user := p.UserID
	if p.Kind == loci.KindLocal {
		user = loci.UserID{}
	}
	grants, err := s.Store.OAuth().Grants(ctx, p.OrgID, user)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(grants, func(g loci.Grant) bool { return g.ID == id })
	if at < 0 {
		return loci.Errorf(loci.NotFound, "no such grant")
	}
	if err := s.Record(ctx, p, GrantRevoke, id.String()); err != nil {
		return err
	}
	if err := s.Store.OAuth().Revoke(ctx, p.OrgID, user, id, s.Time()); err != nil {
		return err
	}
	return store.ForgetPacks(ctx, s.Store, p.OrgID, grants[at].UserID, id)
}

// Vendors returns, by name, the vendors for which the person has created keys or granted access. A
// consent page offers them.
func (s *Service) Vendors(ctx context.Context, p loci.Principal) ([]loci.Vendor, error) {
	if err := s.Begin(ctx, p, SignInRead); err != nil {
		return nil, err
	}
	keys, err := s.Store.Credentials().List(ctx,
		store.CredentialQuery{OrgID: p.OrgID, UserID: p.UserID, Kind: loci.KindAgent})
	if err != nil {
		return nil, err
	}
	grants, err := s.Store.OAuth().Grants(ctx, p.OrgID, p.UserID)
	out := loci.Mapped(keys, func(c loci.Credential) loci.Vendor { return c.Vendor })
	for _, g := range grants {
		out = append(out, g.Vendor)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}
