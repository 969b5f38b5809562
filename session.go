package loci

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// Limits of sessions.
const (
	MaxSessionTitle    = MaxTitle
	MaxSessionMetadata = 16_000 // bytes of JSON
	MaxSessionKey      = 200    // characters
)

// SessionState is the state of a session: active or closed.
type SessionState string

// The states of a session.
const (
	SessionActive SessionState = "active"
	SessionClosed SessionState = "closed"
)

// Session is a bounded piece of work of one or more agents, or of a person.
type Session struct {
	ID       SessionID       `json:"id" format:"uuid"`
	AgentID  AgentID         `json:"agent_id,omitzero" format:"uuid" doc:"The main agent. Requests in the session act as this agent if they may; it may be deleted since"`
	Title    string          `json:"title,omitempty" example:"Review of the login page"`
	Metadata json.RawMessage `json:"metadata,omitempty" doc:"A JSON object"`
	EventAccess
	State        SessionState `json:"state" enum:"active,closed"`
	CreatedAt    time.Time    `json:"created_at"`
	UpdatedAt    time.Time    `json:"updated_at"`
	LastActiveAt time.Time    `json:"last_active_at" doc:"When a request last worked in it, exact to a minute"`
	ClosedAt     time.Time    `json:"closed_at,omitzero"`
	Expired      bool         `json:"expired,omitempty" doc:"Loci closed it because nobody had worked in it for long"`
	ReopenedAt   time.Time    `json:"reopened_at,omitzero" doc:"When it was last reopened"`
	Hint         string       `json:"hint,omitempty" doc:"As in the answer to the registration of an agent, if the session registered one"`
	// Revision increases with each change of the state or of who sees the session.
	Revision int64 `json:"-"`
}

// KeyedSessionID returns the id of the session with a key of one origin of a person. All who ask at once get the same,
// so only one of them can create it. If such sessions are hidden from that origin now, it gets the next one.
func KeyedSessionID(of *EventAccess, key string, hidden int) SessionID {
	return SessionID(derivedID("session", string(of.OrgID), of.WorkspaceID.String(), of.UserID.String(), of.Origin,
		strconv.Itoa(hidden), key))
}

// SetDefaults sets the fields that the writer left out.
func (s *Session) SetDefaults() {
	s.Reach = cmp.Or(s.Reach, ReachOrg)
	if s.AllowedVendors == nil {
		s.AllowedVendors = []Vendor{AnyVendor}
	}
	s.State = cmp.Or(s.State, SessionActive)
}

// Validate returns an Invalid error for the first field that breaks a limit. Unlike a memory, a
// session may admit no vendor at all: then only people read it. Validate removes duplicates from
// AllowedVendors, and the team unless it is the reach.
func (s *Session) Validate() error {
	s.AllowedVendors = Unique(s.AllowedVendors)
	if s.Reach != ReachTeam {
		s.TeamID = TeamID{}
	}
	if err := CheckText("title", s.Title, 0, MaxSessionTitle); err != nil {
		return err
	}
	if err := CheckObject("metadata", s.Metadata, MaxSessionMetadata); err != nil {
		return err
	}
	if err := s.Reach.check(s.TeamID); err != nil {
		return err
	}
	if len(s.AllowedVendors) == 0 {
		return nil
	}
	return CheckVendors(s.AllowedVendors)
}

// ClosedSession returns the error of a write in a closed session.
func ClosedSession() error {
	return Errorf(Conflict,
		"the session is closed: it can be read, but not written in; reopen it (MCP: create_session with "+
			"reopen; REST: POST /sessions/{id}/reopen; loci session reopen ID), or create another one")
}

// SeesSession reports whether v may know that a session exists, and name it.
func (v Viewer) SeesSession(s *Session) bool { return v.SeesEvent(&s.EventAccess) }

// reachOrder lists the reaches, each a part of the next.
var reachOrder = []Reach{ReachPrivate, ReachTeam, ReachOrg}

// Widens reports whether somebody may see b who may not see a, if both are of the same person, team and project.
func (a *EventAccess) Widens(b *EventAccess) bool {
	return slices.Index(reachOrder, b.Reach) > slices.Index(reachOrder, a.Reach) ||
		!Covers(a.AllowedVendors, b.AllowedVendors)
}

// Narrow limits the readers of a to those of to, which is of the same person and project.
func (a *EventAccess) Narrow(to *EventAccess) {
	a.AllowedVendors = slices.Clone(Narrowed(a.AllowedVendors, to.AllowedVendors))
	if to.Reach == a.Reach || slices.Index(reachOrder, to.Reach) < slices.Index(reachOrder, a.Reach) {
		a.Reach, a.TeamID = to.Reach, to.TeamID
	}
}

// SameAccess reports whether the same readers see a and b.
func (a *EventAccess) SameAccess(b *EventAccess) bool {
	return a.OrgID == b.OrgID && a.UserID == b.UserID && a.WorkspaceID == b.WorkspaceID && a.ProjectID == b.ProjectID &&
		a.Reach == b.Reach && a.TeamID == b.TeamID && slices.Equal(a.AllowedVendors, b.AllowedVendors)
}
