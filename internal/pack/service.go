// Package pack makes context packs: what an assistant should know for a goal, within a budget of tokens. It takes the
// candidates from recall and decides which of them go in; it ranks nothing itself.
//
// Two invariants: the text never has more tokens than asked for, by loci.TokenBound, and nothing in a pack, its receipt
// or its counts is about a row that the caller cannot see now.
package pack

import (
	"cmp"
	"context"
	"errors"
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
	// MinConfidence is that of memory.SearchRequest.
	MinConfidence *float64
	within        *loci.Project
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
		MatchesOnly: r.MatchesOnly, MinConfidence: r.MinConfidence}
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

type session struct {
	p      loci.Principal
	before []store.Sent // what they have received; nothing if the request is to begin again
	// revision counts the packs that were recorded.
	revision int
}

func (s *Service) sessionOf(ctx context.Context, p loci.Principal, fresh bool) (in *session, err error) {
	in = &session{p: p}
	return in, s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if fresh {
			in.revision, err = tx.Packs().Revision(ctx, p.SessionID, p.Subject())
			return err
		}
		in.before, err = tx.Packs().Sent(ctx, p.SessionID, p.Subject())
		for _, one := range in.before {
			if one.Place < 0 {
				in.revision = one.Version
			}
		}
		return err
	})
}

// mostTries is how often a pack is made again because another request of the same caller in the same session was
// faster.
const mostTries = 10

// errFaster says that another request has changed the state.
var errFaster = errors.New("pack: another request was faster")

// inSession makes the pack of a session: the prefix that it got first, and then only what it has not received. It
// records what the session receives in the transaction that it ends with.
//
// The prefix is made of the memories as they are now. If the caller cannot read one of them any more, or if one has
// changed, the prefix is made again: nothing may show what is gone.
func (s *Service) inSession(ctx context.Context, p loci.Principal, r *Request, ask memory.SearchRequest) (
	*loci.ContextPack, error) {
	for try := 1; ; try++ {
		in, err := s.sessionOf(ctx, p, r.Fresh)
		if err != nil {
			return nil, err
		}
		c, err := s.collect(ctx, p, ask, in.before, ownEvents(p, r.Fresh))
		if err != nil {
			return nil, err
		}
		out, err := s.tryInSession(ctx, in, r, c, try == mostTries)
		if !errors.Is(err, errFaster) {
			return out, err
		}
	}
}

// tryInSession fails with errFaster if the state has changed since it was read, unless it is the last try.
func (s *Service) tryInSession(ctx context.Context, in *session, r *Request, c *collection, last bool) (
	*loci.ContextPack, error) {
	b := newBuilder(r, c)
	had, stable, err := s.prefix(ctx, in.p, b, in.before)
	if err != nil {
		return nil, err
	}
	b.fill(had)
	out := b.pack()
	out.SessionID = in.p.SessionID
	out.PrefixNew, out.PrefixChanged = !stable, !stable && len(in.before) > 0
	given := b.given(stable)
	if stable && len(given) == 0 {
		return out, nil
	}
	err = s.Store.Update(ctx, in.p.OrgID, func(tx store.Tx) error { return s.record(ctx, tx, in, r, given, stable, last) })
	if !errors.Is(err, errFaster) && ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), s.takeBack(context.WithoutCancel(ctx), in.p, given, stable))
	}
	return out, err
}

// record stores what a pack gives, unless another one was faster.
func (s *Service) record(ctx context.Context, tx store.Tx, in *session, r *Request, given []store.Sent, stable,
	last bool) error {
	packs, subject := tx.Packs(), in.p.Subject()
	revision, err := packs.Revision(ctx, in.p.SessionID, subject)
	if err == nil && revision != in.revision && !last {
		err = errFaster
	}
	if err == nil && (r.Fresh || !stable) {
		err = packs.Forget(ctx, in.p.SessionID, subject, r.Fresh)
	}
	if err != nil {
		return err
	}
	return packs.Add(ctx, in.p.SessionID, subject, revision+1, given, s.Time())
}

// takeBack forgets what a pack was to give: whoever asked is gone, so nobody reads the answer. If its prefix was new,
// the session has none.
func (s *Service) takeBack(ctx context.Context, p loci.Principal, given []store.Sent, stable bool) error {
	ids := make([][16]byte, len(given), len(given)+1)
	for i, one := range given {
		ids[i] = one.ID
	}
	if !stable {
		ids = append(ids, [16]byte{})
	}
	return s.Store.Update(ctx, p.OrgID, func(tx store.Tx) error {
		return tx.Packs().TakeBack(ctx, p.SessionID, p.Subject(), ids)
	})
}

// prefix begins a pack with the prefix that the session got before, and returns what else it has received. stable is
// false if there is none, or if it cannot be the same.
func (s *Service) prefix(ctx context.Context, p loci.Principal, b *builder, before []store.Sent) (had sent, stable bool,
	err error) {
	had = newSent(before)
	var ids []loci.MemoryID
	begun := false
	for _, one := range before {
		if one.Place > 0 {
			ids = append(ids, loci.MemoryID(one.ID))
		}
		begun = begun || one.Place != 0
	}
	list, err := s.memories.Visible(ctx, p, ids)
	if err != nil {
		return nil, false, err
	}
	now := map[[16]byte]*loci.Memory{}
	for _, m := range list {
		now[m.ID] = m
	}
	room := b.room
	for _, one := range before { // by place
		if one.Place <= 0 {
			continue
		}
		l, same := b.again(now[one.ID], one)
		if !same {
			return b.anew(had, before, room), false, nil
		}
		b.prefix = append(b.prefix, l)
		b.room, b.lines = b.room-l.cost, b.lines+1
	}
	if begun && b.prefix == nil {
		b.prefix = []line{}
	}
	return had, begun, nil
}

// again makes the next line of the prefix as it was. same is false if the memory has changed, or if there is less room
// than there was.
func (b *builder) again(m *loci.Memory, before store.Sent) (l line, same bool) {
	if m == nil || !m.Pinned {
		return l, false
	}
	c := ofPinned(m)
	l = line{candidate: c, text: c.whole, cut: before.Cut}
	if l.cut > 0 {
		l.text = loci.CutTokens(c.whole, l.cut)
	}
	l.cost = around(&c, len(b.prefix) == 0) + loci.BoundQuarters(l.text)
	return l, c.version == before.Version && l.cost <= b.room && b.lines < b.r.Limit
}

// anew forgets a prefix, whose memories then count as not received.
func (b *builder) anew(had sent, before []store.Sent, room int) sent {
	b.prefix, b.room, b.lines = nil, room, 0
	for _, one := range before {
		if one.Place > 0 {
			delete(had, one.ID)
		}
	}
	return had
}

// given returns what a pack gives to its session, with the places of the prefix unless the session has that.
func (b *builder) given(stable bool) (list []store.Sent) {
	for i, l := range b.prefix {
		if !stable {
			list = append(list, store.Sent{ID: l.id, Version: l.version, Place: i + 1, Cut: l.cut})
		}
	}
	for _, lines := range b.sections {
		for _, l := range lines {
			list = append(list, store.Sent{ID: l.id, Version: l.version})
		}
	}
	return list
}
