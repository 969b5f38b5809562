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
	pinned     bool
	importance int
	updated    int64 // microseconds since 1970
}

// standing returns what orders the hit at i.
func (r *Ranking) standing(i int) standing {
	m := r.order[i].match
	return standing{r.order[i].score, m.Pinned, m.Importance, m.UpdatedAt.UnixMicro()}
}

// boosts returns why the hit at i comes before another one of n with the same score. The order is
// sorted, so the last of those that are equal in the earlier properties is the lowest.
func boosts(n, i int, at func(int) standing) []string {
	list, hit := []string{}, at(i)
	last := at(lastLike(n, i, func(j int) bool { return at(j).score == hit.score }))
	if hit.pinned && !last.pinned {
		list = append(list, BoostPinned)
	}
	equal := func(j int) bool { return at(j).score == hit.score && at(j).pinned == hit.pinned }
	if last = at(lastLike(n, i, equal)); hit.importance > last.importance {
		list = append(list, BoostImportance)
	}
	last = at(lastLike(n, i, func(j int) bool { return equal(j) && at(j).importance == hit.importance }))
	if hit.updated > last.updated {
		list = append(list, BoostRecency)
	}
	return list
}

// lastLike returns the last of the adjacent positions from i to n that are alike.
func lastLike(n, i int, alike func(int) bool) int {
	return i + sort.Search(n-i, func(k int) bool { return !alike(i + k) }) - 1
}
