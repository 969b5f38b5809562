package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/jsonlines"
)

func (w *graphWorld) export(p loci.Principal, in loci.ProjectID, f graph.Format) string {
	w.t.Helper()
	var b strings.Builder
	w.must(w.Graph.Export(w.t.Context(), p, in, f, &b))
	return b.String()
}

// take imports a text and returns what was refused, a line each.
func (w *graphWorld) take(p loci.Principal, in loci.ProjectID, text string, o graph.ImportOptions) (
	graph.Report, []string) {
	w.t.Helper()
	var problems []string
	o.Problem = func(b jsonlines.Problem) { problems = append(problems, fmt.Sprintf("%d: %s", b.Line, b.Text)) }
	report, err := w.Graph.Import(w.t.Context(), p, in, strings.NewReader(text), o)
	w.must(err)
	if report.Bytes != int64(len(text)) {
		w.t.Errorf("%d bytes read of %d", report.Bytes, len(text))
	}
	report.Bytes = 0
	return report, problems
}

const referenceFile = `{"type":"entity","name":"Ann","entityType":"person","observations":["tall","kind","tall"]}
{"type":"entity","name":"Bob","entityType":"person"}

{"type":"relation","from":"Ann","to":"Bob","relationType":"knows"}
{"type":"relation","from":"Ann","to":"Bob","relationType":"knows"}
{"type":"entity","name":"Ann","entityType":"person","observations":["kind","quick"],"extra":1}`

const referenceGraph = "Ann/person\n  tall\n  kind\n  quick\nBob/person\nAnn -knows-> Bob\n"

func TestImportOfTheReferenceFormat(t *testing.T) {
	t.Parallel()
	spell := func(old ...string) string { return strings.NewReplacer(old...).Replace(referenceFile) }
	for name, text := range map[string]string{
		"as it is written":   referenceFile,
		"with a newline":     referenceFile + "\n",
		"the other spelling": spell("entityType", "entity_type", "relationType", "relation_type"),
		"CRLF":               spell("\n", "\r\n"),
		"a mark":             "\ufeff" + referenceFile,
		"relations first": `{"type":"relation","from":"Ann","to":"Bob","relationType":"knows"}
{"relationType":"knows","from":"Ann","type":"relation","to":"Bob"}` + "\n\n" +
			spell(`{"type":"relation","from":"Ann","to":"Bob","relationType":"knows"}`+"\n", ""),
	} {
		t.Run(name, func(t *testing.T) {
			w := newGraphWorld(t)
			lines := strings.Count(text, "\n")
			if !strings.HasSuffix(text, "\n") {
				lines++
			}
			added := graph.Report{Lines: lines, Entities: 2, Observations: 3, Relations: 1, Present: 3}
			for _, round := range []struct {
				dry  bool
				want graph.Report
			}{{true, added}, {false, added}, {false, graph.Report{Lines: lines, Present: 9}},
				{true, graph.Report{Lines: lines, Present: 9}}} {
				got, problems := w.take(w.olga, w.open, text, graph.ImportOptions{DryRun: round.dry})
				if got != round.want || len(problems) > 0 {
					t.Errorf("dry %v: got %+v, want %+v; %q", round.dry, got, round.want, problems)
				}
				if round.dry && round.want.Entities > 0 {
					wantText(t, w.text(w.olga), "")
				}
			}
			wantText(t, w.text(w.tom), referenceGraph)
			e, err := w.Graph.Entity(t.Context(), w.olga, w.open, named("Ann"))
			w.must(err)
			if e.Origin != w.olga.Origin || e.UserID != w.olga.UserID || e.Observations[0].Origin != w.olga.Origin {
				t.Errorf("who wrote it: %+v", e.GraphAccess)
			}
		})
	}
}

func TestImportOfWhatReadGraphPrints(t *testing.T) {
	t.Parallel()
	const object = `{"entities":[{"name":"Ann","entityType":"person","observations":["tall","kind"]},{"name":"Bob",` +
		`"entity_type":"person","observations":[]}],` +
		`"more":{"a":[1]},"relations":[{"from":"Ann","to":"Bob","relationType":"knows"}]}`
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(object), "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"one line": object, "pretty": "\ufeff\n " + pretty.String() + "\n",
		"relations first": `{"relations":[{"from":"Ann","to":"Bob","relationType":"knows"}],` + object[1:]} {
		w := newGraphWorld(t)
		got, problems := w.take(w.olga, w.open, text, graph.ImportOptions{})
		if got.Entities != 2 || got.Observations != 2 || got.Relations != 1 || got.Refused != 0 || len(problems) > 0 {
			t.Errorf("%s: got %+v, %q", name, got, problems)
		}
		wantText(t, w.text(w.olga), "Ann/person\n  tall\n  kind\nBob/person\nAnn -knows-> Bob\n")
	}
	w := newGraphWorld(t)
	bad := strings.NewReplacer(`"tall"`, `7`, `"to": "Bob"`, `"to": "Bobby"`).Replace(pretty.String())
	got, problems := w.take(w.olga, w.open, bad, graph.ImportOptions{})
	head, _, _ := strings.Cut(bad, `"from"`)
	last := strings.Count(head, "\n") // the item begins in the line before
	want := []string{`3: observations[0] must be a string; the rest of the line was imported`,
		fmt.Sprintf(`%d: there is no entity "Bobby"; did you mean "Bob"?`, last)}
	if !slices.Equal(problems, want) || got.Refused != 2 || got.Entities != 2 || got.Lines != strings.Count(bad, "\n")+1 {
		t.Errorf("got %+v, %q; want %q", got, problems, want)
	}
	for text, want := range map[string]string{
		object[:150]:                           "1: the graph is cut off; everything before that was imported",
		object + "{}":                          "1: unexpected text after the graph was ignored",
		`{"entities":7}`:                       `1: "entities" and "relations" of a graph are lists; the rest was not read`,
		"{\"entities\":[\n{\"nam\":\"A\"},\n]": "2: entity.name must not be empty",
	} {
		w := newGraphWorld(t)
		got, problems := w.take(w.olga, w.open, text, graph.ImportOptions{})
		if len(problems) == 0 || !strings.Contains(strings.Join(problems, "\n"), want) || got.Refused != len(problems) {
			t.Errorf("%s: got %+v, %q; want %q", text, got, problems, want)
		}
	}
}

const ownRow = `"user_id":"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e","origin":"claude","allowed_vendors":["*"],` +
	`"created_at":"2026-01-01T00:00:00Z"`

// badLines are lines that cannot be taken, and what is said of them.
var badLines = map[string]string{
	`{"type":"entity"`:              "this row of a graph is cut off",
	`{"loci":"graph","format":1} x`: "not valid JSON at byte 1",
	`[1]`:                           "a row of a graph must be a JSON object",
	`"x"`:                           "a line must be a JSON object",
	`null`:                          "it has no",
	`{}`:                            "it has no",
	`{"type":"thing"}`:              `type must be entity or relation, not "thing"`,
	`{"type":7}`:                    "type must not be a JSON number",
	"\x01":                          "no row of a graph: not valid JSON at byte 1",
	"{\"type\":\"ent\xff\"}":        "not valid UTF-8",
	`{"type":"entity","a":1}`:       "entity.name must not be empty",
	`{"type":"entity","name":"\ud800","entityType":"t"}`:       "surrogate",
	`{"type":"entity","name":"a\u0000","entityType":"t"}`:      "entity.name contains a NUL",
	`{"type":"entity","name":"A","name":"B","entityType":"t"}`: "name appears twice",
	`{"type":"entity","name":"A","entityType":7}`:              "entityType must not be a JSON number",
	`{"type":"entity","name":"` + strings.Repeat("x", 501) +
		`","entityType":"t"}`: "entity.name is longer than 500",
	`{"type":"relation","from":"A","to":"B"}`:                             "relation.relation_type must not be empty",
	`{"type":"relation","from":"A","relationType":"is"}`:                  "relation.to must not be empty",
	`{"type":"relation","from":"Good","to":"Nobody","relationType":"is"}`: `there is no entity "Nobody"`,
	`{"type":"relation","from":"Twin","to":"Good","relationType":"is"}`:   "several entities are named",
	`{"entities":[],"relations":[]}`: "a graph that is one JSON object must be " +
		"the only one in its file",
	`{"entity":{"id":"x"}}`: "an id must be a 36-character UUID",
	`{"entity":{"name":"A","entity_type":"t",` + ownRow +
		`}}`: "entity.id is missing",
	`{"entity":{"id":"` + someID +
		`","name":"A","kind":"t"}}`: `unknown field "kind"`,
	`{"entity":{"id":"` + someID +
		`"},"relation":{}}`: "one of entity, observation and relation",
	`{"entity":{"id":"` + someID + `","name":"A","entity_type":"t",` + ownRow +
		`}}`: "entity.updated_at must be a time",
	`{"observation":{"id":"` + someID + `","content":"x",` + ownRow +
		`}}`: "observation.entity_id are required",
	`{"observation":{"id":"` + someID + `","entity_id":"` + someID + `","content":"",` + ownRow +
		`}}`: "observation.content must not be empty",
	`{"observation":{"id":"` + someID + `","entity_id":"` + someID + `","content":"x",` + ownRow +
		`}}`: "no such entity",
	`{"observation":{"id":"` + someID + `","entity_id":"` + someID +
		`","content":"x","deleted_at":"2026-01-01T00:00:00Z",` + ownRow + `}}`: "only rows that are not deleted",
	`{"observation":{"id":"` + someID + `","entity_id":"` + someID + `","content":"x",` +
		strings.Replace(ownRow, "claude", "No one", 1) + `}}`: "observation.origin is not a vendor",
	`{"observation":{"id":"` + someID + `","entity_id":"` + someID + `","content":"x",` +
		strings.Replace(ownRow, `["*"]`, `null`, 1) + `}}`: "allowed_vendors must name",
	`{"observation":{"id":"` + someID + `","entity_id":"` + someID + `","content":"x",` +
		strings.Replace(ownRow, `2026-01-01`, `yesterday`, 1) + `}}`: "is no time; use RFC 3339",
	`{"relation":{"id":"` + someID + `","from_entity":"` + someID + `","to_entity":"` + someID +
		`","relation_type":"is",` + ownRow + `}}`: "no such entity",
	`{"relation":{"id":"` + someID + `","from_entity":"` + someID + `","relation_type":"is",` + ownRow +
		`}}`: "relation.to_entity are required",
	`{"relation":{"id":"` + someID + `","from_entity":"` + someID + `","to_entity":"` + someID + `","relation_type":" ",` +
		ownRow + `}}`: "relation.relation_type must not be empty",
}

const someID = "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"

func TestBadLinesAreReportedAndTheOthersStored(t *testing.T) {
	t.Parallel()
	const before = `{"type":"entity","name":"Good","entityType":"t"}
{"type":"entity","name":"Twin","entityType":"t"}
{"type":"entity","name":"Twin","entityType":"u"}
`
	const after = "\n" + `{"type":"relation","from":"Good","to":"Good","relationType":"is"}` + "\n"
	w := newGraphWorld(t)
	for bad, want := range badLines {
		for _, dry := range []bool{true, false} {
			got, problems := w.take(w.local, w.open, before+bad+after, graph.ImportOptions{DryRun: dry})
			if got.Refused != 1 || len(problems) != 1 || !strings.HasPrefix(problems[0], "4: ") ||
				!strings.Contains(problems[0], want) ||
				got.Entities+got.Relations+got.Present != 4 || got.Lines != 5 {
				t.Errorf("%s: dry %v: got %+v, %q; want %q", bad, dry, got, problems, want)
			}
		}
	}
	wantText(t, w.text(w.olga), "Good/t\nTwin/t\nTwin/u\nGood -is-> Good\n")
}

func TestOneBadObservationDoesNotCostTheOthers(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	line := `{"type":"entity","name":"A","entityType":"t","observations":["one","",{"content":"x"},"two"]}`
	got, problems := w.take(w.olga, w.open, line, graph.ImportOptions{})
	if want := []string{"1: observations[1] must not be empty; the rest of the line was imported"}; !slices.Equal(problems,
		want) || got.Refused != 1 || got.Observations != 3 {
		t.Errorf("got %+v, %q", got, problems)
	}
	wantText(t, w.text(w.olga), "A/t\n  one\n  x\n  two\n")
}

func TestAnEntityWithVeryManyObservations(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	var texts []string
	for i := range 2*loci.MaxGraphItems + 500 {
		texts = append(texts, fmt.Sprintf("fact %d", i))
	}
	line, err := json.Marshal(map[string]any{"type": "entity", "name": "A", "entityType": "t", "observations": texts})
	w.must(err)
	for _, want := range []graph.Report{{Lines: 1, Entities: 1, Observations: 2500}, {Lines: 1, Present: 2501}} {
		got, problems := w.take(w.olga, w.open, string(line), graph.ImportOptions{})
		if got != want || len(problems) > 0 {
			t.Errorf("got %+v, want %+v; %q", got, want, problems)
		}
	}
	var again struct{ Observations []string }
	w.must(json.Unmarshal([]byte(w.export(w.olga, w.open, graph.GraphReference)), &again))
	if !slices.Equal(again.Observations, texts) {
		t.Errorf("%d observations exported, want %d in order", len(again.Observations), len(texts))
	}
}

func TestOnlyTheOperatorImportsOurFormat(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.put(w.claude, nil, ent("Ann", "person"))
	text := w.export(w.olga, w.open, graph.GraphLoci)
	if !strings.HasPrefix(text, `{"loci":"graph","format":1,"project":"website"}`+"\n") {
		t.Errorf("the header is %q", text)
	}
	for _, part := range []string{text, strings.SplitAfterN(text, "\n", 2)[1]} {
		w.st.entries = nil
		_, err := w.Graph.Import(t.Context(), w.olga, w.closed, strings.NewReader(part), graph.ImportOptions{})
		if loci.CodeOf(err) != loci.Forbidden || !strings.Contains(err.Error(), "loci graph import") {
			t.Errorf("got %v", err)
		}
		if last := w.st.entries[len(w.st.entries)-1]; last.Allowed || last.Action != string(graph.Import) {
			t.Errorf("recorded %+v", last)
		}
	}
	wantText(t, w.textOf(w.olga, w.closed), "")
	for text, want := range map[string]string{
		`{"loci":"export","format":3}`:                   "import it with `loci import FILE`",
		`{"loci":"graph","format":2}`:                    "made by a newer Loci",
		"\xff\xfe{\x00":                                  "UTF-16",
		strings.Repeat(" ", 70_000) + `{"loci":"other"}`: "not an export of a graph",
	} {
		_, err := w.Graph.Import(t.Context(), w.local, w.closed, strings.NewReader(text), graph.ImportOptions{})
		if loci.CodeOf(err) != loci.Invalid || !strings.Contains(loci.SafeText(err), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	got, problems := w.take(w.local, w.closed, "", graph.ImportOptions{})
	if got != (graph.Report{}) || len(problems) > 0 {
		t.Errorf("nothing: got %+v, %q", got, problems)
	}
}

func TestAVendorsImportIsForItsVendors(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.take(w.olga, w.open, referenceFile, graph.ImportOptions{AllowedVendors: []loci.Vendor{"claude"}})
	wantText(t, w.text(w.claude), referenceGraph)
	wantText(t, w.text(w.cursor), "")
	_, err := w.Graph.Import(t.Context(), w.olga, w.open, strings.NewReader(""),
		graph.ImportOptions{AllowedVendors: []loci.Vendor{}})
	wantCode(t, err, loci.Invalid)
	_, err = w.Graph.Import(t.Context(), w.claude, w.open, strings.NewReader(""), graph.ImportOptions{})
	wantCode(t, err, loci.Forbidden)
}

// manyLines is a file of the reference server with so many lines.
func manyLines(n int) string {
	var b strings.Builder
	for i := range n / 2 {
		fmt.Fprintf(&b, `{"type":"entity","name":"entity %d","entityType":"t","observations":["fact of %d"]}`+"\n", i, i)
		to := i * 7 % (i + 1)
		if i%20 == 0 { // further down
			to = n/2 - 1 - i/20
		}
		fmt.Fprintf(&b, `{"type":"relation","from":"entity %d","to":"entity %d","relationType":"next"}`+"\n", i, to)
	}
	return b.String()
}

func TestAnInterruptedGraphImportGoesOn(t *testing.T) {
	t.Parallel()
	const lines = 2_600 // some 8 batches
	w := newGraphWorld(t)
	text := manyLines(lines)
	ctx, cancel := context.WithCancel(t.Context())
	batches := 0
	following := loci.WithProgress(ctx, func(loci.Progress) {
		if batches++; batches == 5 {
			cancel()
		}
	})
	report, err := w.Graph.Import(following, w.olga, w.open, strings.NewReader(text), graph.ImportOptions{})
	if !errors.Is(err, context.Canceled) || report.Entities == 0 || report.Entities == lines/2 {
		t.Fatalf("interrupted: %+v, %v", report, err)
	}
	left := graph.Report{Lines: lines, Entities: lines/2 - report.Entities, Observations: lines/2 - report.Observations,
		Relations: lines/2 - report.Relations, Present: report.Entities + report.Observations + report.Relations}
	dry, problems := w.take(w.olga, w.open, text, graph.ImportOptions{DryRun: true})
	if dry != left || len(problems) > 0 {
		t.Errorf("a dry run: %+v, want %+v; %q", dry, left, problems)
	}
	again, problems := w.take(w.olga, w.open, text, graph.ImportOptions{})
	if again != left || len(problems) > 0 {
		t.Errorf("again: %+v, want %+v; %q", again, left, problems)
	}
	if got := strings.Count(w.export(w.olga, w.open, graph.GraphReference), "\n"); got != lines {
		t.Errorf("%d lines exported, want %d", got, lines)
	}
}

// A dry run tells what an import will do, also about what stands in several batches.
func TestADryRunTellsWhatAnImportDoes(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	own := newGraphWorld(t)
	w.take(w.olga, w.open, manyLines(1200), graph.ImportOptions{})
	twice := w.export(w.olga, w.open, graph.GraphLoci)
	_, rows, _ := strings.Cut(twice, "\n")
	for name, text := range map[string]string{"reference": manyLines(1200) + manyLines(1202), "own": twice + rows} {
		in := map[string]loci.ProjectID{"reference": own.open, "own": own.closed}[name]
		dry, problems := own.take(own.local, in, text, graph.ImportOptions{DryRun: true})
		wantText(t, own.textOf(own.olga, in), "")
		real, _ := own.take(own.local, in, text, graph.ImportOptions{})
		if dry != real || dry.Present < 1200 || dry.Entities < 600 || len(problems) > 0 {
			t.Errorf("%s: dry %+v, real %+v; %q", name, dry, real, problems)
		}
	}
}

// A reader that fails must not look like the end of the input.
func TestAGraphImportThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	broken := errors.New("the connection is gone")
	for _, text := range []string{referenceFile, `{"entities":[{"name":"A","entityType":"t"}`} {
		_, err := w.Graph.Import(t.Context(), w.olga, w.open, io.MultiReader(strings.NewReader(text), failing{broken}),
			graph.ImportOptions{})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
