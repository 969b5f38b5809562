package embedded

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Find implements eventlog.Log.
func (l *Log) Find(ctx context.Context, v loci.Viewer, q eventlog.Query) (eventlog.Page, error) {
	desc := q.Order != eventlog.Oldest
	cs := cursors{v.OrgID, listOf(desc)}
	after, err := cs.parse(q.After)
	if err != nil {
		return eventlog.Page{}, err
	}
	var log state // of no log
	s := &collector{desc: desc, limit: q.Limit + 1, within: spanOf(&q.Filter)}
	s.begin = func(r *reader) error {
		log = r.state
		return s.goOn(cs, &log, after)
	}
	err = l.collect(ctx, v.OrgID, want{viewer: &v, filter: q.Filter, brief: q.Brief}, s)
	if isSpent(ctx, err) { // before it examined anything
		return eventlog.Page{Partial: true, Next: cs.format(after)}, nil
	}
	if err == nil && log.epoch == [epochBytes]byte{} {
		err = s.goOn(cs, &log, after) // only to see whether there is such a place
	}
	if err != nil {
		return eventlog.Page{}, err
	}
	page, place, more := s.page(q.Limit)
	if more {
		next, err := cs.seal(&log, place[:])
		if err != nil {
			return eventlog.Page{}, err
		}
		page.Next = cs.format(next)
	}
	return page, nil
}

// goOn begins a search where a cursor is.
func (s *collector) goOn(cs cursors, log *state, after cursor) error {
	place, err := cs.open(log, after)
	if errors.Is(err, errLost) || err == nil && place != nil && len(place) != len(loci.EventID{}) {
		err = errPosition
	}
	if err == nil && place != nil {
		s.within = s.within.rest(loci.EventID(place), s.desc)
	}
	return err
}

// collector finds the first events of an order.
type collector struct {
	desc   bool
	limit  int
	within span
	begin  func(*reader) error // called before the search; nil: there is nothing to do
	found  []*loci.Event       // the first ones of what was examined, in order
	cut    bool                // the time was used up
	end    loci.EventID        // the place up to which everything was examined
}

func (l *Log) collect(ctx context.Context, org loci.OrgID, w want, s *collector) error {
	return l.search(ctx, org, w, func(r *reader) error {
		if s.begin != nil {
			if err := s.begin(r); err != nil {
				return err
			}
		}
		return s.search(ctx, r)
	})
}

// collectAll is collect for a caller who can't use a part of what there is.
func (l *Log) collectAll(ctx context.Context, org loci.OrgID, w want, s *collector) error {
	err := l.collect(ctx, org, w, s)
	if err == nil && s.cut {
		err = ctx.Err()
	}
	return err
}

func (s *collector) search(ctx context.Context, r *reader) error {
	s.found, s.cut = nil, false
	if s.limit <= 0 {
		return nil
	}
	place := s.within.start(s.desc)
	err := r.plans(ctx, s.within, s.desc, s.limit, func(parts []part, within span) (bool, error) {
		err := s.collect(ctx, r, parts, within)
		place = within.end(s.desc)
		return !s.cut && len(s.found) < s.limit, err
	})
	if isSpent(ctx, err) {
		s.stopAt(place)
		err = nil
	}
	return err
}

// collect runs the parts of a plan. Each looks only for events that come before those found.
func (s *collector) collect(ctx context.Context, r *reader, parts []part, within span) error {
	for _, p := range parts {
		left := p.and(within)
		if n := len(s.found); n == s.limit {
			left = left.and(upTo(s.found[n-1].ID, s.desc))
		}
		if left.empty() {
			continue
		}
		if s.cut {
			s.stopAt(left.start(s.desc)) // the time was over before this part began
			continue
		}
		if err := s.add(ctx, r, p, left); err != nil {
			return err
		}
	}
	return nil
}

func (s *collector) add(ctx context.Context, r *reader, p part, left span) error {
	place, n := left.start(s.desc), 0
	err := p.run(ctx, left, s.desc, func(src *source, row *sqlitedb.Row) (bool, error) {
		e, err := r.event(src, row)
		if err != nil {
			return false, err
		}
		if e != nil {
			s.found = append(s.found, e)
			n++
		}
		place = past(idOf(row), s.desc)
		return n < s.limit, nil
	})
	sortByID(s.found, s.desc)
	s.found = s.found[:min(len(s.found), s.limit)]
	if isSpent(ctx, err) {
		s.stopAt(place)
		err = nil
	}
	return err
}

func sortByID(events []*loci.Event, desc bool) {
	slices.SortFunc(events, func(a, b *loci.Event) int {
		if desc {
			a, b = b, a
		}
		return bytes.Compare(a.ID[:], b.ID[:])
	})
}

// isSpent reports whether err is that ctx ended because the read has used up its time. Other errors
// also count after that. Inside of a transaction, SQLite only says that it was interrupted.
func isSpent(ctx context.Context, err error) bool {
	return errors.Is(err, loci.ErrSpent) ||
		err != nil && loci.Spent(ctx) && (errors.Is(err, ctx.Err()) || errors.Is(err, sqlite3.INTERRUPT))
}

// stopAt notes that a part was examined only up to a place.
func (s *collector) stopAt(place loci.EventID) {
	if !s.cut || less(place, s.end) != s.desc {
		s.end = place
	}
	s.cut = true
}

// page returns at most limit events, for which the collector looked for one more. If there may be more,
// they are after a place.
func (s *collector) page(limit int) (p eventlog.Page, place loci.EventID, more bool) {
	p.Events = s.found
	if s.cut {
		examined := upTo(s.end, s.desc)
		p.Events = slices.DeleteFunc(p.Events, func(e *loci.Event) bool { return !examined.has(e.ID) })
		p.Partial, place, more = true, s.end, true
	}
	if len(p.Events) > limit {
		p.Events = p.Events[:limit]
		p.Partial, place, more = false, past(p.Events[limit-1].ID, s.desc), true
	}
	return p, place, more
}

// Stats implements eventlog.Log.
func (l *Log) Stats(ctx context.Context, v loci.Viewer, f eventlog.Filter) (eventlog.Stats, error) {
	t, err := l.tally(ctx, v, f)
	if isSpent(ctx, err) {
		t.Partial, err = true, nil
	}
	if err != nil {
		return eventlog.Stats{}, err
	}
	return t.Done(), nil
}

func (l *Log) tally(ctx context.Context, v loci.Viewer, f eventlog.Filter) (*eventlog.Tally, error) {
	t := eventlog.NewTally()
	return t, l.search(ctx, v.OrgID, want{viewer: &v, filter: f, heads: true}, func(r *reader) error {
		*t = *eventlog.NewTally()
		return r.tally(ctx, t)
	})
}

// tally counts the events of all plans.
func (r *reader) tally(ctx context.Context, t *eventlog.Tally) error {
	return r.plans(ctx, spanOf(&r.filter), true, mostAmong, func(parts []part, within span) (bool, error) {
		for _, p := range parts {
			err := p.run(ctx, p.and(within), true, func(src *source, row *sqlitedb.Row) (bool, error) {
				e, err := r.event(src, row)
				if e != nil {
					t.Add(e.Class, e.Type, 1, e.Time, e.Time)
				}
				if e != nil && !e.SessionID.IsZero() {
					t.Seen[e.SessionID] = true
				}
				return true, err
			})
			if err != nil {
				return false, err
			}
		}
		return true, nil
	})
}
