package memory

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/vectors"
)

// askMeaning returns how a search finds what means the same as its question. It does so before the search has a
// transaction, because the model may be on another machine, and takes at most a quarter of the time of a search.
func (s *Service) askMeaning(ctx context.Context, p loci.Principal, question string, f *Filter) (index.Meaning,
	vectors.State) {
	if s.vectors == nil || !f.When.IsPresent() {
		return index.Meaning{}, vectors.Off
	}
	short, cancel := context.WithTimeoutCause(ctx, s.patience/4, loci.ErrSpent)
	defer cancel()
	return s.vectors.Meaning(short, p.OrgID, question)
}
