package sqlstore

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type sources struct{ *Tx }

// maxAllSources limits the sources of one memory from all writers. The limit in the writer's error message counts
// only the writer's own sources. Any other count would include rows that the writer may not see.
const maxAllSources = 20 * loci.MaxSources

func (t sources) Insert(_ context.Context, s loci.Source) error {
	seq, err := t.memorySeq(s.MemoryID)
	if err != nil {
		return err
	}
	if err := t.roomFor(seq, &s); err != nil {
		return err
	}
	err = t.c.Exec(`INSERT INTO sources ({org} id, memory_seq, kind, ref, text, quote, start, "end", user_id, origin,
		allowed_vendors, created_at)
		VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [16]byte(s.ID), seq, string(s.Kind), s.Ref, s.Text, s.Quote,
		s.Start, s.End,
		[16]byte(s.UserID), s.Origin, ToJSON(s.AllowedVendors), s.CreatedAt.UnixMicro())
	return t.d.orTaken(err, "source %s exists already", s.ID)
}

func (t sources) roomFor(memory int64, s *loci.Source) error {
	if m := t.held[s.MemoryID]; m != nil && m.bare {
		m.bare = false
		return nil
	}
	var all, own int
	_, err := t.c.One("SELECT count(*), count(*) FILTER (WHERE user_id = ? AND origin = ?) FROM sources WHERE "+
		"{sources} memory_seq = ?",
		Args{[16]byte(s.UserID), s.Origin, memory}, func(r Row) error { all, own = r.Int(0), r.Int(1); return nil })
	switch {
	case err != nil:
		return err
	case own >= loci.MaxSources:
		return loci.Errorf(loci.Conflict, "you have added %d sources to this memory, which is the limit; remove one first",
			loci.MaxSources)
	case all >= maxAllSources:
		return noRoom()
	}
	return nil
}

// noRoom returns the error for a writer when rows that the writer may not see leave no room. It
// does not reveal which limit was reached.
func noRoom() error {
	return loci.Errorf(loci.Full, "no room is left for this; nothing was written")
}

const sourceColumns = "s.id, m.id, s.kind, s.ref, s.text, s.quote, s.start, s.end, s.user_id, s.origin, " +
	"s.allowed_vendors, s.created_at"

func (t sources) Get(_ context.Context, v loci.Viewer, id loci.SourceID, l loci.Lifecycle) (s loci.Source, err error) {
	var q Query
	q.Add("SELECT "+sourceColumns+" FROM sources s {join} memories m ON {m} m.seq = s.memory_seq WHERE {s} s.id = ? AND ",
		[16]byte(id))
	t.visible(&q, v, l, t.Now())
	vendorMay(&q, v, "s")
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { s, err = scanSource(r); return err })
	return s, orMissing(found, err, noSource)
}

func (t sources) Between(_ context.Context, v loci.Viewer, r store.IDRange[loci.SourceID]) ([]loci.Source, error) {
	if r.Limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var q Query
	q.Add("SELECT "+sourceColumns+
		" FROM sources s {join} memories m ON {m} m.seq = s.memory_seq WHERE {s} s.id >= ? AND s.id <= ? AND ",
		[16]byte(r.First), [16]byte(r.Last))
	t.visible(&q, v, r.Lifecycle, t.Now())
	vendorMay(&q, v, "s")
	q.Add(" ORDER BY s.id LIMIT ?", r.Limit)
	return t.many(&q)
}

// many returns the rows of q, which selects sourceColumns.
func (t sources) many(q *Query) ([]loci.Source, error) {
	return all(t.c, q.String(), q.Args, scanSource)
}

func noSource() error { return loci.Errorf(loci.NotFound, "no such source") }

func (t sources) List(_ context.Context, v loci.Viewer, ids []loci.MemoryID, l loci.Lifecycle) ([]loci.Source, error) {
	bare := func(id loci.MemoryID) bool { return t.held[id] != nil && t.held[id].bare }
	ids = slices.DeleteFunc(slices.Clone(loci.Unique(ids)), bare)
	if len(ids) == 0 {
		return nil, nil
	}
	var q Query
	t.listQuery(&q, v, ids, l)
	q.Add(" ORDER BY s.created_at, s.seq")
	return t.many(&q)
}

func (t sources) Of(_ context.Context, user loci.UserID, kind loci.SourceKind, ref string) (ids []loci.MemoryID,
	err error) {
	return each(t.c, "SELECT DISTINCT m.id FROM sources s {join} memories m ON {m} m.seq = s.memory_seq WHERE {s} "+
		"s.kind = ? AND s.ref = ? AND m.user_id = ?", Args{string(kind), ref, [16]byte(user)},
		func(r Row) loci.MemoryID { return r.ID(0) })
}

// listQuery finds the rows by id before it looks who may see them. Given both conditions of one table, SQLite may read
// all rows of the person instead.
func (t sources) listQuery(q *Query, v loci.Viewer, ids []loci.MemoryID, l loci.Lifecycle) {
	q.Add("SELECT "+sourceColumns+` FROM {ids} {join} memories a ON {a} a.id = j.value
		{join} memories m ON {m} m.seq = a.seq {join} sources s ON {s} s.memory_seq = m.seq WHERE `, listOf(t.d, ids))
	t.visible(q, v, l, t.Now())
	vendorMay(q, v, "s")
}

func scanSource(r Row) (s loci.Source, err error) {
	s = loci.Source{ID: r.ID(0), MemoryID: r.ID(1), Kind: loci.SourceKind(r.Text(2)), Ref: r.Text(3), Text: r.Text(4),
		Quote: r.Text(5),
		Start: r.Int(6), End: r.Int(7), UserID: r.ID(8), Origin: r.Text(9), CreatedAt: TimeAt(r, 11)}
	s.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(10))
	return s, err
}

func (t sources) Remove(_ context.Context, id loci.SourceID) error {
	err := t.c.Exec("DELETE FROM sources WHERE {sources} id = ?", [16]byte(id))
	return orMissing(t.c.Changes() > 0, err, noSource)
}
