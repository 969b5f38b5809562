package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/loci-memory/loci"
)

// CreateTeam creates a team; the person becomes its owner.
func (c *Client) CreateTeam(ctx context.Context, name string) (*loci.Team, error) {
	return send[loci.Team](ctx, c, "/teams", Name{name})
}

// Teams returns the person's team, or all teams of the org for its admins.
func (c *Client) Teams(ctx context.Context) (*TeamList, error) {
	return get[TeamList](ctx, c, "/teams")
}

// Team returns a team with its members.
func (c *Client) Team(ctx context.Context, id loci.TeamID) (*TeamView, error) {
	return get[TeamView](ctx, c, "/teams/"+id.String())
}

// RenameTeam renames a team.
func (c *Client) RenameTeam(ctx context.Context, id loci.TeamID, name string) (*loci.Team, error) {
	return call[loci.Team](ctx, c, http.MethodPatch, "/teams/"+id.String(), Name{name})
}

// DeleteTeam deletes a team. It needs force if the team has other members.
func (c *Client) DeleteTeam(ctx context.Context, id loci.TeamID, force bool) error {
	path := "/teams/" + id.String()
	if force {
		path += "?force=true"
	}
	return c.do(ctx, http.MethodDelete, path, nil, nil, nil)
}

// InviteToTeam invites up to 10 people to a team. The server shows the tokens only in this answer.
// An empty role means member.
func (c *Client) InviteToTeam(ctx context.Context, id loci.TeamID, role loci.MemberRole,
	emails ...string) (*InvitedList, error) {
	return send[InvitedList](ctx, c, "/teams/"+id.String()+"/invite", Invitation{Emails: emails, Role: role})
}

// TeamInvites returns the invitations to a team.
func (c *Client) TeamInvites(ctx context.Context, id loci.TeamID) (*InviteList, error) {
	return get[InviteList](ctx, c, "/teams/"+id.String()+"/invites")
}

// RevokeTeamInvite revokes an invitation to a team.
func (c *Client) RevokeTeamInvite(ctx context.Context, id loci.TeamID, invite loci.InviteID) error {
	return c.do(ctx, http.MethodDelete, "/teams/"+id.String()+"/invites/"+invite.String(), nil, nil, nil)
}

// Join accepts an invitation.
func (c *Client) Join(ctx context.Context, token string) (*Joined, error) {
	return send[Joined](ctx, c, "/teams/join", Token{token})
}

// LeaveTeam leaves a team.
func (c *Client) LeaveTeam(ctx context.Context, id loci.TeamID) error {
	return c.do(ctx, http.MethodPost, "/teams/"+id.String()+"/leave", nil, nil, nil)
}

// RemoveFromTeam removes a person from a team.
func (c *Client) RemoveFromTeam(ctx context.Context, id loci.TeamID, user loci.UserID) error {
	return c.do(ctx, http.MethodDelete, "/teams/"+id.String()+"/members/"+user.String(), nil, nil, nil)
}

// SetTeamRole sets the role of a team member.
func (c *Client) SetTeamRole(ctx context.Context, id loci.TeamID, user loci.UserID,
	role loci.MemberRole) (*loci.User, error) {
	return call[loci.User](ctx, c, http.MethodPut, "/teams/"+id.String()+"/members/"+user.String()+"/role",
		RoleChange{role})
}

// Org returns the person's org.
func (c *Client) Org(ctx context.Context, id loci.OrgID) (*loci.Org, error) {
	return get[loci.Org](ctx, c, org(id, ""))
}

// EditOrg changes the person's org.
func (c *Client) EditOrg(ctx context.Context, id loci.OrgID, e OrgEdit) (*loci.Org, error) {
	return call[loci.Org](ctx, c, http.MethodPatch, org(id, ""), e)
}

// DeleteOrg deletes the person's org and all its data. confirm is the org's id.
func (c *Client) DeleteOrg(ctx context.Context, id loci.OrgID, confirm string) (*OrgReceipt, error) {
	return call[OrgReceipt](ctx, c, http.MethodDelete, org(id, ""), Confirmation{confirm})
}

// Members returns one page of the people of the org. If limit is 0, it is 100.
func (c *Client) Members(ctx context.Context, id loci.OrgID, limit int, cursor string) (*MemberList, error) {
	return get[MemberList](ctx, c, query(org(id, "/members"), paging(limit, cursor)))
}

// EditMember changes a member of the org.
func (c *Client) EditMember(ctx context.Context, id loci.OrgID, user loci.UserID, e MemberEdit) (*loci.User, error) {
	return call[loci.User](ctx, c, http.MethodPatch, org(id, "/members/"+user.String()), e)
}

// InviteToOrg invites up to 10 people to the org. The server shows the tokens only in this answer.
// An empty role means member.
func (c *Client) InviteToOrg(ctx context.Context, id loci.OrgID, role loci.MemberRole,
	emails ...string) (*InvitedList, error) {
	return send[InvitedList](ctx, c, org(id, "/invite"), Invitation{Emails: emails, Role: role})
}

// OrgInvites returns the invitations to the org.
func (c *Client) OrgInvites(ctx context.Context, id loci.OrgID) (*InviteList, error) {
	return get[InviteList](ctx, c, org(id, "/invites"))
}

// RevokeOrgInvite revokes an invitation to the org.
func (c *Client) RevokeOrgInvite(ctx context.Context, id loci.OrgID, invite loci.InviteID) error {
	return c.do(ctx, http.MethodDelete, org(id, "/invites/"+invite.String()), nil, nil, nil)
}

// Workspaces returns the workspaces of the org.
func (c *Client) Workspaces(ctx context.Context, id loci.OrgID) (*WorkspaceList, error) {
	return get[WorkspaceList](ctx, c, org(id, "/workspaces"))
}

// CreateWorkspace creates a workspace.
func (c *Client) CreateWorkspace(ctx context.Context, id loci.OrgID, name string) (*loci.Workspace, error) {
	return send[loci.Workspace](ctx, c, org(id, "/workspaces"), Name{name})
}

// RenameWorkspace renames a workspace.
func (c *Client) RenameWorkspace(ctx context.Context, id loci.OrgID, w loci.WorkspaceID,
	name string) (*loci.Workspace, error) {
	return call[loci.Workspace](ctx, c, http.MethodPatch, org(id, "/workspaces/"+w.String()), Name{name})
}

// DeleteWorkspace deletes a workspace that has no memories.
func (c *Client) DeleteWorkspace(ctx context.Context, id loci.OrgID, w loci.WorkspaceID) error {
	return c.do(ctx, http.MethodDelete, org(id, "/workspaces/"+w.String()), nil, nil, nil)
}

// WorkspaceMembers returns the members of a workspace.
func (c *Client) WorkspaceMembers(ctx context.Context, id loci.OrgID, w loci.WorkspaceID) (*MemberList, error) {
	return get[MemberList](ctx, c, org(id, "/workspaces/"+w.String()+"/members"))
}

// AddToWorkspace adds a person to a workspace.
func (c *Client) AddToWorkspace(ctx context.Context, id loci.OrgID, w loci.WorkspaceID, user loci.UserID) error {
	return c.do(ctx, http.MethodPut, org(id, "/workspaces/"+w.String()+"/members/"+user.String()), nil, nil, nil)
}

// RemoveFromWorkspace removes a person from a workspace.
func (c *Client) RemoveFromWorkspace(ctx context.Context, id loci.OrgID, w loci.WorkspaceID, user loci.UserID) error {
	return c.do(ctx, http.MethodDelete, org(id, "/workspaces/"+w.String()+"/members/"+user.String()), nil, nil, nil)
}

func org(id loci.OrgID, rest string) string { return "/orgs/" + url.PathEscape(string(id)) + rest }
