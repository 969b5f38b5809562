package memory

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

// compared is a memory that is compared with another one.
type compared struct {
	*loci.Memory
	text, title *recall.Text
	gist        *gist
}

// compare returns at most MaxSimilar of others, and nil for none. It remembers what they say.
func (s *saving) compare(m *loci.Memory, others []*loci.Memory) []loci.Similar {
	own := compared{m, s.read(m), recall.Read(m.Title), s.gist(m)}
	s.app.gists.add(m, own.gist)
	list := make([]compared, len(others))
	for i, o := range others {
		text, title := recall.Read(o.Content), recall.Read(o.Title)
		list[i] = compared{o, text, title, gistOf(o, text, title)}
		s.app.gists.add(o, list[i].gist)
	}
	return own.similar(list)
}

func (c *compared) similar(others []compared) []loci.Similar {
	titled := c.namesSubject(others)
	var list []loci.Similar
	for i := range others {
		o := &others[i]
		score, like := c.likeness(o)
		if like == "" {
			like = c.ofSubject(o, titled && c.sameTitle(o))
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
	if min(c.text.Words, o.text.Words) < similarText {
		return recall.Compare(c.Title+"\n"+c.Content, o.Title+"\n"+o.Content)
	}
	if !c.gist.text.MayBeLike(o.gist.text) {
		return 0, ""
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
