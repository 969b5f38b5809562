package sqlite

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// Match implements sqlstore.Index.
func (x index) Match(ctx context.Context, v loci.Viewer, mq *store.MatchQuery) (hits []sqlstore.Hit, err error) {
	var q sqlstore.Query
	x.matchQuery(&q, v, mq, expression(mq.Terms, mq.All))
	err = x.shared.Query(q.String(), q.Args, func(r *sqlitedb.Row) error {
		h := sqlstore.Hit{Seq: r.Int64(6)}
		h.Match = loci.Match{ID: r.ID(0), CreatedAt: timeAt(r, 1), UpdatedAt: timeAt(r, 2), Pinned: r.Bool(3),
			Importance: r.Int(4)}
		if err := unpack(r.Raw(5), len(mq.Terms), &h.Match); err != nil {
			return err
		}
		hits = append(hits, h)
		return ctx.Err()
	})
	return hits, err
}

// Within implements sqlstore.Index.
func (x index) Within(ctx context.Context, fn func() error) error {
	return x.c.Within(ctx, fn)
}

// matchQuery makes SQLite start with the full-text index: any other order would read every row of
// the reader. Nothing in it depends on rows that the predicate rejects.
func (x index) matchQuery(q *sqlstore.Query, v loci.Viewer, mq *store.MatchQuery, expression string) {
	q.Add(`SELECT m.id, m.created_at, m.updated_at, m.pinned, m.importance, features(memory_text), m.seq
		FROM memory_text {join} memories m ON {m} m.seq = memory_text.rowid WHERE {memory_text} memory_text MATCH ? AND `,
		expression)
	x.Passes(q, v, &mq.Filter, x.Now(), "m")
	q.Add(" ORDER BY memory_text.rowid DESC LIMIT ?", int64(mq.Limit)+1)
}

// expression writes the terms as an FTS5 query. Every term is one phrase, so that phrase numbers
// equal term numbers.
func expression(terms []loci.Term, all bool) string {
	operator := " OR "
	if all {
		operator = " AND "
	}
	var b strings.Builder
	for i, term := range terms {
		if i > 0 {
			b.WriteString(operator)
		}
		for j, word := range term.Words {
			if j > 0 {
				b.WriteString(" + ")
			}
			b.WriteString(`"` + strings.ReplaceAll(word, `"`, `""`) + `"`)
		}
		if term.Prefix {
			b.WriteString(" *")
		}
	}
	return b.String()
}
