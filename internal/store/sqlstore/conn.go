package sqlstore

import (
	"context"
	"errors"
)

// Conn runs statements in one transaction. It looks up prepared statements by their text, so the
// text must be constant and the values must be Args. It passes each text through Dialect.Expand
// before it prepares it.
type Conn interface {
	// Exec runs one statement to its end.
	Exec(text string, args ...any) error
	// Query runs one statement and calls row for each of its rows. It ends early, without error, if row returns ErrStop.
	// row runs no statement: PostgreSQL reads the rows of one statement at a time.
	Query(text string, args Args, row func(Row) error) error
	// One runs one statement and calls row for its first row, if there is one.
	One(text string, args Args, row func(Row) error) (found bool, err error)
	// Changes returns how many rows the last INSERT, UPDATE or DELETE changed.
	Changes() int64
	// Try runs fn and rolls back its writes if it fails.
	Try(fn func() error) error
}

// DB runs functions in transactions. Update may run fn twice.
type DB interface {
	View(ctx context.Context, fn func(Conn) error) error
	Update(ctx context.Context, fn func(Conn) error) error
}

// Args are the values of a statement's parameters, in order: nil, int, int64, float64, bool, string, []byte, [16]byte
// or what Dialect.Numbers returns.
type Args = []any

// Row is the current row of a statement, valid until the row function returns. Columns count from 0. NULL reads as the
// zero value.
type Row interface {
	Null(col int) bool
	Int(col int) int
	Int64(col int) int64
	Float(col int) float64
	Bool(col int) bool
	Text(col int) string
	Raw(col int) []byte // the connection's own bytes of a blob or text
	ID(col int) [16]byte
}

// ErrStop ends a Query early and without error when a row function returns it.
var ErrStop = errors.New("stop")
