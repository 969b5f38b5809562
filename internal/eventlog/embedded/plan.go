package embedded

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// part is a part of a search. The parts of a plan have each event once.
type part struct {
	span
	unordered bool
	run       func(ctx context.Context, s span, desc bool, fn visit) error
}

// fewRows is how many rows that are not in the index a search reads in the order in which they were
// stored. If there are more, it reads them in the order of time, so that it can stop early.
const fewRows = 20_000

// plan returns the parts of a search, those first that come first in its order.
func (r *reader) plan(desc bool) ([]part, error) {
	months, err := r.months()
	if err != nil {
		return nil, err
	}
	if r.words != nil {
		return r.planWithWords(months, desc), nil
	}
	search := method((*source).scan)
	if r.filter.IDs != nil {
		search = pick(r.filter.IDs)
		months = monthsOf(months, r.filter.IDs)
	}
	parts := []part{{span: everything(), run: search.on(logSource(r.c, 0, allSeqs))}}
	for _, m := range inOrder(maps.Keys(months), desc) {
		parts = append(parts, part{span: m.span(), run: r.inMonth(m, months[m], search)})
	}
	return parts, nil
}

// planWithWords is plan for a search that uses the index.
func (r *reader) planWithWords(months map[month]int64, desc bool) []part {
	parts := []part{r.tail()}
	indexed := logSource(r.c, 0, r.words.done)
	all := maps.Clone(months)
	for _, m := range r.words.months {
		all[m] = 0
	}
	for _, m := range inOrder(maps.Keys(all), desc) {
		search := method((*source).scan) // the index doesn't have the month yet
		if table := r.words.tables[m]; table != 0 {
			search = r.words.leap(table)
		}
		parts = append(parts, part{span: m.span(), run: search.on(indexed)})
		if batch := months[m]; batch > 0 {
			parts = append(parts, part{span: m.span(), run: r.inMonth(m, batch, search)})
		}
	}
	return parts
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

// method is a way to search a source.
type method func(src *source, ctx context.Context, s span, desc bool, fn visit) error

func (m method) on(src *source) func(context.Context, span, bool, visit) error {
	return func(ctx context.Context, s span, desc bool, fn visit) error { return m(src, ctx, s, desc, fn) }
}

func pick(ids []loci.EventID) method {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b loci.EventID) int { return bytes.Compare(a[:], b[:]) })
	ids = slices.Compact(ids)
	return func(src *source, ctx context.Context, s span, desc bool, fn visit) error {
		over := false
		for i := range ids {
			id := ids[i]
			if desc {
				id = ids[len(ids)-1-i]
			}
			if over || !s.has(id) {
				continue
			}
			err := src.scan(ctx, span{id, past(id, false)}, desc, func(src *source, r *sqlitedb.Row) (more bool, err error) {
				more, err = fn(src, r)
				over = !more
				return more, err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
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

// tail returns the part with the events that the index doesn't have yet.
func (r *reader) tail() part {
	src := logSource(r.c, r.words.done, allSeqs)
	if r.state.last-r.words.done > fewRows {
		return part{span: everything(), run: src.scan}
	}
	return part{span: everything(), unordered: true, run: func(ctx context.Context, s span, _ bool, fn visit) error {
		return src.query(ctx, logSince, sqlitedb.Args{src.after}, func(src *source, row *sqlitedb.Row) (bool, error) {
			if !s.has(idOf(row)) {
				return true, nil
			}
			return fn(src, row)
		})
	}}
}

func (r *reader) inMonth(m month, batch int64, search method) func(context.Context, span, bool, visit) error {
	return func(ctx context.Context, s span, desc bool, fn visit) error {
		_, err := r.l.withMonth(ctx, r.f.org, m, func(c *sqlitedb.Conn) error {
			return search(r.l.monthSource(c, batch), ctx, s, desc, fn)
		})
		return err
	}
}
