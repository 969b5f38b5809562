package arc

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// search asks Arc for events in the order of their ids, which is that of their times.
type search struct {
	c        *client
	filter   eventlog.Filter
	accesses *accessTable
	scope    *scope // nil: all events, for followers
	sees     func(*loci.EventAccess) bool
	order    eventlog.Order
	below    int64 // only events with a seq below; 0: all
	now      time.Time

	base condition // of the filter and below
}

// found is what a search found of Arc, in order.
type found struct {
	events []*loci.Event
	// cut is set if the time was used up: then all events up to this place were examined, and no others.
	cut *loci.EventID
}

// windows in which a search looks before it looks everywhere. Each one costs Arc a read of the files of
// its hours, and most searches want what is at one end.
var steps = []time.Duration{time.Hour, 24 * time.Hour}

// smallWindow is a window whose rows are read at once. In a larger one, a search first reads the times.
const smallWindow = time.Minute

// reserve is the room in a statement for everything but the filter and the scope.
const reserve = 1000

// idsInStatement is how many ids a statement asks for.
const idsInStatement = 120

// idsAtOnce is how many ids a search asks Among for at a time.
const idsAtOnce = 5 * idsInStatement

// each calls fn once or, if the filter has Among, for some ids after another, as long as fn wants more. fn gets where
// these end.
func (s *search) each(ctx context.Context, after loci.EventID, fn func(end loci.EventID) (more bool, err error)) error {
	if s.filter.Among == nil {
		_, err := fn(after)
		return err
	}
	defer func() { s.filter.IDs = nil }()
	for more := true; more; {
		ids, left, err := s.filter.Among(ctx, s.order, after, idsAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		s.filter.IDs, after = ids, ids[len(ids)-1]
		if more, err = fn(after); err != nil {
			return err
		}
		more = more && left
	}
	return nil
}

// run returns at most limit events after one (zero: from the beginning).
func (s *search) run(ctx context.Context, after loci.EventID, limit int) (got found, err error) {
	at := after
	err = s.each(ctx, after, func(end loci.EventID) (bool, error) {
		some, err := s.find(ctx, at, limit-len(got.events))
		got.events, got.cut, at = append(got.events, some.events...), some.cut, end
		return got.cut == nil && len(got.events) < limit, err
	})
	if isSpent(ctx, err) {
		got.cut, err = &at, nil
	}
	return got, err
}

// isSpent reports whether err is that a read has used up its time.
func isSpent(ctx context.Context, err error) bool {
	return errors.Is(err, loci.ErrSpent) || err != nil && loci.Spent(ctx)
}

// find is run for all events or, if there are any, for the IDs of the filter.
func (s *search) find(ctx context.Context, after loci.EventID, limit int) (got found, err error) {
	s.base = s.conditions()
	parts, err := s.parts()
	if err != nil || len(parts) == 0 {
		return got, err
	}
	at := after
	for _, w := range s.windows(after) {
		for more := true; more; {
			batch, end, err := s.read(ctx, parts, w, at, limit-len(got.events))
			if err != nil && loci.Spent(ctx) {
				got.cut = &at
				return got, nil
			}
			if err != nil {
				return got, err
			}
			got.events = append(got.events, slices.DeleteFunc(batch, s.rejects)...)
			if len(got.events) >= limit {
				got.events = got.events[:limit]
				return got, nil
			}
			if more = !end.IsZero(); more {
				at = end
			}
		}
		at = s.edge(w)
	}
	return got, nil
}

// edge is the place behind all events of a window.
func (s *search) edge(w window) loci.EventID {
	if s.order == eventlog.Oldest {
		return loci.FirstEventID(w.until)
	}
	return loci.FirstEventID(w.from)
}

// comes is negative if a comes before b.
func (s *search) comes(a, b loci.EventID) int { return compareIDs(s.order, a, b) }

func compareIDs(order eventlog.Order, a, b loci.EventID) int {
	n := slices.Compare(a[:], b[:])
	if order == eventlog.Oldest {
		return n
	}
	return -n
}

// rejects applies the rule and the whole filter once more, to what Arc answered.
func (s *search) rejects(e *loci.Event) bool {
	return s.sees != nil && !s.sees(&e.EventAccess) || !s.filter.Matches(e)
}

// part is one statement of those that a search needs.
type part struct {
	where condition
	ids   []loci.EventID // sorted; nil: no limit
}

// parts divides a search into statements that Arc takes. Each event is in one of them.
func (s *search) parts() (parts []part, err error) {
	scopes := []condition{{}}
	if s.scope != nil {
		room := maxStatement - reserve - len(s.base.sql)
		if len(s.filter.IDs) > 0 {
			room -= idsInStatement * 40
		}
		if room < 2000 {
			return nil, loci.Errorf(loci.Invalid, "the filter is too long for Arc; use fewer or shorter values")
		}
		scopes = nil
		for _, one := range s.scope.split(room) {
			scopes = append(scopes, one.condition())
		}
	}
	for _, one := range scopes {
		where := all(s.base, one)
		if s.filter.IDs == nil {
			parts = append(parts, part{where: where})
			continue
		}
		for ids := range slices.Chunk(sortedIDs(s.filter.IDs), idsInStatement) {
			parts = append(parts, part{where, ids})
		}
	}
	return parts, nil
}

func sortedIDs(ids []loci.EventID) []loci.EventID {
	return slices.Compact(slices.SortedFunc(slices.Values(ids), oldestFirst))
}

func idTexts(ids []loci.EventID) []string {
	return loci.Mapped(ids, func(id loci.EventID) string { return id.String() })
}

// conditions is the filter as SQL, without times, ids and the project, which is that of the access.
func (s *search) conditions() condition {
	f := &s.filter
	var list []condition
	same := func(c column, value string) {
		if value != "" {
			list = append(list, is(c, value))
		}
	}
	same(colSession, idText(f.SessionID))
	same(colAgent, idText(f.AgentID))
	same(colParent, idText(f.ParentID))
	same(colOrigin, f.Origin)
	same(colActor, f.Actor)
	if len(f.Classes) > 0 {
		list = append(list, anyOf(colMemoryType, loci.Texts(f.Classes)))
	}
	if len(f.Types) > 0 {
		list = append(list, anyOf(colEventType, f.Types))
	}
	if f.MinImportance > 0 {
		list = append(list, compareNumber(colImportance, ">=", int64(f.MinImportance)))
	}
	list = append(list, tagCondition(f))
	if s.below > 0 {
		list = append(list, compareNumber(colSeq, "<", s.below))
	}
	return all(list...)
}

func tagCondition(f *eventlog.Filter) condition {
	tags := loci.Mapped(f.Tags, func(t string) condition { return holds(colTags, joinTags([]string{t})) })
	if f.AllTags || len(tags) == 0 {
		return all(tags...)
	}
	return either(tags...)
}

// windows returns the windows in which a search looks, one after the other.
func (s *search) windows(after loci.EventID) (list []window) {
	w := s.bounds(after)
	if !w.from.Before(w.until) {
		return nil
	}
	if s.filter.IDs != nil {
		return []window{w}
	}
	if s.order == eventlog.Oldest {
		if w.from.Equal(always.from) {
			return []window{w} // it isn't known where the events begin
		}
		for _, step := range steps {
			if until := w.from.Add(step); until.Before(w.until) {
				list = append(list, window{w.from, until})
				w.from = until
			}
		}
		return append(list, w)
	}
	end := w.until
	if end.After(s.now) {
		end = s.now
	}
	for _, step := range steps {
		if from := end.Add(-step); from.After(w.from) && from.Before(w.until) {
			list = append(list, window{from, w.until})
			w.until = from
		}
	}
	return append(list, w)
}

// bounds is the window of the filter after an event.
func (s *search) bounds(after loci.EventID) window {
	w := window{ceil(s.filter.Since), ceil(s.filter.Until)}
	if w.from.Before(always.from) {
		w.from = always.from
	}
	if latest := s.now.Add(24 * time.Hour); w.until.IsZero() || w.until.After(latest) {
		w.until = latest // Arc opens all files if a window is too large
	}
	if after.IsZero() {
		return w
	}
	if s.order == eventlog.Oldest {
		return narrowed(w, window{timeOf(after), w.until})
	}
	return narrowed(w, window{w.from, timeOf(after).Add(time.Microsecond)})
}

// ceil returns the first time with whole microseconds that isn't before t, because events have only such times.
func ceil(t time.Time) time.Time {
	if cut := t.Truncate(time.Microsecond); cut.Before(t) {
		return cut.Add(time.Microsecond)
	}
	return t
}

func oldestFirst(a, b loci.EventID) int { return compareIDs(eventlog.Oldest, a, b) }

func narrowed(a, b window) window {
	if b.from.After(a.from) {
		a.from = b.from
	}
	if b.until.Before(a.until) {
		a.until = b.until
	}
	return a
}

// timeOf returns the time of an event, which is in its id.
func timeOf(id loci.EventID) time.Time {
	at, _ := loci.EventTime(id)
	return at
}

// read returns the first events of a window after one, in order and without duplicates. Each part
// reads at most limit rows, so end is set if there may be more events after it in the window.
func (s *search) read(ctx context.Context, parts []part, w window, after loci.EventID, limit int) (
	events []*loci.Event, end loci.EventID, err error) {
	for _, p := range parts {
		got, last, err := s.readPart(ctx, p, w, after, limit)
		if err != nil {
			return nil, end, err
		}
		if !last.IsZero() && (end.IsZero() || s.comes(last, end) < 0) {
			end = last
		}
		events = append(events, got...)
	}
	slices.SortStableFunc(events, func(a, b *loci.Event) int { return s.comes(a.ID, b.ID) })
	events = slices.CompactFunc(events, func(a, b *loci.Event) bool { return a.ID == b.ID })
	if !end.IsZero() {
		events = slices.DeleteFunc(events, func(e *loci.Event) bool { return s.comes(e.ID, end) > 0 })
	}
	return events, end, nil
}

// readPart reads one statement's part of a window. last is set if there may be more after it.
func (s *search) readPart(ctx context.Context, p part, w window, after loci.EventID, limit int) (
	events []*loci.Event, last loci.EventID, err error) {
	where := p.where
	if !after.IsZero() {
		where = all(where, compare(colID, s.operator(), after.String()))
	}
	if p.ids != nil {
		where = all(where, anyOf(colID, idTexts(p.ids)))
		w = narrowed(w, window{timeOf(p.ids[0]), timeOf(p.ids[len(p.ids)-1]).Add(time.Microsecond)})
		limit = max(limit, 2*len(p.ids))
	} else if w, err = s.narrow(ctx, w, where, limit); err != nil {
		return nil, last, err
	}
	if !w.from.Before(w.until) {
		return nil, last, nil
	}
	rows, err := s.c.selects(ctx, names(eventColumns), eventColumns, w, where, limited("id"+s.direction(), limit))
	if err != nil {
		return nil, last, unavailable(err)
	}
	for _, cells := range rows {
		e, class, err := readEvent(cells)
		if err != nil {
			return nil, last, unavailable(err)
		}
		last = e.ID
		var known bool
		if e.EventAccess, known = s.accesses.of(e.SessionID, class, e.Origin); known {
			events = append(events, e)
		}
	}
	if len(rows) < limit {
		last = loci.EventID{}
	}
	return events, last, nil
}

// narrow returns the part of a window that has its first limit events. It reads only their times,
// which costs Arc a small part of what reading all columns of a large window costs.
func (s *search) narrow(ctx context.Context, w window, where condition, limit int) (window, error) {
	if w.until.Sub(w.from) <= smallWindow {
		return w, nil
	}
	rows, err := s.c.selects(ctx, "time", []column{colTime}, w, where, limited("time"+s.direction(), limit))
	if err != nil {
		return w, unavailable(err)
	}
	if len(rows) == 0 {
		return window{w.from, w.from}, nil
	}
	first, last := reader{cells: rows[0]}, reader{cells: rows[len(rows)-1]}
	from, until := last.time(), first.time()
	if s.order == eventlog.Oldest {
		from, until = until, from
	}
	if first.err != nil || last.err != nil {
		return w, unavailable(&fault{kind: unanswered, text: "a time is none"})
	}
	return narrowed(w, window{from, until.Add(time.Microsecond)}), nil
}

func (s *search) operator() string {
	if s.order == eventlog.Oldest {
		return ">"
	}
	return "<"
}

func (s *search) direction() string {
	if s.order == eventlog.Oldest {
		return ""
	}
	return " DESC"
}
