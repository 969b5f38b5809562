package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// ProjectPath is a project in a path. It is exported because huma passes over
// embedded structs that are not.
type ProjectPath struct {
	ID string `path:"id" doc:"Of the project, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p ProjectPath) project() (id loci.ProjectID) {
	read(&id, p.ID)
	return id
}

type newProjectInput struct{ Body client.NewProject }

func (s *server) createProject(ctx context.Context, p loci.Principal, in *newProjectInput) (*answer[loci.Project], error) {
	return say(s.app.CreateProject(ctx, p, app.ProjectDraft{Name: in.Body.Name, Description: in.Body.Description, Everyone: in.Body.Everyone}))
}

type projectsInput struct {
	Status client.ProjectStatuses `query:"status" enum:"active,archived,all" doc:"Left out: active"`
	Limit  int                    `query:"limit" minimum:"1" maximum:"500" doc:"Left out: 50"`
	Cursor string                 `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same status"`
}

func (s *server) projects(ctx context.Context, p loci.Principal, in *projectsInput) (*answer[client.ProjectList], error) {
	r := app.ProjectList{Status: loci.ProjectActive, Limit: in.Limit, Cursor: in.Cursor}
	switch in.Status {
	case client.ArchivedProjects:
		r.Status = loci.ProjectArchived
	case client.AllProjects:
		r.Status = ""
	}
	page, err := s.app.Projects(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return say(client.ProjectList{Projects: orEmpty(page.Projects), More: moreAt(page.NextCursor)}, nil)
}

func moreAt(cursor string) client.More {
	return client.More{HasMore: cursor != "", NextCursor: cursor}
}

func (s *server) project(ctx context.Context, p loci.Principal, in *ProjectPath) (*answer[loci.Project], error) {
	return say(s.app.Project(ctx, p, in.project()))
}

type projectEditInput struct {
	ProjectPath
	Body client.ProjectEdit `contentType:"application/json"`
}

func (s *server) editProject(ctx context.Context, p loci.Principal, in *projectEditInput) (*answer[loci.Project], error) {
	if in.Body == (client.ProjectEdit{}) {
		return nil, loci.Errorf(loci.Invalid, "the body changes nothing; send name, description or everyone")
	}
	return say(s.app.ChangeProject(ctx, p, in.project(), app.ProjectPatch(in.Body)))
}

func (s *server) archiveProject(ctx context.Context, p loci.Principal, in *ProjectPath) (*answer[loci.Project], error) {
	return say(s.app.ArchiveProject(ctx, p, in.project()))
}

func (s *server) restoreProject(ctx context.Context, p loci.Principal, in *ProjectPath) (*answer[loci.Project], error) {
	return say(s.app.RestoreProject(ctx, p, in.project()))
}

func (s *server) deleteProject(ctx context.Context, p loci.Principal, in *ProjectPath) (*nothing, error) {
	return done(s.app.DeleteProject(ctx, p, in.project()))
}

func (s *server) projectMembers(ctx context.Context, p loci.Principal, in *ProjectPath) (*answer[client.ProjectMemberList], error) {
	list, err := s.app.ProjectMembers(ctx, p, in.project())
	return say(client.ProjectMemberList{Members: orEmpty(list)}, err)
}

// ProjectMemberPath is a member of a project in a path, exported as ProjectPath
// is.
type ProjectMemberPath struct {
	ProjectPath
	User string `path:"user" doc:"Of the member, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p ProjectMemberPath) user() (id loci.UserID) {
	read(&id, p.User)
	return id
}

type projectMemberInput struct {
	ProjectMemberPath
	Body client.RoleChange
}

func (s *server) putProjectMember(ctx context.Context, p loci.Principal, in *projectMemberInput) (*nothing, error) {
	return done(s.app.PutProjectMember(ctx, p, in.project(), loci.ProjectMember{UserID: in.user(), Role: in.Body.Role}))
}

func (s *server) removeProjectMember(ctx context.Context, p loci.Principal, in *ProjectMemberPath) (*nothing, error) {
	return done(s.app.RemoveProjectMember(ctx, p, in.project(), in.user()))
}
