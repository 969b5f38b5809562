package app

import (
	"context"

	"github.com/loci-memory/loci"
)

// SessionKey stands for an MCP session: a hash of what the client sends. The
// zero key is no session.
type SessionKey [32]byte

// SwitchProject makes a project the active one of a session, for all processes. NotFound like
// FindProject; Conflict if it is archived; Invalid without a session, which says to pass the project with each call.
func (a *App) SwitchProject(ctx context.Context, p loci.Principal, s SessionKey, name string) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return loci.Project{}, err
	}
	return loci.Project{}, errUnbuilt
}

// CurrentProject returns the active project of a session. NotFound with the text that seed S3 gives if there is none,
// also because it was archived or deleted, or the person is no longer in it.
func (a *App) CurrentProject(ctx context.Context, p loci.Principal, s SessionKey) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return loci.Project{}, err
	}
	return loci.Project{}, errUnbuilt
}

// EndMCPSession forgets the active project of a session that has ended.
func (a *App) EndMCPSession(ctx context.Context, s SessionKey) error {
	if s == (SessionKey{}) {
		return nil
	}
	return a.store.MCPSessions().Remove(ctx, s)
}
