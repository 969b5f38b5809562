package sqlitedb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// busyTimeout is for programs that do not use the lock file, such as the sqlite3 shell.
const busyTimeout = 5 * time.Second

// connectWriter opens the writing connection. The caller holds the lock file.
func (db *DB) connectWriter() (*Conn, error) {
	c, err := db.connect("PRAGMA journal_mode = wal")
	if err != nil {
		return nil, err
	}
	if readOnly, _ := c.raw.ReadOnly("main"); readOnly {
		return nil, errors.Join(fmt.Errorf("%w: the file is read-only for this user", ErrReadOnly), c.close())
	}
	// The writer checkpoints itself, after it has answered its callers.
	if err := c.raw.WALAutoCheckpoint(0); err != nil {
		return nil, errors.Join(classify(err), c.close())
	}
	c.raw.WALHook(func(_ *sqlite3.Conn, _ string, pages int) error {
		db.wal.set(pages)
		return nil
	})
	return c, nil
}

func (db *DB) connectReader() (*Conn, error) {
	c, err := db.connect("PRAGMA query_only = on")
	if err != nil || db.opts.Moves {
		return c, err
	}
	if err := db.InPlace(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// connect opens and sets up one connection. last is the pragma that depends on the kind of connection.
func (db *DB) connect(last string) (*Conn, error) {
	// Open has created the file. If it is gone since, it must not come back empty.
	raw, err := sqlite3.OpenFlags(db.openFlags())
	if err != nil {
		return nil, classify(err)
	}
	c := newConn(raw)
	if err := db.prepare(c, last); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (db *DB) prepare(c *Conn, last string) error {
	if err := c.raw.BusyTimeout(busyTimeout); err != nil {
		return classify(err)
	}
	if err := db.opts.configure(c, last); err != nil || db.reading != "" {
		return err
	}
	return verify(c)
}

// configure makes the settings that all connections have, and then more. Plans don't depend on values:
// otherwise SQLite would prepare a statement again whenever a limit or bound changes, which doubled the
// cost of a list. Deleted data is overwritten if that costs no additional writes.
func (o Options) configure(c *Conn, more ...string) error {
	if _, err := c.raw.Config(sqlite3.DBCONFIG_ENABLE_QPSG, true); err != nil {
		return fmt.Errorf("cannot make plans stable: %w", classify(err))
	}
	if o.Setup != nil {
		if err := o.Setup(c.raw); err != nil {
			return fmt.Errorf("cannot set up the connection: %w", classify(err))
		}
	}
	for _, pragma := range append([]string{
		fmt.Sprintf("PRAGMA journal_size_limit = %d", walKeepBytes),
		"PRAGMA trusted_schema = off",
		"PRAGMA foreign_keys = on",
		"PRAGMA temp_store = memory",
		"PRAGMA secure_delete = fast",
		fmt.Sprintf("PRAGMA cache_size = -%d", o.CacheKiB),
		"PRAGMA synchronous = full",
	}, more...) {
		if err := c.raw.Exec(pragma); err != nil {
			err = classify(err)
			if _, known := errors.AsType[*Error](err); known {
				return err // such as of a damaged file, of which no pragma tells anything
			}
			return fmt.Errorf("%s: %w", pragma, err)
		}
	}
	return nil
}

// verify reads back the required settings, because SQLite ignores a pragma that it cannot apply.
func verify(c *Conn) error {
	var mode string
	var foreign, sync int
	for pragma, scan := range map[string]func(*Row) error{
		"PRAGMA journal_mode": func(r *Row) error { mode = r.Text(0); return nil },
		"PRAGMA foreign_keys": func(r *Row) error { foreign = r.Int(0); return nil },
		"PRAGMA synchronous":  func(r *Row) error { sync = r.Int(0); return nil },
	} {
		if _, err := c.One(pragma, nil, scan); err != nil {
			return fmt.Errorf("%s: %w", pragma, err)
		}
	}
	if mode != "wal" {
		return fmt.Errorf("%w: journal mode is %q; network and some container file systems (NFS, SMB, 9p) lack the shared "+
			"memory "+
			"that it needs: put the data directory on a local disk", ErrNotWAL, mode)
	}
	if foreign != 1 || sync != 2 {
		return fmt.Errorf("connection has foreign_keys=%d and synchronous=%d, want 1 and 2", foreign, sync)
	}
	return nil
}

// interruptWith lets ctx stop the statements that run on c, until the returned function is called.
func (c *Conn) interruptWith(ctx context.Context) (restore func()) {
	old := c.raw.SetInterrupt(ctx)
	return func() { c.raw.SetInterrupt(old) }
}
