// Package pack makes context packs: what an assistant should know for a goal, within a budget of tokens. It takes the
// candidates from recall and decides which of them go in; it ranks nothing itself.
//
// Two invariants: the text never has more tokens than asked for, by loci.TokenBound, and nothing in a pack, its receipt
// or its counts is about a row that the caller cannot see now.
package pack

import (
	"cmp"
	"context"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// Read is the action of asking for a pack.
var Read = Actions.Add("context.read", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)

// Service provides context packs. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	memories *memory.Service
	events   *event.Service
	projects *project.Service
}

// New returns a Service.
func New(g *gate.Gate, memories *memory.Service, events *event.Service, projects *project.Service) *Service {
	return &Service{g, memories, events, projects}
}

// Limits of a pack.
const (
	MaxGoal       = 4_000 // characters
	DefaultTokens = 1_000
	MinTokens     = 200
	MaxTokens     = 32_000
	DefaultLines  = 24
	MaxLines      = 50
	// mostReceipt is how many lines of what was left out a receipt has.
	mostReceipt = 100
	// newestEvents is how many of the newest events of a session or project are candidates.
	newestEvents = 5
)

// Request asks for a pack. If the principal is in a session, the pack has only what the session has not received.
type Request struct {
	Goal      string
	Intent    loci.Intent // "": general
	Domain    string      // only memories of this category
	Project   string      // without other projects; by its id or name
	MaxTokens int         // 0: DefaultTokens
	Limit     int         // lines; 0: DefaultLines
	Fresh     bool        // forget what the session has received
	// MatchesOnly leaves out what is new but fits the goal by no telling word. A goal without such a word gets nothing.
	MatchesOnly bool
	within      *loci.Project
}

func (r *Request) check() error {
	if err := loci.CheckText("goal", r.Goal, 1, MaxGoal); err != nil {
		return err
	}
	if r.Domain != "" && utf8.RuneCountInString(r.Domain) > loci.MaxCategory {
		return loci.FieldErrorf("domain", "must have at most %d characters", loci.MaxCategory)
	}
	switch {
	case r.MaxTokens == 0:
		r.MaxTokens = DefaultTokens
	case r.MaxTokens < MinTokens || r.MaxTokens > MaxTokens:
		return loci.FieldErrorf("max_tokens", loci.RangeText, MinTokens, MaxTokens)
	}
	switch {
	case r.Limit == 0:
		r.Limit = DefaultLines
	case r.Limit < 1 || r.Limit > MaxLines:
		return loci.FieldErrorf("limit", loci.RangeText, 1, MaxLines)
	}
	r.Intent = cmp.Or(r.Intent, loci.IntentGeneral)
	return loci.CheckIntent("intent", r.Intent)
}

// Context returns a pack. Invalid if the request breaks a limit, or names a project that the caller does not belong to.
func (s *Service) Context(ctx context.Context, p loci.Principal, r Request) (*loci.ContextPack, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.MatchesOnly && !recall.Tells(r.Goal) {
		out := newBuilder(&r, &collection{}).pack()
		out.SessionID = p.SessionID
		return out, nil
	}
	ask := memory.SearchRequest{Query: r.Goal, Limit: r.Limit, Filter: memory.Filter{Category: r.Domain},
		MatchesOnly: r.MatchesOnly}
	if r.Project != "" {
		in, err := s.projects.Named(ctx, p, r.Project)
		if err != nil {
			return nil, err
		}
		ask.ProjectID, ask.OrGlobal = in.ID, true
		r.within = &in
	}
	if !p.SessionID.IsZero() {
		return s.inSession(ctx, p, &r, ask)
	}
	c, err := s.collect(ctx, p, ask, nil, ownEvents(p, true))
	if err != nil {
		return nil, err
	}
	b := newBuilder(&r, c)
	b.fill(nil)
	return b.pack(), nil
}

// collect returns the candidates of a pack. If most of what is found was in packs before, it looks for more.
func (s *Service) collect(ctx context.Context, p loci.Principal, ask memory.SearchRequest, before []store.Sent,
	own func(*loci.Event) bool) (*collection, error) {
	lines := ask.Limit
	had := newSent(before)
	for {
		found, err := s.memories.Gather(ctx, p, ask)
		if err != nil {
			return nil, err
		}
		c := collect(found, ask.ProjectID, own)
		if ask.Limit < memory.MaxSearch && found.NextCursor != "" && c.news(had) < lines/2 {
			ask.Limit = min(4*ask.Limit, memory.MaxSearch)
			continue
		}
		// An event has no category, and the newest fit no word.
		if ask.Category != "" || ask.MatchesOnly || p.SessionID.IsZero() && ask.ProjectID.IsZero() {
			return c, nil
		}
		newest, err := s.events.Newest(ctx, p, p.SessionID, ask.ProjectID, newestEvents)
		if err == nil {
			c.addEvents(newest, own)
		}
		c.partial = c.partial || err != nil
		return c, nil
	}
}

// ownEvents tells which events p has logged in the session: it knows them, unless it begins again.
func ownEvents(p loci.Principal, fresh bool) func(*loci.Event) bool {
	return func(e *loci.Event) bool {
		return !fresh && e.SessionID == p.SessionID && e.UserID == p.UserID && e.Origin == p.Origin
	}
}
