package arc

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

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
