package sqlite

import (
	"context"
	"encoding/binary"
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
	Scrub:    "PRAGMA secure_delete = on",
	Numbers:  numbers,

	Unique:    sqlitedb.ErrConstraintUnique,
	Reference: sqlitedb.ErrConstraintForeignKey,
}

// numbers writes a list as an array of JSONB (https://sqlite.org/jsonb.html), which SQLite reads
// without parsing. As one parameter for any number of values, it lets one text serve them all.
func numbers(list []int64) any {
	const integer, array, oneByte, fourBytes = 0x3, 0xb, 0xc0, 0xe0
	b := make([]byte, 5, 5+8*len(list))
	var digits [20]byte
	for _, n := range list {
		text := strconv.AppendInt(digits[:0], n, 10)
		b = append(append(b, oneByte|integer, byte(len(text))), text...)
	}
	b[0] = fourBytes | array
	binary.BigEndian.PutUint32(b[1:], uint32(len(b)-5)) // #nosec G115 -- a parameter is not that long
	return b
}

// conn runs shared statements on one connection.
type conn struct{ *sqlitedb.Conn }

func sharedConn(c *sqlitedb.Conn) conn { return conn{c.Rewriting(expand)} }

// expand is a function of the package, because a method as a value would be made for each transaction.
var expand = dialect.Expand

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
