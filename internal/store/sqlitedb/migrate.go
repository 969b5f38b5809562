package sqlitedb

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

// Migration is one step of the schema. It never changes once released.
type Migration struct {
	Number int    // 1, 2, 3 …
	Name   string // compared with the name that the file has for the number
	SQL    string // one or more statements, no BEGIN or COMMIT
	// Func is optional and runs after SQL in the same transaction. It depends only on the file: the first new file is the
	// template of the next ones.
	Func func(*Conn) error
}

// ReadMigrations reads the files of a directory, which are named <number>_<name>.sql. They are part of
// the program, so an error in them is a panic.
func ReadMigrations(files embed.FS, dir string) (list []Migration) {
	entries, err := files.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		number, name, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(fmt.Sprintf("migration %s has no number", e.Name()))
		}
		text, err := files.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			panic(err)
		}
		list = append(list, Migration{Number: n, Name: name, SQL: string(text)})
	}
	return list
}

const migrationsTable = `CREATE TABLE IF NOT EXISTS _migrations (
	number INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	applied_at INTEGER NOT NULL
) STRICT`

// migrate brings the schema up to date. The caller holds the lock file. It checks foreign keys at the end of each
// step instead of during the step, because rebuilding a table requires that. Cascades do not happen.
func migrate(ctx context.Context, c *Conn, opts Options) (err error) {
	defer c.interruptWith(ctx)()
	applied, err := appliedMigrations(c)
	if err != nil {
		return interrupted(ctx, err)
	}
	if err := checkApplied(applied, opts.Migrations); err != nil {
		return err
	}
	if len(applied) >= len(opts.Migrations) {
		return nil
	}
	if err := c.Exec("PRAGMA foreign_keys = off"); err != nil {
		return err
	}
	for _, m := range opts.Migrations[len(applied):] {
		if err := apply(c, m, opts.Now().UnixMicro()); err != nil {
			return fmt.Errorf("migration %d %q: %w", m.Number, m.Name, interrupted(ctx, err))
		}
	}
	return c.Exec("PRAGMA foreign_keys = on")
}

// appliedMigrations returns the names in the file, in order.
func appliedMigrations(c *Conn) (names []string, err error) {
	if err := c.Exec(migrationsTable); err != nil {
		return nil, err
	}
	err = c.Query("SELECT number, name FROM _migrations ORDER BY number", nil, func(r *Row) error {
		names = append(names, r.Text(1))
		if r.Int(0) != len(names) {
			return fmt.Errorf("%w: _migrations has number %d where %d belongs", ErrCorrupt, r.Int(0), len(names))
		}
		return nil
	})
	return names, err
}

func checkApplied(applied []string, known []Migration) error {
	if len(applied) > len(known) {
		return fmt.Errorf("%w (its schema is at %d, this program knows %d)", ErrNewer, len(applied), len(known))
	}
	for i, name := range applied {
		if known[i].Name != name {
			return fmt.Errorf("migration %d is %q in the file and %q in this program: it is another program's database", i+1,
				name, known[i].Name)
		}
	}
	return nil
}

func apply(c *Conn, m Migration, now int64) (err error) {
	if err := c.tx("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	c.lent = true
	defer func() {
		c.lent = false
		if !c.raw.GetAutocommit() {
			err = errors.Join(err, c.rollbackAnyway())
		}
	}()
	if err := steps(c, m); err != nil {
		return err
	}
	if c.raw.GetAutocommit() {
		return errEndedTx
	}
	if err := c.Exec("INSERT INTO _migrations (number, name, applied_at) VALUES (?, ?, ?)", m.Number, m.Name,
		now); err != nil {
		return err
	}
	return c.tx("COMMIT")
}

func steps(c *Conn, m Migration) error {
	if m.SQL != "" {
		if err := c.Script(m.SQL); err != nil {
			return err
		}
	}
	if m.Func != nil {
		if err := m.Func(c); err != nil {
			return classify(err)
		}
	}
	dangling, err := danglingKeys(c, 1)
	if err == nil && len(dangling) > 0 {
		err = fmt.Errorf("%w: %s", ErrConstraintForeignKey, dangling[0])
	}
	return err
}

// rollbackAnyway rolls back even if the connection's context has ended.
func (c *Conn) rollbackAnyway() error {
	defer c.interruptWith(context.WithoutCancel(c.raw.GetInterrupt()))()
	return c.tx("ROLLBACK")
}

// place identifies the files that a database was opened as. If a file is deleted or replaced
// while it is open, it still accepts writes, but they are lost when the process ends.
type place struct{ file, log os.FileInfo }

// remember stores the identity of the open database's files.
func (db *DB) remember() error {
	file, err := os.Stat(db.opts.Path)
	if err != nil {
		return err
	}
	if at := db.at.Load(); at != nil && !os.SameFile(file, at.file) {
		return db.InPlace()
	}
	log, _ := os.Stat(db.opts.Path + "-wal") // not there yet before the first read
	db.at.Store(&place{file, log})
	return nil
}

// InPlace returns an error of class ErrGone if the database's file or its log is no longer where
// it was opened. From then on every call fails with that error, unless the file may move.
func (db *DB) InPlace() error {
	at := db.at.Load()
	err := same(db.opts.Path, at.file)
	if err == nil && at.log != nil {
		err = same(db.opts.Path+"-wal", at.log)
	}
	if err == nil {
		return nil
	}
	gone := &Error{Class: ErrGone, Cause: err}
	if !db.opts.Moves {
		db.gone.CompareAndSwap(nil, gone)
	}
	return gone
}

func same(path string, was os.FileInfo) error {
	is, err := os.Stat(path)
	if err == nil && !os.SameFile(is, was) {
		err = fmt.Errorf("%s is another file", path)
	}
	return err
}

// refuse returns the error of InPlace if it has failed before.
func (db *DB) refuse() error {
	if err := db.gone.Load(); err != nil {
		return err
	}
	return nil
}
