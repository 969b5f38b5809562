package sqlstore

import (
	"sync"
	"time"
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
