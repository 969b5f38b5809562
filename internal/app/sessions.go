package app

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Sessions returns the person's browser sessions that are open, newest first.
func (a *App) Sessions(ctx context.Context, p loci.Principal) ([]loci.Credential, error) {
	if err := a.begin(ctx, p, SessionList); err != nil {
		return nil, err
	}
	return a.store.Credentials().List(ctx, store.CredentialQuery{OrgID: p.OrgID, UserID: p.UserID, Method: loci.BySession, Usable: a.time()})
}

// EndSession ends one of the person's sessions (for the operator: of anybody
// in the org), from its next request on. NotFound if there is none of that id.
func (a *App) EndSession(ctx context.Context, p loci.Principal, id loci.CredentialID) error {
	if err := a.begin(ctx, p, SessionEnd); err != nil {
		return err
	}
	return a.revoke(ctx, p, SessionEnd, id, loci.BySession)
}

// EndOtherSessions ends all of the person's sessions but the one that asks, and
// returns how many.
func (a *App) EndOtherSessions(ctx context.Context, p loci.Principal) (int, error) {
	if err := a.begin(ctx, p, SessionEnd); err != nil {
		return 0, err
	}
	if err := a.record(ctx, p, SessionEnd, p.UserID.String()); err != nil {
		return 0, err
	}
	return a.endOthers(ctx, p)
}

// EnterWorkspace makes a workspace the active one of a key or session of the
// person; the zero id is the one that asks. NotFound if there is no such
// credential, or no such workspace that its person is a member of; Conflict
// where the org works without workspaces, and for a key of the server's
// configuration, which remembers nothing.
func (a *App) EnterWorkspace(ctx context.Context, p loci.Principal, id loci.CredentialID, w loci.WorkspaceID) error {
	if err := a.begin(ctx, p, WorkspaceEnter); err != nil {
		return err
	}
	if id.IsZero() {
		id = p.CredentialID
	}
	if id.IsZero() {
		return loci.Errorf(loci.Conflict, "this credential is of the server's configuration and stays in the first workspace; use a key or a session")
	}
	c, err := a.credential(ctx, p, id, "")
	if err != nil {
		return err
	}
	org, err := a.store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
	if !org.Workspaces {
		return loci.Errorf(loci.Conflict, "this org works without workspaces; an owner can turn them on")
	}
	err = a.write(ctx, p, WorkspaceEnter, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		in, err := isIn(ctx, tx, c.UserID, w)
		if err == nil && !in {
			err = errNoWorkspace()
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.store.Credentials().Enter(ctx, p.OrgID, c.UserID, id, w)
}

// errNoWorkspace is the answer for a workspace that the org does not have.
func errNoWorkspace() error { return loci.Errorf(loci.NotFound, "no such workspace") }
