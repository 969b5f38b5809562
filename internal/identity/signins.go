package identity

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

// SignIns returns the browsers in which the person is signed in, newest first.
func (s *Service) SignIns(ctx context.Context, p loci.Principal) ([]loci.Credential, error) {
	if err := s.Begin(ctx, p, SignInList); err != nil {
		return nil, err
	}
	return s.Store.Credentials().List(ctx,
		store.CredentialQuery{OrgID: p.OrgID, UserID: p.UserID, Method: loci.BySignIn, Usable: s.Time()})
}

// EndSignIn ends one of the person's sessions (for the operator: of anybody
// in the org), from its next request on. NotFound if there is none of that id.
func (s *Service) EndSignIn(ctx context.Context, p loci.Principal, id loci.CredentialID) error {
	if err := s.Begin(ctx, p, SignInEnd); err != nil {
		return err
	}
	return s.revoke(ctx, p, SignInEnd, id, loci.BySignIn)
}

// EndOtherSignIns ends all of the person's sessions but the one that asks, and
// returns how many.
func (s *Service) EndOtherSignIns(ctx context.Context, p loci.Principal) (int, error) {
	if err := s.Begin(ctx, p, SignInEnd); err != nil {
		return 0, err
	}
	if err := s.Record(ctx, p, SignInEnd, p.UserID.String()); err != nil {
		return 0, err
	}
	return s.endOthers(ctx, p)
}

// EnterWorkspace makes a workspace the active one of a key or session of the
// person; the zero id is the one that asks. NotFound if there is no such
// credential, or no such workspace that its person is a member of; Conflict
// where the org works without workspaces, and for a key of the server's
// configuration, which remembers nothing.
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
			"this credential is of the server's configuration and stays in the first workspace; use a key or a session")
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
		return loci.Errorf(loci.Conflict, "this org works without workspaces; an owner can turn them on")
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
