package loci

import (
	"net/url"
	"strings"
	"time"
)

// OrgState is the state of an org: active or suspended.
type OrgState string

// The states of an org.
const (
	OrgActive    OrgState = "active"
	OrgSuspended OrgState = "suspended" // all requests are rejected; the data stays
)

// Deletion is what an org requires for trashing, restoring or erasing a memory. The operator's
// command line at the data directory is always allowed.
type Deletion string

// The values of Deletion.
const (
	DeleteWithKey    Deletion = "api_key" // a person's API key is enough; an agent may trash what it wrote
	DeleteWithStepUp Deletion = "step_up" // a browser sign-in with a fresh proof
)

// ParseDeletion parses a deletion rule or returns an Invalid error.
func ParseDeletion(s string) (Deletion, error) {
	switch d := Deletion(s); d {
	case DeleteWithKey, DeleteWithStepUp:
		return d, nil
	}
	return "", FieldErrorf("deletion", "must be one of: step_up, api_key")
}

// EventStore is where the events of an org are.
type EventStore string

// The values of EventStore.
const (
	EventsEmbedded EventStore = "embedded" // in files beside everything else
	EventsInArc    EventStore = "arc"      // in an Arc that the org runs itself
)

// ParseEventStore parses a place of events or returns an Invalid error.
func ParseEventStore(s string) (EventStore, error) {
	switch e := EventStore(s); e {
	case EventsEmbedded, EventsInArc:
		return e, nil
	}
	return "", FieldErrorf("events", "must be one of: embedded, arc")
}

// Org is a tenant. A local installation has one, DefaultOrg.
type Org struct {
	ID         OrgID          `json:"id" example:"acme"`
	Name       string         `json:"name" example:"Acme"`
	OwnerID    UserID         `json:"owner_id" format:"uuid" doc:"The person who created it; org_role shows its owners"`
	State      OrgState       `json:"state" enum:"active,suspended"`
	Deletion   Deletion       `json:"deletion,omitempty" enum:"step_up,api_key" doc:"What deleting a memory requires. If absent: the server's default"`
	Workspaces bool           `json:"workspaces" doc:"Whether every read is limited to the active workspace"`
	Assets     AssetRules     `json:"assets,omitzero" doc:"Rules for attachments. If absent: the defaults"`
	Events     EventStore     `json:"events,omitempty" enum:"embedded,arc" doc:"Where events are kept. If absent: the server's default"`
	Retention  EventRetention `json:"events_retention,omitzero" doc:"How long events are kept. If absent: forever"`
	// RetentionFrom gives people time to notice a mistake.
	RetentionFrom time.Time `json:"events_retention_from,omitzero" doc:"Somebody has shortened how long events are kept. Loci deletes none because of their age before this time"`
	Hold          bool      `json:"legal_hold,omitempty" doc:"True if nothing may delete events of the org"`
	CreatedAt     time.Time `json:"created_at"`
	// ProjectsVersion changes whenever membership of a project changes.
	ProjectsVersion int64 `json:"-"`
}

// MaxName is the maximum length of the name of an org, a person, a team or a workspace, in characters.
const MaxName = 100

// MemberRole is a person's role in an org or in a team.
type MemberRole string

// The roles in an org or a team, highest first.
const (
	MemberOwner MemberRole = "owner"
	MemberAdmin MemberRole = "admin"
	Member      MemberRole = "member"
)

// ParseMemberRole parses a role or returns an Invalid error.
func ParseMemberRole(s string) (MemberRole, error) {
	switch r := MemberRole(s); r {
	case MemberOwner, MemberAdmin, Member:
		return r, nil
	}
	return "", FieldErrorf("role", "must be one of: owner, admin, member")
}

// AtLeast reports whether r has all rights of least. Member is the lowest role. An unknown role has no rights.
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

// User is a person. A user belongs to exactly one org and to at most one of its teams.
type User struct {
	ID        UserID     `json:"id" format:"uuid"`
	OrgID     OrgID      `json:"org_id"`
	Email     string     `json:"email,omitempty" doc:"In lower case; absent for the owner of a local installation"`
	Name      string     `json:"name,omitempty"`
	Role      Role       `json:"role" enum:"admin,private-alpha,user" doc:"Role on this server"`
	OrgRole   MemberRole `json:"org_role" enum:"owner,admin,member"`
	TeamID    TeamID     `json:"team_id,omitzero" format:"uuid"`
	TeamRole  MemberRole `json:"team_role,omitempty" enum:"owner,admin,member"`
	Disabled  bool       `json:"disabled,omitempty" doc:"True if an admin of the org disabled the account; its data stays"`
	CreatedAt time.Time  `json:"created_at"`
}

// Person is a user as the directory of the deployment stores them, with the org they belong to.
type Person struct {
	UserID UserID
	OrgID  OrgID
	Email  string // "" for the owner of a local installation
}

// Team is a group of users of one org who share a pool of memories.
type Team struct {
	ID        TeamID    `json:"id" format:"uuid"`
	Name      string    `json:"name" example:"Platform"`
	CreatedAt time.Time `json:"created_at"`
}

// InviteState is the state of an invitation.
type InviteState string

// The states of an invitation. A pending invitation whose time is over has expired.
const (
	InvitePending  InviteState = "pending"
	InviteAccepted InviteState = "accepted"
	InviteRevoked  InviteState = "revoked"
)

// InviteLife is the time within which an invitation can be accepted.
const InviteLife = 7 * 24 * time.Hour

// Invite invites the holder of an e-mail address to an org, and optionally to one of its teams.
// Loci shows its token once; Hash is the token's SHA-256.
type Invite struct {
	ID        InviteID    `json:"id" format:"uuid"`
	Email     string      `json:"email"`
	TeamID    TeamID      `json:"team_id,omitzero" format:"uuid"`
	OrgRole   MemberRole  `json:"org_role" enum:"owner,admin,member" doc:"Role of a new member of the org"`
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

// maxEmail is the maximum length of an e-mail address, in bytes (RFC 5321, section 4.5.3.1.3).
const maxEmail = 254

// ParseEmail returns the address in lower case and without surrounding white space, or an Invalid
// error. It checks only the form of the address, not who holds it.
func ParseEmail(s string) (string, error) {
	// The Kelvin sign is another letter, but its lower case is a plain k. The result would be someone else's address.
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

// DefaultMeasurement is the measurement of bindings that name none.
const DefaultMeasurement = "events"

// ArcBinding says in which Arc the events of an org are.
type ArcBinding struct {
	URL         string // of the instance, or of the one address of a cluster
	Database    string
	Measurement string
	Key         Secret // the API key
}

// Validate returns an Invalid error for what Arc wouldn't accept. It removes a slash at the end of the URL.
func (b *ArcBinding) Validate() error {
	b.URL = strings.TrimRight(b.URL, "/")
	u, err := url.Parse(b.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" || strings.ContainsAny(b.URL, "?#") {
		return FieldErrorf("url", "must be an http or https address without a path, like https://arc.example.org:8000")
	}
	if !isArcName(b.Database, 64, true) {
		return FieldErrorf("database", "must be a letter, then letters, digits, _ and -, at most 64")
	}
	// Arc takes a statement with this word for one of its own.
	if !isArcName(b.Measurement, 128, false) || strings.Contains(strings.ToLower(b.Measurement), "read_parquet") {
		return FieldErrorf("measurement", "must be a letter, then letters, digits and _, at most 128")
	}
	if key := b.Key.Reveal(); key == "" || len(key) > 1000 || strings.ContainsFunc(key, notInHeader) {
		return FieldErrorf("api_key", "must be 1 to 1000 printable ASCII characters without spaces")
	}
	return nil
}

func isArcName(s string, limit int, hyphens bool) bool {
	if s == "" || len(s) > limit || !isLetter(s[0]) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return notInType(r) || r == '.' || r == '-' && !hyphens })
}

func notInHeader(r rune) bool { return r <= ' ' || r > '~' }
