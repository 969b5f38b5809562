package storetest

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// testFeedReplay draws rows, changes and readers, each of which begins and goes
// on when it likes. It demands that each is told exactly what the rule says,
// and knows at the end of exactly what it can see.
func testFeedReplay(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		h := &feedWorld{world: e.newWorld(t)}
		for range rapid.IntRange(4, 20).Draw(t, "steps") {
			if draw(t, "new reader", true, false, false) {
				h.addReader()
			}
			h.step()
			for _, r := range h.readers {
				if draw(t, "reads", false, false, true) {
					h.read(r)
				}
			}
		}
		for _, r := range h.readers {
			h.read(r)
			h.compareReader(r)
		}
	})
	e.check()
}

// feedWorld is a world with what happened in it.
type feedWorld struct {
	*world
	past    []happening
	readers []*feedReader
}

type happening struct {
	event         loci.FeedEvent
	before, after []loci.Access
}

// feedReader keeps what it knows up to date by nothing but the feed.
type feedReader struct {
	v     loci.Viewer
	at    store.Position
	from  int // what happened before is not its business
	told  []loci.FeedEvent
	known map[loci.MemoryID]bool // of these it knows, whatever their state
	live  map[loci.MemoryID]bool // and these it can read
}

func (h *feedWorld) addReader() {
	r := &feedReader{v: h.viewer(), from: len(h.past), known: map[loci.MemoryID]bool{}, live: map[loci.MemoryID]bool{}}
	r.at = h.feedNow(r.v)
	for _, m := range h.visible(r.v, loci.AnyState) {
		r.known[m.ID] = true
	}
	for _, m := range h.visible(r.v, loci.LiveOnly) {
		r.live[m.ID] = true
	}
	h.readers = append(h.readers, r)
}

// step makes up to three changes in one transaction.
func (h *feedWorld) step() {
	var do []func(context.Context, store.Memories) error
	for range rapid.IntRange(1, 3).Draw(h.t, "changes") {
		n := rapid.IntRange(-1, len(h.rows)-1).Draw(h.t, "which")
		switch {
		case n < 0:
			m := h.memory(h.change)
			h.rows = append(h.rows, m)
			h.happens(nil, m)
			do = append(do, func(ctx context.Context, t store.Memories) error { return t.Insert(ctx, m) })
		case draw(h.t, "erase", false, false, false, true):
			m := h.rows[n]
			h.rows = slices.Delete(slices.Clone(h.rows), n, n+1)
			h.happens(m, nil)
			do = append(do, func(ctx context.Context, t store.Memories) error { return t.Erase(ctx, m.ID) })
		default:
			m := edited(h.rows[n], h.clock.now(), draw(h.t, "how", h.change, h.little))
			h.happens(h.rows[n], m)
			h.rows[n] = m
			do = append(do, func(ctx context.Context, t store.Memories) error { return t.Replace(ctx, m) })
		}
	}
	h.update(func(ctx context.Context, tx store.Tx) error {
		for _, fn := range do {
			if err := fn(ctx, tx.Memories()); err != nil {
				return err
			}
		}
		return nil
	})
}

// little changes nothing that decides who sees it.
func (h *feedWorld) little(m *loci.Memory) {
	m.Title, m.Editor = draw(h.t, "title", "one", "two"), draw(h.t, "editor", "a", "b")
}

func (h *feedWorld) happens(old, m *loci.Memory) {
	var p happening
	switch {
	case m == nil:
		p.event = h.event(old, loci.Erased)
	case old == nil && m.DeletedAt.IsZero():
		p.event = h.event(m, loci.Created)
	case !m.DeletedAt.IsZero() && (old == nil || old.DeletedAt.IsZero()):
		p.event = h.event(m, loci.Trashed)
	case m.DeletedAt.IsZero() && !old.DeletedAt.IsZero():
		p.event = h.event(m, loci.Restored)
	default:
		p.event = h.event(m, loci.Updated)
	}
	if old != nil {
		p.before = []loci.Access{old.Access}
	}
	if m != nil {
		p.after = []loci.Access{m.Access}
	}
	h.past = append(h.past, p)
}

// read goes on until there is nothing more, and looks at what it is told of.
func (h *feedWorld) read(r *feedReader) {
	var events []loci.FeedEvent
	events, r.at = h.readFeed(r.v, r.at, rapid.IntRange(1, 4).Draw(h.t, "limit"))
	for _, event := range events {
		id, err := loci.ParseMemoryID(event.ID)
		if err != nil {
			h.t.Fatal(err)
		}
		r.known[id] = event.Change != loci.Hidden && event.Change != loci.Erased
		_, err = h.get(r.v, id, loci.LiveOnly)
		if r.live[id] = err == nil; err != nil && loci.CodeOf(err) != loci.NotFound {
			h.t.Fatal(explain(err))
		}
	}
	r.told = append(r.told, events...)
}

func (h *feedWorld) compareReader(r *feedReader) {
	var want []loci.FeedEvent
	for _, p := range h.past[r.from:] {
		event := p.event
		if event.Change = r.v.Notices(event.Change, p.before, p.after); event.Change == loci.Hidden {
			event.Version, event.Origin = 0, ""
		}
		if event.Change != "" {
			want = append(want, event)
		}
	}
	h.differ("the feed", r.v, want, r.told)
	for what, tt := range map[string]struct {
		l    loci.Lifecycle
		know map[loci.MemoryID]bool
	}{"what the reader knows of": {loci.AnyState, r.known}, "what the reader can read": {loci.LiveOnly, r.live}} {
		want := map[loci.MemoryID]bool{}
		for _, m := range h.visible(r.v, tt.l) {
			want[m.ID] = true
		}
		for id, know := range tt.know {
			if !know {
				delete(tt.know, id)
			}
		}
		h.differ(what, r.v, want, tt.know)
	}
}
