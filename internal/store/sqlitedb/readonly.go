package sqlitedb

import (
	"errors"
	"os"

	"github.com/ncruces/go-sqlite3"
)

// Unwritable returns why Update fails, if the file was opened only to read; else nil.
func (db *DB) Unwritable() error { return db.unwritable }

// openToRead opens an existing file that cannot be written. If there are changes in its log, SQLite reads them with
// the log's index, which it shares with other processes, or else rebuilds in memory. Without such changes SQLite may
// need to create that index. So then the file is opened as one that does not change, and this process shares the pen,
// for which writers wait.
func (db *DB) openToRead() (err error) {
	db.writer, db.lock, db.reading = nil, &fileLock{}, "immutable=1"
	defer func() {
		if err != nil {
			db.lock.close()
		}
	}()
	if f, err := os.Open(db.opts.Path + lockSuffix); err == nil { // otherwise no process has ever opened the file
		db.lock.f = f
		if err := share(f, pen); err != nil {
			return err
		}
	}
	if log, err := os.Stat(db.opts.Path + "-wal"); err == nil && log.Size() > 0 {
		db.lock.close()
		db.reading = "mode=ro"
	}
	if err := db.remember(); err != nil {
		return err
	}
	c, err := db.connectReader()
	if err != nil {
		return err
	}
	applied, err := appliedMigrations(c)
	if err == nil && len(applied) < len(db.opts.Migrations) {
		err = errors.New("it has an older schema, which cannot be brought up to date")
	}
	return errors.Join(err, checkApplied(applied, db.opts.Migrations), c.close())
}

// openFlags returns the name and the flags with which SQLite opens the file.
func (db *DB) openFlags() (name string, flags sqlite3.OpenFlag) {
	if db.reading != "" {
		return uri(db.opts.Path) + "&" + db.reading, sqlite3.OPEN_READONLY | sqlite3.OPEN_URI
	}
	return uri(db.opts.Path), sqlite3.OPEN_READWRITE | sqlite3.OPEN_URI
}
