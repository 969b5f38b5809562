package gate

import "github.com/loci-memory/loci"

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

// ReadPage returns the page of a list that a request asks for with a limit (0: DefaultPage; at most MaxPage) and a
// cursor. read returns the items after a position, and the position of the next page or "". The cursor must come from
// the same principal and query, in a list of the same kind; otherwise the error is Invalid.
func ReadPage[T any, Position ~string](p loci.Principal, kind string, query any, limit int, cursor string,
	read func(after Position, limit int) ([]T, Position, error)) (page Page[T], err error) {
	if limit, err = PageSize("limit", limit, DefaultPage, MaxPage); err != nil {
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

// PageSize returns n, or fallback if n is 0, or an Invalid error.
func PageSize(field string, n, fallback, maximum int) (int, error) {
	if n == 0 {
		return fallback, nil
	}
	if n < 1 || n > maximum {
		return 0, loci.FieldErrorf(field, "must be from 1 to %d", maximum)
	}
	return n, nil
}
