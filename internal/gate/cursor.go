package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
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

// MaxOffset is the maximum offset. To go further, use cursors.
const MaxOffset = 10_000

// The sizes of a page.
const (
	DefaultPage = 50
	MaxPage     = 500
)

// Page is one page of a list.
type Page[T any] struct {
	Items             []T
	NextCursor        string // "": this was the last page
	Total             int    // on all pages, if it was asked for
	TotalIsLowerBound bool   // there are more than Total
}

// AllPages reads all pages of a list, each after a cursor, the first after "".
func AllPages[T any](read func(cursor string) (Page[T], error)) (all []T, err error) {
	for cursor := ""; ; {
		page, err := read(cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if cursor = page.NextCursor; cursor == "" {
			return all, nil
		}
	}
}

// FindID returns the id that text begins, among those of things without a name. NotFound if there is none; Invalid if
// there are several. An error of the list is returned.
func FindID[T any, ID ~[16]byte](p loci.Principal, text, noun string, all []T, err error, of func(T) ID) (ID, error) {
	if err != nil {
		return ID{}, err
	}
	label := func(x T) string { return loci.MemoryID(of(x)).String() }
	x, err := store.Find(p.Viewer(), text, noun, label, nil, func(first, last [16]byte) ([]T, error) {
		return slices.DeleteFunc(slices.Clone(all), func(x T) bool {
			id := of(x)
			return bytes.Compare(id[:], first[:]) < 0 || bytes.Compare(id[:], last[:]) > 0
		}), nil
	})
	if err != nil {
		return ID{}, err
	}
	return of(x), nil
}

// ReadPage returns the page of a list that a request asks for with a limit (0: DefaultPage; at most MaxPage) and a
// cursor. read returns the items after a position, and the position of the next page or "". The cursor must come from
// the same principal and query, in a list of the same kind; otherwise the error is Invalid.
func ReadPage[T any, Position ~string](p loci.Principal, kind string, query any, limit int, cursor string,
	read func(after Position, limit int) ([]T, Position, error)) (page Page[T], err error) {
	if err = SetSize("limit", &limit, DefaultPage, MaxPage); err != nil {
		return page, err
	}
	var after string
	if cursor != "" {
		if after, err = OpenCursor(p, query, kind, cursor); err != nil {
			return page, err
		}
	}
	items, next, err := read(Position(after), limit)
	if err != nil {
		return page, err
	}
	page.Items = items
	if next != "" {
		page.NextCursor = SealCursor(p, query, kind, string(next))
	}
	return page, nil
}

// SetSize sets n to fallback if it is 0, or returns an Invalid error.
func SetSize(field string, n *int, fallback, maximum int) error {
	if *n == 0 {
		*n = fallback
	} else if *n < 1 || *n > maximum {
		return loci.FieldErrorf(field, "must be from 1 to %d", maximum)
	}
	return nil
}
