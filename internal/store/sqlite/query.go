package sqlite

import (
	"strings"
	"time"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// query is SQL text that grows together with the values of its parameters. The
// text depends only on the shape of the question, never on values, so that a
// connection finds its prepared statement again.
type query struct {
	text strings.Builder
	args sqlitedb.Args
}

func (q *query) add(text string, args ...any) {
	q.text.WriteString(text)
	q.args = append(q.args, args...)
}

func (q *query) String() string { return q.text.String() }

// in adds a list of placeholders. The number is rounded up to a power of two,
// repeating the last value, so that few texts serve all lengths.
func in[T any](q *query, values []T) {
	q.text.WriteString("(")
	n := 1
	for n < len(values) {
		n *= 2
	}
	for i := range n {
		if i > 0 {
			q.text.WriteString(", ")
		}
		q.text.WriteString("?")
		q.args = append(q.args, any(values[min(i, len(values)-1)]))
	}
	q.text.WriteString(")")
}

// orNull is NULL for the zero id.
func orNull(id [16]byte) any {
	if id == [16]byte{} {
		return nil
	}
	return id
}

// micros is NULL for the zero time.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func timeAt(r *sqlitedb.Row, col int) time.Time {
	if n := r.Int64(col); n != 0 || !r.Null(col) {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}
