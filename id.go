package loci

import (
	"fmt"
	"strconv"

	"github.com/google/uuid"
)

// ID is a UUID with the type of what it names, so that a user's id can't be passed as a memory's
// id. New ids are UUIDs of version 4. The zero ID names nothing.
type ID[Kind any] [16]byte

// MemoryID names a memory.
type MemoryID = ID[Memory]

// UserID names a person.
type UserID = ID[User]

// TeamID names a team.
type TeamID = ID[Team]

// ProjectID names a project.
type ProjectID = ID[Project]

// WorkspaceID names a workspace.
type WorkspaceID = ID[Workspace]

// AgentID names a registered agent.
type AgentID = ID[Agent]

// SessionID names a session of agents.
type SessionID = ID[Session]

// CredentialID names a key, a browser sign-in or a token.
type CredentialID = ID[Credential]

// GrantID names a person's permission for an OAuth client.
type GrantID = ID[Grant]

// InviteID names an invitation.
type InviteID = ID[Invite]

// EntityID names an entity of a project's graph.
type EntityID = ID[Entity]

// ObservationID names an observation.
type ObservationID = ID[Observation]

// RelationID names a relation.
type RelationID = ID[Relation]

// AssetID names an attachment.
type AssetID = ID[Asset]

// SourceID names a source of a memory.
type SourceID = ID[Source]

// SuggestionID names a suggested change.
type SuggestionID = ID[Suggestion]

// NodeID names a memory node.
type NodeID = ID[MemoryNode]

// NodeItemID names an item of a memory node.
type NodeItemID = ID[NodeItem]

// VersionID names one version of a memory.
type VersionID = ID[Version]

// VersionOf returns the id of a version of a memory. It follows from the two, so nothing stores it.
func VersionOf(id MemoryID, version int) VersionID {
	return VersionID(uuid.NewSHA1(uuid.UUID(id), []byte(strconv.Itoa(version))))
}

// EventID names an event. Ids of events sort by the time of their events.
type EventID = ID[Event]

// CandidateID names a candidate.
type CandidateID = ID[Candidate]

// ReflectionID names raw notes that somebody reflected.
type ReflectionID = ID[Reflection]

// TaskID names a task of a project.
type TaskID = ID[Task]

// GoldenID names a golden question.
type GoldenID = ID[GoldenQuestion]

// GoldenRunID names a run of golden questions.
type GoldenRunID = ID[GoldenRun]

// DreamID names a run of the dream-cycle.
type DreamID = ID[Dream]

// NewID returns a new random id. It panics only if the system has no randomness.
func NewID[Kind any]() ID[Kind] { return ID[Kind](uuid.New()) }

// NewMemoryID returns a new id for a memory.
func NewMemoryID() MemoryID { return NewID[Memory]() }

// NewUserID returns a new id for a user.
func NewUserID() UserID { return NewID[User]() }

// NewCredentialID returns a new id for a credential.
func NewCredentialID() CredentialID { return NewID[Credential]() }

// NewTeamID returns a new id for a team.
func NewTeamID() TeamID { return NewID[Team]() }

// NewWorkspaceID returns a new id for a workspace.
func NewWorkspaceID() WorkspaceID { return NewID[Workspace]() }

// NewGrantID returns a new id for a grant.
func NewGrantID() GrantID { return NewID[Grant]() }

// NewInviteID returns a new id for an invitation.
func NewInviteID() InviteID { return NewID[Invite]() }

// NewProjectID returns a new id for a project.
func NewProjectID() ProjectID { return NewID[Project]() }

// NewEntityID returns a new id for an entity.
func NewEntityID() EntityID { return NewID[Entity]() }

// NewObservationID returns a new id for an observation.
func NewObservationID() ObservationID { return NewID[Observation]() }

// NewRelationID returns a new id for a relation.
func NewRelationID() RelationID { return NewID[Relation]() }

// NewAgentID returns a new id for an agent.
func NewAgentID() AgentID { return NewID[Agent]() }

// NewSessionID returns a new id for a session.
func NewSessionID() SessionID { return NewID[Session]() }

// NewTaskID returns a new id for a task.
func NewTaskID() TaskID { return NewID[Task]() }

// NewGoldenID returns a new id for a golden question.
func NewGoldenID() GoldenID { return NewID[GoldenQuestion]() }

// NewGoldenRunID returns a new id for a run of golden questions.
func NewGoldenRunID() GoldenRunID { return NewID[GoldenRun]() }

// NewAssetID returns a new id for an attachment.
func NewAssetID() AssetID { return NewID[Asset]() }

// NewSourceID returns a new id for a source.
func NewSourceID() SourceID { return NewID[Source]() }

// NewDreamID returns a new id for a run of the dream-cycle.
func NewDreamID() DreamID { return NewID[Dream]() }

// NewSuggestionID returns a new id for a suggestion.
func NewSuggestionID() SuggestionID { return NewID[Suggestion]() }

// NewNodeID returns a new id for a memory node.
func NewNodeID() NodeID { return NewID[MemoryNode]() }

// NewNodeItemID returns a new id for an item of a memory node.
func NewNodeItemID() NodeItemID { return NewID[NodeItem]() }

// ParseID parses the canonical form of 36 characters, in upper or lower case. Otherwise it returns
// an Invalid error that doesn't repeat the input.
func ParseID[Kind any](s string) (ID[Kind], error) {
	if len(s) != 36 {
		return ID[Kind]{}, Errorf(Invalid, "an id must be a 36-character UUID, such as 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e")
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return ID[Kind]{}, Errorf(Invalid, "an id must be a 36-character UUID, such as 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e")
	}
	return ID[Kind](u), nil
}

// ParseMemoryID parses a memory's id. See ParseID.
func ParseMemoryID(s string) (MemoryID, error) { return ParseID[Memory](s) }

// ShortID is how many characters of an id Loci shows where the whole id would only cost room.
const ShortID = 8

// Short returns the beginning of the canonical form, for people and models.
func (id ID[Kind]) Short() string { return id.String()[:ShortID] }

// ParseIDPrefix returns the first and the last id that begin with s, at least minimum characters of
// the canonical form in upper or lower case. For a whole id both are that id. Otherwise it returns
// an Invalid error that doesn't repeat the input.
func ParseIDPrefix[Kind any](s string, minimum int) (first, last ID[Kind], err error) {
	const zero, most = "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"
	bad := Errorf(Invalid, "an id must be a 36-character UUID, such as 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e, "+
		"or the beginning of one: at least %d characters", minimum)
	if len(s) < minimum || len(s) > len(zero) {
		return first, last, bad
	}
	for i := range len(s) {
		if (s[i] == '-') != (zero[i] == '-') {
			return first, last, bad
		}
	}
	if first, err = ParseID[Kind](s + zero[len(s):]); err != nil {
		return first, last, bad
	}
	last, err = ParseID[Kind](s + most[len(s):])
	return first, last, err
}

// String returns the canonical form, in lower case.
func (id ID[Kind]) String() string { return uuid.UUID(id).String() }

// IsZero reports whether id names nothing.
func (id ID[Kind]) IsZero() bool { return id == ID[Kind]{} }

// MarshalText returns the canonical form. The zero ID becomes the empty string.
func (id ID[Kind]) MarshalText() ([]byte, error) {
	if id.IsZero() {
		return nil, nil
	}
	return uuid.UUID(id).MarshalText()
}

// UnmarshalText parses the output of MarshalText.
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

// OrgID names a tenant. Its syntax is narrow because it is part of a file name: 1 to 64 of a-z, 0-9
// and "-", not starting with "-".
type OrgID string

// DefaultOrg is the org of a local installation.
const DefaultOrg OrgID = "default"

// Validate returns an Invalid error if the id breaks this syntax. It also rejects the empty org,
// because no operation may run without a tenant.
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
	return Errorf(Invalid, "an org id must have 1 to 64 of a-z, 0-9 and -, and not start with -")
}

// Vendor is the AI product behind a credential, such as "claude" or "cursor". The empty Vendor
// means a person, whom no vendor limits.
type Vendor string

// AnyVendor in allowed_vendors lets every vendor read.
const AnyVendor Vendor = "*"

// LocalVendor is the vendor of `loci mcp` over stdio without --vendor.
const LocalVendor Vendor = "local"

// The origins of what people write. An agent's origin is its vendor.
const (
	OriginAPI       = "api"
	OriginCLI       = "cli"
	OriginDashboard = "dashboard"
)

// IsPersonal reports whether an origin is one of those.
func IsPersonal(origin string) bool {
	return origin == OriginAPI || origin == OriginCLI || origin == OriginDashboard
}

// ServerOrigin is the editor of changes that the server makes itself, for example to the memories
// of a deleted project. No vendor may have this name.
const ServerOrigin = "loci"

// MaxVendorLength is the maximum length of a vendor name, in bytes.
const MaxVendorLength = 50

// Validate returns an Invalid error unless v has 1 to 50 of a-z, 0-9, ".", "_" and "-" and starts with a letter or
// digit. Loci checks only the syntax of names. With a list of names, a new vendor would need a new release.
func (v Vendor) Validate() error {
	if len(v) == 0 || len(v) > MaxVendorLength {
		return Errorf(Invalid, "a vendor name must have 1 to %d characters", MaxVendorLength)
	}
	for i, r := range v {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || r != '.' && r != '_' && r != '-') {
			return Errorf(Invalid, "a vendor name must have only a-z, 0-9, '.', '_' and '-', and start with a letter or digit")
		}
	}
	return nil
}

// ParseVendor converts s to lower case and validates it.
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
