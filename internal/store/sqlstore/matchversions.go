package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// addOld adds hits among old versions to hits. The index found the hits among rows that have not
// changed since, but no index has the old versions. So addOld reads their texts and analyzes them
// as the index does.
func (t lists) addOld(ctx context.Context, v loci.Viewer, mq *store.MatchQuery, hits *[]Hit) error {
	old, err := t.oldRows(ctx, v, mq)
	if err != nil {
		return err
	}
	return t.CountMatches(ctx, v, mq, old, "o", hits)
}

// CountMatches appends the matches among the rows of these numbers, until there are more than q.Limit. row is
// the stage to look at: m or o. It serves an index that does not know how often a word occurs: it reads the texts.
func (tx *Tx) CountMatches(ctx context.Context, v loci.Viewer, mq *store.MatchQuery, numbers []int64, row string,
	hits *[]Hit) error {
	counter, enough := newCounter(mq.Terms, mq.All), len(*hits)+mq.Limit
	for batch := range slices.Chunk(numbers, maxBatch) {
		if len(*hits) > enough {
			break
		}
		if err := (lists{tx}).matchRows(ctx, v, mq, batch, row, counter, hits); err != nil {
			return err
		}
	}
	return nil
}

// oldRows returns the numbers of the rows that had another version at the requested time and pass
// at that time, newest first.
func (t lists) oldRows(ctx context.Context, v loci.Viewer, mq *store.MatchQuery) (seqs []int64, err error) {
	var q Query
	t.oldQuery(&q, v, &mq.Filter)
	err = t.c.Query(q.String(), q.Args, func(r Row) error { seqs = append(seqs, r.Int64(0)); return ctx.Err() })
	slices.SortFunc(seqs, func(a, b int64) int { return cmp.Compare(b, a) })
	return seqs, err
}

// oldQuery selects versions that were replaced after the requested time.
func (t lists) oldQuery(q *Query, v loci.Viewer, f *store.Filter) {
	q.Add("SELECT o.seq FROM memory_versions o {join} memories m ON {m} m.seq = o.seq WHERE {o} o.replaced_at > ? AND ",
		f.When.KnownAt.UnixMicro())
	t.Passes(q, v, f, t.Now(), "o")
}

func (t lists) matchRows(ctx context.Context, v loci.Viewer, mq *store.MatchQuery, seqs []int64, row string,
	c *counter, hits *[]Hit) error {
	var q Query
	t.loadQuery(&q, &Listing{Viewer: v, Filter: &mq.Filter, Now: t.Now()}, seqs, row, Columns(row+"."))
	return t.c.Query(q.String(), q.Args, func(r Row) error {
		m, err := t.scanMemory(r)
		if err != nil {
			return err
		}
		if hit, ok := c.count(&m.Memory); ok {
			*hits = append(*hits, Hit{hit, m.Seq})
		}
		return ctx.Err()
	})
}
