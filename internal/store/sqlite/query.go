package sqlite

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/loci-memory/loci"
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

// ceilMicro is the first microsecond that is not before t: rows' times have no
// finer part.
func ceilMicro(t time.Time) int64 {
	n := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		n++
	}
	return n
}

// vendorMay is part 3 of the rule, over a row of a graph.
func vendorMay(q *query, v loci.Viewer, alias string) {
	if v.Vendor == "" {
		return
	}
	list := alias + ".allowed_vendors"
	q.add(" AND ("+list+` = '["*"]' OR EXISTS (SELECT 1 FROM json_each(`+list+") WHERE value = '*' OR value = ?))", string(v.Vendor))
}

// toJSON writes a list as it is, without the escapes that are for browsers.
func toJSON[T ~string](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	if len(list) == 1 && list[0] == "*" {
		return `["*"]` // visibility.go compares with this text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(list); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func fromJSON[T ~string](text string) ([]T, error) {
	switch text {
	case "[]":
		return []T{}, nil
	case `["*"]`:
		return []T{"*"}, nil
	}
	var list []T
	err := json.Unmarshal([]byte(text), &list)
	return list, err
}

// isoTime is how a graph writes times, always 24 bytes, so that they sort as text.
const isoTime = "2006-01-02T15:04:05.000Z"

func iso(t time.Time) string { return t.UTC().Format(isoTime) }

func isoAt(r *sqlitedb.Row, col int) time.Time {
	t, err := time.Parse(isoTime, r.Text(col))
	if err != nil { // NULL, or another program's
		return time.Time{}
	}
	return t
}

// idAt reads an id that is stored as text.
func idAt[T ~[16]byte](r *sqlitedb.Row, col int) (T, error) {
	id, err := loci.ParseMemoryID(r.Text(col))
	return T(id), err
}

// jsonList is one parameter for any number of values, so that one text of SQL
// serves them all.
func jsonList(list []string) string {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
