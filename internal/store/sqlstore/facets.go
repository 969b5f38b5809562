package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Facets reads each visible row once. Rows with the same values are one row of the answer, and the lists of tags and
// vendors are taken apart here.
func (t lists) Facets(ctx context.Context, v loci.Viewer, f store.Filter) (loci.Facets, error) {
	if !f.When.IsPresent() {
		return loci.Facets{}, loci.Errorf(loci.Invalid, "facets are of the present only")
	}
	var q Query
	q.Add("SELECT m.origin, m.category, m.type, m.scope, m.project_id, m.pinned, m.tags, m.allowed_vendors, count(*) " +
		"FROM memories m WHERE {m} ")
	t.Passes(&q, v, &f, t.Now(), "m")
	q.Add(" GROUP BY 1, 2, 3, 4, 5, 6, 7, 8")
	out := loci.Facets{}
	counts := map[loci.Facet]map[string]int{}
	for _, facet := range []loci.Facet{loci.FacetOrigin, loci.FacetVendor, loci.FacetTag, loci.FacetCategory,
		loci.FacetType, loci.FacetScope, loci.FacetProject, loci.FacetPinned} {
		counts[facet] = map[string]int{}
	}
	err := t.c.Query(q.String(), q.Args, func(r Row) error {
		n := r.Int(8)
		out.Total += n
		counts[loci.FacetOrigin][r.Text(0)] += n
		counts[loci.FacetCategory][r.Text(1)] += n
		counts[loci.FacetType][r.Text(2)] += n
		counts[loci.FacetScope][r.Text(3)] += n
		if id := loci.ProjectID(r.ID(4)); !id.IsZero() {
			counts[loci.FacetProject][id.String()] += n
		}
		counts[loci.FacetPinned][strconv.FormatBool(r.Bool(5))] += n
		for column, facet := range map[int]loci.Facet{6: loci.FacetTag, 7: loci.FacetVendor} {
			var values []string
			if err := json.Unmarshal([]byte(r.Text(column)), &values); err != nil {
				return err
			}
			for _, value := range loci.Unique(values) {
				counts[facet][value] += n
			}
		}
		return ctx.Err()
	})
	out.Facets = make(map[loci.Facet][]loci.FacetCount, len(counts))
	for facet, values := range counts {
		out.Facets[facet] = mostFrequent(values)
	}
	return out, err
}

// mostFrequent returns the most frequent values, those of the same count by name.
func mostFrequent(values map[string]int) []loci.FacetCount {
	list := make([]loci.FacetCount, 0, len(values))
	for value, n := range values {
		list = append(list, loci.FacetCount{Value: value, Count: n})
	}
	slices.SortFunc(list, func(a, b loci.FacetCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return slices.Clip(list[:min(len(list), loci.MaxFacetValues)])
}

// TagText returns the text of all tags for the index, one on each line.
func TagText(tags []string) string { return strings.Join(tags, "\n") }
