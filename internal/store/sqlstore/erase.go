package sqlstore

import (
	"context"
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
	err = t.c.Query(sharedBy, Args{[16]byte(team), [16]byte(user), limit},
		func(r Row) error { list = append(list, r.ID(0)); return nil })
	return list, err
}

// eraseAll erases the rows whose numbers the statement selects.
func (t memories) eraseAll(sql string, args ...any) (int, error) {
	var seqs []int64
	err := t.c.Query(sql, args, func(r Row) error { seqs = append(seqs, r.Int64(0)); return nil })
	if err != nil {
		return 0, err
	}
	for _, seq := range seqs {
		var m *Stored
		_, err := t.c.One("SELECT "+memoryColumns+" FROM memories m WHERE {m} m.seq = ?", Args{seq},
			func(r Row) (err error) { m, err = t.scanMemory(r); return err })
		if err == nil {
			err = t.erase(m)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(seqs), nil
}

// erase removes one row and everything derived from it. Foreign keys delete its versions.
func (t memories) erase(m *Stored) error {
	if err := t.Index().Change(m.Seq, &m.Memory, nil); err != nil {
		return err
	}
	if err := t.c.Exec("DELETE FROM memories WHERE {memories} seq = ?", m.Seq); err != nil {
		return err
	}
	return t.memoryChanged(&m.Memory, nil)
}
