package rest

import (
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// registerProjects adds the routes about projects.
func (s *server) registerProjects(at func(route) route) {
	add(s, at(routeCreateProject), s.createProject)
	add(s, at(routeProjects), s.projects)
	add(s, at(routeProject), s.project)
	add(s, at(routeEditProject), s.editProject)
	add(s, at(routeArchiveProject), s.archiveProject)
	add(s, at(routeRestoreProject), s.restoreProject)
	add(s, at(routeDeleteProject), s.deleteProject)
	add(s, at(routeProjectMembers), s.projectMembers)
	add(s, at(routePutProjectMember), s.putProjectMember)
	add(s, at(routeRemoveProjectMember), s.removeProjectMember)
}

// The part of the table about projects.
var (
	routeCreateProject = route{ID: "createProject", Method: http.MethodPost, Path: "/projects", Who: forAny, Action: app.ProjectCreate, Tag: "projects", Limit: expensive, Status: http.StatusCreated,
		Summary: "Make a project", Text: "With an empty graph, in the active workspace. You, or whom the agent acts for, are its owner. 409 if the name is taken in the org.", In: exampleNewProject, Out: exampleProject}
	routeProjects = route{ID: "listProjects", Method: http.MethodGet, Path: "/projects", Who: forAny, Action: app.ProjectRead, Tag: "projects",
		Summary: "List projects", Text: "Those that you belong to, by name; the active ones if status does not say otherwise.", Out: exampleProjects}
	routeProject = route{ID: "getProject", Method: http.MethodGet, Path: "/projects/{id}", Who: forAny, Action: app.ProjectRead, Missing: noProject, Tag: "projects",
		Summary: "Get a project", Text: "Archived ones too.", Out: exampleProject}
	routeEditProject = route{ID: "editProject", Method: http.MethodPatch, Path: "/projects/{id}", Who: forPeople, Action: app.ProjectChange, Missing: noProject, Tag: "projects",
		Summary: "Change a project", Text: "What is left out stays. For owners and admins of the project, and those of the org who belong to it. 409 if the name is taken.", In: client.ProjectEdit{Name: new("website")}, Out: exampleProject}
	routeArchiveProject = route{ID: "archiveProject", Method: http.MethodPost, Path: "/projects/{id}/archive", Who: forAny, Action: app.ProjectArchive, Missing: noProject, Tag: "projects",
		Summary: "Archive a project", Text: "It is kept, but closed until it is restored; MCP sessions that work on it work on none then. For the same people as changing it. 409 if it is archived.", Out: exampleArchived}
	routeRestoreProject = route{ID: "restoreProject", Method: http.MethodPost, Path: "/projects/{id}/restore", Who: forAny, Action: app.ProjectRestore, Missing: noProject, Tag: "projects",
		Summary: "Restore an archived project", Text: "It is active again. For the same people as changing it. 409 if it is not archived.", Out: exampleProject}
	routeDeleteProject = route{ID: "deleteProject", Method: http.MethodDelete, Path: "/projects/{id}", Who: forAny, Action: app.ProjectDelete, Missing: noProject, Tag: "projects", Limit: expensive,
		Summary: "Delete a project", Text: "With its graph, for good; its memories go to their owners' trash. For owners of the project, and those of the org who belong to it. Needs step-up, unless the org deletes by key."}
	routeProjectMembers = route{ID: "listProjectMembers", Method: http.MethodGet, Path: "/projects/{id}/members", Who: forPeople, Action: app.ProjectMembers, Missing: noProject, Tag: "projects",
		Summary: "List the members of a project", Text: "Those who are entered; a project with everyone is open to all users of the org.", Out: exampleProjectMembers}
	routePutProjectMember = route{ID: "putProjectMember", Method: http.MethodPut, Path: "/projects/{id}/members/{user}", Who: forPeople, Action: app.ProjectMember, Missing: noMember, Tag: "projects",
		Summary: "Enter a member of a project, or change the role", Text: "A user of the org. For the same people as changing the project; only owners make or change an owner. 409 for the last owner.", In: client.RoleChange{Role: loci.MemberAdmin}}
	routeRemoveProjectMember = route{ID: "removeProjectMember", Method: http.MethodDelete, Path: "/projects/{id}/members/{user}", Who: forPeople, Action: app.ProjectMember, Missing: noMember, Tag: "projects",
		Summary: "Take a member out of a project", Text: "It may be repeated. People may take themselves out. 409 for the last owner."}
)
