package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

// graphPager reads one page of something and returns what is on it.
type graphPager func(w *graphWorld, p loci.Principal, in loci.ProjectID, limit int, cursor string) (items []string,
	next string, err error)

var graphPagers = map[string]graphPager{
	"search": func(w *graphWorld, p loci.Principal, in loci.ProjectID, limit int, cursor string) (items []string,
		next string, err error) {
		page, err := w.Graph.Search(w.t.Context(), p, in, graph.SearchRequest{Query: "page*", Limit: limit, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		if page.Total != 7 {
			w.t.Errorf("total %d, want 7", page.Total)
		}
		for _, e := range page.Entities {
			items = append(items, e.Name)
		}
		return items, page.NextCursor, nil
	},
	"read": func(w *graphWorld, p loci.Principal, in loci.ProjectID, limit int, cursor string) (items []string,
		next string, err error) {
		page, err := w.Graph.Read(w.t.Context(), p, in, graph.ListRequest{Limit: limit, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		for _, e := range page.Entities {
			items = append(items, e.Name)
		}
		return items, page.NextCursor, nil
	},
	"observations": func(w *graphWorld, p loci.Principal, in loci.ProjectID, limit int, cursor string) (items []string,
		next string, err error) {
		page, err := w.Graph.EntityObservations(w.t.Context(), p, in, named("page 1"),
			graph.ListRequest{Limit: limit, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		for _, o := range page.Items {
			items = append(items, o.Content)
		}
		return items, page.NextCursor, nil
	},
	"relations": func(w *graphWorld, p loci.Principal, in loci.ProjectID, limit int, cursor string) (items []string,
		next string, err error) {
		page, err := w.Graph.EntityRelations(w.t.Context(), p, in, named("page 1"),
			graph.ListRequest{Limit: limit, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		for _, r := range page.Items {
			items = append(items, r.Type)
		}
		return items, page.NextCursor, nil
	},
}

// fill puts seven of everything into a project.
func (w *graphWorld) fill(in loci.ProjectID) {
	w.t.Helper()
	var entities []loci.NewEntity
	var relations []loci.NewRelation
	for i := range 7 {
		entities = append(entities, ent(fmt.Sprintf("page %d", i), "t"))
		entities[min(i, 1)].Observations = append(entities[min(i, 1)].Observations, fmt.Sprintf("page of %d", i),
			fmt.Sprintf("page also of %d", i))
		relations = append(relations, rel("page 1", fmt.Sprintf("type %d", i), fmt.Sprintf("page %d", i)))
	}
	_, err := w.Graph.CreateEntities(w.t.Context(), w.olga, in, nil, entities)
	w.must(err)
	_, err = w.Graph.CreateRelations(w.t.Context(), w.olga, in, nil, relations)
	w.must(err)
}

func TestPagesOfAGraphHaveEverythingOnce(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.fill(w.open)
	for name, pager := range graphPagers {
		whole, next, err := pager(w, w.olga, w.open, 100, "")
		w.must(err)
		if len(whole) < 7 || next != "" {
			t.Errorf("%s: %d on one page, next %q", name, len(whole), next)
		}
		for _, size := range []int{1, 2, 7} {
			var got []string
			for cursor, more := "", true; more; more = cursor != "" {
				items, next, err := pager(w, w.olga, w.open, size, cursor)
				w.must(err)
				if len(items) > size {
					t.Fatalf("%s: %d items on a page of %d", name, len(items), size)
				}
				got, cursor = append(got, items...), next
			}
			if !slices.Equal(got, whole) {
				t.Errorf("%s by %d: got %q, want %q", name, size, got, whole)
			}
		}
	}
}

func TestForeignAndDamagedGraphCursorsAreRefused(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.fill(w.open)
	w.fill(w.closed)
	for name, pager := range graphPagers {
		_, next, err := pager(w, w.olga, w.open, 2, "")
		w.must(err)
		if next == "" {
			t.Fatalf("%s: no second page", name)
		}
		refuse := func(what string, err error) {
			t.Helper()
			if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != "cursor" {
				t.Errorf("%s, %s: got %v", name, what, err)
			}
		}
		for other, pager := range graphPagers {
			if other != name {
				_, _, err := pager(w, w.olga, w.open, 2, next)
				refuse("as one of "+other, err)
			}
		}
		for what, cursor := range map[string]string{"cut": next[:len(next)-1], "longer": next + "A", "short": "AAAA",
			"garbage": "%%%", "huge": strings.Repeat("A", 5000),
			"no position": next[:11]} {
			_, _, err := pager(w, w.olga, w.open, 2, cursor)
			refuse(what, err)
		}
		_, _, err = pager(w, w.olga, w.closed, 2, next)
		refuse("another project", err)
		_, _, err = pager(w, w.tom, w.open, 2, next)
		refuse("another person", err)
		_, _, err = pager(w, w.claude, w.open, 2, next)
		refuse("another vendor", err)
	}
	page, err := w.Graph.Search(t.Context(), w.olga, w.open, graph.SearchRequest{Query: "page*", Limit: 2})
	w.must(err)
	_, err = w.Graph.Search(t.Context(), w.olga, w.open,
		graph.SearchRequest{Query: "pag*", Limit: 2, Cursor: page.NextCursor})
	wantCode(t, err, loci.Invalid)
}
