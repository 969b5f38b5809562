package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

type memories struct{ *Tx }

var insertMemory = "INSERT INTO memories ({org} id, digest, " + Columns("") + ") VALUES ({?} ?, ?" +
	strings.Repeat(", ?", len(stateColumns)) + ")"

func (t memories) Insert(_ context.Context, m *loci.Memory) error {
	if err := t.writable(m.OrgID, m.UserID); err != nil {
		return err
	}
	seq, err := t.c.Insert(insertMemory, append(Args{[16]byte(m.ID), TextDigest(m.Title, m.Content)}, BindState(m)...)...)
	if err = t.d.orTaken(err, "memory %s exists already", m.ID); err != nil {
		return err
	}
	t.hold(&Stored{*m, seq, true})
	if err := t.Index().Change(seq, nil, m); err != nil {
		return err
	}
	return t.memoryChanged(nil, m)
}

func (t memories) Get(_ context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) (*loci.Memory, error) {
	var q Query
	q.put("SELECT ", shownColumns, " FROM memories m WHERE {m} m.id = ? AND ")
	q.bind([16]byte(id))
	t.visible(&q, v, l, t.Now())
	return t.oneMemory(&q)
}

func (t memories) GetMany(_ context.Context, v loci.Viewer, ids []loci.MemoryID, l loci.Lifecycle) (
	[]*loci.Memory, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var q Query
	q.put("SELECT ", shownColumns, " FROM {ids} {join} memories m ON {m} m.id = j.value WHERE ")
	q.bind(listOf(t.d, ids))
	t.visible(&q, v, l, t.Now())
	list, err := t.manyMemories(&q)
	at := make(map[loci.MemoryID]int, len(ids)) // a database may return the rows in any order
	for i, id := range ids {
		at[id] = i
	}
	slices.SortFunc(list, func(a, b *loci.Memory) int { return cmp.Compare(at[a.ID], at[b.ID]) })
	return list, err
}

// listOf returns the one parameter of {ids}.
func listOf[ID ~[16]byte](d *Dialect, ids []ID) any {
	list := make([][16]byte, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	return d.ListIDs(list)
}

func (t memories) ReplacedBy(_ context.Context, v loci.Viewer, id loci.MemoryID, limit int) (
	[]*loci.Memory, error) {
	var q Query
	q.Add("SELECT "+shownColumns+" FROM memories m WHERE {m} m.superseded_by = ? AND ", [16]byte(id))
	t.visible(&q, v, loci.AnyState, t.Now())
	q.Add(" AND m.deleted_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?) ORDER BY m.seq LIMIT ?",
		t.Now().UnixMicro(), limit)
	return t.manyMemories(&q)
}

// row returns a row for writing, whether or not the caller may see it.
func (t memories) row(id loci.MemoryID) (m *Stored, err error) {
	if m = t.held[id]; m != nil {
		return m, nil
	}
	found, err := t.c.One("SELECT "+memoryColumns+" FROM memories m WHERE {m} m.id = ? {lock}", Args{[16]byte(id)},
		func(r Row) (err error) { m, err = t.scanMemory(r); return err })
	return m, orMissing(found, err, loci.NoSuchMemory)
}

var updateMemory = "UPDATE memories SET " + strings.Join(stateColumns, " = ?, ") +
	" = ?, digest = ? WHERE {memories} seq = ?"

func (t memories) Replace(_ context.Context, m *loci.Memory) error {
	if err := t.mine(m.OrgID); err != nil {
		return err
	}
	old, err := t.row(m.ID)
	if err != nil {
		return err
	}
	if old.Version != m.Version-1 {
		return loci.Errorf(loci.Conflict, "memory %s is at version %d", m.ID, old.Version)
	}
	if err := t.knowsUser(m.UserID); err != nil {
		return err
	}
	return t.put(old, m)
}

// put stores m over a row and keeps the old row as a version.
func (t memories) put(old *Stored, m *loci.Memory) error {
	if err := t.keepVersion(old.Seq, &old.Memory, m.UpdatedAt); err != nil {
		return err
	}
	if err := t.c.Exec(updateMemory, append(BindState(m), TextDigest(m.Title, m.Content), old.Seq)...); err != nil {
		return err
	}
	t.hold(&Stored{*m, old.Seq, false})
	if err := t.Index().Change(old.Seq, &old.Memory, m); err != nil {
		return err
	}
	return t.memoryChanged(&old.Memory, m)
}

const (
	purgeable = "SELECT m.seq FROM memories m WHERE {m} m.deleted_at < ? ORDER BY m.deleted_at LIMIT ?"
	ofUser    = "SELECT m.seq FROM memories m WHERE {m} m.user_id = ? ORDER BY m.updated_at LIMIT ?"
	sharedBy  = "SELECT m.id FROM memories m WHERE {m} m.team_id = ? AND m.user_id = ? ORDER BY m.seq LIMIT ?"
)

func (t memories) Purge(_ context.Context, then time.Time, limit int) (int, error) {
	return t.eraseAll(purgeable, CeilMicro(then), limit)
}

func (t memories) EraseOf(_ context.Context, user loci.UserID, limit int) (int, error) {
	return t.eraseAll(ofUser, [16]byte(user), limit)
}

func (t memories) Erase(_ context.Context, id loci.MemoryID) error {
	m, err := t.row(id)
	if err != nil {
		return err
	}
	return t.erase(m)
}

func (t memories) SharedBy(_ context.Context, user loci.UserID, team loci.TeamID, limit int) (
	list []loci.MemoryID, err error) {
	return each(t.c, sharedBy, Args{[16]byte(team), [16]byte(user), limit},
		func(r Row) loci.MemoryID { return r.ID(0) })
}

// eraseAll erases the rows whose numbers the statement selects.
func (t memories) eraseAll(sql string, args ...any) (int, error) {
	seqs, err := all(t.c, sql, args, func(r Row) (int64, error) { return r.Int64(0), nil })
	for some := range slices.Chunk(seqs, memoryBatch) {
		if err == nil {
			err = t.eachSeq(some, "", nil, t.erase)
		}
	}
	return len(seqs), err
}

// eachSeq reads the rows with these numbers that a condition selects, and then calls fn with each.
func (t memories) eachSeq(seqs []int64, condition string, args Args, fn func(*Stored) error) error {
	list, err := all(t.c, "SELECT "+memoryColumns+" FROM {numbered} {join} memories m ON {m} m.seq = j.value"+condition,
		append(Args{t.d.Numbers(seqs)}, args...), t.scanMemory)
	for i := 0; i < len(list) && err == nil; i++ {
		err = fn(list[i])
	}
	return err
}

// erase removes one row and everything derived from it. Foreign keys delete its versions.
func (t memories) erase(m *Stored) error {
	delete(t.held, m.ID)
	if err := t.Index().Change(m.Seq, &m.Memory, nil); err != nil {
		return err
	}
	if err := t.c.Exec("DELETE FROM memories WHERE {memories} seq = ?", m.Seq); err != nil {
		return err
	}
	return t.memoryChanged(&m.Memory, nil)
}

// keepVersion copies a row into its versions. It binds every value, because Citus cannot run
// INSERT … SELECT under row-level security.
func (t memories) keepVersion(seq int64, m *loci.Memory, replacedAt time.Time) error {
	return t.c.Exec(insertVersion, append(Args{seq, replacedAt.UnixMicro()}, BindState(m)...)...)
}

var insertVersion = "INSERT INTO memory_versions ({org} seq, replaced_at, " + Columns("") +
	") VALUES ({?} ?, ?" + strings.Repeat(", ?", len(stateColumns)) + ")"

func (t memories) InsertVersion(_ context.Context, old *loci.Version) error {
	if err := t.mine(old.OrgID); err != nil {
		return err
	}
	var seq int64
	var current int
	found, err := t.c.One("SELECT seq, version FROM memories WHERE {memories} id = ?", Args{[16]byte(old.ID)},
		func(r Row) error { seq, current = r.Int64(0), r.Int(1); return nil })
	if err = orMissing(found, err, loci.NoSuchMemory); err != nil {
		return err
	}
	if old.Version >= current {
		return loci.Errorf(loci.Conflict, "memory %s is at version %d, so %d cannot be an old one", old.ID, current,
			old.Version)
	}
	err = t.keepVersion(seq, &old.Memory, old.ReplacedAt)
	return t.d.orTaken(err, "memory %s has a version %d already", old.ID, old.Version)
}

func (t memories) Versions(_ context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle, before, limit int) (
	[]*loci.Version, error) {
	if err := t.exists(v, id, l); err != nil {
		return nil, err
	}
	var q Query
	t.versionsQuery(&q, v, id, l, before, limit)
	var list []*loci.Version
	err := t.c.Query(q.String(), q.Args, func(r Row) error {
		old := &loci.Version{ReplacedAt: TimeAt(r, 1)}
		old.ID = r.ID(0)
		list = append(list, old)
		return t.scanState(r, 2, &old.Memory)
	})
	return list, err
}

func (t memories) versionsQuery(q *Query, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle, before, limit int) {
	if before <= 0 {
		before = math.MaxInt
	}
	q.Add("SELECT m.id, o.replaced_at, "+Columns("o.")+" FROM memories m {join} memory_versions o ON {o} o.seq = m.seq "+
		"WHERE {m} m.id = ? AND ", [16]byte(id))
	t.visible(q, v, l, t.Now())
	versionMay(q, v, "o")
	q.Add(" AND o.version < ? ORDER BY o.version DESC LIMIT ?", before, limit)
}

// exists returns nil if v may know of the memory, or NotFound.
func (t memories) exists(v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) error {
	var q Query
	q.Add("SELECT 1 FROM memories m WHERE {m} m.id = ? AND ", [16]byte(id))
	t.visible(&q, v, l, t.Now())
	found, err := t.c.One(q.String(), q.Args, func(Row) error { return nil })
	return orMissing(found, err, loci.NoSuchMemory)
}
