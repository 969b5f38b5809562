//go:build postgres

package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// index finds memories by the indexes of their table, and by the table of their tags.
type index struct {
	*sqlstore.Tx
	c sqlstore.Conn
}

func newIndex(tx *sqlstore.Tx) sqlstore.Index { return index{tx, tx.Conn()} }

func poolsOf(a *loci.Access) (pools [][16]byte) {
	pools = append(pools, a.UserID)
	if !a.TeamID.IsZero() {
		pools = append(pools, a.TeamID)
	}
	if a.Scope == loci.ScopeProject && !a.ProjectID.IsZero() {
		pools = append(pools, a.ProjectID)
	}
	return pools
}

// Change writes all tags of a row anew, in one round trip.
func (x index) Change(seq int64, old, now *loci.Memory) error {
	if old != nil {
		if err := x.c.Exec("DELETE FROM memory_tags WHERE {memory_tags} seq = ?", seq); err != nil {
			return err
		}
	}
	if now == nil || len(now.Tags) == 0 {
		return nil
	}
	c := under(x.c)
	insert, err := expand("INSERT INTO memory_tags ({org} pool, tag, at, seq) VALUES ({?} ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	var batch pgx.Batch
	for _, pool := range poolsOf(&now.Access) {
		for _, tag := range loci.Unique(now.Tags) {
			batch.Queue(insert.text, c.org, pool, tag, now.CreatedAt.UnixMicro(), seq)
		}
	}
	return c.tx.SendBatch(c.ctx, &batch).Close()
}

func (x index) Adopt(loci.WorkspaceID) error { return nil } // no tag names a workspace

func (x index) Near(v loci.Viewer, _ *store.Filter) (loci.Viewer, error) { return v, nil }

// Within cancels the statement that runs when ctx ends, and leaves the transaction usable.
func (x index) Within(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := under(x.c)
	return x.c.Try(func() error {
		defer func(was context.Context) { c.ctx = was }(c.ctx)
		c.ctx = ctx
		return fn()
	})
}

func (x index) Check(context.Context) ([]string, error) { return nil, nil }

func (x index) Rebuild(ctx context.Context) error {
	if err := x.c.Exec("DELETE FROM memory_tags WHERE {memory_tags} TRUE"); err != nil {
		return err
	}
	return x.EachMemory(ctx, func(m *sqlstore.Stored) error { return x.Change(m.Seq, nil, &m.Memory) })
}

func (x index) Walk(l sqlstore.Listing) (sqlstore.Walk, error) {
	w := &walk{index: x, Listing: l, at: "m.created_at"}
	live := l.Filter.Lifecycle == loci.LiveOnly || l.Filter.Lifecycle == loci.CurrentOnly
	if l.Filter.Lifecycle == loci.TrashOnly {
		w.at = "m.deleted_at"
	}
	stages := []string{"m"}
	if !l.Filter.When.KnownAt.IsZero() {
		stages = append(stages, "o")
	}
	tags := []string{""} // none
	if live && l.Filter.When.IsZero() && len(l.Filter.Tags) > 0 {
		if tags = loci.Unique(l.Filter.Tags); l.Filter.AllTags {
			tags = tags[:1]
		}
		w.at = "t.at"
	}
	for _, p := range x.pools(l.Viewer, l.Filter) {
		for _, row := range stages {
			for _, tag := range tags {
				w.parts = append(w.parts, part{p, row, tag})
			}
		}
	}
	return w, nil
}

// pool is one way to reach rows.
type pool struct {
	condition string // on m
	id        [16]byte
}

func (x index) pools(v loci.Viewer, f *store.Filter) (pools []pool) {
	if v.OrgID != x.Org || v.UserID.IsZero() {
		return nil
	}
	team := pool{"m.team_id = ?", v.TeamID}
	switch {
	case v.OnlyProjects:
	case !f.TeamID.IsZero() && f.TeamID == v.TeamID && f.When.KnownAt.IsZero(): // it may have been another's then
		return []pool{team}
	default:
		pools = append(pools, pool{"m.user_id = ?", v.UserID})
		if !v.TeamID.IsZero() {
			pools = append(pools, team)
		}
	}
	for _, id := range loci.Unique(sqlstore.ProjectIDs(v)) {
		pools = append(pools, pool{"m.scope = 'project' AND m.project_id = ?", id})
	}
	return pools
}

// walk merges the parts of a list, each of which one index has in order.
type walk struct {
	index
	sqlstore.Listing
	at    string // the column of the order
	parts []part
}

type part struct {
	pool
	row string // m or o
	tag string
}

func (w *walk) query(q *sqlstore.Query, p part, columns string) {
	switch {
	case p.tag != "":
		q.Add("SELECT "+columns+" FROM memory_tags t {join} memories m ON {m} m.seq = t.seq "+
			"WHERE {t} t.pool = ? AND t.tag = ? AND "+p.condition+" AND ", p.id, p.tag, p.id)
	case p.row == "o":
		q.Add("SELECT "+columns+" FROM memories m {join} memory_versions o ON {o} o.seq = m.seq WHERE {m} "+
			p.condition+" AND ", p.id)
	default:
		q.Add("SELECT "+columns+" FROM memories m WHERE {m} "+p.condition+" AND ", p.id)
	}
	if w.Filter.Key != "" && p.row == "m" { // no parameter tells that a partial index has the rows
		q.Add("m.key <> '' AND ")
	}
	if w.Filter.Pinned && p.row == "m" {
		q.Add("m.pinned AND ")
	}
	w.Passes(q, w.Viewer, w.Filter, w.Now, p.row)
}

func (w *walk) Parts() int { return len(w.parts) }

func (w *walk) Select(q *sqlstore.Query, part int, after sqlstore.Place, n int) {
	compare, order := " < ", " DESC"
	if w.Oldest {
		compare, order = " > ", ""
	}
	w.query(q, w.parts[part], w.at+" AS at, m.seq")
	q.Add(" AND ("+w.at+", m.seq)"+compare+"(?, ?) ORDER BY "+w.at+order+", m.seq"+order+" LIMIT ?",
		after.At, after.Seq, n)
}

// Tagged reads the lists of tags of all rows, which is enough for the proof.
func (x index) Tagged(l sqlstore.Listing, tags []string, except loci.MemoryID) (there []string, err error) {
	var q sqlstore.Query
	q.Add("SELECT t.value FROM jsonb_array_elements_text(?::jsonb) AS t (value) WHERE EXISTS (SELECT 1 FROM memories m "+
		"WHERE {m} m.id <> ? AND EXISTS (SELECT 1 FROM {each m.tags} WHERE each.value = t.value) AND ",
		sqlstore.ToJSON(tags), [16]byte(except))
	x.Passes(&q, l.Viewer, l.Filter, l.Now, "m")
	q.Add(")")
	err = x.c.Query(q.String(), q.Args, func(r sqlstore.Row) error { there = append(there, r.Text(0)); return nil })
	return there, err
}

func (w *walk) Total(limit int) (int, error) {
	seen := map[int64]struct{}{}
	for _, p := range w.parts {
		var q sqlstore.Query
		w.query(&q, p, "m.seq")
		q.Add(" LIMIT ?", limit)
		err := w.c.Query(q.String(), q.Args, func(r sqlstore.Row) error { seen[r.Int64(0)] = struct{}{}; return nil })
		if err != nil || len(seen) >= limit {
			return min(len(seen), limit), err
		}
	}
	return len(seen), nil
}
