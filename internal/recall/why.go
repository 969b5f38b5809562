package recall

import (
	"cmp"
	"slices"
	"sort"

	"github.com/loci-memory/loci"
)

// These are the properties that order memories with the same score, in this order.
const (
	BoostPinned     = "pinned"
	BoostImportance = "importance"
	BoostRecency    = "updated_at"
)

// fieldNames are the fields as surfaces call them.
var fieldNames = [loci.FieldCount]string{
	loci.FieldTitle:    "title",
	loci.FieldContent:  "content",
	loci.FieldSummary:  "summary",
	loci.FieldKey:      "key",
	loci.FieldCategory: "category",
	loci.FieldTags:     "tags",
}

// why explains the hit at position i. The scores of its terms add up to its score, except for
// rounding.
func (r *Ranking) why(i int) loci.Why {
	m := r.order[i].match
	why := loci.Why{Terms: []loci.WhyTerm{}, Boosts: r.boosts(i)}
	for t := range r.idf {
		if fields := fieldsOf(m, t); len(fields) > 0 {
			why.Terms = append(why.Terms, loci.WhyTerm{Term: r.query.texts[t], Fields: fields, Score: r.termScore(m, t)})
		}
	}
	slices.SortStableFunc(why.Terms, func(x, y loci.WhyTerm) int { return cmp.Compare(y.Score, x.Score) })
	return why
}

func fieldsOf(m *loci.Match, t int) (fields []string) {
	for f, name := range fieldNames {
		if m.In(t, loci.Field(f)) > 0 {
			fields = append(fields, name)
		}
	}
	return fields
}

// boosts returns why the hit at i comes before another one with the same score. The order is
// sorted, so the last of those that are equal in the earlier properties is the lowest.
func (r *Ranking) boosts(i int) []string {
	boosts := []string{}
	hit := r.order[i]
	last := r.order[r.lastLike(i, func(x ranked) bool { return x.score == hit.score })].match
	if hit.match.Pinned && !last.Pinned {
		boosts = append(boosts, BoostPinned)
	}
	last = r.order[r.lastLike(i,
		func(x ranked) bool { return x.score == hit.score && x.match.Pinned == hit.match.Pinned })].match
	if hit.match.Importance > last.Importance {
		boosts = append(boosts, BoostImportance)
	}
	last = r.order[r.lastLike(i, func(x ranked) bool {
		return x.score == hit.score && x.match.Pinned == hit.match.Pinned && x.match.Importance == hit.match.Importance
	})].match
	if hit.match.UpdatedAt.After(last.UpdatedAt) {
		boosts = append(boosts, BoostRecency)
	}
	return boosts
}

// lastLike returns the last of the adjacent positions from i on that are alike.
func (r *Ranking) lastLike(i int, alike func(ranked) bool) int {
	return i + sort.Search(len(r.order)-i, func(n int) bool { return !alike(r.order[i+n]) }) - 1
}
