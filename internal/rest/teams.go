package rest

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
)

var teamRoutes = table{"teams", []served{
	serve("POST /teams", route{ID: "createTeam", Atomic: true, Who: forPeople, Action: org.TeamCreate,
		Limit: expensive, Status: http.StatusCreated,
		Summary: "Create a team",
		Text:    "You become its owner. 409 if the name is taken or you are already in a team.",
		In:      client.Name{Name: "Platform"}, Out: exampleTeam}, (*server).createTeam),
	serve("GET /teams", route{ID: "listTeams", Who: forPeople, Action: org.TeamRead,
		Summary: "List teams",
		Text:    "Your own team. Admins of the org see all teams.",
		Out:     client.TeamList{Teams: []loci.Team{exampleTeam}}}, (*server).teams),
	serve("GET /teams/{id}", route{ID: "getTeam", Who: forPeople, Action: org.TeamRead,
		Summary: "Get a team with its members",
		Text:    "For its members and for admins of the org.",
		Out:     exampleTeamView}, (*server).team),
	serve("PATCH /teams/{id}", route{ID: "renameTeam", Who: forPeople, Action: org.TeamChange,
		Summary: "Rename a team",
		Text:    "For its owners and admins. 409 if the name is taken.",
		In:      client.Name{Name: "Platform"}, Out: exampleTeam}, (*server).renameTeam),
	serve("DELETE /teams/{id}", route{ID: "deleteTeam", Who: forPeople, Action: org.TeamDelete,
		Summary: "Delete a team",
		Text: "Memories in its pool belong only to their owners again. 409 if it has other members, unless " +
			"force=true. Needs step-up."}, (*server).deleteTeam),
	serve("POST /teams/{id}/invite", route{ID: "inviteToTeam", Who: forPeople, Action: org.TeamInvite,
		More: []gate.Action{org.TeamRole}, Limit: expensive, Status: http.StatusCreated,
		Summary: "Invite people to a team",
		Text: "Each invitation is for one e-mail address and valid for " + inviteDays + " days. A role above member " +
			"needs step-up. Shows the tokens once, in this answer.",
		In: exampleInvitation, Out: exampleInvited}, (*server).inviteToTeam),
	serve("GET /teams/{id}/invites", route{ID: "listTeamInvites", Who: forPeople, Action: org.TeamRead,
		Summary: "List the invitations to a team",
		Text:    "Newest first, without tokens. Empty if you may not invite.",
		Out:     exampleInvites}, (*server).teamInvites),
	serve("DELETE /teams/{id}/invites/{invite}", route{ID: "revokeTeamInvite", Who: forPeople,
		Action: org.TeamRead, More: []gate.Action{org.TeamInvite},
		Summary: "Revoke an invitation to a team",
		Text:    "Effective immediately."}, (*server).revokeTeamInvite),
	serve("POST /teams/join", route{ID: "joinTeam", Atomic: true, Who: forPeople, Action: org.TeamJoin,
		Missing: noInvite, Limit: expensive,
		Summary: "Accept an invitation to a team",
		Text:    "The invitation must be for your e-mail address. 409 if you are already in a team.",
		In:      client.Token{Token: "loci_invite_4f2A"}, Out: client.Joined{Org: exampleOrg, Team: &exampleTeamView}},
		(*server).joinTeam),
	serve("POST /teams/{id}/leave", route{ID: "leaveTeam", Who: forPeople, Action: org.TeamLeave,
		Summary: "Leave a team",
		Text: "The memories that you shared belong only to you again. 409 for its last owner while it has " +
			"members."}, (*server).leaveTeam),
	serve("DELETE /teams/{id}/members/{user}", route{ID: "removeFromTeam", Who: forPeople, Action: org.TeamRemove,
		Summary: "Remove a member from a team",
		Text:    "The memories that they shared belong only to them again."}, (*server).removeFromTeam),
	serve("PUT /teams/{id}/members/{user}/role", route{ID: "setTeamRole", Who: forPeople, Action: org.TeamRole,
		Summary: "Change the role of a team member",
		Text:    "For owners of the team. Needs step-up. 409 for its last owner.",
		In:      client.RoleChange{Role: loci.MemberAdmin}, Out: exampleUserRow}, (*server).setTeamRole),
}}

func (s *server) createTeam(ctx context.Context, p loci.Principal, in *body[client.Name]) (*answer[loci.Team], error) {
	return say(s.app.Org.CreateTeam(ctx, p, in.Body.Name))
}

func (s *server) teams(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.TeamList], error) {
	list, err := s.app.Org.Teams(ctx, p)
	return say(client.TeamList{Teams: loci.OrEmpty(list)}, err)
}

func (s *server) team(ctx context.Context, p loci.Principal, in *onePath) (*answer[client.TeamView], error) {
	return sayAs(teamView)(s.app.Org.Team(ctx, p, idOf[loci.TeamID](in.ID)))
}

func teamView(t *org.TeamView) client.TeamView {
	return client.TeamView{Team: t.Team, Members: loci.OrEmpty(t.Members), Invites: loci.OrEmpty(t.Invites)}
}

func (s *server) renameTeam(ctx context.Context, p loci.Principal, in *withName) (*answer[loci.Team], error) {
	return say(s.app.Org.RenameTeam(ctx, p, idOf[loci.TeamID](in.ID), in.Body.Name))
}

type deleteTeamInput struct {
	ID    string `path:"id" doc:"Of the team, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Force bool   `query:"force" doc:"Also with members and shared memories; these go back to who shared them"`
}

func (s *server) deleteTeam(ctx context.Context, p loci.Principal, in *deleteTeamInput) (*nothing, error) {
	return done(s.app.Org.DeleteTeam(ctx, p, idOf[loci.TeamID](in.ID), in.Force))
}

type inviteInput struct {
	ID   string `path:"id" doc:"Of the team (a UUID) or the org" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body client.Invitation
}

func (s *server) inviteToTeam(ctx context.Context, p loci.Principal,
	in *inviteInput) (*shownOnce[client.InvitedList], error) {
	return invited(s.app.Org.InviteToTeam(ctx, p, idOf[loci.TeamID](in.ID), in.Body.Emails,
		cmp.Or(in.Body.Role, loci.Member)))
}

func invited(list []org.Invited, err error) (*shownOnce[client.InvitedList], error) {
	return showOnce(client.InvitedList{Invites: loci.Mapped(list, func(one org.Invited) client.Invited {
		return client.Invited{Invite: one.Invite, Token: one.Token.Reveal()}
	})}, err)
}

func (s *server) teamInvites(ctx context.Context, p loci.Principal, in *onePath) (*answer[client.InviteList], error) {
	return sayAs(func(t *org.TeamView) client.InviteList {
		return client.InviteList{Invites: loci.OrEmpty(t.Invites)}
	})(s.app.Org.Team(ctx, p, idOf[loci.TeamID](in.ID)))
}

type invitePath struct {
	ID     string `path:"id" doc:"Of the team (a UUID) or the org" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Invite string `path:"invite" doc:"Of the invitation, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// revokeTeamInvite checks that the invitation belongs to the team in the path.
func (s *server) revokeTeamInvite(ctx context.Context, p loci.Principal, in *invitePath) (*nothing, error) {
	id := idOf[loci.InviteID](in.Invite)
	t, err := s.app.Org.Team(ctx, p, idOf[loci.TeamID](in.ID))
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(t.Invites, func(i loci.Invite) bool { return i.ID == id }) {
		return nil, errAbsent
	}
	return done(s.app.Org.RevokeInvite(ctx, p, id))
}

func (s *server) joinTeam(ctx context.Context, p loci.Principal, in *body[client.Token]) (
	*answer[client.Joined], error) {
	j, err := s.app.Org.AcceptInvite(ctx, p, loci.Secret(in.Body.Token))
	if err != nil {
		return nil, err
	}
	out := client.Joined{Org: j.Org}
	if j.Team != nil {
		view := teamView(j.Team)
		out.Team = &view
	}
	return say(out, nil)
}

func (s *server) leaveTeam(ctx context.Context, p loci.Principal, in *onePath) (*nothing, error) {
	return done(s.app.Org.LeaveTeam(ctx, p, idOf[loci.TeamID](in.ID)))
}

type memberPath struct {
	ID   string `path:"id" doc:"Of the team, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	User string `path:"user" doc:"Of the member, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (s *server) removeFromTeam(ctx context.Context, p loci.Principal, in *memberPath) (*nothing, error) {
	return done(s.app.Org.RemoveFromTeam(ctx, p, idOf[loci.TeamID](in.ID), idOf[loci.UserID](in.User)))
}

type teamRoleInput struct {
	ID   string `path:"id" doc:"Of the team, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	User string `path:"user" doc:"Of the member, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body client.RoleChange
}

func (s *server) setTeamRole(ctx context.Context, p loci.Principal, in *teamRoleInput) (*answer[loci.User], error) {
	return say(s.app.Org.SetTeamRole(ctx, p, idOf[loci.TeamID](in.ID), idOf[loci.UserID](in.User), in.Body.Role))
}

var (
	exampleMembers  = client.MemberList{Members: []loci.User{exampleUserRow}}
	exampleTeam     = loci.Team{ID: loci.TeamID(exampleID), Name: "Platform", CreatedAt: exampleTime}
	exampleTeamView = client.TeamView{Team: exampleTeam, Members: []loci.User{exampleUserRow},
		Invites: []loci.Invite{exampleInvite}}
	exampleInvitation = client.Invitation{Emails: []string{"noor@example.org"}, Role: loci.Member}
	exampleInvite     = loci.Invite{ID: loci.InviteID(exampleID), Email: "noor@example.org",
		TeamID: loci.TeamID(exampleID), OrgRole: loci.Member, TeamRole: loci.Member,
		InvitedBy: exampleUser, State: loci.InvitePending, CreatedAt: exampleTime,
		ExpiresAt: exampleTime.Add(loci.InviteLife)}
	exampleInvited = client.InvitedList{Invites: []client.Invited{{Invite: exampleInvite, Token: "loci_invite_4f2A…"}}}
	exampleInvites = client.InviteList{Invites: []loci.Invite{exampleInvite}}
)
