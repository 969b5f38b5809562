package rest

import (
	"cmp"
	"context"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
)

var orgRoutes = table{"orgs", []served{
	serve("GET /orgs/{id}", route{ID: "getOrg", Who: forPeople, Action: org.Read,
		Summary: "Get your org",
		Text:    "404 for every other org.",
		Out:     exampleOrg}, (*server).org),
	serve("PATCH /orgs/{id}", route{ID: "editOrg", Who: forPeople, Action: org.Change,
		More:    []gate.Action{org.Set, org.Hold},
		Summary: "Change your org",
		Text: "Fields that you leave out stay. Admins can change the name. Only owners with step-up can change " +
			"deletion, workspaces, assets, events_retention and legal_hold.",
		In: client.OrgEdit{Name: new("Acme")}, Out: exampleOrg}, (*server).editOrg),
	serve("DELETE /orgs/{id}", route{ID: "deleteOrg", Who: forPeople, Action: org.Delete, Limit: expensive,
		Summary: "Delete your org",
		Text: "Deletes the org and everything in it permanently. For owners only. Needs step-up. 409 if it has " +
			"other members.",
		In: client.Confirmation{Confirm: "acme"}, Out: exampleReceipt}, (*server).deleteOrg),
	serve("GET /orgs/{id}/members", route{ID: "listMembers", Who: forPeople, Action: org.MemberList,
		Summary: "List the members of your org",
		Text:    "For admins only.",
		Out:     exampleMembers}, (*server).members),
	serve("PATCH /orgs/{id}/members/{user}", route{ID: "editMember", Who: forPeople, Action: org.MemberRole,
		More:    []gate.Action{org.MemberRemove, org.MemberEnable},
		Summary: "Change the role of a member, or suspend them",
		Text:    "For admins only. Needs step-up. 409 for the last owner.",
		In:      client.MemberEdit{Role: new(loci.MemberAdmin)}, Out: exampleUserRow}, (*server).editMember),
	serve("POST /orgs/{id}/invite", route{ID: "inviteToOrg", Who: forPeople, Action: org.Invite,
		More: []gate.Action{org.MemberRole}, Limit: expensive, Status: http.StatusCreated,
		Summary: "Invite people to your org",
		Text: "Each invitation is for one e-mail address and valid for " + inviteDays + " days. A role above member " +
			"needs step-up. Shows the tokens once, in this answer.",
		In: exampleInvitation, Out: exampleInvited}, (*server).inviteToOrg),
	serve("GET /orgs/{id}/invites", route{ID: "listOrgInvites", Who: forPeople, Action: org.MemberList,
		Summary: "List the invitations to your org",
		Text:    "Newest first, without tokens.",
		Out:     exampleInvites}, (*server).orgInvites),
	serve("DELETE /orgs/{id}/invites/{invite}", route{ID: "revokeOrgInvite", Who: forPeople, Action: org.TeamInvite,
		Summary: "Revoke an invitation to your org",
		Text:    "Effective immediately."}, (*server).revokeOrgInvite),
	serve("GET /orgs/{id}/workspaces", route{ID: "listWorkspaces", Who: forPeople, Action: org.WorkspaceRead,
		Summary: "List workspaces",
		Text:    "The workspaces that you are a member of. Admins see all of them.",
		Out:     client.WorkspaceList{Workspaces: []loci.Workspace{exampleWorkspace}}}, (*server).workspaces),
	serve("POST /orgs/{id}/workspaces", route{ID: "createWorkspace", Atomic: true, Who: forPeople,
		Action: org.WorkspaceChange, Limit: expensive, Status: http.StatusCreated,
		Summary: "Create a workspace",
		Text:    "For admins only. 409 if the name is taken.",
		In:      client.Name{Name: "Research"}, Out: exampleWorkspace}, (*server).createWorkspace),
	serve("PATCH /orgs/{id}/workspaces/{workspace}", route{ID: "renameWorkspace", Who: forPeople,
		Action:  org.WorkspaceChange,
		Summary: "Rename a workspace",
		Text:    "For admins only. 409 if the name is taken.",
		In:      client.Name{Name: "Research"}, Out: exampleWorkspace}, (*server).renameWorkspace),
	serve("DELETE /orgs/{id}/workspaces/{workspace}", route{ID: "deleteWorkspace", Who: forPeople,
		Action:  org.WorkspaceChange,
		Summary: "Delete a workspace",
		Text:    "For admins only. 409 if it has memories."}, (*server).deleteWorkspace),
	serve("GET /orgs/{id}/workspaces/{workspace}/members", route{ID: "listWorkspaceMembers", Who: forPeople,
		Action:  org.WorkspaceRead,
		Summary: "List the members of a workspace",
		Text:    "For its members and for admins.",
		Out:     exampleMembers}, (*server).workspaceMembers),
	serve("PUT /orgs/{id}/workspaces/{workspace}/members/{user}", route{ID: "addToWorkspace", Who: forPeople,
		Action:  org.WorkspaceChange,
		Summary: "Add a member to a workspace",
		Text:    "For admins only. You can repeat this request."}, (*server).joinWorkspace),
	serve("DELETE /orgs/{id}/workspaces/{workspace}/members/{user}", route{ID: "removeFromWorkspace",
		Who: forPeople, Action: org.WorkspaceChange,
		Summary: "Remove a member from a workspace",
		Text:    "For admins only. You can repeat this request."}, (*server).leaveWorkspace),
}}

type orgPath struct {
	ID string `path:"id" doc:"Of your org" example:"acme"`
}

func (s *server) org(ctx context.Context, p loci.Principal, in *orgPath) (*answer[loci.Org], error) {
	return say(s.app.Org.Get(ctx, p))
}

type orgEditInput struct {
	ID   string `path:"id" doc:"Of your org" example:"acme"`
	Body client.OrgEdit
}

// editOrg first makes the change that needs more rights, so that a rejection changes nothing.
func (s *server) editOrg(ctx context.Context, p loci.Principal, in *orgEditInput) (*answer[loci.Org], error) {
	r := &in.Body
	settings := org.Settings{Deletion: r.Deletion, Workspaces: r.Workspaces, Retention: r.Retention}
	if r.Assets != nil {
		settings.Assets = org.AssetSettings(*r.Assets)
	}
	if r.Name == nil && r.Hold == nil && settings == (org.Settings{}) {
		return nil, loci.Errorf(loci.Invalid, "the body changes nothing; send name, deletion, workspaces, assets, "+
			"events_retention or legal_hold")
	}
	if r.Name != nil {
		if err := loci.CheckText("name", *r.Name, 1, loci.MaxName); err != nil {
			return nil, err
		}
	}
	var o loci.Org
	var err error
	if settings != (org.Settings{}) {
		if o, err = s.app.Org.Set(ctx, p, settings); err != nil {
			return nil, err
		}
	}
	if r.Hold != nil {
		if o, err = s.app.Org.Hold(ctx, p, *r.Hold); err != nil {
			return nil, err
		}
	}
	if r.Name != nil {
		o, err = s.app.Org.Rename(ctx, p, *r.Name)
	}
	return say(o, err)
}

type deleteOrgInput struct {
	ID   string `path:"id" doc:"Of your org" example:"acme"`
	Body client.Confirmation
}

func (s *server) deleteOrg(ctx context.Context, p loci.Principal,
	in *deleteOrgInput) (*answer[client.OrgReceipt], error) {
	return say(s.app.Org.Delete(ctx, p, in.Body.Confirm))
}

type membersInput struct {
	ID     string `path:"id" doc:"Of your org" example:"acme"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Default: 100"`
	Cursor string `query:"cursor" maxLength:"36" doc:"next_cursor of the page before"`
}

const defaultMembers = 100

func (s *server) members(ctx context.Context, p loci.Principal, in *membersInput) (*answer[client.MemberList], error) {
	var after loci.UserID
	if in.Cursor != "" && after.UnmarshalText([]byte(in.Cursor)) != nil {
		return nil, errCursor
	}
	list, more, err := s.app.Org.Members(ctx, p, after, cmp.Or(in.Limit, defaultMembers))
	out := client.MemberList{Members: loci.OrEmpty(list)}
	if more {
		out.HasMore, out.NextCursor = true, list[len(list)-1].ID.String()
	}
	return say(out, err)
}

var errCursor = loci.FieldErrorf("cursor", "is not a cursor of this list; omit it to get the first page")

type memberEditInput struct {
	ID   string `path:"id" doc:"Of your org" example:"acme"`
	User string `path:"user" doc:"Of the member, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body client.MemberEdit
}

func (s *server) editMember(ctx context.Context, p loci.Principal, in *memberEditInput) (*answer[loci.User], error) {
	if in.Body.Role == nil && in.Body.Disabled == nil {
		return nil, loci.Errorf(loci.Invalid, "the body changes nothing; send role or disabled")
	}
	return say(s.app.Org.SetMember(ctx, p, idOf[loci.UserID](in.User),
		org.MemberChange{Role: in.Body.Role, Disabled: in.Body.Disabled}))
}

func (s *server) inviteToOrg(ctx context.Context, p loci.Principal,
	in *inviteInput) (*shownOnce[client.InvitedList], error) {
	return invited(s.app.Org.InviteToOrg(ctx, p, in.Body.Emails, cmp.Or(in.Body.Role, loci.Member)))
}

func (s *server) orgInvites(ctx context.Context, p loci.Principal, in *orgPath) (*answer[client.InviteList], error) {
	list, err := s.app.Org.Invites(ctx, p)
	return say(client.InviteList{Invites: loci.OrEmpty(list)}, err)
}

func (s *server) revokeOrgInvite(ctx context.Context, p loci.Principal, in *invitePath) (*nothing, error) {
	return done(s.app.Org.RevokeInvite(ctx, p, idOf[loci.InviteID](in.Invite)))
}

func (s *server) workspaces(ctx context.Context, p loci.Principal, in *orgPath) (*answer[client.WorkspaceList], error) {
	list, err := s.app.Org.Workspaces(ctx, p)
	return say(client.WorkspaceList{Workspaces: loci.OrEmpty(list)}, err)
}

type orgNameInput struct {
	ID   string `path:"id" doc:"Of your org" example:"acme"`
	Body client.Name
}

func (s *server) createWorkspace(ctx context.Context, p loci.Principal,
	in *orgNameInput) (*answer[loci.Workspace], error) {
	return say(s.app.Org.CreateWorkspace(ctx, p, in.Body.Name))
}

// WorkspacePath is a workspace of an org. It is exported because huma skips embedded structs that are not.
type WorkspacePath struct {
	ID        string `path:"id" doc:"Of your org" example:"acme"`
	Workspace string `path:"workspace" doc:"Of the workspace, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (w WorkspacePath) workspace() loci.WorkspaceID { return idOf[loci.WorkspaceID](w.Workspace) }

type workspaceNameInput struct {
	WorkspacePath
	Body client.Name
}

func (s *server) renameWorkspace(ctx context.Context, p loci.Principal,
	in *workspaceNameInput) (*answer[loci.Workspace], error) {
	return say(s.app.Org.RenameWorkspace(ctx, p, in.workspace(), in.Body.Name))
}

func (s *server) deleteWorkspace(ctx context.Context, p loci.Principal, in *WorkspacePath) (*nothing, error) {
	return done(s.app.Org.DeleteWorkspace(ctx, p, in.workspace()))
}

func (s *server) workspaceMembers(ctx context.Context, p loci.Principal,
	in *WorkspacePath) (*answer[client.MemberList], error) {
	list, err := s.app.Org.WorkspaceMembers(ctx, p, in.workspace())
	return say(client.MemberList{Members: loci.OrEmpty(list)}, err)
}

type workspaceMemberPath struct {
	WorkspacePath
	User string `path:"user" doc:"Of the member, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (in *workspaceMemberPath) user() loci.UserID { return idOf[loci.UserID](in.User) }

func (s *server) joinWorkspace(ctx context.Context, p loci.Principal, in *workspaceMemberPath) (*nothing, error) {
	return done(s.app.Org.JoinWorkspace(ctx, p, in.workspace(), in.user()))
}

func (s *server) leaveWorkspace(ctx context.Context, p loci.Principal, in *workspaceMemberPath) (*nothing, error) {
	return done(s.app.Org.LeaveWorkspace(ctx, p, in.workspace(), in.user()))
}

var (
	exampleOrg = loci.Org{ID: "acme", Name: "Acme", OwnerID: exampleUser, State: loci.OrgActive,
		Deletion: loci.DeleteWithStepUp, CreatedAt: exampleTime}
	exampleReceipt = client.OrgReceipt{OrgID: "acme", DeletedAt: exampleTime, Users: 1, Memories: 212,
		Credentials: 3, Projects: 2, Files: 1}
	exampleWorkspace = loci.Workspace{ID: loci.WorkspaceID(exampleID), Name: "Research", CreatedAt: exampleTime}
)

var auditRoutes = table{"orgs", []served{
	serve("GET /orgs/{id}/audit", route{ID: "listAudit", Who: forPeople, Action: identity.AuditRead,
		More:    []gate.Action{identity.AuditReadOrg},
		Summary: "List entries of the audit trail",
		Text: "Newest first: what you and your assistants did, and which requests Loci rejected. Admins also see " +
			"who administered the org. Has ids and counts, never contents.",
		Out: exampleAudit}, (*server).audit),
}}

type auditInput struct {
	ID string `path:"id" doc:"Of your org" example:"acme"`
	client.AuditConditions
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same filters"`
}

func (s *server) audit(ctx context.Context, p loci.Principal, in *auditInput) (*answer[client.AuditList], error) {
	if err := timesSent(ctx); err != nil {
		return nil, err
	}
	page, err := s.app.Identity.Audit(ctx, p, identity.AuditList{AuditQuery: identity.AuditQuery{UserID: in.UserID,
		Action: in.Action, Denied: in.Denied, From: in.Since, To: in.Until, Limit: in.Limit}, Cursor: in.Cursor})
	out := client.AuditList{Entries: make([]client.AuditEntry, len(page.Items)), More: moreAt(page.NextCursor)}
	for i, e := range page.Items {
		out.Entries[i] = client.AuditEntry{ID: string(e.ID), AuditEntry: e.AuditEntry}
	}
	return say(out, err)
}

var exampleAudit = client.AuditList{Entries: []client.AuditEntry{{ID: "b3ZlciB0aGUgd2FsbA",
	AuditEntry: loci.AuditEntry{At: exampleTime, Action: "memory.trash", Allowed: true, Kind: loci.KindUser,
		Method: loci.BySignIn, UserID: exampleUser, CredentialID: loci.CredentialID(exampleID),
		Target: exampleID.String()}}}}
