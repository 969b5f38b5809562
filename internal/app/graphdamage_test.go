package app_test

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci/internal/graph"
)

// TestDamagedFilesLoseOnlyWhatIsDamaged imports files as other programs left them.
func TestDamagedFilesLoseOnlyWhatIsDamaged(t *testing.T) {
	t.Parallel()
	const (
		a      = `{"type":"entity","name":"A","entityType":"x","observations":["one"]}`
		b      = `{"type":"entity","name":"B","entityType":"x","observations":[]}`
		ab     = "A/x\n  one\nB/x\n"
		rel    = `{"type":"relation","from":"A","to":"B","relationType":"is"}`
		broken = "the graph is damaged here: this is not valid JSON. Of the rest, only rows that are on one line were " +
			"imported"
		rest = "this is no row of a graph: not valid JSON at byte "
	)
	for text, want := range map[string]struct {
		graph    string
		problems []string
	}{
		a + b + "\n" + rel:                    {ab + "A -is-> B\n", nil},
		a + "," + b:                           {ab, nil},
		a[:30] + a + "\n" + b:                 {ab, []string{"1: " + rest + "33"}},
		"\x00\x00" + a + "\n" + b + "}":       {ab, nil},
		a + "\n" + b[:20]:                     {"A/x\n  one\n", []string{"2: this row of a graph is cut off"}},
		"[" + a + "," + b + "]":               {ab, nil},
		"\ufeff[\n" + a + ",\n" + b + "\n]\n": {ab, nil},
		"[\n" + a + ",\n{\"type\":tru},\n" + b + "\n]\n": {ab,
			[]string{"3: " + broken}},
		`{"entities":[` + a + ",\n{\"name\":},\n" + b + `],"relations":[` + "\n" + rel + "]}": {ab + "A -is-> B\n",
			[]string{"2: " + broken}},
		`{"entities":[` + a + `,{"name":},` + b + `]}`: {ab, []string{"1: " + broken}},
		`{"type":"entity","name":"A","observations":[{"content":"one"},{"text":"?"}]}` + "\n" +
			`{"name":"B","entityType":"x","observations":"two"}` + "\n" + `{"from":"A","to":"B","relationType":"is"}`: {
			"A/unknown\n  one\nB/x\n  two\nA -is-> B\n",
			[]string{"1: observations[1] must be a string; the rest of the line was imported"}},
	} {
		w := newGraphWorld(t)
		got, problems := w.take(w.olga, w.open, text, graph.ImportOptions{})
		if !slices.Equal(problems, want.problems) || got.Refused != len(problems) {
			t.Errorf("%s: got %+v, %q; want %q", text, got, problems, want.problems)
		}
		wantText(t, w.text(w.olga), want.graph)
	}
}
