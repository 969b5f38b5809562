package event

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store"
)

// Limits of a context.
const (
	DefaultContextTokens = 4_000
	MinContextTokens     = 500
	MaxContextTokens     = 100_000
	// MaxContextEvents is how many events a context is made of, the newest of those that pass its filter.
	MaxContextEvents = 20_000
	// MaxContextDecisions is how many decisions a context has besides, if there are more events.
	MaxContextDecisions = 5_000
	// maxContextTypes limits the types in a request.
	maxContextTypes = 50
	contextPage     = 5_000
)

// ContextRequest asks for a text about events for a model to read.
type ContextRequest struct {
	Since, Until, Zone string // as in Filter
	// Types limits the events to those with one of these classes or types.
	Types []string
	// Topic limits the events as Filter.Text does.
	Topic     string
	MaxTokens int // of the text, as loci.Tokens counts; 0: DefaultContextTokens
}

// Context is loci.EventContext.
type Context = loci.EventContext

type subject struct {
	session *loci.Session
	agent   *loci.Agent
	topic   string
}

// SessionContext returns a text about the events of a session, which store.FindSession reads. NotFound if it does not
// exist or is not visible; Invalid if the request breaks a limit.
func (s *Service) SessionContext(ctx context.Context, p loci.Principal, session string, r ContextRequest) (
	*Context, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return s.tellOf(ctx, p, r, func(tx store.Tx, about *subject) error {
		found, err := store.FindSession(ctx, tx, p.Viewer(), session)
		about.session = &found
		return err
	})
}

// AgentContext returns a text about the events of an agent, which store.FindAgent reads. Its errors are those of
// SessionContext.
func (s *Service) AgentContext(ctx context.Context, p loci.Principal, agent string, r ContextRequest) (
	*Context, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return s.tellOf(ctx, p, r, func(tx store.Tx, about *subject) error {
		found, err := store.FindAgent(ctx, tx, p.Viewer(), agent)
		about.agent = &found
		return err
	})
}

// OrgContext returns a text about the events of the org, or about those of a topic. Its errors are those of
// SessionContext.
func (s *Service) OrgContext(ctx context.Context, p loci.Principal, r ContextRequest) (*Context, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return s.tellOf(ctx, p, r, nil)
}

// tellOf tells of the subject that find finds; nil: of the org.
func (s *Service) tellOf(ctx context.Context, p loci.Principal, r ContextRequest, find func(store.Tx, *subject) error) (
	*Context, error) {
	about := subject{topic: r.Topic}
	if find != nil {
		if err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error { return find(tx, &about) }); err != nil {
			return nil, err
		}
	}
	f, err := s.contextFilter(ctx, p, about, &r)
	if err != nil {
		return nil, err
	}
	log, err := s.of(ctx, p.OrgID)
	if err != nil {
		return nil, err
	}
	heads, lacks, err := s.heads(ctx, log, p, f, &r)
	if err != nil {
		return nil, err
	}
	d := newDigest(heads, contextGroups(r.MaxTokens))
	names, err := s.agentNames(ctx, p, d.agents, about)
	if err != nil {
		return nil, err
	}
	t := newTelling(about, d, names, r.MaxTokens, lacks)
	err = t.choose(func(ids []loci.EventID) ([]*loci.Event, error) { return log.Get(ctx, p.Viewer(), ids) })
	if err != nil {
		return nil, err
	}
	return t.context(), nil
}

// contextFilter checks a request, sets its defaults and returns its filter.
func (s *Service) contextFilter(ctx context.Context, p loci.Principal, about subject, r *ContextRequest) (
	f eventlog.Filter, err error) {
	switch {
	case r.MaxTokens == 0:
		r.MaxTokens = DefaultContextTokens
	case r.MaxTokens < MinContextTokens || r.MaxTokens > MaxContextTokens:
		return f, loci.FieldErrorf("max_tokens", loci.RangeText, MinContextTokens, MaxContextTokens)
	}
	if len(r.Types) > maxContextTypes {
		return f, loci.FieldErrorf("include_types", "has %d entries; at most %d are allowed", len(r.Types), maxContextTypes)
	}
	for _, name := range r.Types {
		if err := loci.CheckEventType("include_types", name); err != nil {
			return f, err
		}
	}
	f, err = s.filter(ctx, p, Filter{Since: r.Since, Until: r.Until, Zone: r.Zone, Text: r.Topic})
	if loci.FieldOf(err) == textField {
		err = loci.AtField(err, "topic")
	}
	if about.session != nil {
		f.SessionID = about.session.ID
	}
	if about.agent != nil {
		f.AgentID = about.agent.ID
	}
	return f, err
}

// maxNamedAgents is how many agents a context calls by their names; the others by their ids.
const maxNamedAgents = 200

// agentNames returns what agents are called.
func (s *Service) agentNames(ctx context.Context, p loci.Principal, ids []loci.AgentID, about subject) (
	map[loci.AgentID]string, error) {
	names := map[loci.AgentID]string{}
	if about.session != nil && !about.session.AgentID.IsZero() {
		ids = append([]loci.AgentID{about.session.AgentID}, ids...)
	}
	ids = ids[:min(len(ids), maxNamedAgents)]
	if len(ids) == 0 {
		return names, nil
	}
	return names, s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		for _, id := range ids {
			a, err := tx.Agents().Get(ctx, p.Viewer(), id)
			switch {
			case err == nil:
				names[id] = a.Name
			case loci.CodeOf(err) != loci.NotFound:
				return err
			}
		}
		return nil
	})
}

// DeadLetters returns the events of the org that its Arc refused, with numbers above after, at most limit.
func (s *Service) DeadLetters(ctx context.Context, p loci.Principal, after int64, limit int) (
	[]eventlog.DeadLetter, error) {
	if err := s.Begin(ctx, p, Dead); err != nil || s.o.DeadLetters == nil {
		return nil, err
	}
	return s.o.DeadLetters.Dead(ctx, p.OrgID, after, limit)
}

// ReplayDead sends events that the org's Arc refused to it again, all of them if ids is nil, and returns their number.
func (s *Service) ReplayDead(ctx context.Context, p loci.Principal, ids []loci.EventID) (int, error) {
	if err := s.Begin(ctx, p, Replay); err != nil {
		return 0, err
	}
	if err := s.Gate.Record(ctx, p, Replay, string(p.OrgID)); err != nil || s.o.DeadLetters == nil {
		return 0, err
	}
	return s.o.DeadLetters.Replay(ctx, p.OrgID, ids)
}
