package sqlitedb

import (
	"fmt"
	"reflect"

	"github.com/ncruces/go-sqlite3"
)

// Row is the current row of a statement. Columns count from 0. NULL reads as the zero value. Use
// Null to tell them apart.
type Row struct {
	st  *sqlite3.Stmt
	err error
}

// Null reports whether the column is NULL.
func (r *Row) Null(col int) bool { return r.st.ColumnType(col) == sqlite3.NULL }

// Int returns an integer.
func (r *Row) Int(col int) int { return int(r.st.ColumnInt64(col)) }

// Int64 returns an integer.
func (r *Row) Int64(col int) int64 { return r.st.ColumnInt64(col) }

// Float returns a number.
func (r *Row) Float(col int) float64 { return r.st.ColumnFloat(col) }

// Bool reports whether an integer is not zero.
func (r *Row) Bool(col int) bool { return r.st.ColumnInt64(col) != 0 }

// Text returns a string.
func (r *Row) Text(col int) string { return string(r.st.ColumnRawText(col)) }

// Blob returns a copy of the bytes, or nil for NULL and for no bytes.
func (r *Row) Blob(col int) []byte { return r.st.ColumnBlob(col, nil) }

// Raw returns SQLite's own bytes, which are valid until the row function returns.
func (r *Row) Raw(col int) []byte { return r.st.ColumnRawBlob(col) }

// ID returns a blob of 16 bytes. Any other length except NULL fails the query.
func (r *Row) ID(col int) (id [16]byte) {
	if r.Null(col) { // checked first: most ids in a row are NULL, and reading NULL costs three calls
		return id
	}
	raw := r.st.ColumnRawBlob(col)
	if len(raw) != len(id) {
		r.err = fmt.Errorf("sqlitedb: column %d has %d bytes, want an id of 16", col, len(raw))
		return id
	}
	copy(id[:], raw)
	return id
}

// heavyBytes is the size above which bound values are freed instead of kept until the statement's next use.
const heavyBytes = 4096

func (s *stmt) bind(args []any) error {
	if len(args) != s.params {
		return fmt.Errorf("sqlitedb: %d arguments for %d parameters in: %s", len(args), s.params, s.st.SQL())
	}
	size := 0
	for i, arg := range args {
		if s.bound[i].is(arg) {
			continue
		}
		n, err := s.bindOne(i+1, arg)
		if err != nil {
			s.bound[i] = boundID{}
			return fmt.Errorf("sqlitedb: argument %d: %w", i+1, err)
		}
		s.bound[i].set(arg)
		size += n
	}
	s.heavy = size > heavyBytes
	return nil
}

// boundID is the id that a parameter has had since the last use of its statement. The ids of the reader
// stand in several places of each statement, and SQLite takes and frees memory for each of them.
type boundID struct {
	known bool
	id    [16]byte
}

func (b *boundID) is(arg any) bool {
	id, ok := arg.([16]byte)
	return ok && b.known && b.id == id
}

func (b *boundID) set(arg any) { b.id, b.known = arg.([16]byte) }

// bindOne returns how many bytes SQLite copied. It lets no argument escape to the heap, so that
// callers allocate nothing.
func (s *stmt) bindOne(i int, arg any) (int, error) {
	switch v := arg.(type) {
	case nil:
		return 0, s.st.BindNull(i)
	case string:
		return len(v), s.st.BindText(i, v)
	case int64:
		return 0, s.st.BindInt64(i, v)
	case int:
		return 0, s.st.BindInt64(i, int64(v))
	case bool:
		return 0, s.st.BindBool(i, v)
	case float64:
		return 0, s.st.BindFloat(i, v)
	case [16]byte:
		return 0, s.st.BindBlob(i, v[:])
	case []byte:
		if v == nil {
			return 0, s.st.BindNull(i)
		}
		return len(v), s.st.BindBlob(i, v)
	}
	return 0, fmt.Errorf("type %s cannot be stored", reflect.TypeOf(arg).String())
}

// Version is a state of a database as one connection sees it in a transaction.
type Version struct {
	conn            *state
	elsewhere, here int64
}

// Version returns the version that the connection sees now. If it equals an earlier one, nothing that
// the connection has read since then has changed: no other connection, of any process, has committed,
// and this one has neither changed nor undone anything.
func (c *Conn) Version() (Version, error) {
	if !c.dated { // within a transaction, nobody else can change what the connection sees
		_, err := c.One("PRAGMA data_version", nil, func(r *Row) error { c.elsewhere = r.Int64(0); return nil })
		if err != nil {
			return Version{}, err
		}
		c.dated = true
	}
	return Version{c.state, c.elsewhere, c.mark()}, nil
}
