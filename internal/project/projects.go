// Package project holds the operations on projects: their lifecycle, their members, and the
// active project of an MCP connection.
package project

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is loci.NewProject.
type Draft = loci.NewProject

// ListRequest asks for one page of projects, by name.
type ListRequest struct {
	Status loci.ProjectStatus // "": all
	Limit  int                // 0: 50; at most 500
	Cursor string             // NextCursor of the previous page
}

// Create makes a project with an empty graph, in the active workspace. The person of p is its
// owner and only member, unless d.Everyone is true. Conflict if the name is taken in the org. Forbidden for a key
// that is limited to projects, which could not see it, and for an agent that opens the project to everybody.
func (s *Service) Create(ctx context.Context, p loci.Principal, d Draft) (loci.Project, error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return loci.Project{}, err
	}
	if p.OnlyProjects {
		s.Refused(ctx, p, Create)
		return loci.Project{}, loci.Errorf(loci.Forbidden,
			"this key is limited to projects and would not see a new one; use a key that is not")
	}
	open := d.Everyone != nil && *d.Everyone
	if open && p.Kind == loci.KindAgent {
		s.Refused(ctx, p, Create)
		return loci.Project{}, loci.Errorf(loci.Forbidden,
			"only a person may open a project to everybody in the org; leave out everyone, and let the person share it")
	}
	made := loci.Project{ID: loci.NewProjectID(), OrgID: p.OrgID, WorkspaceID: p.WorkspaceID, Name: loci.Label(d.Name),
		Description: d.Description, Everyone: open}
	made, err := s.create(ctx, p, made)
	return s.hinted(ctx, p, made, err)
}

// hinted returns a project that has a new name, with its Hint.
func (s *Service) hinted(ctx context.Context, p loci.Principal, x loci.Project, err error) (loci.Project, error) {
	if err != nil {
		return x, err
	}
	all, _ := s.visible(ctx, p, x.Name) // it is stored, even if the hint fails
	for i := range all {
		x.Hint = cmp.Or(x.Hint, loci.TwinHint("project", x.Name, all[i].Name))
	}
	return x, nil
}

func (s *Service) create(ctx context.Context, p loci.Principal, made loci.Project) (loci.Project, error) {
	if err := cmp.Or(loci.CheckNewName("name", made.Name), made.Validate()); err != nil {
		return loci.Project{}, err
	}
	if err := s.nameIsFree(ctx, p, made.Name); err != nil {
		return loci.Project{}, err
	}
	if !made.WorkspaceID.IsZero() {
		held, unlock, err := s.LockWorkspaces(ctx, p.OrgID) // the workspace must not be deleted meanwhile
		if err != nil {
			return loci.Project{}, err
		}
		defer unlock()
		ctx = held
		err = s.Store.View(ctx, p.OrgID,
			func(tx store.Tx) error { _, _, err := gate.Workspace(ctx, tx, made.WorkspaceID); return err })
		if err != nil {
			return loci.Project{}, err
		}
	}
	if err := s.Record(ctx, p, Create, made.ID.String()); err != nil {
		return loci.Project{}, err
	}
	return s.Store.Projects().Create(ctx, made, p.UserID)
}

// nameIsFree returns Conflict if any project of the org has the name, visible or not. It keeps
// attempts that would fail out of the audit trail. The store checks again.
func (s *Service) nameIsFree(ctx context.Context, p loci.Principal, name string) error {
	_, err := s.anyNamed(ctx, p, name)
	switch {
	case loci.CodeOf(err) == loci.NotFound:
		return nil
	case err == nil:
		return loci.Errorf(loci.Conflict, "a project named %s exists; choose another name", loci.OneLine(name))
	}
	return err
}

// anyNamed returns the project of the org with that name, visible or not, or NotFound.
func (s *Service) anyNamed(ctx context.Context, p loci.Principal, name string) (loci.Project, error) {
	ids, err := s.Store.ProjectMembers().All(ctx, p.OrgID, loci.WorkspaceID{})
	if err != nil {
		return loci.Project{}, err
	}
	return s.Store.Projects().Find(ctx, loci.Viewer{OrgID: p.OrgID, UserID: p.UserID, ProjectIDs: ids}, name)
}

// List returns the projects that the person belongs to, by name.
func (s *Service) List(ctx context.Context, p loci.Principal, r ListRequest) (gate.Page[loci.Project], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return gate.Page[loci.Project]{}, err
	}
	switch r.Status {
	case "", loci.ProjectActive, loci.ProjectArchived:
	default:
		return gate.Page[loci.Project]{},
			loci.FieldErrorf("status", "must be one of: active, archived; leave it out for all")
	}
	return gate.ReadPage(p, "projects", r.Status, r.Limit, r.Cursor,
		func(after string, limit int) (list []loci.Project, next string, err error) {
			q := store.ProjectQuery{Status: r.Status, After: after, Limit: limit}
			page, err := s.Store.Projects().List(ctx, p.Viewer(), q)
			if page.More {
				next = page.Projects[len(page.Projects)-1].Name
			}
			return page.Projects, next, err
		})
}

// Get returns a project, active or archived. NotFound if the person belongs to no project with that id.
func (s *Service) Get(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return loci.Project{}, err
	}
	return s.Store.Projects().Get(ctx, p.Viewer(), id)
}

// Find returns the project that text names, as store.FindProject reads it. Its NotFound error suggests the nearest
// names that the person can see.
func (s *Service) Find(ctx context.Context, p loci.Principal, name string) (loci.Project, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return loci.Project{}, err
	}
	return s.find(ctx, p, name, false)
}

// Named returns the project that text names by its id or, as Find reads it, by its name. Invalid, about the field
// project, if the person belongs to none that has it.
func (s *Service) Named(ctx context.Context, p loci.Principal, text string) (loci.Project, error) {
	got, err := s.named(ctx, p, text, false)
	if loci.CodeOf(err) == loci.NotFound {
		err = loci.FieldErrorf("project", "must be a project that you belong to: %s", loci.SafeText(err))
	}
	return got, err
}

// named is Named with the errors of find.
func (s *Service) named(ctx context.Context, p loci.Principal, text string, assistant bool) (loci.Project, error) {
	id, notID := loci.ParseID[struct{}](text)
	if notID != nil {
		return s.find(ctx, p, text, assistant)
	}
	got, err := s.Store.Projects().Get(ctx, p.Viewer(), loci.ProjectID(id))
	if loci.CodeOf(err) != loci.NotFound {
		return got, err
	}
	if called, e := s.find(ctx, p, text, assistant); loci.CodeOf(e) != loci.NotFound {
		return called, e
	}
	return got, err // no name is like an id
}

// find is Find without the check. For an assistant, its NotFound error also names the tools that help.
func (s *Service) find(ctx context.Context, p loci.Principal, name string, assistant bool) (loci.Project, error) {
	got, err := s.Store.Projects().Find(ctx, p.Viewer(), name)
	if loci.CodeOf(err) != loci.NotFound {
		return got, err
	}
	all, err := s.visible(ctx, p, name)
	if err != nil {
		return loci.Project{}, err
	}
	if got, err := store.FindProject(p.Viewer(), all, name); loci.CodeOf(err) != loci.NotFound {
		return got, err
	}
	names := loci.Mapped(all, func(p loci.Project) string { return p.Name })
	near := loci.Nearest(name, names, maxNearest)
	for i, other := range near {
		near[i] = fmt.Sprintf("%q", loci.OneLine(other))
	}
	shown := []rune(loci.OneLine(name))
	text := fmt.Sprintf("there is no project %q", string(shown[:min(len(shown), loci.MaxName)]))
	switch {
	case len(near) > 0:
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	case assistant:
		text += "; list_projects names all, create_project makes one"
	}
	return loci.Project{}, loci.Errorf(loci.NotFound, "%s", text)
}

// maxNearest is how many names are suggested.
const maxNearest = 3

// visible returns all visible projects, to compare their names with one.
func (s *Service) visible(ctx context.Context, p loci.Principal, name string) (all []loci.Project, err error) {
	if len(name) > 4*loci.MaxName { // too long for a name, and slow to compare
		return nil, nil
	}
	for q := (store.ProjectQuery{Limit: gate.MaxPage}); ; {
		page, err := s.Store.Projects().List(ctx, p.Viewer(), q)
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Projects...); !page.More {
			return all, nil
		}
		q.After = all[len(all)-1].Name
	}
}

// Service provides the operations on projects. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	// Closed is called with a project that was archived or deleted.
	Closed func(context.Context, loci.OrgID, loci.ProjectID)
}

// New returns a Service.
func New(g *gate.Gate) *Service {
	return &Service{g, func(context.Context, loci.OrgID, loci.ProjectID) {}}
}

// Adopt returns the project that stands here for x, a project of an export: one of the person's with the id of x or
// the id that follows from it, or the one of that name if the person is alone in it. If there is none, Adopt makes
// one for the person alone, and keeps the id and the name of x if they are free. With dry, it only returns what it
// would make.
func (s *Service) Adopt(ctx context.Context, p loci.Principal, x loci.Project, dry bool) (
	here loci.Project, made bool, err error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return here, false, err
	}
	ids, err := s.Store.ProjectMembers().Of(ctx, p.OrgID, p.UserID, loci.WorkspaceID{})
	if err != nil {
		return here, false, err
	}
	v := loci.Viewer{OrgID: p.OrgID, UserID: p.UserID, ProjectIDs: ids}
	other := loci.ProjectIDOf(p.OrgID, p.UserID, x.ID)
	for _, id := range []loci.ProjectID{x.ID, other} {
		if slices.Contains(ids, id) {
			here, err = s.Store.Projects().Get(ctx, v, id)
			return here, false, err
		}
	}
	here, err = s.anyNamed(ctx, p, x.Name)
	if err == nil && here.IsOnly(p.UserID) {
		return here, false, nil
	}
	if err == nil {
		x.Name = loci.FreeName(x.Name, func(name string) bool {
			_, failed := s.anyNamed(ctx, p, name)
			return failed == nil
		})
	} else if loci.CodeOf(err) != loci.NotFound {
		return here, false, err
	}
	x.OrgID, x.WorkspaceID = p.OrgID, p.WorkspaceID
	if dry {
		return x, true, x.Validate()
	}
	here, err = s.create(ctx, p, x)
	if loci.CodeOf(err) == loci.Conflict { // the id belongs to another org
		x.ID = other
		here, err = s.create(ctx, p, x)
	}
	if err == nil && x.Status == loci.ProjectArchived {
		err = s.Store.Projects().Archive(ctx, p.OrgID, here.ID)
	}
	return here, err == nil, err
}
