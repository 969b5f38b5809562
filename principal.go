package loci

import (
	"log/slog"
	"slices"
	"time"
)

// Kind is the kind of principal behind a credential.
type Kind string

// The kinds of principal.
const (
	KindUser  Kind = "user"  // a person, by their own key or browser sign-in
	KindAgent Kind = "agent" // an AI of one vendor, acting for a person
	KindAdmin Kind = "admin" // a person with the instance role admin
	KindLocal Kind = "local" // the operator, at the data directory itself
)

// Method is how a principal authenticated.
type Method string

// The methods.
const (
	ByKey         Method = "key"         // a key in the store
	ByEnvironment Method = "environment" // a key in the server's configuration
	BySignIn      Method = "session"     // a browser sign-in
	ByOAuth       Method = "oauth"       // an access token that a person granted
	ByDashboard   Method = "dashboard"   // vouched for by a dashboard on another server
	ByLink        Method = "link"        // a one-time link; it only opens a session
	ByDisk        Method = "disk"        // the command line, at the data directory itself
	ByServer      Method = "server"      // the server's own work for a person, such as the dream-cycle
)

// Right is one thing that a credential may do. OAuth calls it a scope.
type Right string

// The rights. A credential without a list of rights has all rights of its kind.
const (
	RightRead    Right = "memories:read"
	RightWrite   Right = "memories:write"
	RightGraph   Right = "graph"
	RightEvents  Right = "events"
	RightReflect Right = "reflect"
	RightAccount Right = "account" // the person's own account, keys and team
	RightAdmin   Right = "admin"   // the org: members, teams, settings; never agents
)

// Rights returns every right that a person's key can have.
func Rights() []Right {
	return []Right{RightRead, RightWrite, RightGraph, RightEvents, RightReflect, RightAccount, RightAdmin}
}

// AgentRights returns every right that an agent can have.
func AgentRights() []Right {
	return []Right{RightRead, RightWrite, RightGraph, RightEvents, RightReflect}
}

// StepUpAge is the maximum age of the proof in a browser sign-in for actions that require a fresh one.
const StepUpAge = 5 * time.Minute

// Principal is the authenticated caller. Only package auth creates one. It is passed as a
// parameter, never in a context. The zero Principal has no rights.
type Principal struct {
	Kind         Kind
	OrgID        OrgID
	UserID       UserID // the person, or the person for whom an agent acts
	Vendor       Vendor // "" for a person
	Origin       string // the origin of this principal's writes
	CredentialID CredentialID
	GrantID      GrantID // of an OAuth token; zero: none
	Method       Method
	ProvedAt     time.Time // when the person last proved who they are in a browser; zero: never
	Rights       []Right   // if empty: all rights of the kind
	OrgRole      MemberRole
	TeamID       TeamID
	TeamRole     MemberRole
	ProjectIDs   []ProjectID
	OnlyProjects bool // the credential reaches only rows of ProjectIDs
	// AllProjects means that the operator acts for no particular person, and so belongs to every project of the org.
	AllProjects bool
	WorkspaceID WorkspaceID
	AgentID     AgentID
	SessionID   SessionID
	// SessionClosed means that p can read in its session, but not write.
	SessionClosed bool
	// Deletion is what the org requires for deleting.
	Deletion Deletion
	// Views is set if a person only looks at what the vendor sees. It is in no session.
	Views bool
}

// Viewer returns the part of p that decides what it may see.
func (p Principal) Viewer() Viewer {
	return Viewer{OrgID: p.OrgID, UserID: p.UserID, TeamID: p.TeamID, ProjectIDs: p.ProjectIDs,
		OnlyProjects: p.OnlyProjects,
		WorkspaceID:  p.WorkspaceID, AgentID: p.AgentID, Vendor: p.Vendor}
}

// Has reports whether the credential has right r. Agents never have the rights over accounts and orgs.
func (p Principal) Has(r Right) bool {
	if p.Kind == KindAgent && !slices.Contains(AgentRights(), r) {
		return false
	}
	return len(p.Rights) == 0 || slices.Contains(p.Rights, r)
}

// Fresh reports whether the person proved who they are at most StepUpAge before now. A proof from
// the future doesn't count, because it would stay fresh for too long.
func (p Principal) Fresh(now time.Time) bool {
	return !p.ProvedAt.IsZero() && !p.ProvedAt.After(now) && now.Sub(p.ProvedAt) <= StepUpAge
}

// Owns reports whether p may change what userID owns and origin wrote. This is the one rule about rows that exist:
// people change all of their own rows; an agent changes only those that its own vendor wrote for the person it acts
// for.
func (p Principal) Owns(userID UserID, origin string) bool {
	return userID == p.UserID && (p.Vendor == "" || origin == p.Origin)
}

// IsZero reports whether p identifies nobody.
func (p Principal) IsZero() bool { return p.Kind == "" || p.OrgID == "" || p.UserID.IsZero() }

// Subject returns a stable name of the principal. Sessions are bound to it. Two credentials of one person have
// different subjects. All tokens of one grant share a subject, so that refreshing a token doesn't end a session.
func (p Principal) Subject() string {
	by := p.CredentialID.String()
	if !p.GrantID.IsZero() {
		by = "grant/" + p.GrantID.String()
	}
	return SubjectsOf(p.OrgID, p.UserID) + string(p.Kind) + "/" + string(p.Vendor) + "/" + by
}

// SubjectsOf returns what the subjects of all credentials of a person begin with.
func SubjectsOf(org OrgID, user UserID) string { return string(org) + "/" + user.String() + "/" }

// Role is a person's role on the whole server.
type Role string

// The instance roles.
const (
	RoleAdmin        Role = "admin"
	RolePrivateAlpha Role = "private-alpha"
	RoleUser         Role = "user"
)

// ParseRole parses an instance role or returns an Invalid error.
func ParseRole(s string) (Role, error) {
	switch r := Role(s); r {
	case RoleAdmin, RolePrivateAlpha, RoleUser:
		return r, nil
	}
	return "", FieldErrorf("role", "must be one of: admin, private-alpha, user")
}

// Secret is a string that must not be printed. Every format shows [secret]. Reveal returns the
// value, to hash it or to show it once.
type Secret string

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }

// String returns [secret].
func (Secret) String() string { return "[secret]" }

// GoString returns [secret].
func (Secret) GoString() string { return "[secret]" }

// MarshalText returns [secret].
func (Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// LogValue returns [secret].
func (Secret) LogValue() slog.Value { return slog.StringValue("[secret]") }
