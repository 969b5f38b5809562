package arc

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// Stats counts the union. See eventlog.Log.
func (l *Log) Stats(ctx context.Context, v loci.Viewer, f eventlog.Filter) (eventlog.Stats, error) {
	s, err := l.search(ctx, v.OrgID, f, eventlog.Newest)
	if err != nil {
		return eventlog.Stats{}, err
	}
	total := newSum()
	err = l.tally(ctx, v, s, total)
	if isSpent(ctx, err) {
		total.Partial, err = true, nil
	}
	if err != nil {
		return eventlog.Stats{}, err
	}
	return total.stats(), nil
}

// tally counts the local log and then Arc, again if events have left the local log meanwhile: they would
// be counted twice.
func (l *Log) tally(ctx context.Context, v loci.Viewer, s *search, total *sum) error {
	for {
		before, err := l.local.State(ctx, v.OrgID)
		if err != nil {
			return err
		}
		*total = *newSum()
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

// sum is Stats while it grows.
type sum struct {
	eventlog.Stats
	types    map[string]int
	sessions map[string]bool
}

func newSum() *sum {
	return &sum{eventlog.Stats{ByClass: map[loci.EventClass]int{}}, map[string]int{}, map[string]bool{}}
}

func (l *Log) countLocal(ctx context.Context, v loci.Viewer, f eventlog.Filter, total *sum) error {
	own, err := l.local.Stats(ctx, v, f)
	if err != nil {
		return err
	}
	byClass := total.ByClass
	maps.Copy(byClass, own.ByClass)
	maps.Copy(total.types, own.ByType)
	if total.Stats = own; own.Sessions > 0 {
		ids, err := l.local.SessionsOf(ctx, v, f)
		if err != nil {
			return err
		}
		for _, id := range ids {
			total.sessions[id.String()] = true
		}
	}
	total.ByClass = byClass
	return nil
}

// count adds what Arc has. Arc may have an event twice, so it counts the distinct numbers.
func (s *search) count(ctx context.Context, total *sum) error {
	return s.each(ctx, loci.EventID{}, func(loci.EventID) (bool, error) { return true, s.countSome(ctx, total) })
}

// countSome is count for all events or, if there are any, for the IDs of the filter.
func (s *search) countSome(ctx context.Context, total *sum) error {
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

func (s *search) countPart(ctx context.Context, w window, where condition, total *sum) error {
	rows, err := s.c.selects(ctx, "memory_type, event_type, count(DISTINCT seq) AS events, min(time) AS first, "+
		"max(time) AS last", groupColumns, w, where, "GROUP BY memory_type, event_type LIMIT 100000")
	if err != nil {
		return err
	}
	for _, cells := range rows {
		if err := total.add(cells); err != nil {
			return err
		}
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
		total.sessions[r.text()] = true
	}
	return nil
}

func (s *sum) add(cells []any) error {
	r := reader{cells: cells}
	class, kind, n, first, last := loci.EventClass(r.text()), r.text(), int(r.number()), r.time(), r.time()
	if r.err != nil {
		return r.err
	}
	s.Total += n
	s.ByClass[class] += n
	s.types[kind] += n
	if s.First.IsZero() || first.Before(s.First) {
		s.First = first
	}
	if last.After(s.Last) {
		s.Last = last
	}
	return nil
}

func (s *sum) stats() eventlog.Stats {
	kinds := slices.SortedFunc(maps.Keys(s.types), func(a, b string) int {
		if n := s.types[b] - s.types[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	s.ByType = map[string]int{}
	for _, kind := range kinds[:min(len(kinds), eventlog.MaxTypes)] {
		s.ByType[kind] = s.types[kind]
	}
	s.Sessions = len(s.sessions)
	if s.Total == 0 {
		s.First, s.Last = time.Time{}, time.Time{}
	}
	return s.Stats
}
