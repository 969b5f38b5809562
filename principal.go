package loci

import (
	"log/slog"
	"slices"
	"time"
)

// Kind is what stands behind a credential.
type Kind string

// The kinds of principal.
const (
	KindUser  Kind = "user"  // a person, by their own key or browser session
	KindAgent Kind = "agent" // an AI, bound to a vendor, acting for a person
	KindAdmin Kind = "admin" // a person with the instance role admin
	KindLocal Kind = "local" // the operator, at the data directory itself
)

// Method is how a principal proved who it is.
type Method string

// The methods.
const (
	ByKey         Method = "key"         // a key in the store
	ByEnvironment Method = "environment" // a key of the server's configuration
	BySignIn      Method = "session"     // a browser session
	ByOAuth       Method = "oauth"       // an access token that a person granted
	ByDashboard   Method = "dashboard"   // a dashboard that runs elsewhere vouches
	ByLink        Method = "link"        // a one-time link; it opens a session and nothing else
	ByDisk        Method = "disk"        // the command line, at the data directory itself
)

// Right is one thing that a credential may be limited to. OAuth calls it a
// scope.
type Right string

// The rights. A credential without any list has all that its kind allows.
const (
	RightRead    Right = "memories:read"
	RightWrite   Right = "memories:write"
	RightGraph   Right = "graph"
	RightEvents  Right = "events"
	RightReflect Right = "reflect"
	RightAccount Right = "account" // the person's own account, keys and team
	RightAdmin   Right = "admin"   // the org: members, teams, settings; never agents
)

// Rights returns every right that a person's key can be limited to.
func Rights() []Right {
	return []Right{RightRead, RightWrite, RightGraph, RightEvents, RightReflect, RightAccount, RightAdmin}
}

// AgentRights returns every right that an agent can have.
func AgentRights() []Right {
	return []Right{RightRead, RightWrite, RightGraph, RightEvents, RightReflect}
}

// StepUpAge is how old the proof behind a browser session may be for what
// needs a fresh one.
const StepUpAge = 5 * time.Minute

// Principal is who is asking. It is made only in package auth, and passed as
// a parameter, never in a context. The zero Principal may do nothing.
type Principal struct {
	Kind         Kind
	OrgID        OrgID
	UserID       UserID // the person, or the person acted for
	Vendor       Vendor // "" for a person
	Origin       string // what this principal's writes carry as origin
	CredentialID CredentialID
	GrantID      GrantID // of an OAuth token; zero: none
	Method       Method
	ProvedAt     time.Time // when the person last proved who they are in a browser; zero: never
	Rights       []Right   // empty: everything the kind allows
	OrgRole      MemberRole
	TeamID       TeamID
	TeamRole     MemberRole
	ProjectIDs   []ProjectID
	OnlyProjects bool // the credential reaches nothing but rows of ProjectIDs
	// AllProjects says that the operator acts for nobody in particular, and so is in every project of the org.
	AllProjects bool
	WorkspaceID WorkspaceID
	AgentID     AgentID
	SessionID   SessionID
	// Deletion is the org's rule about who may delete.
	Deletion Deletion
}

// Viewer returns what decides this principal's visibility.
func (p Principal) Viewer() Viewer {
	return Viewer{OrgID: p.OrgID, UserID: p.UserID, TeamID: p.TeamID, ProjectIDs: p.ProjectIDs,
		OnlyProjects: p.OnlyProjects,
		WorkspaceID:  p.WorkspaceID, AgentID: p.AgentID, Vendor: p.Vendor}
}

// Has reports whether the credential is not limited to rights other than r.
// No agent has the rights over accounts and orgs.
func (p Principal) Has(r Right) bool {
	if p.Kind == KindAgent && !slices.Contains(AgentRights(), r) {
		return false
	}
	return len(p.Rights) == 0 || slices.Contains(p.Rights, r)
}

// Fresh reports whether the person proved who they are at most StepUpAge
// before now. A proof in the future is none: it would stay fresh for long.
func (p Principal) Fresh(now time.Time) bool {
	return !p.ProvedAt.IsZero() && !p.ProvedAt.After(now) && now.Sub(p.ProvedAt) <= StepUpAge
}

// IsZero reports whether p is nobody.
func (p Principal) IsZero() bool { return p.Kind == "" || p.OrgID == "" || p.UserID.IsZero() }

// Subject names the principal in one stable string. Sessions are bound to it:
// two credentials of the same person have different subjects. The tokens of
// one grant have one, so that a refresh does not end a session.
func (p Principal) Subject() string {
	by := p.CredentialID.String()
	if !p.GrantID.IsZero() {
		by = "grant/" + p.GrantID.String()
	}
	return string(p.OrgID) + "/" + p.UserID.String() + "/" + string(p.Kind) + "/" + string(p.Vendor) + "/" + by
}

// Role is a person's role on the instance.
type Role string

// The instance roles.
const (
	RoleAdmin        Role = "admin"
	RolePrivateAlpha Role = "private-alpha"
	RoleUser         Role = "user"
)

// ParseRole reads an instance role, or returns an Invalid error.
func ParseRole(s string) (Role, error) {
	switch r := Role(s); r {
	case RoleAdmin, RolePrivateAlpha, RoleUser:
		return r, nil
	}
	return "", FieldErrorf("role", "must be one of: admin, private-alpha, user")
}

// Secret is a string that must not be printed: every format shows [secret].
// Reveal gives the value, to hash it or to show it once.
type Secret string

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }

// String hides the value.
func (Secret) String() string { return "[secret]" }

// GoString hides the value.
func (Secret) GoString() string { return "[secret]" }

// MarshalText hides the value.
func (Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// LogValue hides the value.
func (Secret) LogValue() slog.Value { return slog.StringValue("[secret]") }
