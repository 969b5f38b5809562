package gate

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/loci-memory/loci"
)

// digestSize is the number of bytes that bind a cursor to its query. They prevent mistakes, not
// attacks: a forged position reveals nothing, because every page applies the visibility rule again.
const digestSize = 8

// SealCursor binds a position to the principal and the query that it came from.
func SealCursor(p loci.Principal, query any, kind, position string) string {
	sum := cursorDigest(p, query, kind)
	return base64.RawURLEncoding.EncodeToString(append(sum, position...))
}

// OpenCursor returns the position in a cursor. It returns an Invalid error if the cursor is damaged
// or belongs to another query or principal.
func OpenCursor(p loci.Principal, query any, kind, cursor string) (string, error) {
	const help = "does not belong to this query; leave it out to start at the first page"
	if len(cursor) > 1024 {
		return "", loci.FieldErrorf("cursor", help)
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) < digestSize || string(raw[:digestSize]) != string(cursorDigest(p, query, kind)) {
		return "", loci.FieldErrorf("cursor", help)
	}
	return string(raw[digestSize:]), nil
}

func cursorDigest(p loci.Principal, query any, kind string) []byte {
	b := make([]byte, 0, 256)
	for _, text := range []string{kind, string(p.OrgID), string(p.UserID[:]), string(p.Vendor)} {
		b = append(strconv.AppendQuote(b, text), ' ')
	}
	sum := sha256.Sum256(appendSet(b, reflect.ValueOf(query)))
	return sum[:digestSize]
}

// appendSet appends the fields of a query that are not zero. Most are, and encoding them would take
// a tenth of the time of a short list.
func appendSet(b []byte, query reflect.Value) []byte {
	if query.Kind() != reflect.Struct {
		return appendJSON(b, query)
	}
	for i := range query.NumField() {
		if f := query.Field(i); !f.IsZero() {
			b = append(append(b, query.Type().Field(i).Name...), ' ')
			b = appendJSON(b, f)
		}
	}
	return b
}

func appendJSON(b []byte, v reflect.Value) []byte {
	if !v.IsValid() { // there is no query
		return b
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		panic(err) // query is one of our own plain structs
	}
	return append(append(b, text...), ' ')
}
