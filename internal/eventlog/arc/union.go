package arc

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// place is a position in the union of Arc and the local log.
type place struct {
	last  loci.EventID      // everything up to this event was returned; zero: nothing was
	local eventlog.Position // in the local log: nothing before it is to be returned
}

// listOf names the list of an order for cursors.
func listOf(order eventlog.Order) eventlog.List {
	if order == eventlog.Oldest {
		return 'a'
	}
	return 'd'
}

func (p place) bytes() []byte { return append(p.last[:], p.local...) }

var errPosition = loci.Errorf(loci.Invalid, "the cursor is not one of this query; use next_cursor unchanged, and the "+
	"same order and filter")

// placeOf reads what bytes returned; nil is the beginning.
func placeOf(b []byte) (p place, err error) {
	if b == nil {
		return p, nil
	}
	if len(b) < len(p.last) {
		return p, errPosition
	}
	return place{loci.EventID(b[:len(p.last)]), eventlog.Position(b[len(p.last):])}, nil
}

// parseCursor returns the place of a cursor that a caller has.
func (l *Log) parseCursor(ctx context.Context, org loci.OrgID, order eventlog.Order, at eventlog.Position) (
	place, error) {
	if at == "" {
		return place{}, nil
	}
	b, err := l.local.Reveal(ctx, org, listOf(order), at)
	if loci.CodeOf(err) == loci.Conflict {
		err = errPosition
	}
	if err != nil {
		return place{}, err
	}
	return placeOf(b)
}

// plainMark begins the positions of followers, who see everything.
const plainMark = "a"

func (p place) plain() eventlog.Position {
	return eventlog.Position(plainMark + base64.RawURLEncoding.EncodeToString(p.bytes()))
}

func parsePlain(at eventlog.Position) (place, error) {
	if at == "" {
		return place{}, nil
	}
	text, marked := strings.CutPrefix(string(at), plainMark)
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if !marked || err != nil {
		return place{}, errPosition
	}
	return placeOf(b)
}

// union joins the events of the local log with those of Arc. An event leaves the local log after Arc
// has it, so the local log is read first: then no event is missed on its way.
type union struct {
	order eventlog.Order
	// local returns a page of the local log.
	local func(ctx context.Context, at eventlog.Position) (eventlog.Page, error)
	arc   *search
	// refresh prepares arc after the local log was read.
	refresh func(ctx context.Context, s *search) error
}

// placed is a local event with the position from which its page was read.
type placed struct {
	event *loci.Event
	page  eventlog.Position
}

// page returns a page without Next. more is the place at which the next one begins; nil: there is none.
func (u *union) page(ctx context.Context, at place, limit int) (page eventlog.Page, more *place, err error) {
	mine, end, cut, err := u.readLocal(ctx, at, limit)
	if err != nil {
		return page, nil, err
	}
	theirs, err := u.readArc(ctx, at.last, limit+1)
	if err != nil {
		return page, nil, err
	}
	list, cut := merged(u.order, mine, theirs.events), earlier(u.order, cut, theirs.cut)
	if cut != nil {
		list = slices.DeleteFunc(list, func(e *loci.Event) bool { return cut.IsZero() || u.after(e.ID, *cut) })
	}
	next := place{at.last, end}
	page.Events = list[:min(len(list), limit)]
	if len(page.Events) == 0 {
		page.Events = nil
	} else {
		next.last = page.Events[len(page.Events)-1].ID
	}
	if page.Partial = cut != nil && len(list) <= limit; page.Partial {
		next.last = *cut
	}
	for _, p := range mine {
		if next.last.IsZero() || u.after(p.event.ID, next.last) {
			next.local = p.page // that of the first one that was not returned
			break
		}
	}
	if page.Partial || len(list) > limit {
		more = &next
	}
	return page, more, nil
}

func (u *union) readArc(ctx context.Context, after loci.EventID, limit int) (found, error) {
	err := u.refresh(ctx, u.arc)
	if err != nil && loci.Spent(ctx) {
		return found{cut: &after}, nil
	}
	if err != nil {
		return found{}, err
	}
	return u.arc.run(ctx, after, limit)
}

func (u *union) after(a, b loci.EventID) bool { return compareIDs(u.order, a, b) > 0 }

// earlier returns the first of two places; nil is after all others, and zero is before them.
func earlier(order eventlog.Order, a, b *loci.EventID) *loci.EventID {
	switch {
	case a == nil || b == nil:
		return cmp.Or(a, b)
	case a.IsZero() || !b.IsZero() && compareIDs(order, *a, *b) < 0:
		return a
	}
	return b
}

// readLocal returns more than limit events of the local log after a place, or all of them. end is where
// their last page begins. cut is set if the local log ran out of time behind this event.
func (u *union) readLocal(ctx context.Context, at place, limit int) (list []placed, end eventlog.Position,
	cut *loci.EventID, err error) {
	for end = at.local; ; {
		page, err := u.local(ctx, end)
		if err != nil {
			return nil, end, nil, err
		}
		for _, e := range page.Events {
			if at.last.IsZero() || u.after(e.ID, at.last) {
				list = append(list, placed{e, end})
			}
		}
		if page.Partial {
			last := at.last
			if len(page.Events) > 0 {
				last = page.Events[len(page.Events)-1].ID
			}
			return list, page.Next, &last, nil
		}
		if page.Next == "" || len(list) > limit {
			return list, end, nil, nil
		}
		end = page.Next
	}
}

// merged joins two sorted lists. Of an event in both, it takes the local one.
func merged(order eventlog.Order, mine []placed, theirs []*loci.Event) []*loci.Event {
	list := append(loci.Mapped(mine, func(p placed) *loci.Event { return p.event }), theirs...)
	slices.SortStableFunc(list, func(a, b *loci.Event) int { return compareIDs(order, a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b *loci.Event) bool { return a.ID == b.ID })
}

// Find returns a page of the union. See eventlog.Log.
func (l *Log) Find(ctx context.Context, v loci.Viewer, q eventlog.Query) (eventlog.Page, error) {
	at, err := l.parseCursor(ctx, v.OrgID, q.Order, q.After)
	if err != nil {
		return eventlog.Page{}, err
	}
	s, err := l.search(ctx, v.OrgID, q.Filter, q.Order)
	if err != nil {
		return eventlog.Page{}, err
	}
	u := &union{order: q.Order, arc: s, local: func(ctx context.Context, at eventlog.Position) (eventlog.Page, error) {
		own := q
		own.After = at
		return l.local.Find(ctx, v, own)
	}}
	u.refresh = func(ctx context.Context, s *search) error { return l.limitTo(ctx, s, v) }
	page, more, err := u.page(ctx, at, q.Limit)
	if err == nil && more != nil {
		page.Next, err = l.local.Hide(context.WithoutCancel(ctx), v.OrgID, listOf(q.Order), more.bytes())
	}
	return page, err
}

// Get returns the visible events among ids. See eventlog.Log.
func (l *Log) Get(ctx context.Context, v loci.Viewer, ids []loci.EventID) ([]*loci.Event, error) {
	return l.read(ctx, v.OrgID, ids, v.SeesEvent, func() ([]*loci.Event, error) { return l.local.Get(ctx, v, ids) })
}

// Read returns the events among ids. See eventlog.Follower.
func (l *Log) Read(ctx context.Context, org loci.OrgID, ids []loci.EventID) ([]*loci.Event, error) {
	return l.read(ctx, org, ids, nil, func() ([]*loci.Event, error) { return l.local.Read(ctx, org, ids) })
}

// read returns the events among ids, of Arc those that sees admits; nil: all. local reads those of the local log.
func (l *Log) read(ctx context.Context, org loci.OrgID, ids []loci.EventID, sees func(*loci.EventAccess) bool,
	local func() ([]*loci.Event, error)) ([]*loci.Event, error) {
	s, err := l.search(ctx, org, eventlog.Filter{}, eventlog.Oldest)
	if err != nil {
		return nil, err
	}
	s.sees = sees
	mine, err := local()
	if err != nil {
		return nil, err
	}
	known := map[loci.EventID]*loci.Event{}
	for _, e := range mine {
		known[e.ID] = e
	}
	for missing := range slices.Chunk(slices.DeleteFunc(sortedIDs(ids), func(id loci.EventID) bool {
		return known[id] != nil || timeOf(id).IsZero()
	}), loci.MaxIDs) {
		s.filter.IDs = missing
		if err := l.refresh(ctx, s); err != nil {
			return nil, err
		}
		got, err := s.run(ctx, loci.EventID{}, len(missing))
		if err == nil && got.cut != nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for _, e := range got.events {
			known[e.ID] = e
		}
	}
	list := make([]*loci.Event, 0, len(known))
	for _, id := range ids {
		if e := known[id]; e != nil {
			list = append(list, e)
			delete(known, id) // an id that is asked for twice
		}
	}
	return list, nil
}

// search returns a search in the Arc of an org. It fails with Unavailable if the org has none.
func (l *Log) search(ctx context.Context, org loci.OrgID, f eventlog.Filter, order eventlog.Order) (*search, error) {
	c, err := l.client(ctx, org)
	if err != nil {
		return nil, err
	}
	return &search{c: c, filter: f, order: order, now: l.o.Now()}, nil
}

// refresh reads from the local log what a search depends on. It must run after the local log was read:
// events that have left it since are below then.
func (l *Log) refresh(ctx context.Context, s *search) error {
	state, err := l.local.State(ctx, s.c.table.org)
	if err != nil {
		return err
	}
	s.below = state.First
	s.accesses, err = l.accesses.get(ctx, s.c.table.org)
	return err
}

// limitTo is refresh for a search that finds only what v sees.
func (l *Log) limitTo(ctx context.Context, s *search, v loci.Viewer) error {
	if err := l.refresh(ctx, s); err != nil {
		return err
	}
	s.sees = v.SeesEvent
	project := s.filter.ProjectID
	visible := s.accesses.visible(s.filter.SessionID, func(a *loci.EventAccess) bool {
		return v.SeesEvent(a) && (project.IsZero() || a.ProjectID == project)
	})
	s.scope = &visible
	return nil
}

// Stats counts the union. See eventlog.Log.
func (l *Log) Stats(ctx context.Context, v loci.Viewer, f eventlog.Filter) (eventlog.Stats, error) {
	s, err := l.search(ctx, v.OrgID, f, eventlog.Newest)
	if err != nil {
		return eventlog.Stats{}, err
	}
	total := eventlog.NewTally()
	err = l.tally(ctx, v, s, total)
	if isSpent(ctx, err) {
		total.Partial, err = true, nil
	}
	if err != nil {
		return eventlog.Stats{}, err
	}
	return total.Done(), nil
}

// tally counts the local log and then Arc, again if events have left the local log meanwhile: they would
// be counted twice.
func (l *Log) tally(ctx context.Context, v loci.Viewer, s *search, total *eventlog.Tally) error {
	for {
		before, err := l.local.State(ctx, v.OrgID)
		if err != nil {
			return err
		}
		*total = *eventlog.NewTally()
		if err := l.countLocal(ctx, v, s.filter, total); err != nil {
			return err
		}
		if err := l.limitTo(ctx, s, v); err != nil {
			return err
		}
		if s.below == before.First {
			return s.count(ctx, total)
		}
	}
}

func (l *Log) countLocal(ctx context.Context, v loci.Viewer, f eventlog.Filter, total *eventlog.Tally) error {
	own, err := l.local.Stats(ctx, v, f)
	if err != nil {
		return err
	}
	if total.Stats = own; own.Sessions == 0 {
		return nil
	}
	ids, err := l.local.SessionsOf(ctx, v, f)
	for _, id := range ids {
		total.Seen[id] = true
	}
	return err
}

// count adds what Arc has. Arc may have an event twice, so it counts the distinct numbers.
func (s *search) count(ctx context.Context, total *eventlog.Tally) error {
	return s.each(ctx, loci.EventID{}, func(loci.EventID) (bool, error) { return true, s.countSome(ctx, total) })
}

// countSome is count for all events or, if there are any, for the IDs of the filter.
func (s *search) countSome(ctx context.Context, total *eventlog.Tally) error {
	s.base = s.conditions()
	parts, err := s.parts()
	if err != nil {
		return err
	}
	w := s.bounds(loci.EventID{})
	for _, p := range parts {
		where := p.where
		if p.ids != nil {
			where = all(where, anyOf(colID, idTexts(p.ids)))
		}
		if err := s.countPart(ctx, w, where, total); err != nil {
			return unavailable(err)
		}
	}
	return nil
}

var (
	groupColumns   = []column{colMemoryType, colEventType, "events", "first", "last"}
	sessionColumns = []column{colSession}
)

func (s *search) countPart(ctx context.Context, w window, where condition, total *eventlog.Tally) error {
	rows, err := s.c.selects(ctx, "memory_type, event_type, count(DISTINCT seq) AS events, min(time) AS first, "+
		"max(time) AS last", groupColumns, w, where, "GROUP BY memory_type, event_type LIMIT 100000")
	if err != nil {
		return err
	}
	for _, cells := range rows {
		r := reader{cells: cells}
		class, kind, n, first, last := loci.EventClass(r.text()), r.text(), int(r.number()), r.time(), r.time()
		if r.err != nil {
			return r.err
		}
		total.Add(class, kind, n, first, last)
	}
	if len(rows) == 0 {
		return nil
	}
	rows, err = s.c.selects(ctx, "DISTINCT session_id", sessionColumns, w, all(where, compare(colSession, "<>", "")),
		"LIMIT 100000")
	if err != nil {
		return err
	}
	for _, cells := range rows {
		r := reader{cells: cells}
		total.Seen[loci.SessionID(r.id())] = true
	}
	return nil
}
