package project

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// ConnectionKey stands for an MCP session: a hash of what the client sends. The
// zero key is no session.
type ConnectionKey [32]byte

// connectionTouch is how exact the last use of a session is kept.
const connectionTouch = time.Hour

// Switch makes a project the active one of a session, for all processes. NotFound like
// Find; Conflict if it is archived; Invalid without a session, which says to pass the project with each call.
func (s *Service) Switch(ctx context.Context, p loci.Principal, key ConnectionKey, name string) (loci.Project, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return loci.Project{}, err
	}
	if key == (ConnectionKey{}) {
		return loci.Project{}, loci.Errorf(loci.Invalid,
			"this client has no session in which a project could stay active. Pass project with each call; list_projects "+
				"names them.")
	}
	p, err := s.rejoin(ctx, p) // it may have made the project with this very request
	if err != nil {
		return loci.Project{}, err
	}
	got, err := s.find(ctx, p, name, true)
	if err != nil {
		return loci.Project{}, err
	}
	s.Registry.Lock()
	defer s.Registry.Unlock()
	err = s.Store.Connections().Put(ctx,
		store.Connection{Key: key, OrgID: p.OrgID, UserID: p.UserID, ProjectID: got.ID, UsedAt: s.Time()})
	if err != nil {
		return loci.Project{}, err
	}
	return got, nil
}

// Current returns the active project of a session. NotFound with the text that seed S3 gives if there is none,
// also because it was archived or deleted, or the person is no longer in it.
func (s *Service) Current(ctx context.Context, p loci.Principal, key ConnectionKey) (loci.Project, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return loci.Project{}, err
	}
	return s.current(ctx, p, key)
}

func (s *Service) current(ctx context.Context, p loci.Principal, key ConnectionKey) (loci.Project, error) {
	if key == (ConnectionKey{}) {
		return loci.Project{}, loci.Errorf(loci.NotFound,
			"No active project: this client has no session. Pass project with each call; list_projects names them.")
	}
	at, err := s.Store.Connections().Get(ctx, key)
	if loci.CodeOf(err) == loci.NotFound || err == nil && (at.OrgID != p.OrgID || at.UserID != p.UserID) {
		return loci.Project{}, errNoActive()
	}
	if err != nil {
		return loci.Project{}, err
	}
	got, err := s.Store.Projects().Get(ctx, p.Viewer(), at.ProjectID)
	if loci.CodeOf(err) == loci.NotFound { // or p is from before it was made
		if p, err = s.rejoin(ctx, p); err == nil {
			got, err = s.Store.Projects().Get(ctx, p.Viewer(), at.ProjectID)
		}
	}
	switch {
	case loci.CodeOf(err) == loci.NotFound || err == nil && got.Status != loci.ProjectActive:
		s.keepConnection(ctx, at, func() error { return s.Store.Connections().Remove(ctx, at.Key) })
		return loci.Project{}, errNoActive()
	case err != nil:
		return loci.Project{}, err
	}
	if now := s.Time(); now.Sub(at.UsedAt) >= connectionTouch {
		used := at
		used.UsedAt = now
		s.keepConnection(ctx, at, func() error { return s.Store.Connections().Put(ctx, used) })
	}
	return got, nil
}

func errNoActive() error {
	return loci.Errorf(loci.NotFound, "No active project. Use switch_project to select one.")
}

// keepConnection tidies a session up, unless it has been switched meanwhile. That must not
// keep a reader from reading, so a failure is only logged.
func (s *Service) keepConnection(ctx context.Context, at store.Connection, fn func() error) {
	s.Registry.Lock()
	defer s.Registry.Unlock()
	now, err := s.Store.Connections().Get(ctx, at.Key)
	if err == nil && now.ProjectID == at.ProjectID && now.UserID == at.UserID {
		err = fn()
	}
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		s.Log.WarnContext(ctx, "keeping an MCP session up to date failed", "error", err)
	}
}

// EndConnection forgets the active project of a session that has ended.
func (s *Service) EndConnection(ctx context.Context, key ConnectionKey) error {
	if key == (ConnectionKey{}) {
		return nil
	}
	return s.Store.Connections().Remove(ctx, key)
}

// rejoin returns p with the projects that it belongs to now, and not when its request
// began. A key that is limited to projects stays so.
func (s *Service) rejoin(ctx context.Context, p loci.Principal) (loci.Principal, error) {
	ids, err := s.Store.ProjectMembers().Of(ctx, p.OrgID, p.UserID, p.WorkspaceID)
	if p.AllProjects {
		ids, err = s.Store.ProjectMembers().All(ctx, p.OrgID, p.WorkspaceID)
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
