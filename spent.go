package loci

import (
	"context"
	"errors"
)

// ErrSpent is the cause that ends the context of a search that has used up its time. The search then
// returns what it has found, marked as cut. If the context ends for another reason, it fails.
var ErrSpent = errors.New("the search used up its time")

// Spent reports whether ctx ended by ErrSpent.
func Spent(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrSpent) }
