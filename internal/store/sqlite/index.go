package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// counts are those of the ranges of a file.
type counts = memo.Memo[countKey, store.Stamp, rangeCount]

// index is the data derived from the memories in one org's file: the postings, which are lists as index ranges.
type index struct {
	*sqlstore.Tx
	c      *sqlitedb.Conn
	shared *sqlitedb.Conn // for statements that contain the visibility rule
	counts *counts        // nil for a transaction that writes
}

// Change implements sqlstore.Index.
func (x index) Change(seq int64, old, now *loci.Memory) error {
	var before, after []posting
	if old != nil {
		before = postingsOf(old)
	}
	if now != nil {
		after = postingsOf(now)
	}
	return x.changePostings(seq, before, after)
}

// Within implements sqlstore.Index.
func (x index) Within(ctx context.Context, fn func() error) error { return x.c.Within(ctx, fn) }

// Adopt changes the postings in place. All postings of a row contain its workspace, which is not part of their key.
func (x index) Adopt(w loci.WorkspaceID) error {
	return x.c.Exec("UPDATE memory_postings SET workspace_id = ? WHERE workspace_id IS NULL", [16]byte(w))
}

// Rebuild implements sqlstore.Index. It must run in an Update.
func (x index) Rebuild(ctx context.Context) error {
	if err := x.c.Exec("DELETE FROM memory_postings"); err != nil {
		return err
	}
	if err := addDigests(x.c); err != nil {
		return err
	}
	return x.eachMemory(ctx, "rebuilding the indexes",
		func(m *sqlstore.Stored) error { return x.Change(m.Seq, nil, &m.Memory) })
}

func indexOf(t store.Tx) index {
	return t.(*sqlstore.Tx).Index().(index) //nolint:forcetypeassert // a transaction of this engine
}

func (s *Store) tx(f *orgFile, c *sqlitedb.Conn) *sqlstore.Tx {
	return sqlstore.New(sharedConn(c), dialect, f.options)
}

// readTx returns a transaction that only reads. stamp is from before its snapshot.
func (s *Store) readTx(f *orgFile, c *sqlitedb.Conn, stamp sqlitedb.Stamp) *sqlstore.Tx {
	tx := s.tx(f, c)
	tx.Kept = sqlstore.KeptPages{Of: s.pages, Stamp: publicStamp(stamp), Now: f.now}
	return tx
}

// newIndex returns the index of a transaction. One that only reads also has what the file keeps.
func (f *orgFile) newIndex(tx *sqlstore.Tx) sqlstore.Index {
	x := indexOn(tx)
	if tx.Kept.Of != nil {
		x.counts = f.counts
	}
	return x
}

// stamp identifies what the file contains.
func (f *orgFile) stamp() (store.Stamp, bool) {
	stamp, ok := f.DB.Stamp()
	return publicStamp(stamp), ok
}

func indexOn(tx *sqlstore.Tx) index {
	shared := tx.Conn().(conn).Conn //nolint:forcetypeassert // a transaction of this engine
	return index{Tx: tx, c: shared.Plain(), shared: shared}
}
