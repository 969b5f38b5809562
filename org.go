package loci

import (
	"strings"
	"time"
)

// OrgState says whether an org can be used.
type OrgState string

// The states of an org.
const (
	OrgActive    OrgState = "active"
	OrgSuspended OrgState = "suspended" // nobody gets in; the rows stay
)

// Deletion says what it takes to trash, restore or erase a memory. The local
// operator's command line always may.
type Deletion string

// The ways to delete.
const (
	DeleteWithKey    Deletion = "api_key" // a person's API key is enough; an agent may trash what it wrote
	DeleteWithStepUp Deletion = "step_up" // a browser session with a fresh proof
)

// ParseDeletion reads a deletion rule, or returns an Invalid error.
func ParseDeletion(s string) (Deletion, error) {
	switch d := Deletion(s); d {
	case DeleteWithKey, DeleteWithStepUp:
		return d, nil
	}
	return "", FieldErrorf("deletion", "must be one of: step_up, api_key")
}

// Org is a tenant. A laptop has one, DefaultOrg.
type Org struct {
	ID         OrgID      `json:"id" example:"acme"`
	Name       string     `json:"name" example:"Acme"`
	OwnerID    UserID     `json:"owner_id" format:"uuid" doc:"The person who made it; org_role tells who its owners are"`
	State      OrgState   `json:"state" enum:"active,suspended"`
	Deletion   Deletion   `json:"deletion,omitempty" enum:"step_up,api_key" doc:"What it takes to delete; absent: the server's default"`
	Workspaces bool       `json:"workspaces" doc:"Whether every read is limited to the active workspace"`
	Assets     AssetRules `json:"assets,omitzero" doc:"What may be attached to memories; absent: the defaults"`
	CreatedAt  time.Time  `json:"created_at"`
	// ProjectsVersion changes whenever it changes who belongs to which project.
	ProjectsVersion int64 `json:"-"`
}

// MaxName is the longest name of an org, a person, a team or a workspace, in
// characters.
const MaxName = 100

// MemberRole is a person's role in an org or in a team.
type MemberRole string

// The roles in an org or a team, from the one that may most.
const (
	MemberOwner MemberRole = "owner"
	MemberAdmin MemberRole = "admin"
	Member      MemberRole = "member"
)

// ParseMemberRole reads a role, or returns an Invalid error.
func ParseMemberRole(s string) (MemberRole, error) {
	switch r := MemberRole(s); r {
	case MemberOwner, MemberAdmin, Member:
		return r, nil
	}
	return "", FieldErrorf("role", "must be one of: owner, admin, member")
}

// AtLeast reports whether r may all that least may. No role is less than
// member; an unknown one may nothing.
func (r MemberRole) AtLeast(least MemberRole) bool { return r.rank() >= least.rank() && r.rank() > 0 }

func (r MemberRole) rank() int {
	switch r {
	case MemberOwner:
		return 3
	case MemberAdmin:
		return 2
	case Member:
		return 1
	}
	return 0
}

// User is a person. A user belongs to exactly one org, and to at most one of
// its teams.
type User struct {
	ID        UserID     `json:"id" format:"uuid"`
	OrgID     OrgID      `json:"org_id"`
	Email     string     `json:"email,omitempty" doc:"In lower case; absent for the owner of a laptop"`
	Name      string     `json:"name,omitempty"`
	Role      Role       `json:"role" enum:"admin,private-alpha,user" doc:"On the instance"`
	OrgRole   MemberRole `json:"org_role" enum:"owner,admin,member"`
	TeamID    TeamID     `json:"team_id,omitzero" format:"uuid"`
	TeamRole  MemberRole `json:"team_role,omitempty" enum:"owner,admin,member"`
	Disabled  bool       `json:"disabled,omitempty" doc:"An admin of the org shut this person out; what is theirs stays theirs"`
	CreatedAt time.Time  `json:"created_at"`
}

// Person is what the directory of the deployment knows of a user: where they
// belong.
type Person struct {
	UserID UserID
	OrgID  OrgID
	Email  string // "" for the owner of a laptop
}

// Team is users of one org who share a pool of memories.
type Team struct {
	ID        TeamID    `json:"id" format:"uuid"`
	Name      string    `json:"name" example:"Platform"`
	CreatedAt time.Time `json:"created_at"`
}

// InviteState says what became of an invitation.
type InviteState string

// The states of an invitation. One that is pending and past its time has
// expired.
const (
	InvitePending  InviteState = "pending"
	InviteAccepted InviteState = "accepted"
	InviteRevoked  InviteState = "revoked"
)

// InviteLife is how long an invitation can be accepted.
const InviteLife = 7 * 24 * time.Hour

// Invite invites the holder of an e-mail address into an org, and into one of
// its teams if it names one. Its token is shown once; Hash is its SHA-256.
type Invite struct {
	ID        InviteID    `json:"id" format:"uuid"`
	Email     string      `json:"email"`
	TeamID    TeamID      `json:"team_id,omitzero" format:"uuid"`
	OrgRole   MemberRole  `json:"org_role" enum:"owner,admin,member" doc:"What a new member of the org becomes"`
	TeamRole  MemberRole  `json:"team_role,omitempty" enum:"owner,admin,member"`
	InvitedBy UserID      `json:"invited_by" format:"uuid"`
	State     InviteState `json:"state" enum:"pending,accepted,revoked"`
	CreatedAt time.Time   `json:"created_at"`
	ExpiresAt time.Time   `json:"expires_at"`
	Hash      [32]byte    `json:"-"`
}

// Usable reports whether the invitation can still be accepted.
func (i *Invite) Usable(now time.Time) bool {
	return i.State == InvitePending && i.ExpiresAt.After(now)
}

// Workspace is a division of an org.
type Workspace struct {
	ID        WorkspaceID `json:"id" format:"uuid"`
	Name      string      `json:"name" example:"Main"`
	CreatedAt time.Time   `json:"created_at"`
}

// maxEmail is the longest e-mail address, in bytes (RFC 5321, section 4.5.3.1.3).
const maxEmail = 254

// ParseEmail returns the address in lower case and without white space around
// it, or an Invalid error. It checks the form only: who holds it is proved
// elsewhere.
func ParseEmail(s string) (string, error) {
	// another letter, whose lower case is a plain k: it would be another's address
	kelvin := strings.ContainsRune(s, '\u212A')
	s = strings.ToLower(strings.TrimSpace(s))
	name, host, ok := strings.Cut(s, "@")
	if !ok || kelvin || name == "" || host == "" || len(s) > maxEmail || strings.ContainsAny(s, " \t\r\n,;<>\"\\()[]") ||
		strings.Contains(host, "@") ||
		strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
		return "", FieldErrorf("email", "must be an address like mara@example.org, of at most %d bytes", maxEmail)
	}
	return s, nil
}
