package memory

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// wants reports whether the request asks for a kind of rows.
func (r *SearchRequest) wants(k Kind) bool { return len(r.Kinds) == 0 || slices.Contains(r.Kinds, k) }

func checkKinds(list []Kind) error {
	for i, k := range list {
		if k != KindMemory && k != KindEvent {
			return loci.FieldErrorf("kinds["+strconv.Itoa(i)+"]", "must be memory or event")
		}
	}
	return nil
}

// fromEvents is what a search needs to find events besides memories. Without an index it finds none.
type fromEvents struct {
	log     eventlog.Log
	index   *indexing.Snapshot
	filter  eventlog.Filter
	partial bool // some events may be missing
}

// askEvents prepares a search for events. It does so before the search has a transaction of the store.
func (s *Service) askEvents(ctx context.Context, p loci.Principal, r *SearchRequest) (from fromEvents, err error) {
	filter, ok := eventFilter(&r.Filter)
	if !r.events || !ok || s.Events == nil {
		return from, nil
	}
	from.filter = filter
	from.log, from.index, err = s.Events.Recall(ctx, p, s.o.Patience/4)
	code := loci.CodeOf(err)
	switch {
	case code == loci.Forbidden && len(r.Kinds) == 0:
		return fromEvents{}, nil
	case err != nil && (r.wants(KindMemory) && code != loci.Forbidden || errors.Is(err, loci.ErrSpent)):
		s.warnOfEvents(ctx, p.OrgID, err)
		return fromEvents{partial: true}, nil
	}
	from.partial = from.index == nil || !from.index.Whole
	return from, err
}

// forEvents returns a context for one question to the log of events, which may be on another machine. It ends after a
// quarter of the patience of a search, with loci.ErrSpent.
func (s *Service) forEvents(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.o.Patience/4, loci.ErrSpent)
}

// warnOfEvents logs why a search goes on without events, unless their log only is not there.
func (s *Service) warnOfEvents(ctx context.Context, org loci.OrgID, err error) {
	if ctx.Err() == nil && loci.CodeOf(err) == "" && !errors.Is(err, context.DeadlineExceeded) {
		s.Log.WarnContext(ctx, "cannot find events; searches find memories only", "org", string(org), "error", err)
	}
}

// withoutEvents lets a search go on without events when their log fails, if it is for memories, too, or if the log did
// not answer in time. short is the context of the question.
func (f *finder) withoutEvents(short context.Context, err error) error {
	if err == nil || f.ctx.Err() != nil || !f.memories && !loci.Spent(short) {
		return err
	}
	f.service.warnOfEvents(f.ctx, f.v.OrgID, err)
	f.from.index, f.from.partial = nil, true
	return nil
}

// eventFilter returns the filter of memories as one of events. ok is false if no event can pass it.
func eventFilter(f *store.Filter) (out eventlog.Filter, ok bool) {
	out = eventlog.Filter{Tags: f.Tags, AllTags: f.AllTags, Origin: f.Origin, ProjectID: f.ProjectID,
		AgentID: f.AgentID, SessionID: f.SessionID, Since: f.From, Until: f.To}
	ok = f.Type == "" && f.Category == "" && f.Key == "" && f.Scope == "" && f.TeamID.IsZero() && !f.Pinned &&
		f.HiddenFrom == "" && f.When.IsZero()
	return out, ok
}

// ids returns the events that pass the filter, never nil. more is set if they are more than limit.
func (e *fromEvents) ids(ctx context.Context, v loci.Viewer, limit int) (ids [][16]byte, more bool, err error) {
	ids = [][16]byte{}
	if e.index == nil {
		return ids, false, nil
	}
	page, err := e.log.Find(ctx, v, eventlog.Query{Filter: e.index.Narrowed(e.filter, v, nil), Order: eventlog.Newest,
		Limit: limit, Brief: true})
	for _, found := range page.Events {
		ids = append(ids, found.ID)
	}
	return ids, page.Next != "" || page.Partial, err
}

// passing returns which of these rows are events that pass the filter.
func (e *fromEvents) passing(ctx context.Context, v loci.Viewer, rows []loci.MemoryID) (ids []loci.MemoryID,
	err error) {
	if e.index == nil {
		return nil, nil
	}
	for some := range slices.Chunk(rows, loci.MaxIDs) {
		q := eventlog.Query{Filter: e.filter, Order: eventlog.Newest, Limit: len(some), Brief: true}
		for _, id := range some {
			q.IDs = append(q.IDs, loci.EventID(id))
		}
		page, err := e.log.Find(ctx, v, q)
		if err != nil {
			return nil, err
		}
		e.partial = e.partial || page.Partial
		for _, found := range page.Events {
			ids = append(ids, loci.MemoryID(found.ID))
		}
	}
	return ids, nil
}

// mostCompared is how many of the best hits are compared with each other, to find events that say the same.
const mostCompared = 100

// dropAlike leaves out events that say the same as a better hit but for numbers and ids, and counts them. It reads no
// more events than the page needs.
func (f *finder) dropAlike(a *recall.Answer) error {
	if f.from.index == nil {
		return nil
	}
	first, drop := map[string]loci.EventID{}, map[[16]byte]bool{}
	f.read, f.alike = map[loci.EventID]*loci.Event{}, map[loci.EventID]int{}
	for at := 0; at < min(len(a.Hits), mostCompared) && at-len(drop) <= f.offset+f.limit; at += f.limit {
		some := a.Hits[at:min(at+f.limit, len(a.Hits), mostCompared)]
		if err := f.readEvents(some); err != nil || f.from.index == nil {
			return err
		}
		for i := range some {
			id := loci.EventID(some[i].ID)
			if f.read[id] == nil {
				continue
			}
			shape := recall.EventShape(f.read[id])
			if of, known := first[shape]; known {
				f.alike[of]++
				drop[some[i].ID] = true
			} else {
				first[shape] = id
			}
		}
	}
	a.Drop(func(id [16]byte) bool { return drop[id] })
	return nil
}

// readEvents reads the events among hits that were not read yet, as the rule shows them now.
func (f *finder) readEvents(hits []index.Hit) error {
	var ids []loci.EventID
	for i := range hits {
		if id := loci.EventID(hits[i].ID); id[versionByte]>>4 == eventVersion && f.read[id] == nil {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	short, cancel := f.service.forEvents(f.ctx)
	defer cancel()
	list, err := f.from.log.Get(short, f.v, ids)
	for _, e := range list {
		f.read[e.ID] = e
	}
	return f.withoutEvents(short, err)
}

// Ids of events are UUIDs of this version, which memories have only if an import brought them.
const (
	versionByte  = 6
	eventVersion = 7
)

// loadEvents reads those hits of the page that are events, as the rule shows them now.
func (f *finder) loadEvents(memories map[loci.MemoryID]bool) error {
	var ids []loci.EventID
	at := map[loci.EventID]int{}
	for i, h := range f.hits {
		id := loci.EventID(h.ID)
		if at[id] = i; !memories[h.ID] && f.read[id] == nil {
			ids = append(ids, id)
		}
	}
	if f.from.index == nil {
		return nil
	}
	var list []*loci.Event
	var err error
	short, cancel := f.service.forEvents(f.ctx)
	defer cancel()
	if len(ids) > 0 {
		list, err = f.from.log.Get(short, f.v, ids)
	}
	for _, h := range f.hits {
		if e := f.read[loci.EventID(h.ID)]; e != nil {
			list = append(list, e)
		}
	}
	for _, e := range list {
		i := at[e.ID]
		out := loci.RecalledEvent{Event: *e, Rank: f.offset + i + 1, Score: f.hits[i].Score,
			Confidence: f.hits[i].Confidence, Alike: f.alike[e.ID]}
		if f.answer != nil {
			out.Why, out.Snippet = f.answer.Explain(f.offset+i, recall.EventText(e))
			if f.explain {
				out.Why.Signals = f.answer.Signals(f.offset + i)
			}
		}
		f.events = append(f.events, out)
	}
	return f.withoutEvents(short, err)
}
