package app

import (
	"context"

	"github.com/loci-memory/loci"
)

// ProjectDraft is what a caller says of a new project.
type ProjectDraft struct {
	Name, Description string
	Everyone          *bool // whether every user of the org belongs to it; nil: they do
}

// ProjectPatch changes the fields that are not nil.
type ProjectPatch struct {
	Name, Description *string
	Everyone          *bool
}

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
	return loci.Project{}, errUnbuilt
}

// Projects returns the projects that the person belongs to, by name.
func (a *App) Projects(ctx context.Context, p loci.Principal, r ProjectList) (*ProjectPage, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// Project returns a project, archived ones too. NotFound if there is none of that id that the person belongs to.
func (a *App) Project(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return loci.Project{}, err
	}
	return loci.Project{}, errUnbuilt
}

// FindProject is Project by name. Its NotFound names the nearest names that the person could mean.
func (a *App) FindProject(ctx context.Context, p loci.Principal, name string) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRead); err != nil {
		return loci.Project{}, err
	}
	return loci.Project{}, errUnbuilt
}

// ChangeProject alters name, description and who belongs to it. It is for the owners and admins of the project,
// and those of the org who belong to it; for others Forbidden. NotFound; Conflict if the name is taken. A change that changes nothing records nothing.
func (a *App) ChangeProject(ctx context.Context, p loci.Principal, id loci.ProjectID, c ProjectPatch) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectChange); err != nil {
		return loci.Project{}, err
	}
	return loci.Project{}, errUnbuilt
}

// ArchiveProject closes a project and keeps it, for the same people as ChangeProject. Sessions that work
// on it work on none then. Conflict if it is archived.
func (a *App) ArchiveProject(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectArchive); err != nil {
		return loci.Project{}, err
	}
	return loci.Project{}, errUnbuilt
}

// RestoreProject makes an archived project active again. Conflict if it is not archived. Otherwise like ArchiveProject.
func (a *App) RestoreProject(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRestore); err != nil {
		return loci.Project{}, err
	}
	return loci.Project{}, errUnbuilt
}

// DeleteProject deletes a project, active or archived, with its graph for good; its
// memories go to their owners' trash. It is for the owners of the project, and those of the org who belong to it. NotFound, Forbidden.
func (a *App) DeleteProject(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	if err := a.begin(ctx, p, ProjectDelete); err != nil {
		return err
	}
	return errUnbuilt
}

// ProjectMembers returns who is entered as a member of a project, by id: with Everyone it is open to others, too. NotFound as for Project.
func (a *App) ProjectMembers(ctx context.Context, p loci.Principal, id loci.ProjectID) ([]loci.ProjectMember, error) {
	if err := a.begin(ctx, p, ProjectMembers); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// PutProjectMember enters a user of the org as a member, or changes the role. It is for the same people as ChangeProject,
// and only an owner makes or changes an owner. NotFound if there is no such project or user; Conflict for the last owner's role.
func (a *App) PutProjectMember(ctx context.Context, p loci.Principal, id loci.ProjectID, m loci.ProjectMember) error {
	if err := a.begin(ctx, p, ProjectMember); err != nil {
		return err
	}
	return errUnbuilt
}

// RemoveProjectMember takes a member out; people may take themselves out. It may be repeated. Otherwise like PutProjectMember.
func (a *App) RemoveProjectMember(ctx context.Context, p loci.Principal, id loci.ProjectID, user loci.UserID) error {
	if err := a.begin(ctx, p, ProjectMember); err != nil {
		return err
	}
	return errUnbuilt
}
