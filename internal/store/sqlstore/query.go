package sqlstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// Query builds the text of a statement together with its arguments. The text depends only on the
// shape of the question, never on values, so that a connection can reuse its prepared statement.
type Query struct {
	buffer *[]byte // what has been added, until String
	text   string  // what String has returned
	Args   Args
}

// buffers are for the texts of queries. Most statements are read about as often as their rows, so
// building a text must not allocate.
var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 4096)
	return &b
}}

// Add appends text and the values of its parameters.
func (q *Query) Add(text string, args ...any) {
	q.put(text)
	q.bind(args...)
}

// maxRows is how many rows one statement inserts, because each number has a text.
const maxRows = 32

// row adds the values of the nth row that a statement inserts.
func (q *Query) row(n int, text string, args ...any) {
	if n > 0 {
		q.put(", ")
	}
	q.Add(text, args...)
}

// put appends texts.
func (q *Query) put(texts ...string) {
	if q.buffer == nil {
		q.buffer = buffers.Get().(*[]byte) //nolint:forcetypeassert // the pool has nothing else
		*q.buffer = append((*q.buffer)[:0], q.text...)
	}
	for _, text := range texts {
		*q.buffer = append(*q.buffer, text...)
	}
}

// bind appends the values of parameters.
func (q *Query) bind(args ...any) {
	if q.Args == nil {
		q.Args = make(Args, 0, max(16, len(args)))
	}
	q.Args = append(q.Args, args...)
}

// String returns the text, with markers. It returns the same string for equal texts.
func (q *Query) String() string {
	if q.buffer != nil {
		q.text = texts.of(*q.buffer)
		buffers.Put(q.buffer)
		q.buffer = nil
	}
	return q.text
}

// texts are the texts that queries have had.
var texts interned

type interned struct {
	mu   sync.RWMutex
	list map[string]string
}

// of returns b as a string that it allocates once.
func (i *interned) of(b []byte) string {
	i.mu.RLock()
	text, known := i.list[string(b)] // compares without a copy
	i.mu.RUnlock()
	if known {
		return text
	}
	text = string(b)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.list == nil || len(i.list) >= maxExpanded {
		i.list = map[string]string{}
	}
	i.list[text] = text
	return text
}

// in adds a list of placeholders. It rounds the number up to a power of two and repeats the last
// value, so that few texts serve all lengths.
func in[T any](q *Query, values []T) {
	q.put("(")
	n := 1
	for n < len(values) {
		n *= 2
	}
	for i := range n {
		if i > 0 {
			q.put(", ")
		}
		q.put("?")
		q.bind(any(values[min(i, len(values)-1)]))
	}
	q.put(")")
}

// orMissing returns err, or what missing returns if a statement succeeded and found or changed no row.
func orMissing(found bool, err error, missing func() error) error {
	if err == nil && !found {
		return missing()
	}
	return err
}

// orCode is orMissing with the text of an error.
func orCode(found bool, err error, code loci.Code, text string) error {
	return orMissing(found, err, func() error { return loci.Errorf(code, "%s", text) })
}

// OrNull is NULL for the zero id.
func OrNull(id [16]byte) any {
	if id == [16]byte{} {
		return nil
	}
	return id
}

// micros returns nil, which is NULL, for the zero time.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// CeilMicro returns the first microsecond that is not before t. Stored times have no finer resolution.
func CeilMicro(t time.Time) int64 {
	n := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		n++
	}
	return n
}

// TimeAt returns the time in a column, or the zero time for NULL.
func TimeAt(r Row, col int) time.Time {
	if n := r.Int64(col); n != 0 || !r.Null(col) {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}

// Dialect holds what differs between databases in the shared statements. An engine chooses it when it opens.
// Statements refer to its fields in braces and lower case: {join}, {is}, {each m.tags}.
type Dialect struct {
	// Tenant is the parameter with the org's id, or "" if each org has its own file.
	Tenant string
	// Project is the parameter with the id of a graph's project, or "" if each project has its own file.
	Project string

	Join     string // joins in the order written: the second table is looked up for each row of the first
	Is       string // an = for which NULL equals NULL
	IsNot    string // a <> for which NULL equals NULL
	Greatest string // the function that returns the largest of its arguments
	Least    string // the function that returns the smallest of its arguments
	Seq      string // the row number in a table of the registry
	Lock     string // locks rows that are read in order to write them, until the transaction ends
	Each     string // a table with the column value, from the JSON array in place of %s
	By       string // makes the database use the index in place of %s, or ""
	Numbered string // a table j with the column value, from one parameter that Numbers makes
	IDs      string // the same of ids, from one parameter that ListIDs makes
	FeedEnd  string // selects the highest number that the feed has given out
	Scrub    string // makes the connection overwrite everything that it deletes from now on, or ""

	Numbers func([]int64) any
	ListIDs func([][16]byte) any

	Unique    error // the error of a statement if a row with its key exists
	Reference error // the error of a statement if a row that it refers to is missing, or if rows still refer to its row

	mu sync.Mutex
	// expanded keeps what Expand did, because every new connection prepares the same statements.
	expanded map[string]string
}

// Conn runs statements in one transaction. It looks up prepared statements by their text, so the text must be
// constant and the values must be Args. It passes each text through Dialect.Expand before it prepares it.
type Conn interface {
	// Exec runs one statement to its end.
	Exec(text string, args ...any) error
	// Query runs one statement and calls row for each of its rows. It ends early, without error, if row returns ErrStop.
	// row runs no statement: PostgreSQL reads the rows of one statement at a time.
	Query(text string, args Args, row func(Row) error) error
	// One runs one statement and calls row for its first row, if there is one.
	One(text string, args Args, row func(Row) error) (found bool, err error)
	// Insert runs an INSERT of one row, and returns the number that the database gave it, in the column seq.
	Insert(text string, args ...any) (seq int64, err error)
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
// or what Dialect.Numbers and ListIDs return.
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

// isOver reports whether ctx has ended. It sets cut if ctx ended because the search used up its time.
func isOver(ctx context.Context, cut *bool) bool {
	over := ctx.Err() != nil
	*cut = over && loci.Spent(ctx)
	return over
}

func unlessCut(ctx context.Context, cut bool) error {
	if cut {
		return nil
	}
	return ctx.Err()
}

// untilSpent runs one part of a search. If the search uses up its time, untilSpent stops that
// part and sets cut. The rows that the part has returned by then are valid.
func (tx *Tx) untilSpent(ctx context.Context, cut *bool, run func() error) error {
	err := tx.Index().Within(ctx, run)
	if err != nil && errors.Is(err, ctx.Err()) && isOver(ctx, cut) {
		return unlessCut(ctx, *cut)
	}
	return err
}
