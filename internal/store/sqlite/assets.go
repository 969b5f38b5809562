package sqlite

import (
	"context"
	"encoding/hex"
	"errors"
	"os"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type assets struct{ *tx }

func (tx *tx) Assets() store.Assets { return assets{tx} }

// Insert gives the bytes a new time. It fails where a sweep was quicker, and the next
// sweep, which looks in a transaction like this one, leaves them alone.
func (t assets) Insert(_ context.Context, a loci.Asset) error {
	sum, err := hex.DecodeString(a.SHA256)
	if err != nil || len(sum) != 32 {
		return loci.FieldErrorf("sha256", "must be 64 hexadecimal digits")
	}
	seq, err := t.memorySeq(a.MemoryID)
	if err != nil {
		return err
	}
	now := t.now()
	if err := os.Chtimes(blobPath(t.dir, t.org, sum), now, now); errors.Is(err, os.ErrNotExist) {
		return loci.Errorf(loci.Conflict, "the bytes of this attachment are not there any more; upload it again")
	} else if err != nil {
		return fileError(err)
	}
	err = t.c.Exec("INSERT INTO assets (id, memory_seq, user_id, origin, name, media_type, size, sha256, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		[16]byte(a.ID), seq, [16]byte(a.UserID), a.Origin, a.Name, a.MediaType, a.Size, sum, a.CreatedAt.UnixMicro())
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return loci.WrapError(loci.Conflict, err, "attachment %s exists already", a.ID)
	}
	return err
}

// memorySeq returns the number of a memory's row, seen or not, or NotFound.
func (tx *tx) memorySeq(id loci.MemoryID) (seq int64, err error) {
	found, err := tx.c.One("SELECT seq FROM memories WHERE id = ?", sqlitedb.Args{[16]byte(id)},
		func(r *sqlitedb.Row) error { seq = r.Int64(0); return nil })
	if err == nil && !found {
		err = loci.NoSuchMemory()
	}
	return seq, err
}

// assetColumns are read by scanAsset.
const assetColumns = "a.id, m.id, a.user_id, a.origin, a.name, a.media_type, a.size, a.sha256, a.created_at"

func (t assets) Get(_ context.Context, v loci.Viewer, id loci.AssetID, l loci.Lifecycle) (a loci.Asset, err error) {
	var q query
	q.add("SELECT "+assetColumns+" FROM assets a CROSS JOIN memories m ON m.seq = a.memory_seq WHERE a.id = ? AND ", [16]byte(id))
	t.visible(&q, v, l, t.now())
	found, err := t.c.One(q.String(), q.args, func(r *sqlitedb.Row) error { a = scanAsset(r); return nil })
	if err == nil && !found {
		err = noAsset()
	}
	return a, err
}

func noAsset() error { return loci.Errorf(loci.NotFound, "no such attachment") }

func (t assets) List(_ context.Context, v loci.Viewer, memory loci.MemoryID, l loci.Lifecycle) (list []loci.Asset, err error) {
	if err := memories(t).exists(v, memory, l); err != nil {
		return nil, err
	}
	var q query
	t.listQuery(&q, v, memory, l)
	q.add(" ORDER BY a.created_at, a.seq")
	err = t.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error { list = append(list, scanAsset(r)); return nil })
	return list, err
}

func (t assets) listQuery(q *query, v loci.Viewer, memory loci.MemoryID, l loci.Lifecycle) {
	q.add("SELECT "+assetColumns+" FROM memories m CROSS JOIN assets a ON a.memory_seq = m.seq WHERE m.id = ? AND ", [16]byte(memory))
	t.visible(q, v, l, t.now())
}

func scanAsset(r *sqlitedb.Row) loci.Asset {
	return loci.Asset{ID: r.ID(0), MemoryID: r.ID(1), UserID: r.ID(2), Origin: r.Text(3), Name: r.Text(4), MediaType: r.Text(5),
		Size: r.Int64(6), SHA256: hex.EncodeToString(r.Raw(7)), CreatedAt: timeAt(r, 8)}
}

func (t assets) Remove(_ context.Context, id loci.AssetID) error {
	err := t.c.Exec("DELETE FROM assets WHERE id = ?", [16]byte(id))
	if err == nil && t.c.Changes() == 0 {
		err = noAsset()
	}
	return err
}

func (t assets) Usage(_ context.Context, user loci.UserID) (n int64, err error) {
	sql, args := "SELECT ifnull(sum(size), 0) FROM assets", sqlitedb.Args(nil)
	if !user.IsZero() {
		sql, args = sql+" WHERE user_id = ?", sqlitedb.Args{[16]byte(user)}
	}
	_, err = t.c.One(sql, args, func(r *sqlitedb.Row) error { n = r.Int64(0); return nil })
	return n, err
}
