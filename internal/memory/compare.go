package memory

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
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
	others := make([]*compared, len(memories))
	for i, m := range memories {
		others[i] = read(m)
	}
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
