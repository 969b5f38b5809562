package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eval"
)

const notesOfTest = `{"id":"n1","lang":"en-GB","intent":"plan","content":"We picked the blue one. Bye.",` +
	`"expected":[{"kind":"decision","must":true,"span_start":0,"span_end":23}],` +
	`"forbidden":[{"kinds":["claim"],"span_start":24,"span_end":28}],"traps":["pleasantry"]}
{"id":"n2","lang":"de","intent":"plan","content":"Kleines Glück.","expected":[]}
`

// firstClaim proposes the first words of a note as a claim, and the last four characters as another.
func firstClaim(content, _ string) eval.NoteAnswer {
	sure, n := 0.75, len([]rune(content))
	return eval.NoteAnswer{Candidates: []eval.NoteCandidate{{Kind: "claim", Start: 0, End: n - 5, Confidence: &sure},
		{Kind: "claim", Start: n - 4, End: n, Confidence: &sure}}}
}

func evalReflect(t *testing.T, p *program, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	p.out, p.err = &out, &out
	cmd := p.evalReflectCommand(firstClaim, func(string, string) string { return "unrelated" })
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	cmd.SetContext(t.Context())
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestEvalReflect(t *testing.T) {
	dir := t.TempDir()
	run, pairsRun := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "pairs-run.jsonl")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("notes.jsonl", notesOfTest)
	_, err := evalReflect(t, &program{}, dir, "--pairs-run", pairsRun)
	if loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), "--pairs-run needs pairs.jsonl in ") {
		t.Errorf("no pairs: got %v", err)
	}
	write("pairs.jsonl", `{"id":"p1","old":"a","new":"b","label":"unrelated"}`+"\n"+
		`{"id":"p2","old":"a","new":"a","label":"duplicate"}`)
	text, err := evalReflect(t, &program{}, dir, "--details", "--run", run, "--pairs-run", pairsRun)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`KIND +PROPOSED +RIGHT +PRECISION +MUST +RECALL +RECALL OF ALL +F1`,
		`claim +4 +0 +0.0 +0 `, `all +4 +0 +0.0 +1 +0.0 +0.0 +0.0`, `forbidden +1 hit on 1 span: claim 1`,
		`injected +0 hits`, `traps +pleasantry 1 of 1`, `wrong kind +1 candidate with the right span`,
		`empty notes +1 of 1 with nothing to keep got candidates`, `calibration +Brier 0.562 .* 4 candidates`,
		`en +1 +0 +0.0`, `0.7–0.8 +4 +75.0 +0.0`, `decision +claim +1`,
		`pairs +50.0 % right \(0.0–100.0\), lenient 50.0 % .*, of 2`, `duplicate +1`, `n1 +missed +decision +We picked the`,
		`n1 +forbidden +claim +Bye.`} {
		if !regexp.MustCompile("(?m)^" + want).MatchString(text) {
			t.Errorf("no line matches %q in\n%s", want, text)
		}
	}
	for file, want := range map[string]string{run: `{"id":"n2","candidates":[{"kind":"claim","start":0,"end":9,`,
		pairsRun: `{"id":"p2","relation":"unrelated"}`} {
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("got %s, %v", b, err)
		}
	}
	text, err = evalReflect(t, &program{json: true}, dir, "--language", "de")
	var got eval.NoteResult
	if err != nil || json.Unmarshal([]byte(text), &got) != nil || got.Notes != 1 || got.Details != nil ||
		got.Nothing.Found != 1 {
		t.Errorf("got %s, %v", text, err)
	}
}
