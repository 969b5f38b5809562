package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// ProjectDraft is loci.NewProject.
type ProjectDraft = loci.NewProject

// ProjectList asks for one page of projects, by name.
type ProjectList struct {
	Status loci.ProjectStatus // "": all
	Limit  int                // 0: 50; at most 500
	Cursor string             // NextCursor of the page before
}

// ProjectPage is one page of projects.
type ProjectPage struct {
	Projects   []loci.Project
	NextCursor string // "": this was the last page
}

// CreateProject makes a project with an empty graph, in the active workspace. The person of p is its
// owner. Conflict if the name is taken in the org; Forbidden for a key that is limited to projects, which could not see it.
func (a *App) CreateProject(ctx context.Context, p loci.Principal, d ProjectDraft) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectCreate); err != nil {
		return loci.Project{}, err
	}
	if p.OnlyProjects {
		a.Refused(ctx, p, ProjectCreate)
		return loci.Project{}, loci.Errorf(loci.Forbidden, "this key is limited to projects and would not see a new one; use a key that is not")
	}
	made := loci.Project{ID: loci.NewProjectID(), OrgID: p.OrgID, WorkspaceID: p.WorkspaceID, Name: d.Name, Description: d.Description,
		Everyone: d.Everyone == nil || *d.Everyone}
	if err := made.Validate(); err != nil {
		return loci.Project{}, err
	}
	if err := a.nameIsFree(ctx, p, made.Name); err != nil {
		return loci.Project{}, err
	}
	if !made.WorkspaceID.IsZero() {
		a.registry.Lock() // the workspace must not go meanwhile
		defer a.registry.Unlock()
		err := a.store.View(ctx, p.OrgID, func(tx store.Tx) error { _, _, err := workspace(ctx, tx, made.WorkspaceID); return err })
		if err != nil {
			return loci.Project{}, err
		}
	}
	if err := a.record(ctx, p, ProjectCreate, made.ID.String()); err != nil {
		return loci.Project{}, err
	}
	return a.store.Projects().Create(ctx, made, p.UserID)
}

// nameIsFree is a Conflict if any project of the org has the name, whoever may
// see it. It keeps what would fail out of the audit trail; the store has the last word.
func (a *App) nameIsFree(ctx context.Context, p loci.Principal, name string) error {
	ids, err := a.store.ProjectMembers().All(ctx, p.OrgID, loci.WorkspaceID{})
	if err != nil {
		return err
	}
	_, err = a.store.Projects().Find(ctx, loci.Viewer{OrgID: p.OrgID, UserID: p.UserID, ProjectIDs: ids}, name)
	switch {
	case loci.CodeOf(err) == loci.NotFound:
		return nil
	case err == nil:
		return loci.Errorf(loci.Conflict, "a project named %s exists; choose another name", loci.OneLine(name))
	}
	return err
}

// Projects returns the projects that the person belongs to, by name.
func (a *App) Projects(ctx context.Context, p loci.Principal, r ProjectList) (*ProjectPage, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return nil, err
	}
	const kind = "projects"
	q := store.ProjectQuery{Status: r.Status}
	switch r.Status {
	case "", loci.ProjectActive, loci.ProjectArchived:
	default:
		return nil, loci.FieldErrorf("status", "must be one of: active, archived; leave it out for all")
	}
	var err error
	if q.Limit, err = pageSize("limit", r.Limit, DefaultPage, MaxPage); err != nil {
		return nil, err
	}
	if r.Cursor != "" {
		if q.After, err = openCursor(p, r.Status, kind, r.Cursor); err != nil {
			return nil, err
		}
	}
	page, err := a.store.Projects().List(ctx, p.Viewer(), q)
	if err != nil {
		return nil, err
	}
	out := &ProjectPage{Projects: page.Projects}
	if page.More {
		out.NextCursor = sealCursor(p, r.Status, kind, page.Projects[len(page.Projects)-1].Name)
	}
	return out, nil
}

// Project returns a project, archived ones too. NotFound if there is none of that id that the person belongs to.
func (a *App) Project(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return loci.Project{}, err
	}
	return a.store.Projects().Get(ctx, p.Viewer(), id)
}

// FindProject is Project by name. Its NotFound names the nearest names that the person could mean.
func (a *App) FindProject(ctx context.Context, p loci.Principal, name string) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return loci.Project{}, err
	}
	return a.findProject(ctx, p, name, false)
}

// findProject is FindProject without its check; of assistant, what is not there comes with the
// tools that help.
func (a *App) findProject(ctx context.Context, p loci.Principal, name string, assistant bool) (loci.Project, error) {
	got, err := a.store.Projects().Find(ctx, p.Viewer(), name)
	if loci.CodeOf(err) != loci.NotFound {
		return got, err
	}
	near, err := a.nearestProjects(ctx, p, name)
	if err != nil {
		return loci.Project{}, err
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

// maxNearest is how many names a suggestion has.
const maxNearest = 3

// nearestProjects returns quoted names of visible projects.
func (a *App) nearestProjects(ctx context.Context, p loci.Principal, name string) ([]string, error) {
	if len(name) > 4*loci.MaxName { // is no name, and would take long to compare
		return nil, nil
	}
	var names []string
	for q := (store.ProjectQuery{Limit: MaxPage}); ; {
		page, err := a.store.Projects().List(ctx, p.Viewer(), q)
		if err != nil {
			return nil, err
		}
		for _, other := range page.Projects {
			names = append(names, other.Name)
		}
		if !page.More {
			break
		}
		q.After = names[len(names)-1]
	}
	near := loci.Nearest(name, names, maxNearest)
	for i, other := range near {
		near[i] = fmt.Sprintf("%q", loci.OneLine(other))
	}
	return near, nil
}
