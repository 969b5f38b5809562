package event

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is an event to log. Fields that are left out get the defaults of loci.Event.
type Draft struct {
	Time       time.Time // zero: the server's
	Session    string    // as store.FindSession reads it; "": the session of the credential, if there is one
	Agent      string    // as store.FindAgent reads it; "": the agent of the credential, or else of the session
	Actor      string
	Class      loci.EventClass
	Type       string
	Content    string
	Metadata   json.RawMessage
	Tags       []string
	Importance int
	ParentID   loci.EventID
	DedupKey   string
	// These are of an event without a session only. The others have what their session has.
	Reach          loci.Reach
	ProjectID      loci.ProjectID
	AllowedVendors []loci.Vendor
}

// Append logs events, all or none of them, and returns what became of each. Invalid names the first event that breaks
// a limit, or whose session, agent or parent does not exist; Conflict if its session is closed.
func (s *Service) Append(ctx context.Context, p loci.Principal, drafts []Draft) ([]eventlog.Outcome, error) {
	if err := s.Begin(ctx, p, Log); err != nil {
		return nil, err
	}
	if n := len(drafts); n == 0 || n > loci.MaxEvents {
		return nil, loci.FieldErrorf("events", "must have 1 to %d events", loci.MaxEvents)
	}
	w := &writing{s: s, p: p, now: s.Time(), sessions: map[string]*loci.Session{}, agents: map[string]loci.Agent{}}
	var events []*loci.Event
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		for i := range drafts {
			e, err := w.event(ctx, tx, &drafts[i])
			if err != nil {
				return at(err, i, len(drafts))
			}
			events = append(events, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	log, err := s.Logs.Of(ctx, p.OrgID)
	if err != nil {
		return nil, err
	}
	return log.Append(ctx, p.Viewer(), events, s.Dedup)
}

// at says in an Invalid error which one of n events it is about.
func at(err error, i, n int) error {
	if e, ok := err.(*loci.Error); ok && e.Code == loci.Invalid && n > 1 { //nolint:errorlint // as made here
		return loci.WrapFieldError(fmt.Sprintf("events[%d].%s", i, e.Field), err, "%s", e.Text[min(len(e.Text), len(e.Field)+1):])
	}
	return err
}

// writing looks up what the events of one call name, each once.
type writing struct {
	s        *Service
	p        loci.Principal
	now      time.Time
	sessions map[string]*loci.Session
	agents   map[string]loci.Agent
}

func (w *writing) event(ctx context.Context, tx store.Tx, d *Draft) (*loci.Event, error) {
	e := &loci.Event{Time: d.Time.Truncate(time.Microsecond), RecordedAt: w.now, Actor: d.Actor, Class: d.Class, Type: d.Type,
		Content: d.Content, Metadata: d.Metadata, Tags: slices.Clone(d.Tags), Importance: d.Importance, ParentID: d.ParentID,
		DedupKey: d.DedupKey, EventAccess: loci.EventAccess{OrgID: w.p.OrgID, UserID: w.p.UserID,
			WorkspaceID: w.p.WorkspaceID, ProjectID: d.ProjectID, Reach: d.Reach, TeamID: w.p.TeamID, Origin: w.p.Origin,
			AllowedVendors: slices.Clone(d.AllowedVendors)}}
	session, err := w.session(ctx, tx, d)
	if err != nil {
		return nil, err
	}
	if e.AgentID, err = w.agent(ctx, tx, d, session); err != nil {
		return nil, err
	}
	e.SetDefaults(w.now)
	if session != nil {
		e.SessionID = session.ID
		known := eventlog.Session{Access: session.EventAccess}
		e.EventAccess = known.AccessOf(e.EventAccess)
	} else if !d.ProjectID.IsZero() && !slices.Contains(w.p.ProjectIDs, d.ProjectID) {
		return nil, project.ErrNotIn()
	}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	e.ID = loci.NewEventID(e.Time)
	return e, nil
}

// session returns the session of an event, or nil.
func (w *writing) session(ctx context.Context, tx store.Tx, d *Draft) (*loci.Session, error) {
	text := d.Session
	if text == "" && !w.p.SessionID.IsZero() {
		text = w.p.SessionID.String()
	}
	if text == "" {
		return nil, nil
	}
	if known := w.sessions[text]; known != nil {
		return known, nil
	}
	session, err := store.FindSession(ctx, tx, w.p.Viewer(), text)
	switch code := loci.CodeOf(err); {
	case code == loci.NotFound:
		return nil, loci.FieldErrorf("session_id", "names no session that you can see; create one first")
	case code == loci.Invalid:
		return nil, loci.FieldErrorf("session_id", "is not clear: %s", loci.SafeText(err))
	case err != nil:
		return nil, err
	case session.State == loci.SessionClosed:
		return nil, loci.Errorf(loci.Conflict, "session %s is closed; reopen it, or create another one", session.ID)
	}
	w.sessions[text] = &session
	return &session, nil
}

// agent returns the agent of an event: the one that it names, or that of the credential or the session.
func (w *writing) agent(ctx context.Context, tx store.Tx, d *Draft, session *loci.Session) (id loci.AgentID, err error) {
	if d.Agent == "" {
		if id = w.p.AgentID; id.IsZero() && session != nil && w.p.Vendor != "" && string(w.p.Vendor) == session.Origin {
			id = session.AgentID
		}
		return id, nil
	}
	a, known := w.agents[d.Agent]
	if !known {
		a, err = store.FindAgent(ctx, tx, w.p.Viewer(), d.Agent)
		switch loci.CodeOf(err) {
		case loci.NotFound:
			return id, loci.FieldErrorf("agent_id", "names no agent that you can see; register it first")
		case loci.Invalid:
			return id, loci.FieldErrorf("agent_id", "is not clear: %s", loci.SafeText(err))
		}
		if err != nil {
			return id, err
		}
		w.agents[d.Agent] = a
	}
	if w.p.Vendor != "" && a.Vendor != w.p.Vendor {
		return id, loci.FieldErrorf("agent_id", "is an agent of another vendor, %s; name one of your own", a.Vendor)
	}
	return a.ID, nil
}
