package client

import (
	"github.com/loci-memory/loci"
)

// TeamList is the teams of an org.
type TeamList struct {
	Teams []loci.Team `json:"teams" nullable:"false"`
	More
}

// TeamView is a team with its members and invitations.
type TeamView struct {
	loci.Team
	Members []loci.User   `json:"members" nullable:"false"`
	Invites []loci.Invite `json:"invites" nullable:"false" doc:"Newest first; empty for people who may not invite"`
}

// Invitation asks to invite the holders of e-mail addresses.
type Invitation struct {
	Emails []string        `json:"emails" nullable:"false" minItems:"1" maxItems:"10" minLength:"3" maxLength:"254" example:"[\"mara@example.org\"]"`
	Role   loci.MemberRole `json:"role,omitzero" enum:"owner,admin,member" doc:"Role of the new members. Default: member"`
}

// Invited is one invitation with its token.
type Invited struct {
	Invite loci.Invite `json:"invite"`
	Token  string      `json:"token" doc:"Send it to the invited person. Loci shows it only in this answer" example:"loci_invite_4f2A…"`
}

// InvitedList is the invitations that an Invitation created.
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
	Token string `json:"token" minLength:"1" maxLength:"200" doc:"Token of the invitation" example:"loci_invite_4f2A…"`
}

// Joined is the org and the team that a person joined.
type Joined struct {
	Org  loci.Org  `json:"org"`
	Team *TeamView `json:"team,omitempty" doc:"Absent if the invitation was only to the org"`
}

// RoleChange sets a member's role.
type RoleChange struct {
	Role loci.MemberRole `json:"role" enum:"owner,admin,member"`
}

// UserList is a list of people, by id.
type UserList struct {
	Users []loci.User `json:"users" nullable:"false"`
	More
}

// OrgEdit changes an org. Nil fields stay unchanged.
type OrgEdit struct {
	Name       *string              `json:"name,omitzero" nullable:"false" minLength:"1" maxLength:"100" example:"Acme"`
	Deletion   *loci.Deletion       `json:"deletion,omitzero" nullable:"false" enum:"step_up,api_key" doc:"What deleting a memory requires. Only owners with a fresh proof can change it"`
	Workspaces *bool                `json:"workspaces,omitzero" nullable:"false" doc:"Whether every read is limited to the active workspace. Only owners with a fresh proof can change it"`
	Retention  *loci.EventRetention `json:"events_retention,omitzero" nullable:"false" doc:"How long events are kept; replaces all rules. {} keeps them forever. Only owners with a fresh proof can change it"`
	Hold       *bool                `json:"legal_hold,omitzero" nullable:"false" doc:"Whether nothing may delete events of the org. Only owners with a fresh proof can change it"`
	Assets     *AssetEdit           `json:"assets,omitzero" nullable:"false" doc:"Rules for attachments. Only owners with a fresh proof can change them"`
}

// AssetEdit changes an org's rules for attachments. Nil fields stay unchanged, and so do existing attachments.
type AssetEdit struct {
	MaxBytes   *int64    `json:"max_bytes,omitzero" nullable:"false" minimum:"0" maximum:"1099511627776" doc:"Maximum size of one attachment in bytes. If 0: 26214400 (25 MiB)" example:"52428800"`
	TotalBytes *int64    `json:"total_bytes,omitzero" nullable:"false" minimum:"0" maximum:"1099511627776" doc:"Maximum size of all attachments of the org together, in bytes. If 0: no limit"`
	MediaTypes *[]string `json:"media_types,omitzero" nullable:"false" maxItems:"50" minLength:"3" maxLength:"255" doc:"Allowed media types, such as application/pdf or image/*. If empty: all"`
}

// OrgReceipt is loci.OrgReceipt.
type OrgReceipt = loci.OrgReceipt

// MemberList is the people of an org, by id.
type MemberList struct {
	Members []loci.User `json:"members" nullable:"false"`
	More
}

// MemberEdit changes a member of an org. Nil fields stay unchanged.
type MemberEdit struct {
	Role     *loci.MemberRole `json:"role,omitzero" nullable:"false" enum:"owner,admin,member" example:"admin"`
	Disabled *bool            `json:"disabled,omitzero" nullable:"false" doc:"True disables the account: sessions, keys and grants end, and the person's data stays"`
}

// WorkspaceList is the workspaces of an org, oldest first.
type WorkspaceList struct {
	Workspaces []loci.Workspace `json:"workspaces" nullable:"false"`
	More
}

// Metrics are counts for the whole server. They reveal nothing about the contents of memories.
type Metrics struct {
	Orgs    int `json:"orgs" example:"3"`
	Users   int `json:"users" example:"12"`
	Teams   int `json:"teams" example:"2"`
	Keys    int `json:"keys" example:"15"`
	SignIns int `json:"sign_ins" example:"6"`
	Grants  int `json:"grants" example:"9"`
}
