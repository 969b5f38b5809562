package project

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// ConnectionKey identifies an MCP session. It is a hash of what the client sends. The zero key means no session.
type ConnectionKey [32]byte

// connectionTouch is the precision with which the last use of a session is stored.
const connectionTouch = time.Hour

// Switch makes a project the active one of a session, for all processes. NotFound like Find; Conflict if it is
// archived; Invalid without a session, with the hint to pass the project with each call.
func (s *Service) Switch(ctx context.Context, p loci.Principal, key ConnectionKey, name string) (loci.Project, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return loci.Project{}, err
	}
	if key == (ConnectionKey{}) {
		return loci.Project{}, loci.Errorf(loci.Invalid,
			"this client has no session in which a project could stay active. Pass project with each call; list_projects "+
				"names them.")
	}
	p, err := s.rejoin(ctx, p) // this very session may have created the project
	if err != nil {
		return loci.Project{}, err
	}
	got, err := s.find(ctx, p, name, true)
	if err != nil {
		return loci.Project{}, err
	}
	err = s.Store.Connections().Put(ctx,
		store.Connection{Key: key, OrgID: p.OrgID, UserID: p.UserID, ProjectID: got.ID, UsedAt: s.Time()})
	if err != nil {
		return loci.Project{}, err
	}
	return got, nil
}

// Current returns the active project of a session. If there is none, also because it was archived
// or deleted or the person has left it, the error is NotFound with the text of seed S3.
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
		return loci.Project{}, s.errNoActive(ctx, p)
	}
	if err != nil {
		return loci.Project{}, err
	}
	got, err := s.Store.Projects().Get(ctx, p.Viewer(), at.ProjectID)
	if loci.CodeOf(err) == loci.NotFound { // also if p is older than the project
		if p, err = s.rejoin(ctx, p); err == nil {
			got, err = s.Store.Projects().Get(ctx, p.Viewer(), at.ProjectID)
		}
	}
	switch {
	case loci.CodeOf(err) == loci.NotFound || err == nil && got.Status != loci.ProjectActive:
		s.kept(ctx, s.Store.Connections().Leave(ctx, at))
		return loci.Project{}, s.errNoActive(ctx, p)
	case err != nil:
		return loci.Project{}, err
	}
	if now := s.Time(); now.Sub(at.UsedAt) >= connectionTouch {
		s.kept(ctx, s.Store.Connections().Use(ctx, at, now))
	}
	return got, nil
}

// errNoActive names the tool that helps: without any project, there is none to switch to.
func (s *Service) errNoActive(ctx context.Context, p loci.Principal) error {
	page, err := s.Store.Projects().List(ctx, p.Viewer(), store.ProjectQuery{Limit: 1})
	if err != nil {
		return err
	}
	if len(page.Projects) == 0 {
		return loci.Errorf(loci.NotFound, "No active project, and there is none yet. Create one with create_project.")
	}
	return loci.Errorf(loci.NotFound, "No active project. Use switch_project to select one.")
}

// kept logs that the update of a session failed. That must not stop a reader.
func (s *Service) kept(ctx context.Context, err error) {
	if err != nil {
		s.Log.WarnContext(ctx, "keeping an MCP session up to date failed", "error", err)
	}
}

// rejoin returns p with its present projects instead of those at the start of its request. A key
// that is limited to projects remains limited to them.
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

// MustBeOpen rejects a new memory in an archived project, which is read-only, and in one that the caller does not
// belong to. The zero id means no project.
func (s *Service) MustBeOpen(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	err := s.mustNotBeArchived(ctx, p, id)
	if loci.CodeOf(err) == loci.NotFound {
		return ErrNotIn()
	}
	return err
}

// MustNotBeArchived rejects changes to the memories of an archived project. It lets the caller change memories of a
// project that is deleted, or that they have left: these are still theirs, and nobody could narrow or replace them
// otherwise. The zero id means no project.
func (s *Service) MustNotBeArchived(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	err := s.mustNotBeArchived(ctx, p, id)
	if loci.CodeOf(err) == loci.NotFound {
		return nil
	}
	return err
}

func (s *Service) mustNotBeArchived(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	if id.IsZero() {
		return nil
	}
	in, err := s.Store.Projects().Get(ctx, p.Viewer(), id)
	if err == nil && in.Status == loci.ProjectArchived {
		err = errArchived(in)
	}
	return err
}

func errArchived(p loci.Project) error {
	return loci.Errorf(loci.Conflict, "project %s is archived; restore it first", loci.OneLine(p.Name))
}

// ErrNotIn returns the error for a project that the caller does not belong to, whether or not it exists.
func ErrNotIn() error {
	return loci.FieldErrorf("project_id", "must be a project that you belong to")
}

// Choice names the project of a call over MCP. The first one that is set counts.
type Choice struct {
	Name    string        // from the call, or an id; "" if none
	Session ConnectionKey // the session whose active project counts; zero if there is no session
	Default string        // project for sessions without an active one; "" if none
}

// Choose returns the project for a call of act. The call begins after Choose and counts against the limit itself. Its
// errors are those of Find for a name or an id, and of Current if nothing names a project.
func (s *Service) Choose(ctx context.Context, p loci.Principal, act gate.Action, c Choice) (loci.Project, error) {
	if p.IsZero() {
		return loci.Project{}, s.Begin(ctx, p, act)
	}
	if err := s.Also(ctx, p, act); err != nil {
		return loci.Project{}, err
	}
	if c.Name != "" {
		return s.named(ctx, p, c.Name, true)
	}
	current, err := s.current(ctx, p, c.Session)
	if loci.CodeOf(err) == loci.NotFound && c.Default != "" {
		return s.find(ctx, p, c.Default, true)
	}
	return current, err
}
