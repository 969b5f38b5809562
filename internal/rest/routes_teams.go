package rest

import (
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// registerTeams adds the routes about teams.
func (s *server) registerTeams(at func(route) route) {
	add(s, at(routeCreateTeam), s.createTeam)
	add(s, at(routeTeams), s.teams)
	add(s, at(routeTeam), s.team)
	add(s, at(routeRenameTeam), s.renameTeam)
	add(s, at(routeDeleteTeam), s.deleteTeam)
	add(s, at(routeInviteToTeam), s.inviteToTeam)
	add(s, at(routeTeamInvites), s.teamInvites)
	add(s, at(routeRevokeTeamInvite), s.revokeTeamInvite)
	add(s, at(routeJoinTeam), s.joinTeam)
	add(s, at(routeLeaveTeam), s.leaveTeam)
	add(s, at(routeRemoveFromTeam), s.removeFromTeam)
	add(s, at(routeSetTeamRole), s.setTeamRole)
}

// The part of the table about teams.
var (
	routeCreateTeam = route{ID: "createTeam", Method: http.MethodPost, Atomic: true, Path: "/teams", Who: forPeople, Action: app.TeamCreate, Tag: "teams", Limit: expensive, Status: http.StatusCreated,
		Summary: "Make a team", Text: "You are its owner. 409 if the name is taken or you are in a team.", In: client.Name{Name: "Platform"}, Out: exampleTeam}
	routeTeams = route{ID: "listTeams", Method: http.MethodGet, Path: "/teams", Who: forPeople, Action: app.TeamRead, Tag: "teams",
		Summary: "List teams", Text: "Your own; admins of the org see all of them.", Out: client.TeamList{Teams: []loci.Team{exampleTeam}}}
	routeTeam = route{ID: "getTeam", Method: http.MethodGet, Path: "/teams/{id}", Who: forPeople, Action: app.TeamRead, Missing: noTeam, Tag: "teams",
		Summary: "Get a team with its members", Text: "For its members and the admins of the org.", Out: exampleTeamView}
	routeRenameTeam = route{ID: "renameTeam", Method: http.MethodPatch, Path: "/teams/{id}", Who: forPeople, Action: app.TeamChange, Missing: noTeam, Tag: "teams",
		Summary: "Rename a team", Text: "For its owners and admins. 409 if the name is taken.", In: client.Name{Name: "Platform"}, Out: exampleTeam}
	routeDeleteTeam = route{ID: "deleteTeam", Method: http.MethodDelete, Path: "/teams/{id}", Who: forPeople, Action: app.TeamDelete, Missing: noTeam, Tag: "teams",
		Summary: "Delete a team", Text: "What was shared goes back to who shared it. 409 while it has other members, unless force=true. Needs step-up."}
	routeInviteToTeam = route{ID: "inviteToTeam", Method: http.MethodPost, Path: "/teams/{id}/invite", Who: forPeople, Action: app.TeamInvite, More: []app.Action{app.TeamRole}, Missing: noTeam, Tag: "teams", Limit: expensive, Status: http.StatusCreated,
		Summary: "Invite people to a team", Text: "Each invitation is bound to its e-mail address and good for 7 days. A role above member needs step-up. The tokens are in this answer and never shown again.", In: exampleInvitation, Out: exampleInvited}
	routeTeamInvites = route{ID: "listTeamInvites", Method: http.MethodGet, Path: "/teams/{id}/invites", Who: forPeople, Action: app.TeamRead, Missing: noTeam, Tag: "teams",
		Summary: "List the invitations to a team", Text: "Newest first, without their tokens; empty for those who may not invite.", Out: exampleInvites}
	routeRevokeTeamInvite = route{ID: "revokeTeamInvite", Method: http.MethodDelete, Path: "/teams/{id}/invites/{invite}", Who: forPeople, Action: app.TeamRead, More: []app.Action{app.TeamInvite}, Missing: noInvite, Tag: "teams",
		Summary: "Revoke an invitation to a team", Text: "Its token is useless from then on."}
	routeJoinTeam = route{ID: "joinTeam", Method: http.MethodPost, Atomic: true, Path: "/teams/join", Who: forPeople, Action: app.TeamJoin, Missing: noInvite, Tag: "teams", Limit: expensive,
		Summary: "Accept an invitation to a team", Text: "With the token; the invitation must be for your e-mail address. 409 if you are in a team.", In: client.Token{Token: "loci_invite_4f2A"}, Out: client.Joined{Org: exampleOrg, Team: &exampleTeamView}}
	routeLeaveTeam = route{ID: "leaveTeam", Method: http.MethodPost, Path: "/teams/{id}/leave", Who: forPeople, Action: app.TeamLeave, Missing: noTeam, Tag: "teams",
		Summary: "Leave a team", Text: "What you shared is only yours again. 409 for its last owner while it has members."}
	routeRemoveFromTeam = route{ID: "removeFromTeam", Method: http.MethodDelete, Path: "/teams/{id}/members/{user}", Who: forPeople, Action: app.TeamRemove, Missing: noMember, Tag: "teams",
		Summary: "Remove somebody from a team", Text: "What they shared is only theirs again."}
	routeSetTeamRole = route{ID: "setTeamRole", Method: http.MethodPut, Path: "/teams/{id}/members/{user}/role", Who: forPeople, Action: app.TeamRole, Missing: noMember, Tag: "teams",
		Summary: "Give a member of a team another role", Text: "For its owners. Needs step-up. 409 for its last owner.", In: client.RoleChange{Role: loci.MemberAdmin}, Out: exampleUserRow}
)
