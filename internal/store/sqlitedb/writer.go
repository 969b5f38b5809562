package sqlitedb

import (
	"cmp"
	"context"
	"errors"

	"github.com/ncruces/go-sqlite3"
)

var errEndedTx = errors.New("sqlitedb: the transaction was rolled back while the function ran")

// Update runs fn inside a transaction, as [group.Writer.Update] does. See the package comment for what fn must not do.
func (db *DB) Update(ctx context.Context, fn func(*Conn) error) error {
	if db.unwritable != nil {
		return cmp.Or(ctx.Err(), db.unwritable)
	}
	return db.group.Update(ctx, fn)
}

// engine implements group.Engine with the writer connection.
type engine struct{ *DB }

func (e engine) Lock() error { return e.lock.acquire(e.hurry) }

func (e engine) TryLock() bool { return e.lock.try() }

func (e engine) Unlock() { e.lock.release() }

func (e engine) Begin() error {
	if err := e.mendWriter(); err != nil {
		return err
	}
	e.readers.endKept() // they will be old, and until they end the log can't start over
	c := e.writer
	err := c.tx("BEGIN IMMEDIATE")
	c.stampFrom(e.DB)
	c.common = e.opts.Common
	return err
}

// Call fails if SQLite itself ended the transaction.
func (e engine) Call(fn func(*Conn) error) error {
	c := e.writer
	defer func() { c.lent = false }()
	c.lent = true
	err := classify(fn(c))
	switch {
	case err != nil:
		return err
	case c.raw.GetAutocommit():
		return errEndedTx
	}
	return unresolved(c)
}

// unresolved returns an error if the function left a deferred foreign key dangling. At COMMIT it
// would fail the whole batch.
func unresolved(c *Conn) error {
	n, _, err := c.raw.Status(sqlite3.DBSTATUS_DEFERRED_FKS, false)
	if err == nil && n > 0 {
		err = sqlite3.CONSTRAINT_FOREIGNKEY
	}
	return classify(err)
}

func (e engine) Mark() int64 { return e.writer.mark() }

func (e engine) Save() error { return e.writer.tx("SAVEPOINT one") }

func (e engine) Release() error { return e.writer.tx("RELEASE one") }

func (e engine) Restore() bool { return e.writer.tx("ROLLBACK TO one") == nil && e.Release() == nil }

func (e engine) Intact() bool { return !e.writer.inDriver && !e.writer.raw.GetAutocommit() }

// Commit commits only if the files are still in their place.
func (e engine) Commit() error {
	if err := e.InPlace(); err != nil {
		return err
	}
	c := e.writer
	err := c.tx("COMMIT")
	if after, ok := e.Stamp(); err == nil && ok && c.stamped && !c.rare && after.follows(c.stamp) {
		e.steady.committed(c.stamp, after)
	}
	return err
}

// Rollback drops a connection that cannot even roll back, or that a panic interrupted inside SQLite. Its locks are
// released with its files, and nothing uncommitted is kept.
func (e engine) Rollback() {
	c := e.writer
	c.other++ // also if SQLite itself has ended the transaction
	if !c.inDriver && (c.raw.GetAutocommit() || c.tx("ROLLBACK") == nil) {
		return
	}
	e.writer = nil
	e.wal = walGauge{}
	c.discard()
}

func (e engine) Settle() { e.checkpoint() }

func (e engine) Unsettled() bool { return e.wal.pages >= max(e.wal.copyAt, walLeastPages) }

// mendWriter opens a new writer connection if the last one was dropped.
func (db *DB) mendWriter() (err error) {
	if db.writer == nil {
		if db.writer, err = db.connectWriter(); err == nil {
			err = db.remember() // the log is deleted with the last connection that closes
		}
	}
	return err
}
