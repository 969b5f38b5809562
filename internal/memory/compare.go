package memory

import (
	"bytes"
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

type compared struct {
	*loci.Memory
	text, title *recall.Text
	sketch      *recall.Sketch // nil: not known yet
}

func read(m *loci.Memory) *compared {
	return &compared{Memory: m, text: recall.Read(m.Content), title: recall.Read(m.Title)}
}

func (c *compared) sketched() *compared {
	if c.sketch == nil {
		c.sketch = new(recall.SketchOf(c.text, c.title))
	}
	return c
}

// similar returns at most MaxSimilar of memories, and nil for none.
func (c *compared) similar(memories []*loci.Memory) []loci.Similar {
	others := loci.Mapped(memories, read)
	titled := c.namesSubject(others)
	var list []loci.Similar
	for _, o := range others {
		score, like := c.likeness(o)
		if like == "" {
			like = c.ofSubject(o, titled && c.sameTitle(o))
		}
		if like == "" {
			if score = c.text.Reworded(o.text); score > 0 {
				like = loci.NearDuplicate
			}
		}
		if like != "" {
			list = append(list, loci.Similar{ID: o.ID, Title: o.Title, Score: score, Relation: like})
		}
	}
	slices.SortFunc(list, func(x, y loci.Similar) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), bytes.Compare(x.ID[:], y.ID[:]))
	})
	return list[:min(len(list), loci.MaxSimilar)]
}

// likeness says what the contents are to each other. Of short ones the titles say what they are about; and of titles
// that contradict each other the contents do.
func (c *compared) likeness(o *compared) (score float64, like loci.Likeness) {
	if min(c.text.Words, o.text.Words) < recall.ShortText {
		return recall.Compare(c.Title+"\n"+c.Content, o.Title+"\n"+o.Content)
	}
	score, like = c.text.Compare(o.text)
	if like == "" || like == loci.Contradiction {
		return score, like
	}
	if _, of := c.title.Compare(o.title); of == loci.Contradiction {
		like = loci.Contradiction
	}
	return score, like
}

// maxIdentical is how many memories with one text are compared with a save. There are several only
// if their other fields differ, or if dedupe was "create".
const maxIdentical = 16

// identical returns a memory that says what the save says, or nil. Its writer gets it instead of a
// second one. It stands in the same place, the same origin wrote it, and the writer sees it. A
// credential that may not read does not learn of it.
func (s *saving) identical(ctx context.Context, tx store.Tx) (*loci.Memory, error) {
	if s.m.Key != "" || s.d.Dedupe == DedupeCreate || !s.p.Has(loci.RightRead) {
		return nil, nil
	}
	list, err := tx.Memories().ByText(ctx, s.p.Viewer(),
		store.TextQuery{Place: placeOf(s.m), Title: s.m.Title, Content: s.m.Content, Limit: maxIdentical})
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if s.addsNothingTo(m) {
			s.saved.Unchanged, s.saved.Identical, s.shares = true, true, false
			return m, nil
		}
	}
	return nil, nil
}

// addsNothingTo reports whether m has every field of the draft. What the draft leaves out may be
// anything, as in a save by key, except for the times: a save without them is not done by a memory
// that expires. The order of tags and vendors does not matter.
func (s *saving) addsNothingTo(m *loci.Memory) bool {
	n := s.m
	if !n.ExpiresAt.Equal(m.ExpiresAt) || !n.ValidFrom.Equal(m.ValidFrom) || !n.ValidTo.Equal(m.ValidTo) {
		return false
	}
	if s.inSession && m.SessionID != n.SessionID || s.d.Share && m.TeamID != n.TeamID {
		return false
	}
	if s.names(m.ID) {
		return false // the save replaces it
	}
	with := m.Clone()
	s.d.onto(with)
	with.Tags, with.AllowedVendors = reorder(with.Tags, m.Tags), reorder(with.AllowedVendors, m.AllowedVendors)
	return reflect.DeepEqual(m, with)
}

// reorder returns list without repetitions, in the order of other if both have the same entries.
func reorder[T ~string](list, other []T) []T {
	list = loci.Unique(list)
	if len(list) != len(other) || slices.ContainsFunc(list, func(v T) bool { return !slices.Contains(other, v) }) {
		return list
	}
	return other
}
