package recall

import (
	"cmp"
	"slices"
	"sort"

	"github.com/loci-memory/loci"
)

// These are the properties that order memories with the same score, in this order.
const (
	BoostCurrent    = "current" // not superseded
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

// why explains the hit at position i. The scores of its terms add up to its score, except for rounding.
func (r *Ranking) why(i int) loci.Why {
	m := r.order[i].match
	why := loci.Why{Terms: []loci.WhyTerm{}, Boosts: boosts(len(r.order), i, r.standing)}
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

// standing is what orders hits.
type standing struct {
	score      float64
	superseded bool
	pinned     bool
	importance int
	updated    int64 // microseconds since 1970
}

// ties order hits with the same score: by the first one in which two hits differ. A superseded memory comes last,
// because superseding it was its last change.
var ties = [...]struct {
	boost   string
	compare func(x, y *standing) int
}{
	{BoostCurrent, func(x, y *standing) int { return compareBool(y.superseded, x.superseded) }},
	{BoostPinned, func(x, y *standing) int { return compareBool(x.pinned, y.pinned) }},
	{BoostImportance, func(x, y *standing) int { return cmp.Compare(x.importance, y.importance) }},
	{BoostRecency, func(x, y *standing) int { return cmp.Compare(x.updated, y.updated) }},
}

// standing returns what orders the hit at i.
func (r *Ranking) standing(i int) standing { return r.order[i].standing() }

// boosts returns why the hit at i comes before another one of n with the same score. The order is
// sorted, so the last of those that are equal in the earlier properties is the lowest.
func boosts(n, i int, at func(int) standing) []string {
	list, hit := []string{}, at(i)
	for k := range ties {
		last := at(lastLike(n, i, func(j int) bool {
			other := at(j)
			for _, earlier := range ties[:k] {
				if earlier.compare(&hit, &other) != 0 {
					return false
				}
			}
			return other.score == hit.score
		}))
		if ties[k].compare(&hit, &last) > 0 {
			list = append(list, ties[k].boost)
		}
	}
	return list
}

// lastLike returns the last of the adjacent positions from i to n that are alike.
func lastLike(n, i int, alike func(int) bool) int {
	return i + sort.Search(n-i, func(k int) bool { return !alike(i + k) }) - 1
}
