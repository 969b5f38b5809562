package memory

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/vectors"
)

// askMeaning returns how a search finds what means the same as its question. It does so before the search has a
// transaction, because the model may be on another machine. If the model needs longer than modelPatience, the next
// search with the same question has its answer.
func (s *Service) askMeaning(ctx context.Context, p loci.Principal, question string, f *Filter) (index.Meaning,
	vectors.State) {
	if s.vectors == nil || !f.When.IsPresent() {
		return index.Meaning{}, vectors.Off
	}
	short, cancel := context.WithTimeoutCause(ctx, s.modelPatience, loci.ErrSpent)
	defer cancel()
	return s.vectors.Meaning(short, p.OrgID, question)
}
