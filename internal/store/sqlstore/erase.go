package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

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
