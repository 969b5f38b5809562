package embedded

import (
	"bytes"
	"context"
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
	}
	parts := []part{{span: everything(), run: search.on(logSource(r.c, 0, allSeqs))}}
	for _, m := range inOrder(months, desc) {
		parts = append(parts, part{span: m.span(), run: r.inMonth(m, search)})
	}
	return parts, nil
}

// planWithWords is plan for a search that uses the index.
func (r *reader) planWithWords(months []month, desc bool) []part {
	parts := []part{r.tail()}
	indexed := logSource(r.c, 0, r.words.done)
	for _, m := range inOrder(slices.Concat(months, r.words.months), desc) {
		search := method((*source).scan) // the index doesn't have the month yet
		if table := r.words.tables[m]; table != 0 {
			search = r.words.leap(table)
		}
		parts = append(parts, part{span: m.span(), run: search.on(indexed)})
		if slices.Contains(months, m) {
			parts = append(parts, part{span: m.span(), run: r.inMonth(m, search)})
		}
	}
	return parts
}

// method is a way to search a source.
type method func(src *source, ctx context.Context, s span, desc bool, fn visit) error

func (m method) on(src *source) func(context.Context, span, bool, visit) error {
	return func(ctx context.Context, s span, desc bool, fn visit) error { return m(src, ctx, s, desc, fn) }
}

// pick returns a search for ids.
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

// inOrder sorts months and removes duplicates.
func inOrder(months []month, desc bool) []month {
	slices.Sort(months)
	months = slices.Compact(months)
	if desc {
		slices.Reverse(months)
	}
	return months
}

// months returns the months that have a file.
func (r *reader) months() (list []month, err error) {
	err = r.c.Query("SELECT month FROM months", nil, func(row *sqlitedb.Row) error {
		list = append(list, month(row.Int(0)))
		return nil
	})
	return list, err
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

// inMonth returns a function that searches the file of a month.
func (r *reader) inMonth(m month, search method) func(context.Context, span, bool, visit) error {
	return func(ctx context.Context, s span, desc bool, fn visit) error {
		_, err := r.l.withMonth(ctx, r.f.org, m, func(c *sqlitedb.Conn) error {
			return search(r.l.monthSource(c, r.state.batch), ctx, s, desc, fn)
		})
		return err
	}
}
