package sqlite

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// index is the data derived from the memories in one org's file: the postings, which are lists as
// index ranges, and the full-text index.
type index struct {
	*sqlstore.Tx
	c      *sqlitedb.Conn
	shared *sqlitedb.Conn // for statements that contain the visibility rule
	kept   *keptCounts    // nil for a transaction that writes
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
	if old == nil || now == nil || !sameText(old, now) {
		if err := x.changeText(seq, old, now); err != nil {
			return err
		}
	}
	return x.changePostings(seq, before, after)
}

// sameText reports whether the full-text index has the same entries for both.
func sameText(a, b *loci.Memory) bool {
	return a.Title == b.Title && a.Content == b.Content && a.Summary == b.Summary && a.Key == b.Key &&
		a.Category == b.Category && slices.Equal(a.Tags, b.Tags)
}

func (x index) changeText(seq int64, old, now *loci.Memory) error {
	if old != nil {
		if err := x.unindexText(seq, old); err != nil {
			return err
		}
	}
	if now != nil {
		return x.indexText(seq, now)
	}
	return nil
}

// Adopt changes the postings in place. All postings of a row contain its workspace, which is not
// part of their key.
func (x index) Adopt(w loci.WorkspaceID) error {
	return x.c.Exec("UPDATE memory_postings SET workspace_id = ? WHERE workspace_id IS NULL", [16]byte(w))
}

// Rebuild implements sqlstore.Index. It must run in an Update.
func (x index) Rebuild(ctx context.Context) error {
	if err := x.c.Exec("INSERT INTO memory_text (memory_text) VALUES ('delete-all')"); err != nil {
		return err
	}
	if err := x.c.Exec("DELETE FROM memory_postings"); err != nil {
		return err
	}
	if err := addDigests(x.c); err != nil {
		return err
	}
	return x.eachMemory(ctx, "rebuilding the indexes",
		func(m *sqlstore.Stored) error { return x.Change(m.Seq, nil, &m.Memory) })
}
