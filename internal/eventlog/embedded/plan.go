package embedded

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// part is a part of a search. The parts of a plan have each event once.
type part struct {
	span
	run func(ctx context.Context, s span, desc bool, fn visit) error
}

// plan returns the parts of a search in all events or, if ids is not nil, in these, those parts first that come first
// in its order.
func (r *reader) plan(ids []loci.EventID, desc bool) ([]part, error) {
	months, err := r.months()
	if err != nil {
		return nil, err
	}
	search := method((*source).scan)
	if ids != nil {
		search = leap(ids)
		months = monthsOf(months, ids)
	}
	parts := []part{{everything(), search.on(logSource(r.c, 0, allSeqs))}}
	for _, m := range inOrder(maps.Keys(months), desc) {
		parts = append(parts, part{m.span(), r.inMonth(m, months[m], search)})
	}
	return parts, nil
}

// mostAmong is how many ids a search asks for at a time. At first it asks for fewer, because most searches need few.
const mostAmong = 4096

// plans calls fn with the parts of a search within a span: with all of them or, if the filter has Among, with those for
// some of its ids after another and the span that they cover, as long as fn wants more.
func (r *reader) plans(ctx context.Context, within span, desc bool, size int,
	fn func(parts []part, within span) (more bool, err error)) error {
	if r.filter.Among == nil {
		parts, err := r.plan(r.filter.IDs, desc)
		if err == nil {
			_, err = fn(parts, within)
		}
		return err
	}
	order := eventlog.Oldest
	if desc {
		order = eventlog.Newest
	}
	for more := true; more && !within.empty(); size = min(4*size, mostAmong) {
		ids, left, err := r.filter.Among(ctx, order, within.before(desc), size)
		if err != nil || len(ids) == 0 {
			return err
		}
		parts, err := r.plan(ids, desc)
		if err != nil {
			return err
		}
		place := past(ids[len(ids)-1], desc)
		more, err = fn(parts, within.and(upTo(place, desc)))
		if err != nil {
			return err
		}
		more, within = more && left, within.rest(place, desc)
	}
	return nil
}

// upTo is the span of everything before a place in an order.
func upTo(place loci.EventID, desc bool) span {
	if desc {
		return span{place, lastID}
	}
	return span{to: place}
}

// monthsOf returns those of months that may have some of the ids, because an id has the time of its event.
func monthsOf(months map[month]int64, ids []loci.EventID) map[month]int64 {
	of := map[month]int64{}
	for _, id := range ids {
		m := monthOfID(id)
		if batch, there := months[m]; there {
			of[m] = batch
		}
	}
	return of
}

func inOrder(months iter.Seq[month], desc bool) []month {
	list := slices.Sorted(months)
	if desc {
		slices.Reverse(list)
	}
	return list
}

// months returns the months that have a file, and the last batch that counts in each.
func (r *reader) months() (map[month]int64, error) {
	batches := map[month]int64{}
	err := r.c.Query("SELECT month, batch FROM months", nil, func(row *sqlitedb.Row) error {
		batches[month(row.Int(0))] = row.Int64(1)
		return nil
	})
	return batches, err
}

func (r *reader) inMonth(m month, batch int64, search method) func(context.Context, span, bool, visit) error {
	return func(ctx context.Context, s span, desc bool, fn visit) error {
		_, err := r.l.withMonth(ctx, r.f.org, m, func(c *sqlitedb.Conn) error {
			return search(r.l.monthSource(c, batch), ctx, s, desc, fn)
		})
		return err
	}
}
