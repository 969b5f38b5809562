package client

import (
	"github.com/loci-memory/loci"
)

// TeamList is the teams of an org.
type TeamList struct {
	Teams []loci.Team `json:"teams" nullable:"false"`
	More
}

// TeamView is a team with who is in it.
type TeamView struct {
	loci.Team
	Members []loci.User   `json:"members" nullable:"false"`
	Invites []loci.Invite `json:"invites" nullable:"false" doc:"Newest first; empty for those who may not invite"`
}

// Invitation invites the holders of e-mail addresses.
type Invitation struct {
	Emails []string        `json:"emails" nullable:"false" minItems:"1" maxItems:"10" minLength:"3" maxLength:"254" example:"[\"mara@example.org\"]"`
	Role   loci.MemberRole `json:"role,omitzero" enum:"owner,admin,member" doc:"What they become; left out: member"`
}

// Invited is one invitation with its token.
type Invited struct {
	Invite loci.Invite `json:"invite"`
	Token  string      `json:"token" doc:"Send it to that person. It is shown here and never again" example:"loci_invite_4f2A…"`
}

// InvitedList is what an Invitation made.
type InvitedList struct {
	Invites []Invited `json:"invites" nullable:"false"`
	More
}

// InviteList is invitations, newest first, without their tokens.
type InviteList struct {
	Invites []loci.Invite `json:"invites" nullable:"false"`
	More
}

// Token is the token of an invitation.
type Token struct {
	Token string `json:"token" minLength:"1" maxLength:"200" doc:"Of the invitation" example:"loci_invite_4f2A…"`
}

// Joined is the org and team that somebody joined.
type Joined struct {
	Org  loci.Org  `json:"org"`
	Team *TeamView `json:"team,omitempty" doc:"Absent: the invitation was to the org alone"`
}

// RoleChange sets a member's role.
type RoleChange struct {
	Role loci.MemberRole `json:"role" enum:"owner,admin,member"`
}

// UserList is people, by id.
type UserList struct {
	Users []loci.User `json:"users" nullable:"false"`
	More
}

// OrgEdit changes an org. Nil fields do not change.
type OrgEdit struct {
	Name       *string        `json:"name,omitzero" nullable:"false" minLength:"1" maxLength:"100" example:"Acme"`
	Deletion   *loci.Deletion `json:"deletion,omitzero" nullable:"false" enum:"step_up,api_key" doc:"What it takes to delete a memory. Owners only, with a fresh proof"`
	Workspaces *bool          `json:"workspaces,omitzero" nullable:"false" doc:"Whether every read is limited to the active workspace. Owners only, with a fresh proof"`
	Assets     *AssetEdit     `json:"assets,omitzero" nullable:"false" doc:"What may be attached to memories. Owners only, with a fresh proof"`
}

// AssetEdit changes what an org allows as attachments. Nil fields do not change, and existing attachments stay.
type AssetEdit struct {
	MaxBytes   *int64    `json:"max_bytes,omitzero" nullable:"false" minimum:"0" maximum:"1099511627776" doc:"The largest attachment, in bytes; 0: 26214400 (25 MiB)" example:"52428800"`
	TotalBytes *int64    `json:"total_bytes,omitzero" nullable:"false" minimum:"0" maximum:"1099511627776" doc:"All attachments of the org together, in bytes; 0: no limit"`
	MediaTypes *[]string `json:"media_types,omitzero" nullable:"false" maxItems:"50" minLength:"3" maxLength:"255" doc:"What may be attached, such as application/pdf or image/*; empty: everything"`
}

// OrgReceipt is loci.OrgReceipt.
type OrgReceipt = loci.OrgReceipt

// MemberList is the people of an org, by id.
type MemberList struct {
	Members []loci.User `json:"members" nullable:"false"`
	More
}

// MemberEdit changes a member of an org. Nil fields do not change.
type MemberEdit struct {
	Role     *loci.MemberRole `json:"role,omitzero" nullable:"false" enum:"owner,admin,member" example:"admin"`
	Disabled *bool            `json:"disabled,omitzero" nullable:"false" doc:"Shuts the person out: sessions, keys and grants end; what is theirs stays theirs"`
}

// WorkspaceList is the workspaces of an org, oldest first.
type WorkspaceList struct {
	Workspaces []loci.Workspace `json:"workspaces" nullable:"false"`
	More
}

// Metrics are counts of a whole deployment. Nothing in them is about memories.
type Metrics struct {
	Orgs     int `json:"orgs" example:"3"`
	Users    int `json:"users" example:"12"`
	Teams    int `json:"teams" example:"2"`
	Keys     int `json:"keys" example:"15"`
	Sessions int `json:"sessions" example:"6"`
	Grants   int `json:"grants" example:"9"`
}
