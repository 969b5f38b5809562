package identity

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

// SignIns returns the person's browser sign-ins, newest first.
func (s *Service) SignIns(ctx context.Context, p loci.Principal) ([]loci.Credential, error) {
	if err := s.Begin(ctx, p, SignInList); err != nil {
		return nil, err
	}
	return s.Store.Credentials().List(ctx,
		store.CredentialQuery{OrgID: p.OrgID, UserID: p.UserID, Method: loci.BySignIn, Usable: s.Time()})
}

// EndSignIn ends a sign-in of the person, effective immediately. The operator may end anyone's in
// the org. It fails with NotFound if the id doesn't exist.
func (s *Service) EndSignIn(ctx context.Context, p loci.Principal, id loci.CredentialID) error {
	if err := s.Begin(ctx, p, SignInEnd); err != nil {
		return err
	}
	return s.revoke(ctx, p, SignInEnd, id, loci.BySignIn)
}

// EndOtherSignIns ends all of the person's sign-ins except the one in use, and returns their number.
func (s *Service) EndOtherSignIns(ctx context.Context, p loci.Principal) (int, error) {
	if err := s.Begin(ctx, p, SignInEnd); err != nil {
		return 0, err
	}
	if err := s.Record(ctx, p, SignInEnd, p.UserID.String()); err != nil {
		return 0, err
	}
	return s.endOthers(ctx, p)
}

// EnterWorkspace sets the active workspace of a key or sign-in of the person; the zero id means the
// credential in use. It fails with NotFound if the credential doesn't exist, or if its person is
// not a member of such a workspace. It fails with Conflict if the org doesn't use workspaces, and
// for a key in the server's configuration, which can't store the choice.
func (s *Service) EnterWorkspace(ctx context.Context, p loci.Principal, id loci.CredentialID,
	w loci.WorkspaceID) error {
	if err := s.Begin(ctx, p, org.WorkspaceEnter); err != nil {
		return err
	}
	if id.IsZero() {
		id = p.CredentialID
	}
	if id.IsZero() {
		return loci.Errorf(loci.Conflict,
			"a key from the server's configuration stays in the first workspace; use another key or a sign-in")
	}
	c, err := s.credential(ctx, p, id, "")
	if err != nil {
		return err
	}
	o, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
	if !o.Workspaces {
		return loci.Errorf(loci.Conflict, "this org does not use workspaces; an owner can turn them on")
	}
	err = s.Write(ctx, p, org.WorkspaceEnter, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		in, err := org.IsIn(ctx, tx, c.UserID, w)
		if err == nil && !in {
			err = gate.ErrNoWorkspace()
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.Store.Credentials().Enter(ctx, p.OrgID, c.UserID, id, w)
}
