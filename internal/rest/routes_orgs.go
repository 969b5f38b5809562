package rest

import (
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// registerOrgs adds the routes about orgs, and those of the deployment.
func (s *server) registerOrgs(at func(route) route) {
	add(s, at(routeOrg), s.org)
	add(s, at(routeEditOrg), s.editOrg)
	add(s, at(routeDeleteOrg), s.deleteOrg)
	add(s, at(routeMembers), s.members)
	add(s, at(routeEditMember), s.editMember)
	add(s, at(routeInviteToOrg), s.inviteToOrg)
	add(s, at(routeOrgInvites), s.orgInvites)
	add(s, at(routeRevokeOrgInvite), s.revokeOrgInvite)
	add(s, at(routeWorkspaces), s.workspaces)
	add(s, at(routeCreateWorkspace), s.createWorkspace)
	add(s, at(routeRenameWorkspace), s.renameWorkspace)
	add(s, at(routeDeleteWorkspace), s.deleteWorkspace)
	add(s, at(routeWorkspaceMembers), s.workspaceMembers)
	add(s, at(routeJoinWorkspace), s.joinWorkspace)
	add(s, at(routeLeaveWorkspace), s.leaveWorkspace)

	add(s, at(routeAdminUsers), s.adminUsers)
	add(s, at(routeAdminMetrics), s.adminMetrics)
}

// The part of the table about orgs, and about the deployment.
var (
	routeOrg = route{ID: "getOrg", Method: http.MethodGet, Path: "/orgs/{id}", Who: forPeople, Action: app.OrgRead, Missing: noOrg, Tag: "orgs",
		Summary: "Get your org", Text: "404 for every other one.", Out: exampleOrg}
	routeEditOrg = route{ID: "editOrg", Method: http.MethodPatch, Path: "/orgs/{id}", Who: forPeople, Action: app.OrgChange, More: []app.Action{app.OrgSet}, Missing: noOrg, Tag: "orgs",
		Summary: "Change your org", Text: "What is left out stays. The name is for admins; deletion, workspaces and assets are for owners and need step-up.", In: client.OrgEdit{Name: new("Acme")}, Out: exampleOrg}
	routeDeleteOrg = route{ID: "deleteOrg", Method: http.MethodDelete, Path: "/orgs/{id}", Who: forPeople, Action: app.OrgDelete, Missing: noOrg, Tag: "orgs", Limit: expensive,
		Summary: "Delete your org", Text: "With everything in it, for good. For owners; needs step-up. 409 while it has other members.", In: client.Confirmation{Confirm: "acme"}, Out: exampleReceipt}
	routeMembers = route{ID: "listMembers", Method: http.MethodGet, Path: "/orgs/{id}/members", Who: forPeople, Action: app.MemberList, Missing: noOrg, Tag: "orgs",
		Summary: "List the people of your org", Text: "For admins.", Out: exampleMembers}
	routeEditMember = route{ID: "editMember", Method: http.MethodPatch, Path: "/orgs/{id}/members/{user}", Who: forPeople, Action: app.MemberRole, More: []app.Action{app.MemberRemove}, Missing: noMember, Tag: "orgs",
		Summary: "Change the role of a member, or shut them out", Text: "For admins; needs step-up. 409 for the last owner.", In: client.MemberEdit{Role: new(loci.MemberAdmin)}, Out: exampleUserRow}
	routeInviteToOrg = route{ID: "inviteToOrg", Method: http.MethodPost, Path: "/orgs/{id}/invite", Who: forPeople, Action: app.OrgInvite, More: []app.Action{app.MemberRole}, Missing: noOrg, Tag: "orgs", Limit: expensive, Status: http.StatusCreated,
		Summary: "Invite people to your org", Text: "Each invitation is bound to its e-mail address and good for 7 days. A role above member needs step-up. The tokens are in this answer and never shown again.", In: exampleInvitation, Out: exampleInvited}
	routeOrgInvites = route{ID: "listOrgInvites", Method: http.MethodGet, Path: "/orgs/{id}/invites", Who: forPeople, Action: app.MemberList, Missing: noOrg, Tag: "orgs",
		Summary: "List the invitations to your org", Text: "Newest first, without their tokens.", Out: exampleInvites}
	routeRevokeOrgInvite = route{ID: "revokeOrgInvite", Method: http.MethodDelete, Path: "/orgs/{id}/invites/{invite}", Who: forPeople, Action: app.TeamInvite, Missing: noInvite, Tag: "orgs",
		Summary: "Revoke an invitation to your org", Text: "Its token is useless from then on."}

	routeWorkspaces = route{ID: "listWorkspaces", Method: http.MethodGet, Path: "/orgs/{id}/workspaces", Who: forPeople, Action: app.WorkspaceRead, Missing: noOrg, Tag: "orgs",
		Summary: "List workspaces", Text: "Those that you are a member of; admins see all of them.", Out: client.WorkspaceList{Workspaces: []loci.Workspace{exampleWorkspace}}}
	routeCreateWorkspace = route{ID: "createWorkspace", Method: http.MethodPost, Atomic: true, Path: "/orgs/{id}/workspaces", Who: forPeople, Action: app.WorkspaceChange, Missing: noOrg, Tag: "orgs", Limit: expensive, Status: http.StatusCreated,
		Summary: "Make a workspace", Text: "For admins. 409 if the name is taken.", In: client.Name{Name: "Research"}, Out: exampleWorkspace}
	routeRenameWorkspace = route{ID: "renameWorkspace", Method: http.MethodPatch, Path: "/orgs/{id}/workspaces/{workspace}", Who: forPeople, Action: app.WorkspaceChange, Missing: noWorkspace, Tag: "orgs",
		Summary: "Rename a workspace", Text: "For admins. 409 if the name is taken.", In: client.Name{Name: "Research"}, Out: exampleWorkspace}
	routeDeleteWorkspace = route{ID: "deleteWorkspace", Method: http.MethodDelete, Path: "/orgs/{id}/workspaces/{workspace}", Who: forPeople, Action: app.WorkspaceChange, Missing: noWorkspace, Tag: "orgs",
		Summary: "Delete a workspace", Text: "For admins. 409 while memories are in it."}
	routeWorkspaceMembers = route{ID: "listWorkspaceMembers", Method: http.MethodGet, Path: "/orgs/{id}/workspaces/{workspace}/members", Who: forPeople, Action: app.WorkspaceRead, Missing: noWorkspace, Tag: "orgs",
		Summary: "List the members of a workspace", Text: "For its members and for admins.", Out: exampleMembers}
	routeJoinWorkspace = route{ID: "addToWorkspace", Method: http.MethodPut, Path: "/orgs/{id}/workspaces/{workspace}/members/{user}", Who: forPeople, Action: app.WorkspaceChange, Missing: noMember, Tag: "orgs",
		Summary: "Add somebody to a workspace", Text: "For admins. It may be repeated."}
	routeLeaveWorkspace = route{ID: "removeFromWorkspace", Method: http.MethodDelete, Path: "/orgs/{id}/workspaces/{workspace}/members/{user}", Who: forPeople, Action: app.WorkspaceChange, Missing: noMember, Tag: "orgs",
		Summary: "Remove somebody from a workspace", Text: "For admins. It may be repeated."}

	routeAdminUsers = route{ID: "adminUsers", Method: http.MethodGet, Path: "/admin/users", Who: forPeople, Action: app.AdminRead, Tag: "admin", Limit: watching,
		Summary: "List the people of the deployment", Text: "For people with the instance role admin. Nothing about memories.", Out: client.UserList{Users: []loci.User{exampleUserRow}}}
	routeAdminMetrics = route{ID: "adminMetrics", Method: http.MethodGet, Path: "/admin/metrics", Who: forPeople, Action: app.AdminRead, Tag: "admin", Limit: watching,
		Summary: "Count what the deployment has", Text: "For people with the instance role admin. Nothing about memories.", Out: client.Metrics{Orgs: 3, Users: 12, Teams: 2, Keys: 15, Sessions: 6, Grants: 9}}
)
