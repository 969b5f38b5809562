package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

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
