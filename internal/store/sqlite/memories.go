package sqlite

import (
	"context"
	"errors"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type memories struct{ *tx }

var insertMemory = "INSERT INTO memories (id, " + columns("") + ") VALUES (?" + strings.Repeat(", ?", len(stateColumns)) + ")"

func (t memories) Insert(_ context.Context, m *loci.Memory) error {
	if err := t.mine(m.OrgID); err != nil {
		return err
	}
	if err := t.knowsUser(m.UserID); err != nil {
		return err
	}
	err := t.c.Exec(insertMemory, append([]any{[16]byte(m.ID)}, bindState(m)...)...)
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return loci.WrapError(loci.Conflict, err, "memory %s exists already", m.ID)
	}
	if err != nil {
		return err
	}
	row := &stored{*m, t.c.LastInsertID()}
	if err := t.indexText(row); err != nil {
		return err
	}
	if err := t.changePostings(row.seq, nil, postingsOf(m)); err != nil {
		return err
	}
	return t.memoryChanged(nil, m)
}

func (t memories) Get(_ context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) (*loci.Memory, error) {
	var q query
	t.getQuery(&q, v, id, l)
	return t.oneMemory(&q)
}

// getQuery ends with nothing but the predicate; the id is its first parameter.
func (t memories) getQuery(q *query, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) {
	q.add("SELECT "+memoryColumns+" FROM memories m WHERE m.id = ? AND ", [16]byte(id))
	t.visible(q, v, l, t.now())
}

func (t memories) GetMany(_ context.Context, v loci.Viewer, ids []loci.MemoryID, l loci.Lifecycle) ([]*loci.Memory, error) {
	var q query
	t.getQuery(&q, v, loci.MemoryID{}, l)
	text := q.String()
	var list []*loci.Memory
	for _, id := range ids {
		q.args[0] = [16]byte(id)
		_, err := t.c.One(text, q.args, func(r *sqlitedb.Row) error {
			m, err := t.scanMemory(r)
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

// row returns a row for writing, seen or not.
func (t memories) row(id loci.MemoryID) (m *stored, err error) {
	found, err := t.c.One("SELECT "+memoryColumns+" FROM memories m WHERE m.id = ?", sqlitedb.Args{[16]byte(id)},
		func(r *sqlitedb.Row) (err error) { m, err = t.scanMemory(r); return err })
	if err == nil && !found {
		err = loci.NoSuchMemory()
	}
	return m, err
}

var updateMemory = "UPDATE memories SET " + strings.Join(stateColumns, " = ?, ") + " = ? WHERE seq = ?"

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

// put stores m over a row and keeps that as a version.
func (t memories) put(old *stored, m *loci.Memory) error {
	if err := t.keepVersion(old.seq, m.UpdatedAt); err != nil {
		return err
	}
	if err := t.c.Exec(updateMemory, append(bindState(m), old.seq)...); err != nil {
		return err
	}
	if !sameText(&old.Memory, m) {
		if err := t.unindexText(old); err != nil {
			return err
		}
		if err := t.indexText(&stored{*m, old.seq}); err != nil {
			return err
		}
	}
	if err := t.changePostings(old.seq, postingsOf(&old.Memory), postingsOf(m)); err != nil {
		return err
	}
	return t.memoryChanged(&old.Memory, m)
}
