package loci

import (
	"log/slog"
	"slices"
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

// Right is one thing that a credential may be limited to.
type Right string

// The rights. A credential without any list has all that its kind allows.
const (
	RightRead  Right = "memories:read"
	RightWrite Right = "memories:write"
)

// Rights returns every right that a key can be limited to.
func Rights() []Right { return []Right{RightRead, RightWrite} }

// Principal is who is asking. It is made only in package auth, and passed as
// a parameter, never in a context. The zero Principal may do nothing.
type Principal struct {
	Kind         Kind
	OrgID        OrgID
	UserID       UserID // the person, or the person acted for
	Vendor       Vendor // "" for a person
	Origin       string // what this principal's writes carry as origin
	CredentialID CredentialID
	Rights       []Right // empty: everything the kind allows
	TeamID       TeamID
	ProjectIDs   []ProjectID
	WorkspaceID  WorkspaceID
	AgentID      AgentID
	SessionID    SessionID
}

// Viewer returns what decides this principal's visibility.
func (p Principal) Viewer() Viewer {
	return Viewer{OrgID: p.OrgID, UserID: p.UserID, TeamID: p.TeamID, ProjectIDs: p.ProjectIDs,
		WorkspaceID: p.WorkspaceID, AgentID: p.AgentID, Vendor: p.Vendor}
}

// Has reports whether the credential is not limited to rights other than r.
func (p Principal) Has(r Right) bool { return len(p.Rights) == 0 || slices.Contains(p.Rights, r) }

// IsZero reports whether p is nobody.
func (p Principal) IsZero() bool { return p.Kind == "" || p.OrgID == "" || p.UserID.IsZero() }

// Subject names the principal in one stable string. Sessions are bound to it:
// two credentials of the same person have different subjects.
func (p Principal) Subject() string {
	return string(p.OrgID) + "/" + p.UserID.String() + "/" + string(p.Kind) + "/" + string(p.Vendor) + "/" + p.CredentialID.String()
}

// Role is a person's role on the instance.
type Role string

// The instance roles.
const (
	RoleAdmin        Role = "admin"
	RolePrivateAlpha Role = "private-alpha"
	RoleUser         Role = "user"
)

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
