package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

// newNeighbours is a graph with a few services and people, and memories about them.
func newNeighbours(t *testing.T) *graphWorld {
	w := newGraphWorld(t)
	w.put(w.olga, nil, ent("billing-service", "service", "Listens on port 8443.", "Written in Go."),
		ent("Ana", "person"), ent("ledger", "service", "Keeps the books."), ent("printer", "device"))
	w.relate(w.olga, rel("billing-service", "owned_by", "Ana"), rel("ledger", "calls", "billing-service"))
	for _, text := range []string{"Ana prefers mail and works from Lisbon.", "The ledger closes at midnight.",
		"The printer is on floor two.", "Who sends the billing letters? The office."} {
		w.add(w.olga, memory.Draft{Title: loci.Shorten(text, 12), Content: text})
	}
	return w
}

// answer returns the texts of a recall with what led to them, and the entities that answer.
func (w *graphWorld) answer(p loci.Principal, r memory.SearchRequest) (memories, entities []string) {
	w.t.Helper()
	r.Explain = true
	found, err := w.Memory.Recall(w.t.Context(), p, r)
	w.must(err)
	for _, h := range found.Items {
		if (h.Why.Signals != nil && h.Why.Signals.Graph > 0) != (len(h.Why.Through) > 0) {
			w.t.Errorf("%q: signals %+v, through %q", h.Content, h.Why.Signals, h.Why.Through)
		}
		memories = append(memories, strings.Join(append([]string{h.Content}, h.Why.Through...), " | "))
	}
	for _, e := range found.Graph {
		text := e.Project + ": " + e.Name
		for _, o := range e.Observations {
			text += " | " + o.Content
		}
		for _, r := range e.Relations {
			text += " | " + r.Path()
		}
		entities = append(entities, text)
	}
	return memories, entities
}

// A question that names an entity finds the memories about its neighbours, and the entity.
func TestRecallReachesNeighbours(t *testing.T) {
	t.Parallel()
	w := newNeighbours(t)
	memories, entities := w.answer(w.olga, memory.SearchRequest{Query: "Who runs the Billing service?", Limit: 9})
	if want := []string{"Who sends the billing letters? The office.",
		"The ledger closes at midnight. | ledger → calls → billing-service",
		"Ana prefers mail and works from Lisbon. | billing-service → owned_by → Ana"}; !cmp.Equal(memories, want) {
		t.Errorf("got %q", memories)
	}
	if want := []string{"website: billing-service | Listens on port 8443. | Written in Go. | " +
		"billing-service → owned_by → Ana | ledger → calls → billing-service"}; !cmp.Equal(entities, want) {
		t.Errorf("got %q", entities)
	}
	// An observation answers also if nobody names its entity.
	memories, entities = w.answer(w.olga, memory.SearchRequest{Query: "what listens on port 8443"})
	if want := []string{"website: billing-service | Listens on port 8443. | billing-service → owned_by → Ana | " +
		"ledger → calls → billing-service"}; len(memories) > 0 || !cmp.Equal(entities, want) {
		t.Errorf("got %q and %q", memories, entities)
	}
	// A search for words leaves out what has none of them. A filter and another time say nothing of entities.
	page, err := w.Memory.Search(t.Context(), w.olga, memory.SearchRequest{Query: "who runs the billing service"})
	w.must(err)
	if len(page.Items) != 1 || page.Graph != nil {
		t.Errorf("a search has %d hits and the entities %v", len(page.Items), page.Graph)
	}
	for _, f := range []memory.Filter{{Origin: "api"}, {When: loci.When{AsOf: time.Now()}},
		{ProjectID: loci.ProjectID{7}}} {
		if _, entities := w.answer(w.olga, memory.SearchRequest{Query: "billing-service", Filter: f}); entities != nil {
			t.Errorf("with %+v: %q", f, entities)
		}
	}
	if _, entities := w.answer(w.olga, memory.SearchRequest{Query: "billing-service",
		Filter: memory.Filter{ProjectID: w.open}}); len(entities) != 1 {
		t.Errorf("in the project: %q", entities)
	}
}

// An entity that the question names is found among many newer ones that have the words of its name.
func TestRecallFindsANamedEntityAmongMany(t *testing.T) {
	t.Parallel()
	w := newNeighbours(t)
	var many []loci.NewEntity
	for i := range 600 {
		many = append(many, ent(fmt.Sprint("service of billing ", i), "service", "A service for billing."))
	}
	w.put(w.olga, nil, many...)
	memories, entities := w.answer(w.olga, memory.SearchRequest{Query: "Who runs the Billing service?", Limit: 9})
	if len(entities) == 0 || !strings.HasPrefix(entities[0], "website: billing-service |") ||
		!slices.Contains(memories, "Ana prefers mail and works from Lisbon. | billing-service → owned_by → Ana") {
		t.Errorf("got %q and %q", memories, entities)
	}
}

// A row of a graph that the reader may not see leads nowhere and is not shown. The same goes for a reader outside
// the project, for a credential that may not read graphs, and for an archived project.
func TestHiddenRowsOfGraphsLeadNowhere(t *testing.T) {
	t.Parallel()
	ask := func(w *graphWorld, p loci.Principal) []string {
		var all []string
		for _, q := range []string{"Who runs the Billing service?", "ledger", "Ana", "printer port 8443"} {
			memories, entities := w.answer(p, memory.SearchRequest{Query: q, Limit: 50})
			found, err := w.Memory.Recall(t.Context(), p, memory.SearchRequest{Query: q, Explain: true})
			w.must(err)
			all = append(append(append(all, memories...), entities...), fmt.Sprint(found.Total, found.Partial()))
			for _, h := range found.Items {
				all = append(all, fmt.Sprint(h.Score, h.Why.Terms, *h.Why.Signals))
			}
		}
		return all
	}
	with, without := newNeighbours(t), newNeighbours(t)
	with.put(with.claude, []loci.Vendor{"claude"}, ent("billing service", "service", "Port 8443 of the printer."),
		ent("office", "place"), ent("printer", "secret", "ledger Ana"))
	_, err := with.Graph.CreateRelations(t.Context(), with.claude, with.open, []loci.Vendor{"claude"},
		[]loci.NewRelation{rel("billing-service", "prints_on", "office"), rel("ledger", "sits_in", "office"),
			rel("Ana", "hates", "ledger")})
	with.must(err)
	if got, want := ask(with, with.cursor), ask(without, without.cursor); !cmp.Equal(got, want) {
		t.Errorf("cursor: %s", cmp.Diff(want, got))
	}
	if got := ask(with, with.claude); cmp.Equal(got, ask(without, without.claude)) {
		t.Error("claude does not get its rows either")
	}

	bare := newGraphWorld(t)
	for _, text := range []string{"Ana prefers mail and works from Lisbon.", "The ledger closes at midnight.",
		"The printer is on floor two.", "Who sends the billing letters? The office."} {
		bare.add(bare.olga, memory.Draft{Title: loci.Shorten(text, 12), Content: text})
	}
	want := ask(bare, bare.olga)
	reader := without.key(without.olga, auth.KeyRequest{Rights: []loci.Right{loci.RightRead}})
	if got := ask(without, reader); !cmp.Equal(got, want) {
		t.Errorf("without the right: %s", cmp.Diff(want, got))
	}
	outside := without.olga
	outside.ProjectIDs = slices.DeleteFunc(slices.Clone(outside.ProjectIDs), func(id loci.ProjectID) bool {
		return id == without.open
	})
	if got := ask(without, outside); !cmp.Equal(got, want) {
		t.Errorf("outside: %s", cmp.Diff(want, got))
	}
	without.must(without.st.Projects().Archive(t.Context(), without.olga.OrgID, without.open))
	if got := ask(without, without.olga); !cmp.Equal(got, want) {
		t.Errorf("archived: %s", cmp.Diff(want, got))
	}
}
