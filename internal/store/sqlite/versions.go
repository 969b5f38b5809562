package sqlite

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// keepVersion copies the row as it is into its versions.
func (t memories) keepVersion(seq int64, replacedAt time.Time) error {
	return t.c.Exec(keepVersion, replacedAt.UnixMicro(), seq)
}

var keepVersion = "INSERT INTO memory_versions (seq, replaced_at, " + columns("") +
	") SELECT seq, ?, " + columns("") + " FROM memories WHERE seq = ?"

var insertVersion = "INSERT INTO memory_versions (seq, replaced_at, " + columns("") +
	") VALUES (?, ?" + strings.Repeat(", ?", len(stateColumns)) + ")"

func (t memories) InsertVersion(_ context.Context, old *loci.Version) error {
	if err := t.mine(old.OrgID); err != nil {
		return err
	}
	var seq int64
	var current int
	found, err := t.c.One("SELECT seq, version FROM memories WHERE id = ?", sqlitedb.Args{[16]byte(old.ID)},
		func(r *sqlitedb.Row) error { seq, current = r.Int64(0), r.Int(1); return nil })
	if err != nil {
		return err
	}
	if !found {
		return loci.NoSuchMemory()
	}
	if old.Version >= current {
		return loci.Errorf(loci.Conflict, "memory %s is at version %d, so %d cannot be an old one", old.ID, current, old.Version)
	}
	err = t.c.Exec(insertVersion, append([]any{seq, old.ReplacedAt.UnixMicro()}, bindState(&old.Memory)...)...)
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return loci.WrapError(loci.Conflict, err, "memory %s has a version %d already", old.ID, old.Version)
	}
	return err
}

func (t memories) Versions(_ context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle, before, limit int) ([]*loci.Version, error) {
	if err := t.exists(v, id, l); err != nil {
		return nil, err
	}
	var q query
	t.versionsQuery(&q, v, id, l, before, limit)
	var list []*loci.Version
	err := t.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
		old := &loci.Version{ReplacedAt: timeAt(r, 1)}
		old.ID = r.ID(0)
		list = append(list, old)
		return t.scanState(r, 2, &old.Memory)
	})
	return list, err
}

func (t memories) versionsQuery(q *query, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle, before, limit int) {
	if before <= 0 {
		before = math.MaxInt
	}
	q.add("SELECT m.id, o.replaced_at, "+columns("o.")+" FROM memories m CROSS JOIN memory_versions o ON o.seq = m.seq WHERE m.id = ? AND ", [16]byte(id))
	t.visible(q, v, l, t.now())
	versionMay(q, v, "o")
	q.add(" AND o.version < ? ORDER BY o.version DESC LIMIT ?", before, limit)
}

// exists returns nil if v may know of the memory, or NotFound.
func (t memories) exists(v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) error {
	var q query
	q.add("SELECT 1 FROM memories m WHERE m.id = ? AND ", [16]byte(id))
	t.visible(&q, v, l, t.now())
	found, err := t.c.One(q.String(), q.args, func(*sqlitedb.Row) error { return nil })
	if err == nil && !found {
		err = loci.NoSuchMemory()
	}
	return err
}
