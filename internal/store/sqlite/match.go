package sqlite

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

func (t lists) Match(ctx context.Context, v loci.Viewer, mq store.MatchQuery) (found store.Matches, err error) {
	text, err := expression(mq.Terms, mq.All)
	if err == nil {
		err = checkWhen(&mq.Filter)
	}
	if err != nil {
		return store.Matches{}, err
	}
	if v, err = t.nearby(v, &mq.Filter); err != nil {
		return store.Matches{}, err
	}
	var seqs []int64
	var q query
	t.matchQuery(&q, v, &mq, text)
	err = t.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
		if len(found.Hits) == mq.Limit {
			found.More = true
			return sqlitedb.ErrStop
		}
		m := loci.Match{ID: r.ID(0), CreatedAt: timeAt(r, 1), UpdatedAt: timeAt(r, 2), Pinned: r.Bool(3), Importance: r.Int(4)}
		if err := unpack(r.Raw(5), len(mq.Terms), &m); err != nil {
			return err
		}
		found.Hits = append(found.Hits, m)
		if !mq.When.KnownAt.IsZero() {
			seqs = append(seqs, r.Int64(6))
		}
		return nil
	})
	if err != nil || mq.When.KnownAt.IsZero() {
		return found, err
	}
	return t.matchOld(ctx, v, &mq, found, seqs)
}

// matchQuery makes the full-text index drive: another order would look at every
// row of the reader. Nothing in it depends on rows that the predicate refuses.
func (t lists) matchQuery(q *query, v loci.Viewer, mq *store.MatchQuery, expression string) {
	q.add(`SELECT m.id, m.created_at, m.updated_at, m.pinned, m.importance, features(memory_text), m.seq
		FROM memory_text CROSS JOIN memories m ON m.seq = memory_text.rowid WHERE memory_text MATCH ? AND `, expression)
	t.passes(q, v, &mq.Filter, driver{}, t.now(), "m")
	q.add(" ORDER BY memory_text.rowid DESC LIMIT ?", int64(mq.Limit)+1)
}

// expression writes the terms in FTS5's language. Every term is one phrase, so
// that the phrases' numbers are the terms'.
func expression(terms []loci.Term, all bool) (string, error) {
	if len(terms) == 0 || len(terms) > loci.MaxTerms {
		return "", loci.Errorf(loci.Invalid, "a search has 1 to %d terms", loci.MaxTerms)
	}
	operator := " OR "
	if all {
		operator = " AND "
	}
	var b strings.Builder
	for i, term := range terms {
		if i > 0 {
			b.WriteString(operator)
		}
		if len(term.Words) == 0 {
			return "", loci.Errorf(loci.Invalid, "a term of the search is empty")
		}
		for j, word := range term.Words {
			if word == "" || strings.IndexByte(word, 0) >= 0 {
				return "", loci.Errorf(loci.Invalid, "a word of the search is empty")
			}
			if j > 0 {
				b.WriteString(" + ")
			}
			b.WriteString(`"` + strings.ReplaceAll(word, `"`, `""`) + `"`)
		}
		if term.Prefix {
			b.WriteString(" *")
		}
	}
	return b.String(), nil
}
