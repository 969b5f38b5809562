package sqlstore

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
)

// isOver reports whether ctx has ended. It sets cut if ctx ended because the search used up its
// time.
func isOver(ctx context.Context, cut *bool) bool {
	over := ctx.Err() != nil
	*cut = over && loci.Spent(ctx)
	return over
}

func unlessCut(ctx context.Context, cut bool) error {
	if cut {
		return nil
	}
	return ctx.Err()
}

// untilSpent runs one part of a search. If the search uses up its time, untilSpent stops that
// part and sets cut. The rows that the part has returned by then are valid.
func (tx *Tx) untilSpent(ctx context.Context, cut *bool, run func() error) error {
	err := tx.Index().Within(ctx, run)
	if err != nil && errors.Is(err, ctx.Err()) && isOver(ctx, cut) {
		return unlessCut(ctx, *cut)
	}
	return err
}
