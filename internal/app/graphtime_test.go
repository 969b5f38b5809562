package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// slowGraphs is a store whose graphs take longer to read than any search has.
type slowGraphs struct{ store.Store }

func (slowGraphs) ViewProject(ctx context.Context, _ loci.OrgID, _ loci.ProjectID, _ func(store.GraphTx) error) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// A search that had no time for the graphs says that it is not the whole answer.
func TestSearchWithoutTimeForGraphs(t *testing.T) {
	t.Parallel()
	w := newNeighbours(t)
	slow := app.New(app.Options{Store: slowGraphs{w.st}, Patience: 40 * time.Millisecond, Now: time.Now})
	r := memory.SearchRequest{Query: "billing ledger"}
	found, err := slow.Memory.Recall(t.Context(), w.olga, r)
	w.must(err)
	if !found.Partial() || found.StoppedBy != memory.StoppedByTime || !found.TotalIsLowerBound || len(found.Graph) > 0 {
		t.Errorf("recall: %+v", found)
	}
	searched, err := slow.Memory.Search(t.Context(), w.olga, r)
	w.must(err)
	if !searched.Partial() || searched.StoppedBy != memory.StoppedByTime {
		t.Errorf("search: %+v", searched)
	}
	answer, err := slow.Memory.Query(t.Context(), w.olga, memory.QueryRequest{Query: r.Query})
	w.must(err)
	if answer.StoppedBy != memory.StoppedByTime {
		t.Errorf("query: %+v", answer)
	}
	if found, err = w.Memory.Recall(t.Context(), w.olga, r); err != nil || found.Partial() || len(found.Graph) == 0 {
		t.Errorf("with time: %+v, %v", found, err)
	}
}

// A copy of a project has entities with the same ids. Recall looks in both.
func TestRecallLooksInCopiesOfProjects(t *testing.T) {
	t.Parallel()
	w := newNeighbours(t)
	text := w.export(w.olga, w.open, graph.GraphLoci)
	if _, problems := w.take(w.local, w.closed, text, graph.ImportOptions{}); len(problems) > 0 {
		t.Fatal(problems)
	}
	for in, content := range map[loci.ProjectID]string{w.closed: "Cooled by water.", w.open: "Painted blue."} {
		_, err := w.Graph.AddObservations(t.Context(), w.olga, in, nil, []loci.Contents{obs("billing-service", content)})
		w.must(err)
	}
	for query, want := range map[string]string{"billing cooled water": "merger: ", "billing painted blue": "website: "} {
		_, entities := w.answer(w.olga, memory.SearchRequest{Query: query})
		if !slices.ContainsFunc(entities, func(e string) bool { return strings.HasPrefix(e, want+"billing-service") }) {
			t.Errorf("%s: got %q, want %s", query, entities, want)
		}
	}
}
