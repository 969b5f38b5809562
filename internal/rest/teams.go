package rest

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

func (s *server) createTeam(ctx context.Context, p loci.Principal, in *nameInput) (*answer[loci.Team], error) {
	return say(s.app.CreateTeam(ctx, p, in.Body.Name))
}

func (s *server) teams(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.TeamList], error) {
	list, err := s.app.Teams(ctx, p)
	return say(client.TeamList{Teams: orEmpty(list)}, err)
}

func (s *server) team(ctx context.Context, p loci.Principal, in *onePath) (*answer[client.TeamView], error) {
	var id loci.TeamID
	read(&id, in.ID)
	t, err := s.app.Team(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return say(teamView(t), nil)
}

func teamView(t *app.TeamView) client.TeamView {
	return client.TeamView{Team: t.Team, Members: orEmpty(t.Members), Invites: orEmpty(t.Invites)}
}

func (s *server) renameTeam(ctx context.Context, p loci.Principal, in *withName) (*answer[loci.Team], error) {
	var id loci.TeamID
	read(&id, in.ID)
	return say(s.app.RenameTeam(ctx, p, id, in.Body.Name))
}

type deleteTeamInput struct {
	ID    string `path:"id" doc:"Of the team, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Force bool   `query:"force" doc:"Also with members and shared memories; these go back to who shared them"`
}

func (s *server) deleteTeam(ctx context.Context, p loci.Principal, in *deleteTeamInput) (*nothing, error) {
	var id loci.TeamID
	read(&id, in.ID)
	return done(s.app.DeleteTeam(ctx, p, id, in.Force))
}

type inviteInput struct {
	ID   string `path:"id" doc:"Of the team (a UUID) or the org" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body client.Invitation
}

// role is member unless the body says something else.
func (in *inviteInput) role() loci.MemberRole {
	if in.Body.Role == "" {
		return loci.Member
	}
	return in.Body.Role
}

func (s *server) inviteToTeam(ctx context.Context, p loci.Principal, in *inviteInput) (*shownOnce[client.InvitedList], error) {
	var id loci.TeamID
	read(&id, in.ID)
	return invited(s.app.InviteToTeam(ctx, p, id, in.Body.Emails, in.role()))
}

func invited(list []app.Invited, err error) (*shownOnce[client.InvitedList], error) {
	out := client.InvitedList{Invites: make([]client.Invited, len(list))}
	for i, one := range list {
		out.Invites[i] = client.Invited{Invite: one.Invite, Token: one.Token.Reveal()}
	}
	return showOnce(out, err)
}

func (s *server) teamInvites(ctx context.Context, p loci.Principal, in *onePath) (*answer[client.InviteList], error) {
	var id loci.TeamID
	read(&id, in.ID)
	t, err := s.app.Team(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return say(client.InviteList{Invites: orEmpty(t.Invites)}, nil)
}

type invitePath struct {
	ID     string `path:"id" doc:"Of the team (a UUID) or the org" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Invite string `path:"invite" doc:"Of the invitation, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// revokeTeamInvite checks that the invitation is one of the team in the path.
func (s *server) revokeTeamInvite(ctx context.Context, p loci.Principal, in *invitePath) (*nothing, error) {
	var team loci.TeamID
	var id loci.InviteID
	read(&team, in.ID)
	read(&id, in.Invite)
	t, err := s.app.Team(ctx, p, team)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(t.Invites, func(i loci.Invite) bool { return i.ID == id }) {
		return nil, errAbsent
	}
	return done(s.app.RevokeInvite(ctx, p, id))
}

type tokenInput struct{ Body client.Token }

func (s *server) joinTeam(ctx context.Context, p loci.Principal, in *tokenInput) (*answer[client.Joined], error) {
	j, err := s.app.AcceptInvite(ctx, p, loci.Secret(in.Body.Token))
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
	var id loci.TeamID
	read(&id, in.ID)
	return done(s.app.LeaveTeam(ctx, p, id))
}

type memberPath struct {
	ID   string `path:"id" doc:"Of the team, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	User string `path:"user" doc:"Of the member, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (s *server) removeFromTeam(ctx context.Context, p loci.Principal, in *memberPath) (*nothing, error) {
	var team loci.TeamID
	var user loci.UserID
	read(&team, in.ID)
	read(&user, in.User)
	return done(s.app.RemoveFromTeam(ctx, p, team, user))
}

type teamRoleInput struct {
	ID   string `path:"id" doc:"Of the team, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	User string `path:"user" doc:"Of the member, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body client.RoleChange
}

func (s *server) setTeamRole(ctx context.Context, p loci.Principal, in *teamRoleInput) (*answer[loci.User], error) {
	var team loci.TeamID
	var user loci.UserID
	read(&team, in.ID)
	read(&user, in.User)
	return say(s.app.SetTeamRole(ctx, p, team, user, in.Body.Role))
}
