package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eval"
)

const (
	goodUnit = `{"conv":"c","id":"c/1","session":"c/s","turn":1,"speaker":"Ada","time":"2025-01-02T10:00:00",` +
		`"text":"Hi."}`
	goodQuery = `{"conv":"c","qid":"q1","question":"Who?","type":"single-hop","gold":["c/1"],"split":"dev","answer":"x"}`
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func writeSet(t *testing.T, corpus, queries string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "corpus.jsonl", corpus)
	write(t, dir, "queries.jsonl", queries)
	return dir
}

func TestLoad(t *testing.T) {
	dir := writeSet(t, goodUnit+"\n\n", goodQuery+"\n"+
		`{"conv":"c","qid":"q2","question":"When?","type":"temporal","gold":["c/1","c/1"],`+
		`"asked_at":"2025-02-01T09:00:00+01:00"}`)
	got := load(t, dir)
	want := eval.Set{Name: filepath.Base(dir), Conversations: []eval.Conversation{{Name: "c",
		Units: []eval.Unit{{ID: "c/1", Session: "c/s", Turn: 1, Speaker: "Ada", Text: "Hi.",
			Time: time.Date(2025, 1, 2, 10, 0, 0, 0, time.UTC)}},
		Questions: []eval.Question{
			{Conv: "c", ID: "q1", Text: "Who?", Type: "single-hop", Gold: []string{"c/1"}, Split: "dev"},
			{Conv: "c", ID: "q2", Text: "When?", Type: "temporal", Gold: []string{"c/1"},
				AskedAt: time.Date(2025, 2, 1, 8, 0, 0, 0, time.UTC)},
		}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	dev, err := got.Only("dev")
	if err != nil || dev.Questions() != 1 || got.Questions() != 2 {
		t.Errorf("Only: %d of %d questions, %v", dev.Questions(), got.Questions(), err)
	}
	if _, err := got.Only("held-out"); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("a split without questions: got %v", err)
	}
}

func TestLoadNamesTheLine(t *testing.T) {
	tests := []struct{ name, corpus, queries, want string }{
		{"no JSON", "x", "", `corpus.jsonl:1: not a JSON object of the expected form: invalid character 'x'`},
		{"wrong type", `{"conv":1}`, "", "corpus.jsonl:1: not a JSON object of the expected form"},
		{"two values", goodUnit + goodUnit, "", "corpus.jsonl:1: there is more text after the JSON object"},
		{"no text", goodUnit + "\n" + `{"conv":"c","id":"c/2"}`, "", "corpus.jsonl:2: text is missing or empty"},
		{"an id twice", goodUnit + "\n\n" + goodUnit, "", `corpus.jsonl:3: id "c/1" appears twice`},
		{"bad time", strings.Replace(goodUnit, "2025-01-02T", "yesterday ", 1), "", "corpus.jsonl:1: time must be a date or"},
		{"no questions", goodUnit, "\n", "queries.jsonl has no questions"},
		{"no type", goodUnit, `{"conv":"c","qid":"q","question":"?"}`, "queries.jsonl:1: type is missing or empty"},
		{"the type of the sum", goodUnit, strings.Replace(goodQuery, "single-hop", "all", 1),
			`queries.jsonl:1: type must not be "all"`},
		{"no gold", goodUnit, strings.Replace(goodQuery, `"c/1"`, "", 1), "queries.jsonl:1: gold must name at least one id"},
		{"unknown gold", goodUnit, strings.Replace(goodQuery, `c/1`, "c/9", 1),
			`queries.jsonl:1: gold has "c/9", which is not in the conversation "c"`},
		{"unknown conversation", goodUnit, strings.Replace(goodQuery, `"c"`, `"d"`, 1),
			`queries.jsonl:1: conv "d" is not in corpus.jsonl`},
		{"a question twice", goodUnit, goodQuery + "\n" + goodQuery, `queries.jsonl:2: qid "q1" appears twice`},
		{"bad asked_at", goodUnit, strings.Replace(goodQuery, `"split":"dev"`, `"asked_at":"soon"`, 1),
			"queries.jsonl:1: asked_at must be a date or a time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := writeSet(t, tt.corpus, tt.queries)
			_, err := eval.Load(dir)
			if loci.CodeOf(err) != loci.Invalid || !strings.HasPrefix(err.Error(), filepath.Join(dir, tt.want)) {
				t.Errorf("got %v (code %q), want %s", err, loci.CodeOf(err), tt.want)
			}
		})
	}
	_, err := eval.Load(t.TempDir())
	if loci.CodeOf(err) != loci.NotFound || !strings.Contains(err.Error(), "corpus.jsonl") {
		t.Errorf("an empty directory: got %v", err)
	}
}

func TestLoadGolden(t *testing.T) {
	file := write(t, t.TempDir(), "golden.jsonl",
		"\n"+`{"query":"when do we deploy","must_find":["1b4e28ba","1b4e28ba","0f"]}`+"\n")
	got, err := eval.LoadGolden(file)
	want := eval.Set{Name: "golden.jsonl", Conversations: []eval.Conversation{{Name: "golden.jsonl",
		Questions: []eval.Question{{Conv: "golden.jsonl", ID: "2", Text: "when do we deploy", Type: "golden",
			Gold: []string{"1b4e28ba", "0f"}}}}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		`{"query":"x","must find":["a"]}`: `:1: not a JSON object of the expected form: json: unknown field "must find"`,
		`{"query":"x","must_find":[]}`:    ":1: must_find must name at least one id",
		`{"must_find":["a"]}`:             ":1: query is missing or empty",
		`{"query":"x","must_find":[""]}`:  ":1: must_find has an empty id",
		"":                                " has no questions",
	} {
		write(t, filepath.Dir(file), "golden.jsonl", text)
		if _, err := eval.LoadGolden(file); err == nil || err.Error() != file+want {
			t.Errorf("%s: got %v, want %s%s", text, err, file, want)
		}
	}
}

func TestReadRunNamesTheLine(t *testing.T) {
	set := load(t, writeSet(t, goodUnit, goodQuery))
	for text, want := range map[string]string{
		`{"ranked":["c/1"]}`:                   ":1: qid is missing or empty",
		`{"qid":"q1"}` + "\n" + `{"qid":"q1"}`: `:2: qid "q1" appears twice`,
		"[]":                                   ":1: not a JSON object of the expected form",
	} {
		file := write(t, t.TempDir(), "run.jsonl", text)
		if _, err := eval.ReadRun(set, file); err == nil || !strings.HasPrefix(err.Error(), file+want) {
			t.Errorf("%s: got %v, want %s%s", text, err, file, want)
		}
	}
}
