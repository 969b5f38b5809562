package sqlstore

import (
	"strings"
	"time"
)

// Query builds the text of a statement together with its arguments. The text depends only on the
// shape of the question, never on values, so that a connection can reuse its prepared statement.
type Query struct {
	text strings.Builder
	Args Args
}

// Add appends text and the values of its parameters.
func (q *Query) Add(text string, args ...any) {
	q.text.WriteString(text)
	q.Args = append(q.Args, args...)
}

// String returns the text, with markers.
func (q *Query) String() string { return q.text.String() }

// in adds a list of placeholders. It rounds the number up to a power of two and repeats the last
// value, so that few texts serve all lengths.
func in[T any](q *Query, values []T) {
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
		q.Args = append(q.Args, any(values[min(i, len(values)-1)]))
	}
	q.text.WriteString(")")
}

// orMissing returns err, or what missing returns if a statement succeeded and found or changed no row.
func orMissing(found bool, err error, missing func() error) error {
	if err == nil && !found {
		return missing()
	}
	return err
}

// orNull is NULL for the zero id.
func orNull(id [16]byte) any {
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

// ceilMicro returns the first microsecond that is not before t. Stored times have no finer
// resolution.
func ceilMicro(t time.Time) int64 {
	n := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		n++
	}
	return n
}

func timeAt(r Row, col int) time.Time {
	if n := r.Int64(col); n != 0 || !r.Null(col) {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}
