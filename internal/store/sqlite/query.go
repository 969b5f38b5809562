package sqlite

import (
	"encoding/json"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// orNull returns nil, which is NULL, for the zero id.
func orNull(id [16]byte) any {
	if id == [16]byte{} {
		return nil
	}
	return id
}

func timeAt(r *sqlitedb.Row, col int) time.Time {
	if n := r.Int64(col); n != 0 || !r.Null(col) {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}

// ceilMicro returns the first microsecond that is not before t. Stored times have no finer resolution.
func ceilMicro(t time.Time) int64 {
	n := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		n++
	}
	return n
}

// isoTime is the format of times in a graph. It is always 24 bytes, so that the times sort as text.
const isoTime = "2006-01-02T15:04:05.000Z"

func iso(t time.Time) string { return t.UTC().Format(isoTime) }

func idAt[T ~[16]byte](r *sqlitedb.Row, col int) (T, error) {
	id, err := loci.ParseMemoryID(r.Text(col))
	return T(id), err
}

// jsonList packs any number of values into one parameter, so that one SQL text serves them all.
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
