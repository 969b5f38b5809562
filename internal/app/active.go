package app

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// SessionKey stands for an MCP session: a hash of what the client sends. The
// zero key is no session.
type SessionKey [32]byte

// sessionTouch is how exact the last use of a session is kept.
const sessionTouch = time.Hour

// SwitchProject makes a project the active one of a session, for all processes. NotFound like
// FindProject; Conflict if it is archived; Invalid without a session, which says to pass the project with each call.
func (a *App) SwitchProject(ctx context.Context, p loci.Principal, s SessionKey, name string) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return loci.Project{}, err
	}
	if s == (SessionKey{}) {
		return loci.Project{}, loci.Errorf(loci.Invalid, "this client has no session in which a project could stay active. Pass project with each call; list_projects names them.")
	}
	p, err := a.rejoin(ctx, p) // it may have made the project with this very request
	if err != nil {
		return loci.Project{}, err
	}
	got, err := a.findProject(ctx, p, name, true)
	if err != nil {
		return loci.Project{}, err
	}
	a.registry.Lock()
	defer a.registry.Unlock()
	err = a.store.MCPSessions().Put(ctx, store.MCPSession{Key: s, OrgID: p.OrgID, UserID: p.UserID, ProjectID: got.ID, UsedAt: a.time()})
	if err != nil {
		return loci.Project{}, err
	}
	return got, nil
}

// CurrentProject returns the active project of a session. NotFound with the text that seed S3 gives if there is none,
// also because it was archived or deleted, or the person is no longer in it.
func (a *App) CurrentProject(ctx context.Context, p loci.Principal, s SessionKey) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return loci.Project{}, err
	}
	return a.currentProject(ctx, p, s)
}

func (a *App) currentProject(ctx context.Context, p loci.Principal, s SessionKey) (loci.Project, error) {
	if s == (SessionKey{}) {
		return loci.Project{}, loci.Errorf(loci.NotFound, "No active project: this client has no session. Pass project with each call; list_projects names them.")
	}
	at, err := a.store.MCPSessions().Get(ctx, s)
	if loci.CodeOf(err) == loci.NotFound || err == nil && (at.OrgID != p.OrgID || at.UserID != p.UserID) {
		return loci.Project{}, errNoActive()
	}
	if err != nil {
		return loci.Project{}, err
	}
	got, err := a.store.Projects().Get(ctx, p.Viewer(), at.ProjectID)
	if loci.CodeOf(err) == loci.NotFound { // or p is from before it was made
		if p, err = a.rejoin(ctx, p); err == nil {
			got, err = a.store.Projects().Get(ctx, p.Viewer(), at.ProjectID)
		}
	}
	switch {
	case loci.CodeOf(err) == loci.NotFound || err == nil && got.Status != loci.ProjectActive:
		a.keepSession(ctx, at, func() error { return a.store.MCPSessions().Remove(ctx, at.Key) })
		return loci.Project{}, errNoActive()
	case err != nil:
		return loci.Project{}, err
	}
	if now := a.time(); now.Sub(at.UsedAt) >= sessionTouch {
		used := at
		used.UsedAt = now
		a.keepSession(ctx, at, func() error { return a.store.MCPSessions().Put(ctx, used) })
	}
	return got, nil
}

func errNoActive() error {
	return loci.Errorf(loci.NotFound, "No active project. Use switch_project to select one.")
}

// keepSession tidies a session up, unless it has been switched meanwhile. That must not
// keep a reader from reading, so a failure is only logged.
func (a *App) keepSession(ctx context.Context, at store.MCPSession, fn func() error) {
	a.registry.Lock()
	defer a.registry.Unlock()
	now, err := a.store.MCPSessions().Get(ctx, at.Key)
	if err == nil && now.ProjectID == at.ProjectID && now.UserID == at.UserID {
		err = fn()
	}
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		a.log.WarnContext(ctx, "keeping an MCP session up to date failed", "error", err)
	}
}

// EndMCPSession forgets the active project of a session that has ended.
func (a *App) EndMCPSession(ctx context.Context, s SessionKey) error {
	if s == (SessionKey{}) {
		return nil
	}
	return a.store.MCPSessions().Remove(ctx, s)
}

// rejoin returns p with the projects that it belongs to now, and not when its request
// began. A key that is limited to projects stays so.
func (a *App) rejoin(ctx context.Context, p loci.Principal) (loci.Principal, error) {
	ids, err := a.store.ProjectMembers().Of(ctx, p.OrgID, p.UserID, p.WorkspaceID)
	if p.AllProjects {
		ids, err = a.store.ProjectMembers().All(ctx, p.OrgID, p.WorkspaceID)
	}
	if err != nil {
		return p, err
	}
	if p.OnlyProjects {
		limit := p.ProjectIDs
		ids = slices.DeleteFunc(slices.Clone(ids), func(id loci.ProjectID) bool { return !slices.Contains(limit, id) })
	}
	p.ProjectIDs = ids
	return p, nil
}
