package rest

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/project"
)

var projectRoutes = table{"projects", []served{
	serve("POST /projects", route{ID: "createProject", Who: forAny, Action: project.Create, Limit: expensive,
		Status:  http.StatusCreated,
		Summary: "Create a project",
		Text: "Creates it with an empty graph in the active workspace. You become its owner and only member; if an " +
			"agent asks, the person it acts for does. To share it, add members, or let a person set everyone. 409 if the " +
			"name is taken in the org.",
		In: exampleNewProject, Out: exampleProject}, (*server).createProject),
	serve("GET /projects", route{ID: "listProjects", Who: forAny, Action: project.Read,
		Summary: "List projects",
		Text:    "Projects that you belong to, by name. Active projects unless you set status.",
		Out:     exampleProjects}, (*server).projects),
	serve("GET /projects/{id}", route{ID: "getProject", Who: forAny, Action: project.Read,
		Summary: "Get a project",
		Text:    "Active or archived.",
		Out:     exampleProject}, (*server).project),
	serve("PATCH /projects/{id}", route{ID: "editProject", Who: forPeople, Action: project.Change,
		Summary: "Change a project",
		Text: "Fields that you leave out stay. For owners and admins of the project, and for those of the org " +
			"who belong to it. 409 if the name is taken.",
		In: client.ProjectEdit{Name: new("website")}, Out: exampleProject}, (*server).editProject),
	serve("POST /projects/{id}/archive", route{ID: "archiveProject", Who: forAny, Action: project.Archive,
		Summary: "Archive a project",
		Text: "Closes the project until you restore it. MCP connections that work on it lose their project. " +
			"The same people can do this as can change it. 409 if it is already archived.",
		Out: exampleArchived}, (*server).archiveProject),
	serve("POST /projects/{id}/restore", route{ID: "restoreProject", Who: forAny, Action: project.Restore,
		Summary: "Restore an archived project",
		Text:    "Makes it active again. The same people can do this as can change it. 409 if it is not archived.",
		Out:     exampleProject}, (*server).restoreProject),
	serve("DELETE /projects/{id}", route{ID: "deleteProject", Who: forAny, Action: project.Delete, Limit: expensive,
		Summary: "Delete a project permanently",
		Text: "With its graph and tasks. Its memories go to the trash of their owners. For owners of the project, " +
			"and for those of the org who belong to it. Needs step-up unless the org deletes by key."}, (*server).deleteProject),
	serve("GET /projects/{id}/members", route{ID: "listProjectMembers", Who: forPeople, Action: project.ReadMembers,
		Summary: "List the members of a project",
		Text:    "People who were added. A project with \"everyone\" is open to all users of the org.",
		Out:     exampleProjectMembers}, (*server).projectMembers),
	serve("PUT /projects/{id}/members/{user}", route{ID: "putProjectMember", Who: forPeople,
		Action:  project.ChangeMember,
		Summary: "Add a member to a project, or change their role",
		Text: "For a user of the org. The same people can do this as can change the project. Only owners can " +
			"make or change an owner. 409 for the last owner.",
		In: client.RoleChange{Role: loci.MemberAdmin}}, (*server).putProjectMember),
	serve("DELETE /projects/{id}/members/{user}", route{ID: "removeProjectMember", Who: forPeople,
		Action:  project.ChangeMember,
		Summary: "Remove a member from a project",
		Text:    "You can repeat this request, and you can remove yourself. 409 for the last owner."},
		(*server).removeProjectMember),
}}

// ProjectPath is a project in a path. It is exported because huma skips embedded structs that are not.
type ProjectPath struct {
	ID string `path:"id" doc:"Id or name of the project" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p ProjectPath) project() loci.ProjectID { return idOf[loci.ProjectID](p.ID) }

func (s *server) createProject(ctx context.Context, p loci.Principal,
	in *body[client.NewProject]) (*answer[loci.Project], error) {
	return say(s.app.Project.Create(ctx, p, in.Body))
}

type projectsInput struct {
	Status client.ProjectStatuses `query:"status" enum:"active,archived,all" doc:"Default: active"`
	Page50
}

func (s *server) projects(ctx context.Context, p loci.Principal,
	in *projectsInput) (*answer[client.ProjectList], error) {
	r := project.ListRequest{Status: loci.ProjectActive, Limit: in.Limit, Cursor: in.Cursor}
	switch in.Status {
	case client.ArchivedProjects:
		r.Status = loci.ProjectArchived
	case client.AllProjects:
		r.Status = ""
	}
	page, err := s.app.Project.List(ctx, p, r)
	return say(client.ProjectList{Projects: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

func moreAt(cursor string) client.More {
	return client.More{HasMore: cursor != "", NextCursor: cursor}
}

func (s *server) project(ctx context.Context, p loci.Principal, in *ProjectPath) (*answer[loci.Project], error) {
	return say(s.app.Project.Get(ctx, p, in.project()))
}

type projectEditInput struct {
	ProjectPath
	Body client.ProjectEdit `contentType:"application/json"`
}

func (s *server) editProject(ctx context.Context, p loci.Principal,
	in *projectEditInput) (*answer[loci.Project], error) {
	if in.Body == (client.ProjectEdit{}) {
		return nil, loci.Errorf(loci.Invalid, "the body changes nothing; send name, description or everyone")
	}
	return say(s.app.Project.Change(ctx, p, in.project(), in.Body))
}

func (s *server) archiveProject(ctx context.Context, p loci.Principal, in *ProjectPath) (*answer[loci.Project], error) {
	return say(s.app.Project.Archive(ctx, p, in.project()))
}

func (s *server) restoreProject(ctx context.Context, p loci.Principal, in *ProjectPath) (*answer[loci.Project], error) {
	return say(s.app.Project.Restore(ctx, p, in.project()))
}

func (s *server) deleteProject(ctx context.Context, p loci.Principal, in *ProjectPath) (*nothing, error) {
	return done(s.app.Project.Delete(ctx, p, in.project()))
}

func (s *server) projectMembers(ctx context.Context, p loci.Principal,
	in *ProjectPath) (*answer[client.ProjectMemberList], error) {
	list, err := s.app.Project.Members(ctx, p, in.project())
	return say(client.ProjectMemberList{Members: loci.OrEmpty(list)}, err)
}

// ProjectMemberPath is a member of a project in a path, exported as ProjectPath is.
type ProjectMemberPath struct {
	ProjectPath
	User string `path:"user" doc:"Of the member, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p ProjectMemberPath) user() loci.UserID { return idOf[loci.UserID](p.User) }

type projectMemberInput struct {
	ProjectMemberPath
	Body client.RoleChange
}

func (s *server) putProjectMember(ctx context.Context, p loci.Principal, in *projectMemberInput) (*nothing, error) {
	return done(s.app.Project.PutMember(ctx, p, in.project(), loci.ProjectMember{UserID: in.user(), Role: in.Body.Role}))
}

func (s *server) removeProjectMember(ctx context.Context, p loci.Principal, in *ProjectMemberPath) (*nothing, error) {
	return done(s.app.Project.RemoveMember(ctx, p, in.project(), in.user()))
}

var (
	exampleProject = loci.Project{ID: loci.ProjectID(exampleID), Name: "website",
		Description: "The public site and its deployment",
		Status:      loci.ProjectActive, Members: 1, CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleArchived = loci.Project{ID: loci.ProjectID(exampleID), Name: "website", Status: loci.ProjectArchived,
		Members:   1,
		CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleNewProject     = client.NewProject{Name: "website", Description: "The public site and its deployment"}
	exampleProjects       = client.ProjectList{Projects: []loci.Project{exampleProject}}
	exampleProjectMembers = client.ProjectMemberList{Members: []loci.ProjectMember{{UserID: exampleUser,
		Role: loci.MemberOwner}}}
)
