package sqlite

import (
	"context"
	"errors"
	"strconv"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// dialect is the dialect of SQLite. Each org has its own file.
var dialect = &sqlstore.Dialect{
	Join:     "CROSS JOIN",
	Is:       "IS",
	IsNot:    "IS NOT",
	Greatest: "max",
	Least:    "min",
	Seq:      "rowid",
	Each:     "json_each(%s)",
	By:       "INDEXED BY %s",
	Numbered: "json_each(?) j",
	FeedEnd:  "SELECT seq FROM sqlite_sequence WHERE name = 'feed'",
	Numbers:  numbers,

	Unique:    sqlitedb.ErrConstraintUnique,
	Reference: sqlitedb.ErrConstraintForeignKey,
}

// numbers writes a list as JSON. As one parameter for any number of values, it lets one text
// serve them all.
func numbers(list []int64) any {
	b := []byte{'['}
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}

// conn runs shared statements on one connection.
type conn struct{ *sqlitedb.Conn }

func sharedConn(c *sqlitedb.Conn) conn { return conn{c.Rewriting(dialect.Expand)} }

// Query implements sqlstore.Conn.
func (c conn) Query(text string, args sqlstore.Args, row func(sqlstore.Row) error) error {
	return c.Conn.Query(text, args, func(r *sqlitedb.Row) error {
		err := row(r)
		if errors.Is(err, sqlstore.ErrStop) {
			return sqlitedb.ErrStop
		}
		return err
	})
}

// One implements sqlstore.Conn.
func (c conn) One(text string, args sqlstore.Args, row func(sqlstore.Row) error) (bool, error) {
	return c.Conn.One(text, args, func(r *sqlitedb.Row) error { return row(r) })
}

// sharedDB runs the shared statements in transactions on one file.
type sharedDB struct{ db *sqlitedb.DB }

func (s sharedDB) View(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return translate(s.db.View(ctx, func(c *sqlitedb.Conn) error { return fn(sharedConn(c)) }))
}

func (s sharedDB) Update(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return translate(s.db.Update(ctx, func(c *sqlitedb.Conn) error { return fn(sharedConn(c)) }))
}
