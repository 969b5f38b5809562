package sqlstore

import (
	"context"
	"errors"
	"math"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type lists struct{ *Tx }

// maxBatch is how many places are held at once, even for a huge offset.
const maxBatch = 1024

func (t lists) List(ctx context.Context, v loci.Viewer, lq store.ListQuery) (page store.Page, err error) {
	if lq.Limit < 1 || lq.Offset < 0 {
		return store.Page{}, loci.Errorf(loci.Invalid, "limit must be at least 1, and offset must not be negative")
	}
	if err := checkWhen(&lq.Filter); err != nil {
		return store.Page{}, err
	}
	there := t.kept(v, &lq)
	var w *listing
	if there == nil || lq.Total {
		if w, err = t.listing(v, &lq.Filter, lq.Oldest); err != nil {
			return store.Page{}, err
		}
	}
	if lq.Total {
		if err := total(w.walk, lq.All, &page); err != nil {
			return store.Page{}, err
		}
	}
	kind := listKind(&lq)
	if there == nil {
		if there, err = t.page(ctx, w, v, &lq, kind); err != nil {
			return store.Page{}, err
		}
		page.Memories = there.memories
	} else {
		page.Memories = clones(there.memories)
		t.remember(there.calm)
	}
	if there.more {
		page.Next = t.Positions.encode(there.last, kind)
	}
	return page, nil
}

// total counts the rows of the whole list.
func total(walk Walk, all bool, page *store.Page) error {
	most := store.MaxTotal
	if all {
		most = math.MaxInt32 - 1
	}
	n, err := walk.Total(most + 1)
	page.Total, page.Exact = min(n, most), n <= most
	return err
}

// page reads a page, and keeps a copy of it for later transactions.
func (t lists) page(ctx context.Context, w *listing, v loci.Viewer, lq *store.ListQuery, kind byte) (
	p *keptPage, err error) {
	if lq.After != "" {
		if w.after, err = t.Positions.decode(lq.After, kind); err != nil {
			return nil, err
		}
	}
	p = &keptPage{made: w.Now}
	calm := len(t.calm)
	if err := t.fill(ctx, w, lq, p); err != nil {
		return nil, err
	}
	p.calm = t.calm[calm:]
	kept := *p
	t.keep(v, lq, &kept)
	return p, nil
}

// fill appends rows until the page is full. It reads places until it knows whether there is one
// more visible row, however many places do not pass.
func (t lists) fill(ctx context.Context, w *listing, lq *store.ListQuery, page *keptPage) error {
	skip := lq.Offset
	for ctx.Err() == nil {
		want := min(skip, maxBatch) + min(lq.Limit-len(page.memories), maxBatch) + 1
		places, err := w.next(min(want, maxBatch))
		if err != nil || len(places) == 0 {
			return err
		}
		if skip >= len(places) {
			skip -= len(places)
			continue
		}
		places = places[skip:]
		skip = 0
		rows, err := t.load(w, places)
		if err != nil {
			return err
		}
		for _, p := range places {
			m := rows[p.Seq]
			switch {
			case m == nil:
			case len(page.memories) == lq.Limit:
				page.more = true
				page.expires(m)
				return nil
			default:
				page.memories = append(page.memories, m)
				page.last = p
			}
		}
	}
	return ctx.Err()
}

// listing is the state of a list while it is read.
type listing struct {
	Listing
	walk  Walk
	after Place // the last place that next returned
}

func (t lists) listing(v loci.Viewer, f *store.Filter, oldest bool) (*listing, error) {
	index := t.Index()
	v, err := index.Near(v, f)
	if err != nil {
		return nil, err
	}
	l := &listing{Listing: Listing{v, f, oldest, t.Now()}, after: Place{math.MaxInt64, math.MaxInt64}}
	if oldest {
		l.after = Place{math.MinInt64, math.MinInt64}
	}
	l.walk, err = index.Walk(l.Listing)
	return l, err
}

// next returns at most n places in order. An empty result means that the list has ended.
func (l *listing) next(n int) ([]Place, error) {
	places, err := l.walk.Next(l.after, n)
	if len(places) > 0 {
		l.after = places[len(places)-1]
	}
	return places, err
}

// load reads the rows at places. The result is keyed by row number. It applies the predicate and
// the filter again, because an index entry is never enough to show a row.
func (t lists) load(w *listing, places []Place) (map[int64]*loci.Memory, error) {
	rows := make(map[int64]*loci.Memory, len(places))
	err := t.eachAt(w, places, func(row string) string { return stateOf[row] }, func(r Row) error {
		m, err := t.readMemory(r)
		if err == nil {
			rows[m.Seq] = &m.Memory
		}
		return err
	})
	return rows, err
}

// eachAt calls fn with each row at places that passes, in no particular order: number, id and the columns of
// its stage.
func (t lists) eachAt(w *listing, places []Place, columns func(row string) string, fn func(Row) error) error {
	seqs := make([]int64, len(places))
	for i, p := range places {
		seqs[i] = p.Seq
	}
	for _, row := range stages(w.Filter.When) {
		var q Query
		t.loadQuery(&q, &w.Listing, seqs, row, columns(row))
		if err := t.c.Query(q.String(), q.Args, fn); err != nil {
			return err
		}
	}
	return nil
}

// loadQuery selects the rows with these numbers that pass: number, id and the given columns.
func (t lists) loadQuery(q *Query, l *Listing, numbers []int64, row, columns string) {
	q.put("SELECT m.seq, m.id, ", columns, " FROM {numbered} {join} memories m ON {m} m.seq = j.value")
	q.bind(t.d.Numbers(numbers))
	if row == "o" {
		q.Add(" {join} memory_versions o ON {o} o.seq = m.seq")
	}
	q.Add(" WHERE ")
	t.Passes(q, l.Viewer, l.Filter, l.Now, row)
}

func (t lists) IDs(ctx context.Context, v loci.Viewer, f store.Filter, limit int) (
	ids []loci.MemoryID, more bool, err error) {
	if limit < 1 {
		return nil, false, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	if err := checkWhen(&f); err != nil {
		return nil, false, err
	}
	w, err := t.listing(v, &f, false)
	for err == nil && ctx.Err() == nil {
		var places []Place
		if places, err = w.next(maxBatch); err != nil || len(places) == 0 {
			return ids, false, err
		}
		var found map[int64]loci.MemoryID
		found, err = t.idsAt(w, places)
		for _, p := range places {
			id, ok := found[p.Seq]
			if ok && len(ids) == limit {
				return ids, true, err
			}
			if ok {
				ids = append(ids, id)
			}
		}
	}
	return ids, false, errors.Join(err, ctx.Err())
}

// idsAt returns the ids of the rows at places that pass, by row number.
func (t lists) idsAt(w *listing, places []Place) (map[int64]loci.MemoryID, error) {
	ids := make(map[int64]loci.MemoryID, len(places))
	err := t.eachAt(w, places, func(string) string { return "1" },
		func(r Row) error { ids[r.Int64(0)] = r.ID(1); return nil })
	return ids, err
}

func (t lists) Passing(_ context.Context, v loci.Viewer, f store.Filter, ids []loci.MemoryID) (
	passing []loci.MemoryID, err error) {
	if err := checkWhen(&f); err != nil {
		return nil, err
	}
	there := map[loci.MemoryID]bool{}
	for _, row := range stages(f.When) {
		var q Query
		q.Add("SELECT m.id FROM memories m")
		if row == "o" {
			q.Add(" {join} memory_versions o ON {o} o.seq = m.seq")
		}
		q.Add(" WHERE {m} m.id = ? AND ", nil)
		id := len(q.Args) - 1
		t.Passes(&q, v, &f, t.Now(), row)
		text := q.String()
		for i := range ids {
			q.Args[id] = [16]byte(ids[i])
			found, err := t.c.One(text, q.Args, func(Row) error { return nil })
			if err != nil {
				return nil, err
			}
			there[ids[i]] = there[ids[i]] || found
		}
	}
	for _, id := range ids {
		if there[id] {
			passing = append(passing, id)
		}
	}
	return passing, nil
}

func (t lists) Rebuild(ctx context.Context) error { return t.Index().Rebuild(ctx) }

func (t lists) Check(ctx context.Context) ([]string, error) { return t.Index().Check(ctx) }

// memoryBatch is how many memories EachMemory holds at once. Each has at most 400 kB of content.
const memoryBatch = 100

// EachMemory calls fn for every row of the org. fn may run statements.
func (tx *Tx) EachMemory(ctx context.Context, fn func(*Stored) error) error {
	batch := make([]*Stored, 0, memoryBatch)
	for after := int64(0); ; after = batch[len(batch)-1].Seq {
		batch = batch[:0]
		err := tx.c.Query("SELECT "+memoryColumns+" FROM memories m WHERE {m} m.seq > ? ORDER BY m.seq LIMIT ?",
			Args{after, memoryBatch}, func(r Row) error {
				m, err := tx.scanMemory(r)
				batch = append(batch, m)
				return err
			})
		if err == nil {
			err = ctx.Err()
		}
		for _, m := range batch {
			if err == nil {
				err = fn(m)
			}
		}
		if err != nil || len(batch) < memoryBatch {
			return err
		}
	}
}
