package sqlite

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// numbered is a hit with the number of its row, by which the newest are kept.
type numbered struct {
	loci.Match
	seq int64
}

// matchOld adds to what the full-text index found among the rows that have not
// changed since the hits among old versions, which are in no index: their texts
// are read with the analysis that the index has. seqs are the numbers of found.
func (t lists) matchOld(ctx context.Context, v loci.Viewer, mq *store.MatchQuery, found store.Matches, seqs []int64) (store.Matches, error) {
	hits := make([]numbered, 0, len(seqs))
	for i, seq := range seqs {
		hits = append(hits, numbered{found.Hits[i], seq})
	}
	old, err := t.oldRows(ctx, v, mq)
	if err != nil {
		return store.Matches{}, err
	}
	counter := newCounter(mq.Terms, mq.All)
	for len(old) > 0 && len(hits)-len(seqs) <= mq.Limit { // more old ones cannot matter
		batch := old[:min(maxBatch, len(old))]
		old = old[len(batch):]
		if err := t.matchRows(ctx, v, mq, batch, counter, &hits); err != nil {
			return store.Matches{}, err
		}
	}
	slices.SortFunc(hits, func(a, b numbered) int { return cmp.Compare(b.seq, a.seq) })
	out := store.Matches{More: found.More || len(hits) > mq.Limit}
	for _, h := range hits[:min(mq.Limit, len(hits))] {
		out.Hits = append(out.Hits, h.Match)
	}
	return out, nil
}

// oldRows returns the numbers of the rows that were another version at the time
// that is asked for, and that pass then, the newest first.
func (t lists) oldRows(ctx context.Context, v loci.Viewer, mq *store.MatchQuery) (seqs []int64, err error) {
	var q query
	t.oldQuery(&q, v, &mq.Filter)
	err = t.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error { seqs = append(seqs, r.Int64(0)); return ctx.Err() })
	slices.SortFunc(seqs, func(a, b int64) int { return cmp.Compare(b, a) })
	return seqs, err
}

// oldQuery looks at what was replaced after the time that is asked for.
func (t lists) oldQuery(q *query, v loci.Viewer, f *store.Filter) {
	q.add("SELECT o.seq FROM memory_versions o CROSS JOIN memories m ON m.seq = o.seq WHERE o.replaced_at > ? AND ", f.When.KnownAt.UnixMicro())
	t.passes(q, v, f, driver{}, t.now(), "o")
}

func (t lists) matchRows(ctx context.Context, v loci.Viewer, mq *store.MatchQuery, seqs []int64, c *counter, hits *[]numbered) error {
	var q query
	t.loadQuery(&q, v, &mq.Filter, t.now(), seqs, "o", columns("o."))
	return t.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
		m, err := t.scanMemory(r)
		if err != nil {
			return err
		}
		if hit, ok := c.count(&m.Memory); ok {
			*hits = append(*hits, numbered{hit, m.seq})
		}
		return ctx.Err()
	})
}
