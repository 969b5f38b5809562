package gate

import "github.com/loci-memory/loci"

// MaxOffset is as deep as an offset reaches; further on, use cursors.
const MaxOffset = 10_000

// The sizes of a page.
const (
	DefaultPage = 50
	MaxPage     = 500
)

// PageSize returns n, or fallback for 0, or an Invalid error.
func PageSize(field string, n, fallback, maximum int) (int, error) {
	if n == 0 {
		return fallback, nil
	}
	if n < 1 || n > maximum {
		return 0, loci.FieldErrorf(field, "must be from 1 to %d", maximum)
	}
	return n, nil
}
