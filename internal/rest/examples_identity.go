package rest

import (
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The examples about people, of the same small world.
var (
	exampleUserRow = loci.User{ID: exampleUser, OrgID: "acme", Email: "mara@example.org", Name: "Mara", Role: loci.RoleUser,
		OrgRole: loci.MemberAdmin, CreatedAt: exampleTime}
	exampleMembers = client.MemberList{Members: []loci.User{exampleUserRow}}
	exampleOrg     = loci.Org{ID: "acme", Name: "Acme", OwnerID: exampleUser, State: loci.OrgActive, Deletion: loci.DeleteWithStepUp, CreatedAt: exampleTime}
	exampleReceipt = client.OrgReceipt{OrgID: "acme", DeletedAt: exampleTime, Users: 1, Memories: 212, Credentials: 3, Projects: 2, Files: 1}

	exampleTeam       = loci.Team{ID: loci.TeamID(exampleID), Name: "Platform", CreatedAt: exampleTime}
	exampleTeamView   = client.TeamView{Team: exampleTeam, Members: []loci.User{exampleUserRow}, Invites: []loci.Invite{exampleInvite}}
	exampleInvitation = client.Invitation{Emails: []string{"noor@example.org"}, Role: loci.Member}
	exampleInvite     = loci.Invite{ID: loci.InviteID(exampleID), Email: "noor@example.org", TeamID: loci.TeamID(exampleID), OrgRole: loci.Member, TeamRole: loci.Member,
		InvitedBy: exampleUser, State: loci.InvitePending, CreatedAt: exampleTime, ExpiresAt: exampleTime.Add(loci.InviteLife)}
	exampleInvited = client.InvitedList{Invites: []client.Invited{{Invite: exampleInvite, Token: "loci_invite_4f2A…"}}}
	exampleInvites = client.InviteList{Invites: []loci.Invite{exampleInvite}}

	exampleWorkspace = loci.Workspace{ID: loci.WorkspaceID(exampleID), Name: "Research", CreatedAt: exampleTime}
	exampleChoice    = client.WorkspaceChoice{WorkspaceID: loci.WorkspaceID(exampleID)}

	exampleKey = client.Key{ID: loci.CredentialID(exampleID), Name: "backup script", Prefix: "loci_live_4f2A",
		Scopes: []loci.Right{loci.RightRead}, CreatedAt: exampleTime}
	exampleMade    = client.MadeKey{Key: exampleKey, Secret: "loci_live_4f2A…"}
	exampleSession = client.BrowserSession{ID: loci.CredentialID(exampleID), Browser: "Firefox on Linux", Current: true, ProvedAt: exampleTime,
		CreatedAt: exampleTime, ExpiresAt: exampleTime.Add(30 * 24 * time.Hour), LastUsedAt: exampleTime}
	exampleSignIn = client.SignInMethods{Password: true, Email: true, Passkeys: []client.Passkey{{ID: "AQIDBA", Name: "Laptop", CreatedAt: exampleTime}}}
	exampleGrants = []loci.Grant{{ID: loci.GrantID(exampleID), UserID: exampleUser, ClientID: "https://claude.ai/oauth/client.json", ClientName: "Claude",
		Vendor: "claude", Rights: []loci.Right{loci.RightRead, loci.RightWrite}, CreatedAt: exampleTime, ExpiresAt: exampleTime.Add(90 * 24 * time.Hour)}}

	exampleBulk        = client.BulkTrash{IDs: []loci.MemoryID{exampleID}}
	exampleBulkTrashed = client.BulkTrashed{Trashed: []client.Trashed{{ID: exampleID, Version: 2, DeletedAt: exampleTime}}, Count: 1}

	exampleLines = "{\"loci\":\"export\",\"format\":1}\n"
)
