package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

const (
	similarLook = 16 // newest matches of each search that are looked at
	similarText = 4  // words of a content that says something without its title
)

// mostSimilar returns nil rather than an empty list.
func mostSimilar(list []loci.Similar) []loci.Similar {
	if len(list) == 0 {
		return nil
	}
	return list[:min(len(list), loci.MaxSimilar)]
}

// allSimilar returns the other memories that p sees and that say nearly the same as m, or nearly the
// same but for a number, a date, a unit or a negation: the one that has most in common first. Nothing
// is done about them. It is cheap, and no promise: it compares with few candidates. It returns nothing to
// whoever may not read, and if it fails, as a save does not fail because of it.
//
// It reads what is stored when it is called, so it may run beside the transaction that stores m; what m takes
// the place of may be among the answer then.
func (s *Service) allSimilar(ctx context.Context, p loci.Principal, m *loci.Memory) []loci.Similar {
	if s.May(p, Read) != nil {
		return nil
	}
	text := recall.Read(m.Content)
	about := text
	if text.Words < similarText {
		about = recall.Read(m.Title + "\n" + m.Content)
	}
	searches := about.Alike()
	if len(searches) == 0 {
		return nil
	}
	var others []*loci.Memory
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		others, err = candidates(ctx, tx, p.Viewer(), m, text.Words, searches)
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "look for similar memories", "error", err)
		}
		return nil
	}
	return compare(m, text, others)
}

// candidates returns visible memories that have the words of one of the searches, and are about as long as
// words.
func candidates(ctx context.Context, tx store.Tx, v loci.Viewer, m *loci.Memory, words int, searches [][]loci.Term) (
	[]*loci.Memory, error) {
	var ids []loci.MemoryID
	for _, terms := range searches {
		found, err := tx.Lists().Match(ctx, v, store.MatchQuery{Terms: terms, All: true, Limit: similarLook})
		if err != nil {
			return nil, err
		}
		for _, hit := range found.Hits {
			n := int(hit.Lengths[loci.FieldContent])
			if hit.ID != m.ID && !slices.Contains(ids, hit.ID) && n <= 2*words+2 && words <= 2*n+2 {
				ids = append(ids, hit.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return tx.Memories().GetMany(ctx, v, ids, loci.LiveOnly)
}

func compare(m *loci.Memory, text *recall.Text, others []*loci.Memory) []loci.Similar {
	title := recall.Read(m.Title)
	var list []loci.Similar
	for _, o := range others {
		score, like := likeness(m, text, title, o)
		if like != "" {
			list = append(list, loci.Similar{ID: o.ID, Title: o.Title, Score: score, Relation: like})
		}
	}
	slices.SortFunc(list, func(x, y loci.Similar) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), bytes.Compare(x.ID[:], y.ID[:]))
	})
	return list
}

// likeness says what the contents are to each other. Of short ones the titles say what they are about; and of titles
// that contradict each other the contents do.
func likeness(m *loci.Memory, text, title *recall.Text, o *loci.Memory) (score float64, like loci.Likeness) {
	other := recall.Read(o.Content)
	if min(text.Words, other.Words) < similarText {
		return recall.Compare(m.Title+"\n"+m.Content, o.Title+"\n"+o.Content)
	}
	score, like = text.Compare(other)
	if like == "" || like == loci.Contradiction {
		return score, like
	}
	if _, of := title.Compare(recall.Read(o.Title)); of == loci.Contradiction {
		like = loci.Contradiction
	}
	return score, like
}
