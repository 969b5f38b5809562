package sqlite

import (
	"context"
	"encoding/binary"
	"encoding/hex"
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
	IDs:      "(SELECT unhex(value) AS value FROM json_each(?)) j",
	FeedEnd:  "SELECT seq FROM sqlite_sequence WHERE name = 'feed'",
	Scrub:    "PRAGMA secure_delete = on",
	Numbers:  numbers,
	ListIDs:  listIDs,

	Unique:    sqlitedb.ErrConstraintUnique,
	Reference: sqlitedb.ErrConstraintForeignKey,
}

// numbers writes a list as an array of JSONB (https://sqlite.org/jsonb.html), which SQLite reads
// without parsing. As one parameter for any number of values, it lets one text serve them all.
func numbers(list []int64) any {
	const integer = 0x3
	return jsonb(list, integer, func(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) })
}

// listIDs is numbers for ids. They are hexadecimal, because JSON has no bytes.
func listIDs(list [][16]byte) any {
	const text = 0x7
	return jsonb(list, text, func(b []byte, id [16]byte) []byte { return hex.AppendEncode(b, id[:]) })
}

func jsonb[T any](list []T, kind byte, write func([]byte, T) []byte) []byte {
	const array, oneByte, fourBytes = 0xb, 0xc0, 0xe0
	b := make([]byte, 5, 5+34*len(list))
	for _, v := range list {
		at := len(b) + 1
		b = write(append(b, oneByte|kind, 0), v)
		b[at] = byte(len(b) - at - 1) // #nosec G115 -- no value is that long
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

// Insert implements sqlstore.Conn. In SQLite, the column seq is the rowid.
func (c conn) Insert(text string, args ...any) (int64, error) {
	err := c.Exec(text, args...)
	return c.LastInsertID(), err
}

// sharedDB runs the shared statements in transactions on one file.
type sharedDB struct{ db *sqlitedb.DB }

func (s sharedDB) View(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return translate(s.db.View(ctx, func(c *sqlitedb.Conn) error { return fn(sharedConn(c)) }))
}

func (s sharedDB) Update(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return translate(s.db.Update(ctx, func(c *sqlitedb.Conn) error { return fn(sharedConn(c)) }))
}
