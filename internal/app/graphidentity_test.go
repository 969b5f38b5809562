package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/jsonlines"
)

// A graph that is exported and imported is the same: with ids in our own
// format, and but for them in the reference format.
func TestExportAndImportAreTheIdentity(t *testing.T) {
	drawFewer(t, 25)
	w := newGraphWorld(t)
	other := newGraphWorld(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		w.open = w.project(w.olga, fmt.Sprintf("website %d", round), true).ID
		w.refresh()
		w.drawGraph(rt)
		from := w.export(w.olga, w.open, graph.GraphLoci)
		to := other.project(other.olga, fmt.Sprintf("copy %d", round), true).ID
		other.local = other.operator("acme")
		_, problems := other.take(other.local, to, from, graph.ImportOptions{})
		dry, _ := other.take(other.local, to, from, graph.ImportOptions{DryRun: true})
		again, _ := other.take(other.local, to, from, graph.ImportOptions{})
		if len(problems) > 0 || again.Present != again.Lines-1 || dry != again {
			rt.Fatalf("refused %q; again %+v, dry %+v", problems, again, dry)
		}
		_, copied, _ := strings.Cut(other.export(other.local, to, graph.GraphLoci), "\n")
		_, original, _ := strings.Cut(from, "\n")
		if diff := cmp.Diff(original, copied); diff != "" {
			rt.Fatalf("with ids:\n%s", diff)
		}
	})
}

func TestTheReferenceFormatComesBackAsItWas(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.take(w.olga, w.open, manyLines(3000), graph.ImportOptions{})
	w.put(w.olga, nil, ent("<b>\u2028\"\\", "日本語", "line\nbreak", "\t.", "x"))
	from := w.export(w.olga, w.open, graph.GraphReference)
	for _, dry := range []bool{true, false} {
		report, problems := w.take(w.olga, w.closed, from, graph.ImportOptions{DryRun: dry})
		if report.Present != 0 || report.Refused != 0 || report.Entities != 1501 || report.Relations != 1500 ||
			len(problems) > 0 {
			t.Fatalf("got %+v, %q", report, problems)
		}
	}
	if to := w.export(w.olga, w.closed, graph.GraphReference); to != from {
		t.Errorf("differs:\n%s", cmp.Diff(from, to))
	}
}

// refresh lets everybody come in anew, as for a next request.
func (w *graphWorld) refresh() {
	w.olga.ProjectIDs, w.claude.ProjectIDs, w.cursor.ProjectIDs = []loci.ProjectID{w.open}, []loci.ProjectID{w.open},
		[]loci.ProjectID{w.open}
}

// drawGraph puts anything into the open project, by anybody, for vendors that the writer
// is among: who does not see what it wrote makes twins for the same vendors, which Insert refuses.
func (w *graphWorld) drawGraph(rt *rapid.T) {
	ctx := w.t.Context()
	names := rapid.SampledFrom([]string{"A", "B", "C", "ü\u2028", "\"<&>\\", "d e"})
	kinds := rapid.SampledFrom([]string{"t", "u"})
	text := rapid.StringMatching(`[a-cé\n"]{1,4}x`)
	for range rapid.IntRange(0, 12).Draw(rt, "deeds") {
		p := rapid.SampledFrom([]loci.Principal{w.olga, w.claude, w.cursor}).Draw(rt, "who")
		vendors := rapid.SampledFrom([][]loci.Vendor{nil, {"cursor", "claude"}, {"other"}})
		if p.Vendor != "" {
			vendors = rapid.SampledFrom([][]loci.Vendor{nil, {"cursor", "claude"}, {p.Vendor}})
		}
		ref := loci.EntityRef{Name: names.Draw(rt, "name"), Type: kinds.Draw(rt, "type")}
		other := loci.EntityRef{Name: names.Draw(rt, "other"), Type: kinds.Draw(rt, "other type")}
		var err error
		switch rapid.IntRange(0, 5).Draw(rt, "deed") {
		case 0, 1:
			_, err = w.Graph.CreateEntities(ctx, p, w.open, vendors.Draw(rt, "for"),
				[]loci.NewEntity{{EntityRef: ref, Observations: []string{text.Draw(rt, "text")}}, {EntityRef: other}})
		case 2:
			_, err = w.Graph.AddObservations(ctx, p, w.open, vendors.Draw(rt, "for"),
				[]loci.Contents{{Entity: ref, Contents: []string{text.Draw(rt, "text")}}})
		case 3:
			_, err = w.Graph.CreateRelations(ctx, p, w.open, vendors.Draw(rt, "for"),
				[]loci.NewRelation{{From: ref, To: other, Type: kinds.Draw(rt, "kind")}})
		case 4:
			_, err = w.Graph.DeleteEntities(ctx, p, w.open, []loci.EntityRef{ref})
		case 5:
			_, err = w.Graph.Merge(ctx, p, w.open, graph.Which{EntityRef: ref}, graph.Which{EntityRef: other})
		}
		if err != nil && loci.CodeOf(err) == "" {
			rt.Fatal(err)
		}
	}
}

func FuzzGraphImport(f *testing.F) {
	f.Add(referenceFile)
	f.Add(`{"entities":[{"name":"A","entityType":"t"}],"relations":[{"from":"A","to":"A","relationType":"is"}]}`)
	f.Add(`{"loci":"graph","format":1}` + "\n" + `{"entity":{"id":"` + someID +
		`","name":"A","entity_type":"t","updated_at":"2026-01-01T00:00:00Z",` + ownRow + `}}`)
	for line := range badLines {
		f.Add(line)
	}
	w := newGraphWorld(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []loci.Principal{w.olga, w.local} {
			refused := 0
			report, err := w.Graph.Import(t.Context(), p, w.open, strings.NewReader(text), graph.ImportOptions{DryRun: true,
				Problem: func(b jsonlines.Problem) {
					refused++
					if b.Line < 1 || b.Text == "internal error" {
						t.Errorf("line %d: %q", b.Line, b.Text)
					}
				}})
			if err != nil && loci.CodeOf(err) == "" {
				t.Errorf("an error without a code: %v", err)
			}
			if err == nil && (report.Refused != refused || report.Bytes != int64(len(text)) ||
				strings.TrimSpace(text) != "" && report.Lines < 1) {
				t.Errorf("%d told of %+v for %d bytes", refused, report, len(text))
			}
		}
	})
}
