package memory

import (
	"context"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Related is what Loci knows about a text.
type Related struct {
	Memories []*loci.Memory // the best matches among all visible ones that hold now, best first
	// Partial is set if not all memories were compared: the time was over, or the search failed.
	Partial bool
}

// relatedQuery is how many characters of a text are looked for. More words find nothing better.
const relatedQuery = 400

// RelatedTo finds for each text at most limit memories that may say the same, more, or the opposite. All texts together
// have the patience of one search. It is a part of another use case, which has begun, and checks only that p may read
// memories: if not, everything is partial.
func (s *Service) RelatedTo(ctx context.Context, p loci.Principal, texts []string, limit int) []Related {
	out := make([]Related, len(texts))
	for i := range out {
		out[i].Partial = true
	}
	if len(texts) == 0 || s.May(p, Read) != nil {
		return out
	}
	index, err := s.index.Await(ctx, p.OrgID)
	related := func(tx store.Tx) error {
		until := time.Now().Add(s.patience)
		for i, text := range texts {
			if time.Now().After(until) {
				return nil
			}
			f, hits, err := s.find(ctx, tx, p.Viewer(), SearchRequest{Query: asWords(text), ownWords: true,
				wholeWords: true, index: index}, fromEvents{}, 0, limit)
			if err != nil {
				return err
			}
			out[i].Partial = f.stopped != ""
			for _, h := range hits {
				out[i].Memories = append(out[i].Memories, h.Memory)
			}
		}
		return nil
	}
	if err == nil {
		err = s.scan(ctx, p, related)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "cannot compare candidates with memories", "error", err)
	}
	return out
}

// asWords returns the beginning of a text, in which nothing is an operator of a query.
func asWords(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"*-+:()", r) {
			return ' '
		}
		return r
	}, text)
	n := 0
	for i := range text {
		if n++; n > relatedQuery {
			text = text[:i]
			break
		}
	}
	return text
}
