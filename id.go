package loci

import (
	"fmt"

	"github.com/google/uuid"
)

// ID is a UUID that knows what it names, so that a user's id cannot be passed
// where a memory's is meant. New ids are version 4. The zero ID names nothing.
type ID[Kind any] [16]byte

type (
	memoryKind      struct{}
	userKind        struct{}
	teamKind        struct{}
	projectKind     struct{}
	workspaceKind   struct{}
	agentKind       struct{}
	sessionKind     struct{}
	credentialKind  struct{}
	grantKind       struct{}
	inviteKind      struct{}
	entityKind      struct{}
	observationKind struct{}
	relationKind    struct{}
	assetKind       struct{}
	sourceKind      struct{}
	suggestionKind  struct{}
	nodeKind        struct{}
	nodeItemKind    struct{}
)

// MemoryID names a memory.
type MemoryID = ID[memoryKind]

// UserID names a person.
type UserID = ID[userKind]

// TeamID names a team.
type TeamID = ID[teamKind]

// ProjectID names a project.
type ProjectID = ID[projectKind]

// WorkspaceID names a workspace.
type WorkspaceID = ID[workspaceKind]

// AgentID names a registered agent.
type AgentID = ID[agentKind]

// SessionID names a session of agents.
type SessionID = ID[sessionKind]

// CredentialID names a key, a browser session or a token.
type CredentialID = ID[credentialKind]

// GrantID names what a person allowed an OAuth client.
type GrantID = ID[grantKind]

// InviteID names an invitation.
type InviteID = ID[inviteKind]

// EntityID names an entity of a project's graph.
type EntityID = ID[entityKind]

// ObservationID names an observation.
type ObservationID = ID[observationKind]

// RelationID names a relation.
type RelationID = ID[relationKind]

// AssetID names an attachment.
type AssetID = ID[assetKind]

// SourceID names a link from a memory to where it comes from.
type SourceID = ID[sourceKind]

// SuggestionID names a change that somebody proposes.
type SuggestionID = ID[suggestionKind]

// NodeID names a memory node.
type NodeID = ID[nodeKind]

// NodeItemID names an item of a memory node.
type NodeItemID = ID[nodeItemKind]

// NewID returns a fresh random id. It panics only if the system has no
// randomness.
func NewID[Kind any]() ID[Kind] { return ID[Kind](uuid.New()) }

// NewMemoryID returns a fresh id for a memory.
func NewMemoryID() MemoryID { return NewID[memoryKind]() }

// NewUserID returns a fresh id for a user.
func NewUserID() UserID { return NewID[userKind]() }

// NewCredentialID returns a fresh id for a credential.
func NewCredentialID() CredentialID { return NewID[credentialKind]() }

// NewTeamID returns a fresh id for a team.
func NewTeamID() TeamID { return NewID[teamKind]() }

// NewWorkspaceID returns a fresh id for a workspace.
func NewWorkspaceID() WorkspaceID { return NewID[workspaceKind]() }

// NewGrantID returns a fresh id for a grant.
func NewGrantID() GrantID { return NewID[grantKind]() }

// NewInviteID returns a fresh id for an invitation.
func NewInviteID() InviteID { return NewID[inviteKind]() }

// NewProjectID returns a fresh id for a project.
func NewProjectID() ProjectID { return NewID[projectKind]() }

// NewEntityID returns a fresh id for an entity.
func NewEntityID() EntityID { return NewID[entityKind]() }

// NewObservationID returns a fresh id for an observation.
func NewObservationID() ObservationID { return NewID[observationKind]() }

// NewRelationID returns a fresh id for a relation.
func NewRelationID() RelationID { return NewID[relationKind]() }

// NewAgentID returns a fresh id for an agent.
func NewAgentID() AgentID { return NewID[agentKind]() }

// NewSessionID returns a fresh id for a session.
func NewSessionID() SessionID { return NewID[sessionKind]() }

// NewAssetID returns a fresh id for an attachment.
func NewAssetID() AssetID { return NewID[assetKind]() }

// NewSourceID returns a fresh id for a source.
func NewSourceID() SourceID { return NewID[sourceKind]() }

// NewSuggestionID returns a fresh id for a suggestion.
func NewSuggestionID() SuggestionID { return NewID[suggestionKind]() }

// NewNodeID returns a fresh id for a memory node.
func NewNodeID() NodeID { return NewID[nodeKind]() }

// NewNodeItemID returns a fresh id for an item of a memory node.
func NewNodeItemID() NodeItemID { return NewID[nodeItemKind]() }

// ParseID reads the canonical 36-character form, in either case. Anything else
// is an Invalid error that does not repeat the input.
func ParseID[Kind any](s string) (ID[Kind], error) {
	if len(s) != 36 {
		return ID[Kind]{}, Errorf(Invalid, "an id is a UUID of 36 characters, like 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e")
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return ID[Kind]{}, Errorf(Invalid, "an id is a UUID of 36 characters, like 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e")
	}
	return ID[Kind](u), nil
}

// ParseMemoryID reads a memory's id. See ParseID.
func ParseMemoryID(s string) (MemoryID, error) { return ParseID[memoryKind](s) }

// String returns the canonical form, in lower case.
func (id ID[Kind]) String() string { return uuid.UUID(id).String() }

// IsZero reports whether id names nothing.
func (id ID[Kind]) IsZero() bool { return id == ID[Kind]{} }

// MarshalText writes the canonical form; the zero ID is the empty string.
func (id ID[Kind]) MarshalText() ([]byte, error) {
	if id.IsZero() {
		return nil, nil
	}
	return uuid.UUID(id).MarshalText()
}

// UnmarshalText reads what MarshalText wrote.
func (id *ID[Kind]) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*id = ID[Kind]{}
		return nil
	}
	got, err := ParseID[Kind](string(b))
	if err != nil {
		return err
	}
	*id = got
	return nil
}

// OrgID names a tenant. It is part of a file name, so its syntax is narrow:
// 1 to 64 of a-z, 0-9 and "-", not starting with "-".
type OrgID string

// DefaultOrg is the org of a laptop.
const DefaultOrg OrgID = "default"

// Validate returns an Invalid error if the id is not of the syntax above. The
// empty org is refused: no operation may run without a tenant.
func (o OrgID) Validate() error {
	if len(o) == 0 || len(o) > 64 || o[0] == '-' {
		return orgError()
	}
	for _, r := range o {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return orgError()
		}
	}
	return nil
}

func orgError() error {
	return Errorf(Invalid, "an org id has 1 to 64 of a-z, 0-9 and -, and does not start with -")
}

// Vendor is the AI product behind a credential, such as "claude" or "cursor".
// The empty Vendor is a person: not limited by vendor.
type Vendor string

// AnyVendor in allowed_vendors lets every vendor read.
const AnyVendor Vendor = "*"

// LocalVendor is the vendor of `loci mcp` over stdio without --vendor.
const LocalVendor Vendor = "local"

// ServerOrigin is the editor of what the server changes by itself, such as the
// memories of a deleted project. No vendor may be named so.
const ServerOrigin = "loci"

// MaxVendorLength is the longest vendor name, in bytes.
const MaxVendorLength = 50

// Validate returns an Invalid error unless v is 1 to 50 of a-z, 0-9, ".", "_"
// and "-", starting with a letter or digit. Names are checked by syntax, not
// against a list: a vendor that connects next year needs no new release.
func (v Vendor) Validate() error {
	if len(v) == 0 || len(v) > MaxVendorLength {
		return Errorf(Invalid, "a vendor name has 1 to %d characters", MaxVendorLength)
	}
	for i, r := range v {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || r != '.' && r != '_' && r != '-') {
			return Errorf(Invalid, "a vendor name has only a-z, 0-9, '.', '_' and '-', and starts with a letter or digit")
		}
	}
	return nil
}

// ParseVendor lower-cases s and checks it.
func ParseVendor(s string) (Vendor, error) {
	v := Vendor(lowerASCII(s))
	if err := v.Validate(); err != nil {
		return "", err
	}
	return v, nil
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

var _ fmt.Stringer = MemoryID{}
