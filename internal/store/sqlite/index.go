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
