package sqlite

import (
	"math"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// graphTx is a transaction on one project's file.
type graphTx struct {
	*sqlstore.GraphTx
	c *sqlitedb.Conn
}

func (s *Store) graphTx(p loci.Project, c *sqlitedb.Conn) *graphTx {
	shared := sharedConn(c)
	return &graphTx{sqlstore.NewGraph(shared, dialect, sqlstore.GraphOptions{Project: p, Now: s.opts.Now,
		Index: func(tx *sqlstore.GraphTx) sqlstore.GraphIndex { return graphIndex{tx, c, shared.Conn} }}), c}
}

// graphIndex uses the full-text tables of a project's file.
type graphIndex struct {
	*sqlstore.GraphTx
	c      *sqlitedb.Conn
	shared *sqlitedb.Conn // for statements that contain the visibility rule
}

// Newest implements sqlstore.GraphIndex. It queries only the full-text tables.
func (x graphIndex) Newest(q *loci.GraphQuery, limit int) (entities, observations []int64, err error) {
	args := sqlitedb.Args{matchText(q), limit}
	into := func(list *[]int64) func(*sqlitedb.Row) error {
		return func(r *sqlitedb.Row) error { *list = append(*list, r.Int64(0)); return nil }
	}
	err = x.c.Query("SELECT rowid FROM entities_fts WHERE entities_fts MATCH ? ORDER BY rowid DESC LIMIT ?", args,
		into(&entities))
	if err == nil {
		err = x.c.Query("SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? ORDER BY rowid DESC LIMIT ?", args,
			into(&observations))
	}
	return entities, observations, err
}

// Match implements sqlstore.GraphIndex.
func (x graphIndex) Match(v loci.Viewer, gq *loci.GraphQuery, limit int, reader *loci.GraphReader) (
	list []*sqlstore.GraphFound, more bool, err error) {
	expression := matchText(gq)
	bySeq := map[int64]*sqlstore.GraphFound{}
	take := func(q *sqlstore.Query, note func(*sqlstore.GraphFound, *sqlitedb.Row)) error {
		n := 0
		return x.shared.Query(q.String(), q.Args, func(r *sqlitedb.Row) (err error) {
			if n++; n > limit {
				more = true
				return sqlitedb.ErrStop
			}
			seq := r.Int64(0)
			f := bySeq[seq]
			if f == nil {
				f = &sqlstore.GraphFound{Seq: seq}
				bySeq[seq], list = f, append(list, f)
				if reader != nil {
					f.ID, err = sqlstore.IDAt[loci.EntityID](r, 1)
				}
			}
			if reader != nil {
				note(f, r)
			}
			return err
		})
	}
	err = take(x.matchingNames(v, expression, reader != nil), func(f *sqlstore.GraphFound, r *sqlitedb.Row) {
		hits, name := r.Int64(2), r.Text(3)
		f.Named = reader.Named(name)
		f.Name = loci.Occurrences{Times: int(hits & math.MaxUint32), Bytes: len(name)}
		f.Type = loci.Occurrences{Times: int(hits >> 32), Bytes: r.Int(4)}
	})
	if err == nil {
		err = take(x.matchingObservations(v, expression, reader != nil), func(f *sqlstore.GraphFound, r *sqlitedb.Row) {
			f.Observations = append(f.Observations, loci.Occurrences{Times: r.Int(2), Bytes: r.Int(3)})
		})
	}
	return list, more, err
}

// Alike implements sqlstore.GraphIndex.
func (x graphIndex) Alike(v loci.Viewer, name string, limit int) (names []string, err error) {
	q := x.matchingNames(v, "name : ^"+matchText(&loci.GraphQuery{Op: loci.GraphWords, Text: name}), true)
	q.Add(" LIMIT ?", limit)
	err = x.shared.Query(q.String(), q.Args, func(r *sqlitedb.Row) error { names = append(names, r.Text(3)); return nil })
	return names, err
}

func (x graphIndex) matchingNames(v loci.Viewer, expression string, features bool) *sqlstore.Query {
	var q sqlstore.Query
	q.Add("SELECT e.seq")
	if features {
		q.Add(", e.id, hits(entities_fts), e.name, octet_length(e.entity_type)")
	}
	q.Add(" FROM entities_fts {join} entities e ON {graph e} e.seq = entities_fts.rowid WHERE {entities_fts} "+
		"entities_fts MATCH ? AND ", expression)
	x.Sees(&q, v, "e", loci.LiveOnly)
	q.Add(" ORDER BY entities_fts.rowid DESC")
	return &q
}

func (x graphIndex) matchingObservations(v loci.Viewer, expression string, features bool) *sqlstore.Query {
	var q sqlstore.Query
	q.Add("SELECT e.seq")
	if features {
		q.Add(", e.id, hits(observations_fts), octet_length(o.content)")
	}
	q.Add(" FROM observations_fts {join} observations o ON {graph o} o.seq = observations_fts.rowid "+
		"{join} entities e ON {graph e} e.id = o.entity_id WHERE {observations_fts} observations_fts MATCH ? AND ",
		expression)
	x.Sees(&q, v, "o", loci.LiveOnly)
	q.Add(" AND ")
	x.Sees(&q, v, "e", loci.LiveOnly)
	q.Add(" ORDER BY observations_fts.rowid DESC")
	return &q
}

// countHits is the SQL function hits(table). It counts how often the words of a query occur in the first column of a
// matching row, plus 2³² times their count in the second. bm25 would read rows that the reader may not see.
func countHits(ctx fts5.Context, result sqlite3.Context, _ ...sqlite3.Value) {
	n, err := ctx.InstCount()
	var counts [2]int64
	for i := 0; i < n && err == nil; i++ {
		var column int
		if _, column, _, err = ctx.Inst(i); err == nil {
			counts[column]++
		}
	}
	if err != nil {
		result.ResultError(err)
		return
	}
	result.ResultInt64(counts[0] | counts[1]<<32)
}

// matchText writes a query in FTS5's syntax. It quotes all words, so none acts as an operator.
func matchText(q *loci.GraphQuery) string {
	if q.Op == loci.GraphWords {
		text := `"` + strings.ReplaceAll(q.Text, `"`, `""`) + `"`
		if q.Prefix {
			text += " *"
		}
		return text
	}
	parts := make([]string, len(q.Parts))
	for i, p := range q.Parts {
		parts[i] = matchText(p)
	}
	return "(" + strings.Join(parts, " "+strings.ToUpper(string(q.Op))+" ") + ")"
}
