package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// graphHits are the best of what a search found.
type graphHits struct {
	store.GraphMatches
	Entities []loci.Entity
	Total    int
}

func searchGraph(ctx context.Context, g store.Graph, v loci.Viewer, q *loci.GraphQuery, limit int) (
	hits graphHits, err error) {
	if hits.GraphMatches, err = g.Search(ctx, v, q); err != nil {
		return hits, err
	}
	ids := recall.RankGraph(hits.Matches)
	hits.Total = len(ids)
	hits.Entities, err = g.Get(ctx, v, ids[:min(limit, len(ids))]...)
	return hits, err
}

func (e *env) search(p loci.Project, v loci.Viewer, text string, limit int) (hits graphHits) {
	e.Helper()
	q, err := loci.ParseGraphQuery(text)
	if err != nil {
		e.Fatalf("%s: %v", text, err)
	}
	e.viewGraph(p, func(ctx context.Context, g store.Graph) (err error) {
		hits, err = searchGraph(ctx, g, v, q, limit)
		return err
	})
	return hits
}

// The words of an AND may stand in name, type and different observations of
// one entity, and those of a NOT in none of them.
func testGraphSearchEntity(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("Alice", "person", "runs kubernetes at work", "plays chess"),
		ent("Bob", "person", "met Alice", "plays go"),
		ent("Kubernetes", "tool", "schedules pods"), ent("Café Müller", "place", "serves Kubernetes stickers"))
	hidden := loci.GraphAccess{UserID: e.user, Origin: "api", AllowedVendors: []loci.Vendor{"other"}}
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Observe(ctx, v, hidden,
			[]loci.Contents{{Entity: loci.EntityRef{Name: "Bob"}, Contents: []string{"secretly runs kubernetes"}}})
		return err
	})
	agent := v
	agent.Vendor = "claude"
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"alice AND kubernetes", []string{"Alice"}},
		{"kubernetes AND alice AND chess AND person", []string{"Alice"}},
		{"alice kubernetes", []string{"Alice"}},
		{"person NOT kubernetes", []string{"Bob"}},
		{"plays NOT chess", []string{"Bob"}},
		{"kubernetes NOT (person OR tool)", []string{"Café Müller"}},
		{`(alice AND "plays go") OR pods`, []string{"Bob", "Kubernetes"}},
		{`"alice kubernetes"`, nil},
		{`"alice person"`, nil},
		{`"work plays"`, nil},
		{"kuber* AND ches*", []string{"Alice"}},
		{"cafe AND MULLER AND stickers", []string{"Café Müller"}},
		{`"cafe mull"* AND kubernetes`, []string{"Café Müller"}},
		{"(alice OR bob) AND go", []string{"Bob"}},
		{"person NOT (plays NOT chess)", []string{"Alice"}},
	} {
		hits := e.search(p, agent, tt.query, 9)
		got := entityNames(hits.Entities)
		slices.Sort(got)
		if !slices.Equal(got, tt.want) || hits.Total != len(tt.want) || hits.More || hits.Any {
			e.Errorf("%s: got %q of %d (more %v, any %v), want %q", tt.query, got, hits.Total, hits.More, hits.Any, tt.want)
		}
	}
	for query, want := range map[string][]string{ // plain words of which none has all, and then none any
		"chess zebra": {"Alice"}, "kubern": {"Alice", "Café Müller", "Kubernetes"}, "zebra ches": {"Alice"}, "ku": nil,
		"ubernetes":      nil,
		"kuber AND ches": nil, `"ches"`: nil,
	} {
		hits := e.search(p, agent, query, 9)
		got := entityNames(hits.Entities)
		slices.Sort(got)
		if !slices.Equal(got, want) || hits.Total != len(want) || hits.Any != (len(want) > 0) {
			e.Errorf("%s: got %q of %d (any %v), want %q", query, got, hits.Total, hits.Any, want)
		}
	}
	e.wantList("the owner's Bob", entityNames(e.search(p, v, "bob AND kubernetes", 9).Entities), "Bob")
}

// The answer to any query is that of reading every visible entity.
func testGraphSearchAgrees(e *env) {
	p := e.project("p", func(p *loci.Project) { p.WorkspaceID = newID[loci.WorkspaceID]() })
	rapid.Check(e, func(t *rapid.T) {
		w := &graphWorld{env: e, t: t, p: p}
		w.clear()
		w.fill(rapid.IntRange(1, 5).Draw(t, "rows"))
		for range 3 {
			v, q := w.viewer(), drawGraphQuery(t, 3)
			var want []string
			for _, entity := range w.entities {
				if _, sees := w.expect(v, loci.LiveOnly, entity); sees && holds(q, w.texts(v, entity)) {
					want = append(want, entity.Name)
				}
			}
			w.viewGraph(p, func(ctx context.Context, g store.Graph) error {
				hits, err := searchGraph(ctx, g, v, q, 99)
				got := entityNames(hits.Entities)
				slices.Sort(want)
				slices.Sort(got)
				w.same(fmt.Sprintf("Search of %s", showGraphQuery(q)), v, want, got)
				return err
			})
		}
	})
}

// texts are the rows of an entity that v may see, each by itself.
func (w *graphWorld) texts(v loci.Viewer, e *loci.Entity) []string {
	list := []string{e.Name, e.Type}
	for _, o := range w.observations {
		if o.EntityID == e.ID && v.SeesGraph(&w.p, &o.GraphAccess, loci.LiveOnly) {
			list = append(list, o.Content)
		}
	}
	return list
}

func drawGraphQuery(t *rapid.T, depth int) *loci.GraphQuery {
	op := draw(t, "operator", loci.GraphWords, loci.GraphAnd, loci.GraphOr, loci.GraphNot)
	if depth == 0 || op == loci.GraphWords {
		return &loci.GraphQuery{Op: loci.GraphWords,
			Text:   draw(t, "word", "red", "green", "blue", "house", "thing", "red red", "re", "0", "3"),
			Prefix: rapid.Bool().Draw(t, "prefix")}
	}
	return &loci.GraphQuery{Op: op, Parts: []*loci.GraphQuery{drawGraphQuery(t, depth-1), drawGraphQuery(t, depth-1)}}
}

// holds is what a query means.
func holds(q *loci.GraphQuery, texts []string) bool {
	switch q.Op {
	case loci.GraphAnd:
		return holds(q.Parts[0], texts) && holds(q.Parts[1], texts)
	case loci.GraphOr:
		return holds(q.Parts[0], texts) || holds(q.Parts[1], texts)
	case loci.GraphNot:
		return holds(q.Parts[0], texts) && !holds(q.Parts[1], texts)
	}
	words := " " + q.Text
	if !q.Prefix {
		words += " "
	}
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(" "+text+" ", words) })
}

func showGraphQuery(q *loci.GraphQuery) string {
	if q.Op == loci.GraphWords {
		return fmt.Sprintf("%q(%v)", q.Text, q.Prefix)
	}
	return "(" + showGraphQuery(q.Parts[0]) + " " + string(q.Op) + " " + showGraphQuery(q.Parts[1]) + ")"
}

// Where much matches, much of it is looked at; where most of that is hidden, what is not is
// found all the same, and nothing tells of it.
func testGraphSearchCrowd(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("First", "thing", "old rare", "old common word", "usual word"), ent("Crowd", "thing"))
	crowd := func(access loci.GraphAccess, from, n int) {
		e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			items := make([]loci.NewEntity, n)
			for i := range items {
				items[i] = ent(fmt.Sprint("crowd ", from+i), "thing", "common word", "usual word")
			}
			_, err := tx.Entities().Create(ctx, v, access, items)
			return err
		})
	}
	crowd(loci.GraphAccess{UserID: e.user, Origin: "api", AllowedVendors: []loci.Vendor{"other"}}, 0, 1000)
	crowd(loci.GraphAccess{UserID: e.user, Origin: "api", AllowedVendors: []loci.Vendor{"other"}}, 1000, 300)
	crowdNamed(e, p, v)
	agent := v
	agent.Vendor = "claude"
	for _, query := range []string{"common", "common AND usual", "usual AND common AND thing", "old OR common",
		"common NOT new", "thing AND common NOT new", `"common word"`, "comm*"} {
		hits := e.search(p, agent, query, 9)
		if got := entityNames(hits.Entities); !slices.Equal(got, []string{"First"}) || hits.Total != 1 || hits.More {
			e.Errorf("%s among hidden ones: got %q of %d, more %v", query, got, hits.Total, hits.More)
		}
	}
	for _, tt := range []struct {
		query string
		total int
		more  bool
	}{
		{"common AND rare", 1, false}, // rare leads, however much is common
		{"rare NOT common", 0, false}, // it is common, too
		{"usual", store.MaxGraphMatches, true},
		{"crowd AND rare", 0, false},
	} {
		hits := e.search(p, v, tt.query, 9)
		if hits.Total != tt.total || hits.More != tt.more {
			e.Errorf("%s: %d, more %v; want %d, %v", tt.query, hits.Total, hits.More, tt.total, tt.more)
		}
	}
	// Both are everywhere, but never in one row.
	if hits := e.search(p, v, "common AND usual", 9); len(hits.Entities) != 9 || !hits.More {
		e.Errorf("two common words: %d of %d, more %v", len(hits.Entities), hits.Total, hits.More)
	}
	if hits := e.search(p, v, "thing NOT common", 9); hits.Total != 0 || !hits.More {
		e.Errorf("thing NOT common: %q of %d, more %v", entityNames(hits.Entities), hits.Total, hits.More)
	}
}

// The entity that a query names comes first, however many newer ones have the word.
func crowdNamed(e *env, p loci.Project, v loci.Viewer) {
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		secret := loci.GraphAccess{UserID: e.user, Origin: "api", AllowedVendors: []loci.Vendor{"other"}}
		_, err := tx.Entities().Create(ctx, v, secret, []loci.NewEntity{ent("Crowd", "secret")})
		return err
	})
	for _, query := range []string{"Crowd", "crowd", "CROWD", `"crowd"`, "crowd*"} {
		hits := e.search(p, v, query, 2)
		if got := entityNames(hits.Entities); !slices.Equal(got, []string{"Crowd", "Crowd"}) || !hits.More {
			e.Errorf("%s, the name of two entities: %q of %d, more %v", query, got, hits.Total, hits.More)
		}
	}
	agent := v
	agent.Vendor = "claude"
	for _, query := range []string{"Crowd", "crowd", "crowd*"} {
		hits := e.search(p, agent, query, 9)
		if got := entityNames(hits.Entities); !slices.Equal(got, []string{"Crowd"}) || hits.Entities[0].Type != "thing" ||
			hits.Total != 1 || hits.More {
			e.Errorf("%s among hidden ones: %q of %d, more %v", query, got, hits.Total, hits.More)
		}
	}
}

func testGraphSearch(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("Postgres", "database", "speaks SQL", "has MVCC"),
		ent("SQLite", "database", "one file", "speaks SQL"),
		ent("Ada", "person", "likes databases and postgres"), ent("Redis", "cache", "keeps keys in memory; AND more"))
	e.relate(p, v, rel("Ada", "uses", "Postgres"))
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"postgres", []string{"Postgres", "Ada"}},
		{"POSTGRES", []string{"Postgres", "Ada"}},
		{"database", []string{"SQLite", "Postgres"}},
		{"databas*", []string{"SQLite", "Postgres", "Ada"}},
		{`"one file"`, []string{"SQLite"}},
		{`"file one"`, nil},
		{"speaks AND sql", []string{"SQLite", "Postgres"}},
		{"mvcc OR keys", []string{"Postgres", "Redis"}},
		{"database NOT postgres", []string{"SQLite"}},
		{"(mvcc OR file) AND one", []string{"SQLite"}},
		{"what speaks, sql?", []string{"SQLite", "Postgres"}}, // some words
		{"keeps-keys: (in) memory", []string{"Redis"}},
		{"c++ and more", []string{"Redis", "Ada"}},
		{"nothing", nil},
	} {
		q, err := loci.ParseGraphQuery(tt.query)
		if err != nil {
			e.Errorf("%s: %v", tt.query, err)
			continue
		}
		var hits graphHits
		e.viewGraph(p, func(ctx context.Context, g store.Graph) (err error) {
			hits, err = searchGraph(ctx, g, v, q, 9)
			return err
		})
		got := entityNames(hits.Entities)
		if len(tt.want) > 2 { // the order of the rest is the engine's
			slices.Sort(got)
			slices.Sort(tt.want)
		}
		if !slices.Equal(got, tt.want) || hits.Total != len(tt.want) || hits.More {
			e.Errorf("%s: got %q of %d, want %q", tt.query, got, hits.Total, tt.want)
		}
		if tt.query == "postgres" && (len(hits.Entities) != 2 || len(hits.Entities[0].Observations) != 2 ||
			len(hits.Entities[0].Relations) != 1) {
			e.Errorf("without what hangs on them: %+v", hits.Entities)
		}
	}
	e.searchFeatures(p, v)
}

func (e *env) searchFeatures(p loci.Project, v loci.Viewer) {
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		q, _ := loci.ParseGraphQuery("database")
		hits, err := g.Search(ctx, v, q)
		if err != nil || len(hits.Matches) != 2 {
			e.Fatalf("%+v, %v", hits, explain(err))
		}
		want := []loci.GraphMatch{{Type: loci.Occurrences{Times: 1, Bytes: 8}, Name: loci.Occurrences{Bytes: 6}},
			{Type: loci.Occurrences{Times: 1, Bytes: 8}, Name: loci.Occurrences{Bytes: 8}}}
		for i := range want {
			want[i].ID = hits.Matches[i].ID
		}
		if diff := cmp.Diff(want, hits.Matches); diff != "" {
			e.Errorf("features (-want +got):\n%s", diff)
		}
		ids := []loci.EntityID{hits.Matches[1].ID, loci.NewEntityID(), hits.Matches[0].ID}
		list, err := g.Get(ctx, v, ids...)
		e.wantList("Get", entityNames(list), "Postgres", "SQLite")
		return err
	})
}
