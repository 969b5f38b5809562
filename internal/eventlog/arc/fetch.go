package arc

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

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
