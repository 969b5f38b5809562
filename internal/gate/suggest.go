package gate

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Suggest stores a suggestion, or returns the same one if it is pending already.
func Suggest(ctx context.Context, tx store.Tx, s loci.Suggestion) (loci.Suggestion, error) {
	err := tx.Suggestions().Insert(ctx, s)
	if loci.CodeOf(err) != loci.Conflict {
		return s, err
	}
	return tx.Suggestions().Pending(ctx, &s)
}
