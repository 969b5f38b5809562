package sqlstore

import (
	"context"
	"encoding/hex"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type assets struct{ *Tx }

// Insert updates the time of the bytes. It fails if a sweep has already removed them. The next
// sweep skips them, because it checks in a transaction like this one.
func (t assets) Insert(_ context.Context, a loci.Asset) error {
	sum, err := hex.DecodeString(a.SHA256)
	if err != nil || len(sum) != 32 {
		return loci.FieldErrorf("sha256", "must be 64 hexadecimal digits")
	}
	seq, err := t.memorySeq(a.MemoryID)
	if err != nil {
		return err
	}
	if err := t.KeepBlob(t.Org, sum, t.Now()); err != nil {
		return err
	}
	err = t.c.Exec("INSERT INTO assets ({org} id, memory_seq, user_id, origin, name, media_type, size, sha256, "+
		"created_at) VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		[16]byte(a.ID), seq, [16]byte(a.UserID), a.Origin, a.Name, a.MediaType, a.Size, sum, a.CreatedAt.UnixMicro())
	return t.d.orTaken(err, "attachment %s exists already", a.ID)
}

// memorySeq returns the row number of a memory, whether or not the caller may see it, or NotFound.
func (tx *Tx) memorySeq(id loci.MemoryID) (seq int64, err error) {
	if m := tx.held[id]; m != nil {
		return m.Seq, nil
	}
	found, err := tx.c.One("SELECT seq FROM memories WHERE {memories} id = ?", Args{[16]byte(id)},
		func(r Row) error { seq = r.Int64(0); return nil })
	return seq, orMissing(found, err, loci.NoSuchMemory)
}

const assetColumns = "a.id, m.id, a.user_id, a.origin, a.name, a.media_type, a.size, a.sha256, a.created_at"

func (t assets) Get(_ context.Context, v loci.Viewer, id loci.AssetID, l loci.Lifecycle) (a loci.Asset, err error) {
	var q Query
	q.Add("SELECT "+assetColumns+" FROM assets a {join} memories m ON {m} m.seq = a.memory_seq WHERE {a} a.id = ? AND ",
		[16]byte(id))
	t.visible(&q, v, l, t.Now())
	found, err := t.c.One(q.String(), q.Args, func(r Row) error { a = scanAsset(r); return nil })
	return a, orMissing(found, err, noAsset)
}

func (t assets) Between(_ context.Context, v loci.Viewer, r store.IDRange[loci.AssetID]) (
	list []loci.Asset, err error) {
	if r.Limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var q Query
	q.Add("SELECT "+assetColumns+
		" FROM assets a {join} memories m ON {m} m.seq = a.memory_seq WHERE {a} a.id >= ? AND a.id <= ? AND ",
		[16]byte(r.First), [16]byte(r.Last))
	t.visible(&q, v, r.Lifecycle, t.Now())
	q.Add(" ORDER BY a.id LIMIT ?", r.Limit)
	return each(t.c, q.String(), q.Args, scanAsset)
}

func noAsset() error { return loci.Errorf(loci.NotFound, "no such attachment") }

func (t assets) List(_ context.Context, v loci.Viewer, memory loci.MemoryID, l loci.Lifecycle) (
	list []loci.Asset, err error) {
	if err := memories(t).exists(v, memory, l); err != nil {
		return nil, err
	}
	var q Query
	t.listQuery(&q, v, memory, l)
	q.Add(" ORDER BY a.created_at, a.seq")
	return each(t.c, q.String(), q.Args, scanAsset)
}

func (t assets) listQuery(q *Query, v loci.Viewer, memory loci.MemoryID, l loci.Lifecycle) {
	q.Add("SELECT "+assetColumns+" FROM memories m {join} assets a ON {a} a.memory_seq = m.seq WHERE {m} m.id = ? AND ",
		[16]byte(memory))
	t.visible(q, v, l, t.Now())
}

func scanAsset(r Row) loci.Asset {
	return loci.Asset{ID: r.ID(0), MemoryID: r.ID(1), UserID: r.ID(2), Origin: r.Text(3), Name: r.Text(4),
		MediaType: r.Text(5),
		Size:      r.Int64(6), SHA256: hex.EncodeToString(r.Raw(7)), CreatedAt: TimeAt(r, 8)}
}

func (t assets) Remove(_ context.Context, id loci.AssetID) error {
	err := t.c.Exec("DELETE FROM assets WHERE {assets} id = ?", [16]byte(id))
	return orMissing(t.c.Changes() > 0, err, noAsset)
}

func (t assets) Usage(_ context.Context, user loci.UserID) (n int64, err error) {
	sql, args := "SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM assets WHERE {assets} TRUE", Args(nil)
	if !user.IsZero() {
		sql, args = sql+" AND user_id = ?", Args{[16]byte(user)}
	}
	_, err = t.c.One(sql, args, func(r Row) error { n = r.Int64(0); return nil })
	return n, err
}

// NamesBlob reports whether an attachment has the bytes with that checksum.
func (tx *Tx) NamesBlob(sum []byte) (bool, error) {
	return tx.there("SELECT 1 FROM assets WHERE {assets} sha256 = ? LIMIT 1", sum)
}
