package eval_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eval"
)

// noteFigures are the figures that the scorer of the format gives to testdata/notes/run.jsonl and pairs_run.jsonl. That
// scorer is another program, in another language.
type noteFigures struct {
	Kinds map[string]struct {
		Given, Right, Must    int
		RecallAll             float64 `json:"recall_all"` // with three digits
		Precision, Recall, F1 float64
	}
	MacroF1      float64 `json:"macro_f1"`
	Brier, ECE   float64
	Constant     float64 // with three digits
	PairsStrict  float64 `json:"pairs_strict"`
	PairsLenient float64 `json:"pairs_lenient"`
	SecretRecall float64 `json:"secret_recall"`
	WrongKind    int     `json:"wrong_kind"`
	Forbidden    int
	Spans        int            `json:"forbidden_spans"`
	ByKind       map[string]int `json:"forbidden_by_kind"`
	Hard         int
	Nothing      string
	Secrets      string
	SecretTypes  int `json:"secret_types"`
	SecretsGiven int `json:"secrets_given"`
	SecretFalse  int `json:"secret_false"`
	Relations    string
	RelGiven     int `json:"relations_given"`
	Languages    map[string]string
	Traps        map[string]string
	Calibrated   int
	Confusion    map[string]int
	Pairs        map[string]int
	Missed       int
	Wrong        int
	ForbDetails  int `json:"forbidden_details"`
}

func readJSON[T any](t *testing.T, file string) (v T) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func readLines[T any](t *testing.T, file string) (list []T) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func loadNotes(t *testing.T, dir, language string) eval.NoteSet {
	t.Helper()
	set, err := eval.LoadNotes(dir, language)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func storedAnswers(t *testing.T) eval.NoteAnswers {
	t.Helper()
	return eval.NoteAnswers{Notes: readLines[eval.NoteAnswer](t, "testdata/notes/run.jsonl"),
		Pairs: readLines[eval.PairAnswer](t, "testdata/notes/pairs_run.jsonl")}
}

func of(f eval.Found) string { return fmt.Sprintf("%d/%d", f.Found, f.Of) }

func ofEach(list []eval.Found) map[string]string {
	m := map[string]string{}
	for _, f := range list {
		m[f.Name] = of(f)
	}
	return m
}

func countsOf(list []eval.Confusion) map[string]int {
	m := map[string]int{}
	for _, c := range list {
		m[c.Label+"->"+c.Given] = c.Count
	}
	return m
}

func TestNoteScoresAreThoseOfTheFormat(t *testing.T) {
	for language, want := range readJSON[map[string]noteFigures](t, "testdata/notes/figures.json") {
		t.Run(language, func(t *testing.T) {
			filter := language
			if language == "all" {
				filter = ""
			}
			r := eval.ScoreNotes(loadNotes(t, "testdata/notes", filter), storedAnswers(t))
			checkKinds(t, r, want)
			near(t, "macro F1", r.MacroF1.Value, want.MacroF1, 1e-9)
			near(t, "Brier", r.Calibration.Brier.Value, want.Brier, 1e-9)
			near(t, "ECE", r.Calibration.ECE.Value, want.ECE, 1e-9)
			near(t, "constant rate", r.Calibration.Constant, want.Constant, 6e-4)
			near(t, "pairs, strict", r.Pairs.Strict.Value, want.PairsStrict, 1e-9)
			near(t, "pairs, lenient", r.Pairs.Lenient.Value, want.PairsLenient, 1e-9)
			near(t, "secret recall", r.Secrets.Recall.Value, want.SecretRecall, 1e-9)
			faults := map[string]int{}
			for _, d := range r.Details {
				faults[d.Fault]++
			}
			relations := eval.Found{Found: r.Relations.Found, Of: r.Relations.Of}
			secrets := eval.Found{Found: r.Secrets.Found, Of: r.Secrets.Of}
			got := []any{r.WrongKind, r.Forbidden.Hits, r.Forbidden.Spans, r.Forbidden.ByKind, r.Forbidden.Hard,
				of(r.Nothing), of(secrets), r.Secrets.TypeRight, r.Secrets.Given, r.Secrets.FalseAlarms, of(relations),
				r.Relations.Given, ofEach(r.Languages), ofEach(r.Traps), r.Calibration.Candidates, countsOf(r.Confusion),
				countsOf(r.Pairs.Table), faults[eval.Missed], faults[eval.Wrong], faults[eval.Forbidden]}
			figures := []any{want.WrongKind, want.Forbidden, want.Spans, want.ByKind, want.Hard,
				want.Nothing, want.Secrets, want.SecretTypes, want.SecretsGiven, want.SecretFalse, want.Relations,
				want.RelGiven, want.Languages, want.Traps, want.Calibrated, want.Confusion,
				want.Pairs, want.Missed, want.Wrong, want.ForbDetails}
			if diff := cmp.Diff(figures, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func checkKinds(t *testing.T, r *eval.NoteResult, want noteFigures) {
	t.Helper()
	for _, k := range append(r.Kinds, r.All) {
		w, ok := want.Kinds[k.Kind]
		if !ok || k.Given != w.Given || k.Right != w.Right || k.Must != w.Must {
			t.Errorf("%s: got %+v, want %+v", k.Kind, k, w)
		}
		near(t, k.Kind+" recall of all", k.RecallAll(), w.RecallAll, 6e-4)
		near(t, k.Kind+" precision", k.Precision.Value, w.Precision, 1e-9)
		near(t, k.Kind+" recall", k.Recall.Value, w.Recall, 1e-9)
		near(t, k.Kind+" F1", k.F1.Value, w.F1, 1e-9)
		for _, f := range []eval.Figure{k.Precision, k.Recall, k.F1} {
			if f.Low > f.Value || f.High < f.Value {
				t.Errorf("%s: %v is not within %v to %v", k.Kind, f.Value, f.Low, f.High)
			}
		}
	}
}

func near(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

// TestOwnNotesCoverEveryTrap also checks each offset of the set, as loading it does.
func TestOwnNotesCoverEveryTrap(t *testing.T) {
	set := loadNotes(t, "../reflection/testdata", "")
	languages, kinds, secrets, hard := map[string]int{}, map[string]int{}, map[string]int{}, 0
	for _, n := range set.Notes {
		languages[n.Language[:2]]++
		for _, e := range n.Expected {
			kinds[e.Kind]++
		}
		for _, s := range n.Sensitive {
			secrets[s.Type]++
		}
		for _, f := range n.Forbidden {
			if f.Hard {
				hard++
			}
		}
	}
	if len(set.Notes) < 70 || len(languages) != 7 || len(kinds) != 7 || len(secrets) != 12 || hard < 4 {
		t.Errorf("got %d notes, %v, %v, %v, %d injected", len(set.Notes), languages, kinds, secrets, hard)
	}
}

func TestReflectSeesNoLabels(t *testing.T) {
	set := loadNotes(t, "testdata/notes", "ja")
	var asked []string
	sure := 0.9
	extract := func(content, intent string) eval.NoteAnswer {
		asked = append(asked, intent+" "+string([]rune(content)[:4]))
		return eval.NoteAnswer{Candidates: []eval.NoteCandidate{{Kind: "claim", Start: 0, End: 3, Confidence: &sure}}}
	}
	answers, err := eval.Reflect(t.Context(), set, extract, func(older, newer string) string { return "unrelated" })
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"build 田中：最", "general おはよう"}; !cmp.Equal(want, asked) {
		t.Errorf("got %q, want %q", asked, want)
	}
	file, pairs := filepath.Join(t.TempDir(), "run.jsonl"), filepath.Join(t.TempDir(), "pairs.jsonl")
	if err := errors.Join(eval.WriteNotesRun(file, answers), eval.WritePairsRun(pairs, answers)); err != nil {
		t.Fatal(err)
	}
	again := eval.NoteAnswers{Notes: readLines[eval.NoteAnswer](t, file), Pairs: readLines[eval.PairAnswer](t, pairs)}
	if diff := cmp.Diff(eval.ScoreNotes(set, answers), eval.ScoreNotes(set, again)); diff != "" {
		t.Error(diff)
	}
	b, err := os.ReadFile(file)
	want := `{"id":"a064","candidates":[{"kind":"claim","start":0,"end":3,"confidence":0.9}],"sensitive":[],` +
		`"relations":[]}`
	if line, _, _ := strings.Cut(string(b), "\n"); line != want || err != nil {
		t.Errorf("got %s, %v", line, err)
	}
}

func TestReflectRejectsSpansOutsideOfTheNote(t *testing.T) {
	set := loadNotes(t, "testdata/notes", "ja")
	for _, c := range []eval.NoteCandidate{{Kind: "claim", Start: -1, End: 3}, {Kind: "claim", Start: 2, End: 2},
		{Kind: "claim", Start: 0, End: 1_000}, {Kind: "fact", Start: 0, End: 3}} {
		extract := func(string, string) eval.NoteAnswer {
			return eval.NoteAnswer{Candidates: []eval.NoteCandidate{c}}
		}
		_, err := eval.Reflect(t.Context(), set, extract, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "note a064: ") {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eval.Reflect(ctx, set, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

const (
	goodNote = `{"id":"n1","lang":"de-AT","intent":"general","content":"Grüß Gott. Wir fahren.","expected":[` +
		`{"kind":"plan","must":true,"span_start":11,"span_end":22,"text":"Wir fahren."}],"forbidden":[` +
		`{"kinds":["claim"],"span_start":0,"span_end":10}],"sensitive":[{"type":"phone","span_start":0,"span_end":4}],` +
		`"relations":[{"type":"supersedes","from_start":0,"from_end":4,"to_start":5,"to_end":9}]}`
	goodPair = `{"id":"p1","old":"a","new":"b","label":"unrelated","alt_labels":["refinement"]}`
)

func TestLoadNotesNamesTheField(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"no JSON", goodNote, "x", "not a JSON object of the expected form"},
		{"no id", `"n1"`, `""`, "id is missing or empty"},
		{"no content", `"content"`, `"text"`, "content is missing or empty"},
		{"no language", `"lang"`, `"language"`, "lang is missing or empty"},
		{"an id twice", goodNote, goodNote + "\n" + goodNote, `id "n1" appears twice; give each line its own`},
		{"a kind", `"plan"`, `"todo"`, "expected[0].kind must be of decision, plan, idea, claim, artifact, procedure, " +
			`session, not "todo"`},
		{"another kind", `"must"`, `"alt_kinds":["fact"],"must"`, "expected[0].alt_kinds must be of decision"},
		{"bytes", `"span_end":22`, `"span_end":24`, "expected[0].span_end must be more than span_start, and both from 0 to " +
			"22, the code points of content; got 11 to 24"},
		{"another text", `"text":"Wir`, `"text":"Sie`, `expected[0].text must be what content has from 11 to 22, which is ` +
			`"Wir fahren."; count Unicode code points, not bytes`},
		{"a core", `"must"`, `"core_start":3,"must"`, "expected[0].core_start and core_end must lie within the span " +
			"from 11 to 22; leave both out for the whole span"},
		{"a trap", `["claim"]`, `["fact"]`, "forbidden[0].kinds must be of decision"},
		{"an empty trap", `"span_end":10`, `"span_end":0`, "forbidden[0].span_end must be more than span_start"},
		{"a secret", `"phone"`, `""`, "sensitive[0].type is missing or empty"},
		{"a relation", `"to_end":9`, `"to_end":99`, "relations[0].to_end must be more than to_start"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := write(t, dir, "notes.jsonl", strings.Replace(goodNote, tt.old, tt.new, 1))
			_, err := eval.LoadNotes(dir, "")
			want := file + fmt.Sprintf(":%d: ", 1+strings.Count(tt.new, "\n")) + tt.want
			if loci.CodeOf(err) != loci.Invalid || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got  %v (code %q)\nwant %s", err, loci.CodeOf(err), want)
			}
		})
	}
}

func TestLoadNotes(t *testing.T) {
	dir := t.TempDir()
	if _, err := eval.LoadNotes(dir, ""); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("an empty directory: got %v", err)
	}
	write(t, dir, "notes.jsonl", "\n")
	if _, err := eval.LoadNotes(dir, ""); loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), "no notes") {
		t.Errorf("an empty file: got %v", err)
	}
	write(t, dir, "notes.jsonl", goodNote)
	set := loadNotes(t, dir, "de")
	if e := set.Notes[0].Expected[0]; *e.CoreStart != 11 || *e.CoreEnd != 22 || set.Pairs != nil {
		t.Errorf("got %+v and %v", e, set.Pairs)
	}
	if r := eval.ScoreNotes(set, eval.NoteAnswers{}); r.Pairs != nil || r.All.F1.Value != 0 || r.All.Must != 1 {
		t.Errorf("no answers: got %+v", r.All)
	}
	if _, err := eval.LoadNotes(dir, "d"); loci.CodeOf(err) != loci.NotFound ||
		!strings.HasSuffix(err.Error(), `has no note in the language "d"; its field lang must begin with it`) {
		t.Errorf("an unknown language: got %v", err)
	}
	for text, want := range map[string]string{
		goodPair: "",
		strings.Replace(goodPair, `"old":"a"`, `"old":""`, 1):    ":1: old is missing or empty",
		strings.Replace(goodPair, "unrelated", "other", 1):       ":1: label must be of duplicate, ",
		strings.Replace(goodPair, "refinement", "more", 1):       ":1: alt_labels must be of duplicate, ",
		goodPair + "\n" + goodPair:                               `:2: id "p1" appears twice`,
		strings.Replace(goodPair, `"id":"p1"`, `"name":"p1"`, 1): ":1: id is missing or empty",
	} {
		file := write(t, dir, "pairs.jsonl", text)
		set, err := eval.LoadNotes(dir, "")
		if want == "" && (err != nil || len(set.Pairs) != 1) || want != "" && (err == nil ||
			!strings.HasPrefix(err.Error(), file+want)) {
			t.Errorf("%s: got %v, want %s%s", text, err, file, want)
		}
	}
}
