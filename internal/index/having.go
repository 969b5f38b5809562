package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// Having returns the rows that have all terms of a group, the last changed first, at most limit of each
// group. A group is the bits of its terms. It reads nothing of the query but Terms, Sees, Now and
// Weights.Stem.
func Having(views []*View, q *Query, groups []uint32, limit int) (ids [][16]byte) {
	s := newSearch(views, q)
	defer s.release()
	for _, group := range groups {
		var found []contender
		for i := range s.parts {
			p := &s.parts[i]
			for _, doc := range p.having(group) {
				found = append(found, contender{part: p, doc: doc})
			}
		}
		slices.SortFunc(found, func(x, y contender) int { return x.lastChanged(&y) })
		for _, c := range found[:min(limit, len(found))] {
			ids = append(ids, c.part.id(c.doc))
		}
	}
	return ids
}

func (c *contender) lastChanged(o *contender) int {
	x, y := c.part.Segment, o.part.Segment
	return cmp.Or(
		cmp.Compare(int64(u64(y.parts[secUpdated], o.doc)), int64(u64(x.parts[secUpdated], c.doc))),
		bytes.Compare(x.parts[secIDs][16*c.doc:16*c.doc+16], y.parts[secIDs][16*o.doc:16*o.doc+16]))
}

// having returns the rows that have all terms of a group.
func (p *part) having(group uint32) (docs []uint32) {
	first := -1
	for rest := group; rest != 0; rest &= rest - 1 {
		t := bits.TrailingZeros32(rest)
		if first < 0 || p.counts[t] < p.counts[first] {
			first = t
		}
	}
	if first < 0 {
		return nil
	}
	p.load(first)
	candidates := spansOf(p.rows[first].docs)
	for rest := group &^ (1 << first); rest != 0; rest &= rest - 1 {
		p.loadIn(bits.TrailingZeros32(rest), candidates)
	}
	for _, doc := range p.rows[first].docs {
		all := true
		for rest := group &^ (1 << first); rest != 0 && all; rest &= rest - 1 {
			all = p.rows[bits.TrailingZeros32(rest)].value(doc) > 0
		}
		if all {
			docs = append(docs, doc)
		}
	}
	return docs
}
