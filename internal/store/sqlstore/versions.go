package sqlstore

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

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
