package loci

import (
	"encoding/json"
	"strconv"
	"time"
)

// Limits of agents.
const (
	MaxAgentConfig      = 16_000 // bytes of JSON
	MaxAgentDescription = 2_000
)

// FreeName adds the first number to the name of an agent that makes a name which is not taken, such as
// reviewer-2. It cuts a name that would be too long.
func FreeName(name string, taken func(string) bool) string {
	letters := []rune(name)
	for n := 2; ; n++ {
		suffix := "-" + strconv.Itoa(n)
		if free := string(letters[:min(len(letters), MaxName-len(suffix))]) + suffix; !taken(free) {
			return free
		}
	}
}

// RenamedText begins the description of an agent that an update of Loci renamed, because agents of
// several people or vendors had its name. Its old name follows.
const RenamedText = "Renamed by an update of Loci; before: "

// Agent is a registered agent. It belongs to the org and to a vendor.
type Agent struct {
	ID           AgentID         `json:"id" format:"uuid"`
	OrgID        OrgID           `json:"-"`
	UserID       UserID          `json:"user_id,omitzero" format:"uuid" doc:"The person who registered it, or for whom it was registered; absent: they left the org"`
	Vendor       Vendor          `json:"vendor" example:"claude"`
	Name         string          `json:"name" doc:"Unique in the org" example:"reviewer"`
	Description  string          `json:"description,omitempty" example:"Reviews changes of the login page"`
	Config       json.RawMessage `json:"config,omitempty" doc:"A JSON object, stored unchanged"`
	CreatedAt    time.Time       `json:"created_at"`
	UpdatedAt    time.Time       `json:"updated_at"`
	LastActiveAt time.Time       `json:"last_active_at,omitzero" doc:"When a request last worked as this agent where everybody in the org sees it, exact to a minute"`
	Hint         string          `json:"hint,omitempty" doc:"Of a new name: an agent whose name differs only in case or blanks"`
}

// Validate returns an Invalid error for the first field that breaks a limit.
func (a *Agent) Validate() error {
	if err := CheckText("name", a.Name, 1, MaxName); err != nil {
		return err
	}
	if a.Name != OneLine(a.Name) {
		return FieldErrorf("name", notOneLine+", nor have two spaces in a row")
	}
	if err := CheckText("description", a.Description, 0, MaxAgentDescription); err != nil {
		return err
	}
	if err := CheckObject("config", a.Config, MaxAgentConfig); err != nil {
		return err
	}
	if err := a.Vendor.Validate(); err != nil {
		return FieldErrorf("vendor", "is not a vendor name: %s", err)
	}
	return nil
}

// SeesAgent reports whether v may know that an agent exists. Agents belong to the org, so everybody in it does, with
// any vendor and in any workspace. Agents don't belong to projects, so a credential limited to projects sees none.
func (v Viewer) SeesAgent(a *Agent) bool {
	return v.OrgID != "" && v.OrgID == a.OrgID && !v.UserID.IsZero() && !v.OnlyProjects
}

// AgentStats is how much an agent works, as far as the reader may see.
type AgentStats struct {
	AgentID      AgentID   `json:"agent_id" format:"uuid"`
	Sessions     int       `json:"sessions" doc:"Sessions of the agent that you can see"`
	Active       int       `json:"active_sessions" doc:"Those of them that are active"`
	Events       *int      `json:"events,omitempty" doc:"Those of its events that you can see, if your key reads events"`
	EventsMore   bool      `json:"events_more,omitempty" doc:"There was not enough time to count all events"`
	LastActiveAt time.Time `json:"last_active_at,omitzero"`
}
