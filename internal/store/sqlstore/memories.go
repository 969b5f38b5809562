package sqlstore

import (
	"context"
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
	err := t.c.Exec(insertMemory, append(Args{[16]byte(m.ID), TextDigest(m.Title, m.Content)}, BindState(m)...)...)
	if err = t.d.orTaken(err, "memory %s exists already", m.ID); err != nil {
		return err
	}
	seq, err := t.memorySeq(m.ID)
	if err != nil {
		return err
	}
	if err := t.Index().Change(seq, nil, m); err != nil {
		return err
	}
	return t.memoryChanged(nil, m)
}

func (t memories) Get(_ context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) (*loci.Memory, error) {
	var q Query
	t.getQuery(&q, v, id, l)
	return t.oneMemory(&q)
}

// getQuery has no condition but the visibility predicate. The id is its first parameter.
func (t memories) getQuery(q *Query, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) {
	q.put("SELECT ", shownColumns, " FROM memories m WHERE {m} m.id = ? AND ")
	q.bind([16]byte(id))
	t.visible(q, v, l, t.Now())
}

func (t memories) GetMany(_ context.Context, v loci.Viewer, ids []loci.MemoryID, l loci.Lifecycle) (
	[]*loci.Memory, error) {
	var q Query
	t.getQuery(&q, v, loci.MemoryID{}, l)
	return t.eachID(&q, ids, t.readMemory)
}

// eachID returns the memories that q finds, whose first parameter is an id, in the order of ids.
func (tx *Tx) eachID(q *Query, ids []loci.MemoryID, scan func(Row) (*Stored, error)) (list []*loci.Memory, err error) {
	text := q.String()
	for _, id := range ids {
		q.Args[0] = [16]byte(id)
		_, err := tx.c.One(text, q.Args, func(r Row) error {
			m, err := scan(r)
			if err == nil {
				list = append(list, &m.Memory)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
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
	if err := t.Index().Change(old.Seq, &old.Memory, m); err != nil {
		return err
	}
	return t.memoryChanged(&old.Memory, m)
}
