package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

// drawn reads the compact form as a client does, and returns the entities and relations as texts.
func (w *graphWorld) drawn(t *rapid.T, p loci.Principal) (entities, relations []string) {
	var b bytes.Buffer
	w.must(w.Graph.Draw(w.t.Context(), p, w.open, &b))
	var names, types, kinds []string
	for line := range strings.Lines(b.String()) {
		var c loci.GraphChunk
		w.must(json.Unmarshal([]byte(line), &c))
		types, kinds = append(types, c.EntityTypes...), append(kinds, c.RelationTypes...)
		for i, id := range c.IDs {
			names = append(names, c.Names[i])
			entities = append(entities, id.String()+" "+c.Names[i]+" "+types[c.Types[i]])
		}
		for i := range c.From {
			relations = append(relations, names[c.From[i]]+" "+kinds[c.Types[i]]+" "+names[c.To[i]])
		}
		if c.End != nil && *c.End != (loci.GraphEnd{Entities: len(entities), Relations: len(relations)}) {
			t.Fatalf("the end says %+v after %d and %d", c.End, len(entities), len(relations))
		}
	}
	if !strings.HasSuffix(b.String(), "}}\n") {
		t.Fatalf("there is no end: %s", b.String())
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(types)))); n != len(types) {
		t.Fatalf("a type is listed twice: %q", types)
	}
	return entities, relations
}

// exportedGraph returns the same from an export.
func (w *graphWorld) exportedGraph(p loci.Principal) (entities, relations []string) {
	var b bytes.Buffer
	w.must(w.Graph.Export(w.t.Context(), p, w.open, graph.GraphLoci, &b))
	names := map[string]string{}
	for line := range strings.Lines(b.String()) {
		var row struct {
			Entity *struct {
				ID   string `json:"id"`
				Name string `json:"name"`
				Type string `json:"entity_type"`
			} `json:"entity"`
			Relation *struct {
				From string `json:"from_entity"`
				To   string `json:"to_entity"`
				Type string `json:"relation_type"`
			} `json:"relation"`
		}
		w.must(json.Unmarshal([]byte(line), &row))
		if e := row.Entity; e != nil {
			names[e.ID] = e.Name
			entities = append(entities, e.ID+" "+e.Name+" "+e.Type)
		}
		if r := row.Relation; r != nil {
			relations = append(relations, names[r.From]+" "+r.Type+" "+names[r.To])
		}
	}
	return entities, relations
}

// TestADrawingHasWhatAnExportHas draws graphs with rows for several vendors, and demands that the compact form has the
// visible rows and nothing else, with numbers that count visible rows only.
func TestADrawingHasWhatAnExportHas(t *testing.T) {
	drawFewer(t, 20)
	w := newGraphWorld(t)
	made := 0
	rapid.Check(t, func(rt *rapid.T) {
		made++
		name := func() string { return fmt.Sprint("e", made, "-", rapid.IntRange(0, 6).Draw(rt, "name")) }
		vendors := func() []loci.Vendor {
			return rapid.SampledFrom([][]loci.Vendor{{"*"}, {"claude"}, {"cursor"}, {"claude", "cursor"}}).Draw(rt, "vendors")
		}
		writer := func() loci.Principal {
			return rapid.SampledFrom([]loci.Principal{w.olga, w.claude, w.cursor}).Draw(rt, "writer")
		}
		for range rapid.IntRange(1, 8).Draw(rt, "entities") {
			w.put(writer(), vendors(), ent(name(), rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "type"), "hidden text"))
		}
		for range rapid.IntRange(0, 8).Draw(rt, "relations") {
			_, _ = w.Graph.CreateRelations(w.t.Context(), writer(), w.open, vendors(), // some have no such ends
				[]loci.NewRelation{rel(name(), rapid.SampledFrom([]string{"is", "has"}).Draw(rt, "kind"), name())})
		}
		_, _ = w.Graph.DeleteEntities(w.t.Context(), writer(), w.open, refs(name()))
		for who, p := range map[string]loci.Principal{"olga": w.olga, "tom": w.tom} {
			entities, relations := w.drawn(rt, p)
			wantEntities, wantRelations := w.exportedGraph(p)
			if diff := cmp.Diff([][]string{wantEntities, wantRelations}, [][]string{entities, relations}); diff != "" {
				rt.Fatalf("for %s (-export +drawing):\n%s", who, diff)
			}
		}
		for _, p := range []loci.Principal{w.claude, w.cursor} { // agents do not export
			as := w.olga
			as.Vendor = p.Vendor
			entities, relations := w.drawn(rt, p)
			wantEntities, wantRelations := w.exportedGraph(as)
			if diff := cmp.Diff([][]string{wantEntities, wantRelations}, [][]string{entities, relations}); diff != "" {
				rt.Fatalf("for %s (-export +drawing):\n%s", p.Vendor, diff)
			}
		}
	})
}
