package loci

import (
	"slices"
	"strings"
	"time"
)

// Scope is a memory's audience in addition to its owner.
type Scope string

// The scopes.
const (
	ScopeGlobal  Scope = "global"  // the owner, anywhere in the org
	ScopeProject Scope = "project" // anyone in the project
	ScopeAgent   Scope = "agent"   // only sessions of one agent
)

// MemoryType is the kind of knowledge in a memory.
type MemoryType string

// The memory types.
const (
	Semantic   MemoryType = "semantic"   // a fact
	Episodic   MemoryType = "episodic"   // something that happened
	Procedural MemoryType = "procedural" // how to do something
)

// Access is what the visibility rule reads. Every row that can be read has one.
type Access struct {
	OrgID          OrgID       `json:"-"`
	UserID         UserID      `json:"user_id,omitzero" doc:"The owner of the memory" format:"uuid"`
	WorkspaceID    WorkspaceID `json:"workspace_id,omitzero" format:"uuid"`
	Scope          Scope       `json:"scope" enum:"global,project,agent" doc:"Audience in addition to the owner"`
	ProjectID      ProjectID   `json:"project_id,omitzero" format:"uuid"`
	AgentID        AgentID     `json:"agent_id,omitzero" format:"uuid"`
	TeamID         TeamID      `json:"team_id,omitzero" format:"uuid" doc:"The team that the memory is shared with"`
	Reach          Reach       `json:"-"` // of sessions and events; "": the row is another one, and Scope decides
	Origin         string      `json:"origin" doc:"Who wrote it. The server sets it from the credential: a vendor, or api, cli, dashboard" example:"claude"`
	AllowedVendors []Vendor    `json:"allowed_vendors" nullable:"false" doc:"Vendors that may read it; * means all. Its owner always may" example:"[\"*\"]"`
	ExpiresAt      time.Time   `json:"expires_at,omitzero" doc:"From this time on, no reader sees it"`
	SupersededBy   MemoryID    `json:"superseded_by,omitzero" format:"uuid"`
	DeletedAt      time.Time   `json:"deleted_at,omitzero" doc:"When it was moved to the trash; absent if it was not"`
}

// Memory is one curated fact, decision or note. Loci stores its text exactly as sent and keeps the
// old version at every change. Times are in UTC, truncated to microseconds. REST, MCP, the command
// line and exports all use its JSON form.
type Memory struct {
	ID          MemoryID   `json:"id" format:"uuid"`
	Title       string     `json:"title" doc:"Short title for lists" example:"Deploys"`
	Content     string     `json:"content" doc:"The text of the memory, exactly as sent" example:"We deploy on Tuesdays, never on Fridays."`
	Summary     string     `json:"summary,omitempty"`
	Key         string     `json:"key,omitempty" doc:"Name of the fact, to look it up or update it by"`
	Tags        []string   `json:"tags" nullable:"false" example:"[\"ops\"]"`
	Type        MemoryType `json:"memory_type" enum:"semantic,episodic,procedural" doc:"A fact, an event, or instructions"`
	Category    string     `json:"category" example:"fact"`
	Importance  int        `json:"importance" doc:"1 to 10" example:"5"`
	Pinned      bool       `json:"pinned,omitempty"`
	Source      string     `json:"source" doc:"How the memory was created" example:"manual"`
	SecretsKept bool       `json:"secrets_kept,omitempty" doc:"True if its owner decided to keep the secrets in it. Otherwise, lists and contexts show [secret] in their place"`
	Access
	SessionID SessionID `json:"session_id,omitzero" format:"uuid"`
	ValidFrom time.Time `json:"valid_from,omitzero"`
	ValidTo   time.Time `json:"valid_to,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	State
	// Disagreement is not stored and not exported: Loci works it out for the reader of the memory.
	Disagreement
}

// MemorySummary is what a list shows of a memory.
type MemorySummary struct {
	ID        MemoryID   `json:"id" format:"uuid"`
	Title     string     `json:"title"`
	Summary   string     `json:"summary,omitempty"`
	Tags      []string   `json:"tags" nullable:"false"`
	Origin    string     `json:"origin"`
	Type      MemoryType `json:"memory_type"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	Disagreement
}

// Summarize returns the summary of m for lists.
func (m *Memory) Summarize() MemorySummary {
	return MemorySummary{ID: m.ID, Title: m.Title, Summary: m.Summary, Tags: m.Tags, Origin: m.Origin,
		Type: m.Type, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Disagreement: m.Disagreement}
}

// Summaries returns the summary of each memory. It never returns nil.
func Summaries(memories []*Memory) []MemorySummary {
	return Mapped(memories, func(m *Memory) MemorySummary { return m.Summarize() })
}

// State is the version of a memory and how it came about.
type State struct {
	Version int    `json:"version" doc:"1 for the first version; send it as If-Match" example:"1"`
	Change  Change `json:"change" enum:"created,updated,trashed,restored" doc:"What made this version"`
	Editor  string `json:"editor" doc:"Who made this version: the origin of the credential" example:"claude"`
	// EditorID, EditorCredentialID and EditorSessionID identify who made the version, and with what.
	EditorID           UserID       `json:"editor_id,omitzero" format:"uuid" doc:"The person who made this version, or for whom it was made"`
	EditorCredentialID CredentialID `json:"editor_credential_id,omitzero" format:"uuid"`
	EditorSessionID    SessionID    `json:"editor_session_id,omitzero" format:"uuid"`
}

// Change is the kind of change that made a version of a memory.
type Change string

// The kinds of change.
const (
	Created  Change = "created"
	Updated  Change = "updated"
	Trashed  Change = "trashed"
	Restored Change = "restored"
)

// Version is an old state of a memory. It was current from Memory.UpdatedAt until ReplacedAt.
type Version struct {
	Memory
	ReplacedAt time.Time `json:"replaced_at" doc:"When the next version replaced it"`
}

// IsDecision reports whether its category or a tag names it a decision.
func (m *Memory) IsDecision() bool {
	return slices.ContainsFunc(append([]string{m.Category}, m.Tags...), func(name string) bool {
		return strings.EqualFold(name, "decision") || strings.EqualFold(name, "decisions")
	})
}

// Accepted reports whether a person made this version of what its origin had proposed as a candidate.
func (m *Memory) Accepted() bool {
	return m.Source == AutoSource && m.Version == 1 && m.Editor != m.Origin
}

// Clone returns a copy that shares no data with m.
func (m *Memory) Clone() *Memory {
	c := *m
	c.Tags = slices.Clone(m.Tags)
	c.AllowedVendors = slices.Clone(m.AllowedVendors)
	return &c
}

// Live reports whether the row is not trashed, not expired at now and not superseded. This is part
// 4 of the visibility rule.
func (a *Access) Live(now time.Time) bool { return !a.gone(now) && a.SupersededBy.IsZero() }

// gone reports whether the row is in the trash or has expired.
func (a *Access) gone(now time.Time) bool {
	return !a.DeletedAt.IsZero() || !a.ExpiresAt.IsZero() && !a.ExpiresAt.After(now)
}

// CutTime returns t in UTC, truncated to microseconds, which every engine stores.
func CutTime(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// TrashedMemory is a memory in the trash, and the memories that nobody recalls because of it.
type TrashedMemory struct {
	Memory
	// Hint is for agents, which cannot restore.
	Hint            string            `json:"hint,omitempty" doc:"For an agent: how the person restores the memory"`
	StillSuperseded []StillSuperseded `json:"still_superseded,omitempty" doc:"Memories that stay replaced by this one although it is in the trash. To bring one back, revert it"`
}

// StillSuperseded is a memory that another one replaced that is now in the trash.
type StillSuperseded struct {
	ID           MemoryID `json:"id" format:"uuid"`
	Title        string   `json:"title"`
	SupersededBy MemoryID `json:"superseded_by" format:"uuid" doc:"The memory in the trash"`
	// RevertTo is 0 if the reader sees no such version.
	RevertTo int `json:"revert_to,omitempty" doc:"The version to revert to: the last one before it was replaced. Absent if you cannot see one"`
}

// Disagreement tells that other memories say something else than this one. It contains nothing that
// the reader may not see.
type Disagreement struct {
	DisputedBy []Dispute `json:"disputed_by,omitempty" doc:"Memories of the same key that say something else, newest first: by other origins, or in a project and outside of it"`
	// PendingSupersede is the newest one if several are suggested.
	PendingSupersede MemoryID `json:"pending_supersede,omitzero" format:"uuid" doc:"The memory that would replace this one if the owner accepts an open suggestion"`
}

// Disputed reports whether a memory disagrees or is suggested as a replacement.
func (d *Disagreement) Disputed() bool { return len(d.DisputedBy) > 0 || !d.PendingSupersede.IsZero() }

// Dispute is a memory that says something else under the same key.
type Dispute struct {
	ID     MemoryID `json:"id" format:"uuid"`
	Origin string   `json:"origin" doc:"Who wrote it"`
}

// MaxDisputes is how many memories a Disagreement names.
const MaxDisputes = 5

// With reports whether the memory with that id is one of those that disagree.
func (d *Disagreement) With(id MemoryID) bool {
	if d.PendingSupersede == id && !id.IsZero() {
		return true
	}
	return slices.ContainsFunc(d.DisputedBy, func(one Dispute) bool { return one.ID == id })
}
