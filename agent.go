package loci

import (
	"encoding/json"
	"time"
)

// The limits of agents and sessions.
const (
	MaxAgentConfig  = 16_000 // bytes of JSON
	MaxSessionTitle = MaxTitle
)

// Agent is a registered agent of a person. It belongs to a vendor.
type Agent struct {
	ID        AgentID         `json:"id" format:"uuid"`
	OrgID     OrgID           `json:"-"`
	UserID    UserID          `json:"user_id" format:"uuid" doc:"The person for whom it acts"`
	Vendor    Vendor          `json:"vendor" example:"claude"`
	Name      string          `json:"name" doc:"Unique for the person" example:"reviewer"`
	Config    json.RawMessage `json:"config,omitempty" doc:"A JSON object, kept as it is"`
	CreatedAt time.Time       `json:"created_at"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Validate returns an Invalid error about the first field that breaks a limit.
func (a *Agent) Validate() error {
	if err := CheckText("name", a.Name, 1, MaxName); err != nil {
		return err
	}
	if a.Name != OneLine(a.Name) {
		return FieldErrorf("name", "must be one line without control characters, and not begin or end with a space")
	}
	if len(a.Config) > MaxAgentConfig {
		return FieldErrorf("config", "is longer than %d bytes; keep large things elsewhere and name them here", MaxAgentConfig)
	}
	var object map[string]json.RawMessage
	if len(a.Config) > 0 && (json.Unmarshal(a.Config, &object) != nil || object == nil || CheckJSON(a.Config) != nil) {
		return FieldErrorf("config", "must be a JSON object")
	}
	return a.Vendor.Validate()
}

// SessionState says whether a session goes on.
type SessionState string

// The states of a session.
const (
	SessionActive SessionState = "active"
	SessionClosed SessionState = "closed"
)

// Session is a bounded piece of work of an agent, or of a vendor's assistant
// that is not registered.
type Session struct {
	ID          SessionID    `json:"id" format:"uuid"`
	OrgID       OrgID        `json:"-"`
	UserID      UserID       `json:"user_id" format:"uuid"`
	WorkspaceID WorkspaceID  `json:"workspace_id,omitzero" format:"uuid"`
	ProjectID   ProjectID    `json:"project_id,omitzero" format:"uuid"`
	AgentID     AgentID      `json:"agent_id,omitzero" format:"uuid"`
	Vendor      Vendor       `json:"vendor,omitempty" doc:"Whose credentials may name it; absent: only the person's"`
	Title       string       `json:"title,omitempty"`
	State       SessionState `json:"state" enum:"active,closed"`
	CreatedAt   time.Time    `json:"created_at"`
	ClosedAt    time.Time    `json:"closed_at,omitzero"`
}

// SeesSession reports whether v may know of a session, or of an agent of that
// person and vendor: a person of their own, a vendor's credential of its own.
func (v Viewer) SeesSession(org OrgID, user UserID, workspace WorkspaceID, vendor Vendor) bool {
	return v.OrgID != "" && v.OrgID == org && !v.UserID.IsZero() && v.UserID == user && !v.OnlyProjects &&
		(v.WorkspaceID.IsZero() || workspace.IsZero() || v.WorkspaceID == workspace) &&
		(v.Vendor == "" || v.Vendor == vendor)
}
