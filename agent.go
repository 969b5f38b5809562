package loci

import (
	"encoding/json"
	"time"
)

// Limits of agents and sessions.
const (
	MaxAgentConfig  = 16_000 // bytes of JSON
	MaxSessionTitle = MaxTitle
)

// Agent is a registered agent of a person. It belongs to a vendor.
type Agent struct {
	ID        AgentID         `json:"id" format:"uuid"`
	OrgID     OrgID           `json:"-"`
	UserID    UserID          `json:"user_id" format:"uuid" doc:"The person for whom the agent acts"`
	Vendor    Vendor          `json:"vendor" example:"claude"`
	Name      string          `json:"name" doc:"Unique per person and vendor" example:"reviewer"`
	Config    json.RawMessage `json:"config,omitempty" doc:"A JSON object, stored unchanged"`
	CreatedAt time.Time       `json:"created_at"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Validate returns an Invalid error for the first field that breaks a limit.
func (a *Agent) Validate() error {
	if err := CheckText("name", a.Name, 1, MaxName); err != nil {
		return err
	}
	if a.Name != OneLine(a.Name) {
		return FieldErrorf("name", "must be one line without control characters, and not begin or end with a space")
	}
	if len(a.Config) > MaxAgentConfig {
		return FieldErrorf("config", "is longer than %d bytes; keep large things elsewhere and name them here",
			MaxAgentConfig)
	}
	var object map[string]json.RawMessage
	if len(a.Config) > 0 && (json.Unmarshal(a.Config, &object) != nil || object == nil || CheckJSON(a.Config) != nil) {
		return FieldErrorf("config", "must be a JSON object")
	}
	return checkVendor(a.Vendor)
}

// SessionState is the state of a session: active or closed.
type SessionState string

// The states of a session.
const (
	SessionActive SessionState = "active"
	SessionClosed SessionState = "closed"
)

// Session is a bounded piece of work of an agent, or of a vendor's assistant that is not registered
// as one.
type Session struct {
	ID          SessionID    `json:"id" format:"uuid"`
	OrgID       OrgID        `json:"-"`
	UserID      UserID       `json:"user_id" format:"uuid"`
	WorkspaceID WorkspaceID  `json:"workspace_id,omitzero" format:"uuid"`
	ProjectID   ProjectID    `json:"project_id,omitzero" format:"uuid"`
	AgentID     AgentID      `json:"agent_id,omitzero" format:"uuid"`
	Vendor      Vendor       `json:"vendor,omitempty" doc:"Only this vendor's credentials may name the session; absent: only the person's own"`
	Title       string       `json:"title,omitempty"`
	State       SessionState `json:"state" enum:"active,closed"`
	CreatedAt   time.Time    `json:"created_at"`
	ClosedAt    time.Time    `json:"closed_at,omitzero"`
}

// Validate returns an Invalid error for the first field that breaks a limit.
func (s *Session) Validate() error {
	if err := CheckText("title", s.Title, 0, MaxSessionTitle); err != nil {
		return err
	}
	if s.Vendor == "" {
		return nil
	}
	return checkVendor(s.Vendor)
}

func checkVendor(v Vendor) error {
	if err := v.Validate(); err != nil {
		return FieldErrorf("vendor", "is not a vendor name: %s", err)
	}
	return nil
}

// SeesAgent reports whether v may know that an agent exists. An agent acts for one person and reads
// what only that person may share. So nobody else sees it: no team, no project, no admin.
//
//   - A person sees all of their own agents.
//   - A vendor's credential sees the agents of its vendor. Which other products the person uses is
//     none of its business.
//   - A credential limited to projects sees no agent, because agents don't belong to projects.
//
// Agents aren't divided by workspace.
func (v Viewer) SeesAgent(a *Agent) bool { return v.sharesWork(a.OrgID, a.UserID, a.Vendor) }

// SeesSession reports whether v may know that a session exists, and name it. It applies the rule of
// SeesAgent and part 1 of the rule for memories: where workspaces are on, the session must belong
// to the active one. The project of a session gives nobody a right to the session.
func (v Viewer) SeesSession(s *Session) bool {
	return v.sharesWork(s.OrgID, s.UserID, s.Vendor) && (v.WorkspaceID.IsZero() || v.WorkspaceID == s.WorkspaceID)
}

// sharesWork also returns false for work without a vendor if v has a vendor: a person's own work
// belongs to no vendor.
func (v Viewer) sharesWork(org OrgID, user UserID, vendor Vendor) bool {
	return v.OrgID != "" && v.OrgID == org && !v.UserID.IsZero() && v.UserID == user && !v.OnlyProjects &&
		(v.Vendor == "" || v.Vendor == vendor)
}
