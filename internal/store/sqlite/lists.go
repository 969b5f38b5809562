package sqlite

import (
	"context"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type lists struct{ *tx }

// maxBatch bounds how many places are held at once, also for a huge offset.
const maxBatch = 1024

func (t lists) List(ctx context.Context, v loci.Viewer, lq store.ListQuery) (page store.Page, err error) {
	if lq.Limit < 1 || lq.Offset < 0 {
		return store.Page{}, loci.Errorf(loci.Invalid, "a page has at least 1 row, and an offset is not negative")
	}
	if err := checkWhen(&lq.Filter); err != nil {
		return store.Page{}, err
	}
	w, err := t.newWalk(v, &lq.Filter, lq.Oldest)
	if err != nil {
		return store.Page{}, err
	}
	if lq.Total {
		n, err := w.total(store.MaxTotal + 1)
		if err != nil {
			return store.Page{}, err
		}
		page.Total, page.Exact = min(n, store.MaxTotal), n <= store.MaxTotal
	}
	kind := listKind(&lq)
	if lq.After != "" {
		if w.last, err = t.positions.decode(lq.After, kind); err != nil {
			return store.Page{}, err
		}
	}
	last, more, err := t.fill(ctx, w, &lq, &page)
	if more {
		page.Next = t.positions.encode(last, kind)
	}
	return page, err
}

// fill appends rows until the page is full. It reads places until it knows
// whether there is one more visible row, however many do not pass.
func (t lists) fill(ctx context.Context, w *walk, lq *store.ListQuery, page *store.Page) (last place, more bool, err error) {
	skip := lq.Offset
	for ctx.Err() == nil {
		want := min(skip, maxBatch) + min(lq.Limit-len(page.Memories), maxBatch) + 1
		places, err := w.next(min(want, maxBatch))
		if err != nil || len(places) == 0 {
			return last, false, err
		}
		if skip >= len(places) {
			skip -= len(places)
			continue
		}
		places = places[skip:]
		skip = 0
		rows, err := t.load(w, places)
		if err != nil {
			return last, false, err
		}
		for _, p := range places {
			m := rows[p.seq]
			switch {
			case m == nil:
			case len(page.Memories) == lq.Limit:
				return last, true, nil
			default:
				page.Memories = append(page.Memories, m)
				last = p
			}
		}
	}
	return last, false, ctx.Err()
}

// load reads the rows at places, by number. The predicate and the filter are
// applied again: a posting is never enough to show a row.
func (t lists) load(w *walk, places []place) (map[int64]*loci.Memory, error) {
	seqs := make([]int64, len(places))
	for i, p := range places {
		seqs[i] = p.seq
	}
	rows := make(map[int64]*loci.Memory, len(places))
	for _, row := range stages(w.filter.When) {
		var q query
		t.loadQuery(&q, w.v, w.filter, w.now, seqs, row, columns(row+"."))
		err := t.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
			m, err := t.scanMemory(r)
			if err == nil {
				rows[m.seq] = &m.Memory
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// loadQuery reads those of the rows of these numbers that pass: number, id, and these columns.
func (t lists) loadQuery(q *query, v loci.Viewer, f *store.Filter, now time.Time, numbers []int64, row, columns string) {
	seqs := []byte{'['}
	for i, n := range numbers {
		if i > 0 {
			seqs = append(seqs, ',')
		}
		seqs = strconv.AppendInt(seqs, n, 10)
	}
	q.add("SELECT m.seq, m.id, "+columns+" FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value", string(append(seqs, ']')))
	if row == "o" {
		q.add(" CROSS JOIN memory_versions o ON o.seq = m.seq")
	}
	q.add(" WHERE ")
	t.passes(q, v, f, driver{}, now, row)
}

// Rebuild makes postings and full-text index anew. It must run in an Update.
func (t lists) Rebuild(ctx context.Context) error {
	if err := t.c.Exec("INSERT INTO memory_text (memory_text) VALUES ('delete-all')"); err != nil {
		return err
	}
	if err := t.c.Exec("DELETE FROM memory_postings"); err != nil {
		return err
	}
	return t.eachMemory(ctx, func(m *stored) error {
		if err := t.indexText(m); err != nil {
			return err
		}
		return t.changePostings(m.seq, nil, postingsOf(&m.Memory))
	})
}

func (t lists) eachMemory(ctx context.Context, fn func(*stored) error) error {
	return t.c.Query("SELECT "+memoryColumns+" FROM memories m ORDER BY m.seq", nil, func(r *sqlitedb.Row) error {
		m, err := t.scanMemory(r)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		return fn(m)
	})
}
