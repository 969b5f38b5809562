package embedded

import (
	"bytes"
	"context"
	"encoding/base64"
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
	within := spanOf(&q.Filter)
	if q.After != "" {
		place, err := parsePlace(q.After, desc)
		if err != nil {
			return eventlog.Page{}, err
		}
		within = within.rest(place, desc)
	}
	s := &collector{desc: desc, limit: q.Limit + 1, within: within}
	err := l.collect(ctx, v.OrgID, want{viewer: &v, filter: q.Filter}, s)
	if isSpent(ctx, err) {
		s.stopAt(within.start(desc))
		err = nil
	}
	if err != nil {
		return eventlog.Page{}, err
	}
	return s.page(q.Limit), nil
}

// collector finds the first events of an order.
type collector struct {
	desc   bool
	limit  int
	within span
	match  *eventlog.Matcher
	best   best          // that were found until now
	found  []*loci.Event // all of them, in order, when the search has ended
	cut    bool          // the time was used up
	end    loci.EventID  // the place up to which everything was examined
}

// collect searches a log with a collector.
func (l *Log) collect(ctx context.Context, org loci.OrgID, w want, s *collector) error {
	s.match = w.filter.Matcher()
	return l.search(ctx, org, w, func(r *reader) error {
		parts, err := r.plan(s.desc)
		if err != nil {
			return err
		}
		return s.collect(ctx, r, parts)
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

// collect runs the parts of a plan. Each looks only for events that come before those found.
func (s *collector) collect(ctx context.Context, r *reader, parts []part) error {
	s.best, s.found, s.cut = best{desc: s.desc, limit: s.limit}, nil, false
	if s.limit <= 0 {
		return nil
	}
	for _, p := range parts {
		left := p.and(s.within)
		if s.best.isFull() {
			left = left.and(s.before(s.best.last()))
		}
		if left.empty() {
			continue
		}
		if s.cut {
			s.stopAt(left.start(s.desc)) // there is no time for this part
			continue
		}
		if err := s.add(ctx, r, p, left); err != nil {
			return err
		}
	}
	s.found = s.best.events
	sortByID(s.found, s.desc)
	return nil
}

// before returns the span of what comes before an id.
func (s *collector) before(id loci.EventID) span {
	if s.desc {
		return span{id, lastID}
	}
	return span{to: id}
}

// add runs one part.
func (s *collector) add(ctx context.Context, r *reader, p part, left span) error {
	place := left.start(s.desc)
	err := p.run(ctx, left, s.desc, func(src *source, row *sqlitedb.Row) (bool, error) {
		id := idOf(row)
		if !s.best.admits(id) {
			return p.unordered, nil
		}
		e, err := r.event(src, row, s.match)
		if err != nil {
			return false, err
		}
		if e != nil {
			s.best.add(e)
		}
		if !p.unordered {
			place = past(id, s.desc)
		}
		return p.unordered || s.best.admits(id), nil
	})
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
	return err != nil && loci.Spent(ctx) && (errors.Is(err, ctx.Err()) || errors.Is(err, sqlite3.INTERRUPT))
}

// stopAt notes that a part was examined only up to a place.
func (s *collector) stopAt(place loci.EventID) {
	if !s.cut || less(place, s.end) != s.desc {
		s.end = place
	}
	s.cut = true
}

// page returns at most limit events. The collector looked for one more.
func (s *collector) page(limit int) eventlog.Page {
	p := eventlog.Page{Events: s.found}
	if s.cut {
		examined := s.before(s.end)
		p.Events = slices.DeleteFunc(p.Events, func(e *loci.Event) bool { return !examined.has(e.ID) })
		p.Partial, p.Next = true, formatPlace(s.end, s.desc)
	}
	if len(p.Events) > limit {
		p.Events = p.Events[:limit]
		p.Partial, p.Next = false, formatPlace(past(p.Events[limit-1].ID, s.desc), s.desc)
	}
	return p
}

// A Position of a query is the letter of its order and a place.
func formatPlace(place loci.EventID, desc bool) eventlog.Position {
	return eventlog.Position(letter(desc) + base64.RawURLEncoding.EncodeToString(place[:]))
}

func letter(desc bool) string {
	if desc {
		return "d"
	}
	return "a"
}

func parsePlace(p eventlog.Position, desc bool) (place loci.EventID, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(string(p[1:]))
	if err != nil || string(p[:1]) != letter(desc) || len(raw) != len(place) {
		return place, errPosition
	}
	return loci.EventID(raw), nil
}

var errPosition = loci.Errorf(loci.Invalid, "the cursor is not one of this query; use next_cursor unchanged, and the "+
	"same order and filter")
