package app_test

import (
	"math"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func keyed(memories ...*loci.Memory) map[loci.MemoryID]*loci.Memory {
	out := map[loci.MemoryID]*loci.Memory{}
	for _, m := range memories {
		out[m.ID] = m
	}
	return out
}

func (c *chronicle) listed(p loci.Principal, w loci.When, read func(memory.ListRequest) (memory.ListPage, error)) (
	all []*loci.Memory) {
	for cursor := ""; ; {
		page, err := read(memory.ListRequest{Filter: memory.Filter{When: w}, Limit: 2, Cursor: cursor, Total: true})
		if err != nil {
			c.rt.Fatal(err)
		}
		all = append(all, page.Items...)
		if cursor = page.NextCursor; cursor == "" {
			if page.Total != len(all) || page.TotalIsLowerBound {
				c.rt.Fatalf("counts %d, lists %d", page.Total, len(all))
			}
			return all
		}
	}
}

func (c *chronicle) searched(p loci.Principal, w loci.When, query, fallback string) (all []*loci.Memory) {
	page, err := c.Memory.Search(c.t.Context(), p,
		memory.SearchRequest{Filter: memory.Filter{When: w}, Query: query, Limit: memory.MaxSearch})
	if err != nil {
		c.rt.Fatal(err)
	}
	for _, h := range page.Items {
		if h.Why.Fallback != fallback {
			c.rt.Fatalf("%s was found by %q, want %q", query, h.Why.Fallback, fallback)
		}
		all = append(all, h.Memory)
	}
	if page.Total != len(all) || page.Partial() {
		c.rt.Fatalf("%s: %+v", query, page)
	}
	return all
}

func (c *chronicle) recalled(p loci.Principal, w loci.When) (all []*loci.Memory) {
	for cursor := ""; ; {
		page, err := c.Memory.Recall(c.t.Context(), p,
			memory.SearchRequest{Filter: memory.Filter{When: w}, Query: "common n1 ground", Limit: 2, Cursor: cursor})
		if err != nil {
			c.rt.Fatal(err)
		}
		for i := range page.Items {
			m := &page.Items[i]
			sum := 0.0
			for _, t := range m.Why.Terms {
				sum += t.Score
			}
			if len(m.Why.Terms) < 2 || math.Abs(sum-m.Score) > 1e-9 {
				c.rt.Fatalf("score %v, why %+v", m.Score, m.Why)
			}
			all = append(all, &m.Memory)
		}
		if cursor = page.NextCursor; cursor == "" {
			return all
		}
	}
}
