package recall

import (
	"cmp"
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

// standing is what orders hits.
type standing struct {
	score      float64
	current    bool // known to be not superseded
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
	{BoostCurrent, func(x, y *standing) int { return compareBool(x.current, y.current) }},
	{BoostPinned, func(x, y *standing) int { return compareBool(x.pinned, y.pinned) }},
	{BoostImportance, func(x, y *standing) int { return cmp.Compare(x.importance, y.importance) }},
	{BoostRecency, func(x, y *standing) int { return cmp.Compare(x.updated, y.updated) }},
}

// compare orders standings, the lowest first.
func (x standing) compare(y standing) int {
	n := cmp.Compare(x.score, y.score)
	for i := 0; i < len(ties) && n == 0; i++ {
		n = ties[i].compare(&x, &y)
	}
	return n
}

func compareBool(x, y bool) int {
	if x == y {
		return 0
	}
	if x {
		return 1
	}
	return -1
}

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
