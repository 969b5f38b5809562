package loci

import (
	"encoding/json"
	"time"
)

// Edited is one field of a JSON merge patch (RFC 7396): left out (the zero value), cleared, or set.
type Edited[T any] struct {
	present, null bool
	value         T
}

// Set changes a field to v.
func Set[T any](v T) Edited[T] { return Edited[T]{present: true, value: v} }

// Clear resets a field to its default: empty, or the value in a new memory.
func Clear[T any]() Edited[T] { return Edited[T]{present: true, null: true} }

// IsZero reports whether the field stays unchanged.
func (c Edited[T]) IsZero() bool { return !c.present }

// Cleared reports whether the change clears the field.
func (c Edited[T]) Cleared() bool { return c.present && c.null }

// Value returns the new value, or the zero value if the field is cleared or stays unchanged.
func (c Edited[T]) Value() T { return c.value }

// Apply changes a field, to fallback if the change clears it.
func (c Edited[T]) Apply(field *T, fallback T) {
	switch {
	case c.Cleared():
		*field = fallback
	case c.present:
		*field = c.value
	}
}

// MarshalJSON writes null for a cleared field.
func (c Edited[T]) MarshalJSON() ([]byte, error) {
	if c.null || !c.present {
		return []byte("null"), nil
	}
	return json.Marshal(c.value)
}

// UnmarshalJSON reads a value, or null for a cleared field.
func (c *Edited[T]) UnmarshalJSON(b []byte) error {
	c.present, c.null = true, string(b) == "null"
	if c.null {
		return nil
	}
	return json.Unmarshal(b, &c.value)
}

// Edit changes some fields of a memory, as a JSON merge patch (RFC 7396): fields that are left out
// stay unchanged, and null clears a field. Title, content and allowed_vendors can't be cleared.
type Edit struct {
	Title          Edited[string]     `json:"title,omitzero" minLength:"1" maxLength:"500"`
	Content        Edited[string]     `json:"content,omitzero" minLength:"1" maxLength:"100000" example:"We deploy on Tuesdays and Thursdays."`
	Summary        Edited[string]     `json:"summary,omitzero" nullable:"true" maxLength:"2000"`
	Key            Edited[string]     `json:"key,omitzero" nullable:"true" maxLength:"200"`
	Tags           Edited[[]string]   `json:"tags,omitzero" nullable:"true" maxItems:"50" minLength:"1" maxLength:"100" doc:"The whole list; null: no tags"`
	AllowedVendors Edited[[]Vendor]   `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"The whole list"`
	Type           Edited[MemoryType] `json:"memory_type,omitzero" enum:"semantic,episodic,procedural"`
	Category       Edited[string]     `json:"category,omitzero" nullable:"true" minLength:"1" maxLength:"100" doc:"null resets it to fact"`
	Importance     Edited[int]        `json:"importance,omitzero" nullable:"true" minimum:"1" maximum:"10" doc:"null resets it to 5"`
	Pinned         Edited[bool]       `json:"pinned,omitzero" nullable:"true"`
	Scope          Edited[Scope]      `json:"scope,omitzero" nullable:"true" enum:"global,project,agent" doc:"Audience in addition to the owner. Another scope clears project_id and agent_id, unless you send them. null resets it to global"`
	ProjectID      Edited[ProjectID]  `json:"project_id,omitzero" nullable:"true" format:"uuid" doc:"Required for scope project"`
	AgentID        Edited[AgentID]    `json:"agent_id,omitzero" nullable:"true" format:"uuid" doc:"The agent of the session, which is the default for scope agent"`
	Source         Edited[string]     `json:"source,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"null resets it to manual"`
	ExpiresAt      Edited[time.Time]  `json:"expires_at,omitzero" nullable:"true" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"null: never"`
	ValidFrom      Edited[time.Time]  `json:"valid_from,omitzero" nullable:"true" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1"`
	ValidTo        Edited[time.Time]  `json:"valid_to,omitzero" nullable:"true" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1"`
}

// NodeEdit changes some fields of a memory node, as a JSON merge patch (RFC 7396).
type NodeEdit struct {
	Name           Edited[string]   `json:"name,omitzero" nullable:"false" minLength:"1" maxLength:"500" example:"Onboarding"`
	Description    Edited[string]   `json:"description,omitzero" nullable:"true" maxLength:"2000"`
	Tags           Edited[[]string] `json:"tags,omitzero" nullable:"true" maxItems:"50" minLength:"1" maxLength:"100" doc:"The whole list; null: no tags"`
	AllowedVendors Edited[[]Vendor] `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"The whole list"`
	Shared         Edited[bool]     `json:"shared,omitzero" nullable:"true" doc:"Whether it is shared with your team"`
}

// NodeItemMove is the new place of an item.
type NodeItemMove struct {
	ParentID Edited[NodeItemID] `json:"parent_id,omitzero" nullable:"true" format:"uuid" doc:"The item that it moves below; null: the top level. Default: its present parent"`
	Before   NodeItemID         `json:"before,omitzero" format:"uuid" doc:"Insert it before this item. Default: last"`
}
