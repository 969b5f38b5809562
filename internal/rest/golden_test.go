package rest_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

// TestHiddenGoldenQuestionReadsAsAbsent sends every route about a golden question to one of another person, and to one
// that never was, and compares the answers byte by byte.
func TestHiddenGoldenQuestionReadsAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.clock.freeze()
	doc := readDocument(t, s)
	noor := s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member)
	hers := s.session(t, loci.DefaultOrg, noor.ID, 0)
	_, limited := s.key(t, loci.DefaultOrg, s.owner.UserID,
		auth.KeyRequest{ProjectIDs: []loci.ProjectID{loci.NewProjectID()}})
	m := s.write(t, owner, `{"title":"Deploys","content":"We deploy on Tuesdays."}`)
	var q loci.GoldenQuestion
	body := `{"question":"which marker?","expected":["` + m.ID.String() + `"]}`
	decode(t, s.expect(t, 201, owner, "POST /golden "+body), &q)
	s.expect(t, 201, owner, "POST /golden/run")
	sent := 0
	for _, path := range sortedKeys(doc.paths) {
		if !strings.HasPrefix(path, "/golden") {
			continue
		}
		for method, op := range doc.paths[path].(map[string]any) {
			for name, reader := range map[string]string{"noor": hers, "a limited key": limited, "an agent": claude} {
				ask := func(question, memory string) string {
					example := strings.ReplaceAll(exampleBody(op), "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e", memory)
					return shown(s.do(strings.ToUpper(method), strings.Replace(path, "{id}", question, 1), reader, example))
				}
				sent++
				got, want := ask(q.ID.String(), m.ID.String()), ask(absent, absent)
				if got != want && method != "post" || strings.Contains(got, "marker") || strings.Contains(got, "Deploys") &&
					reader != limited {
					t.Errorf("%s %s by %s: a hidden question answers\n%s\none that never was\n%s", method, path, name, got, want)
				}
			}
		}
	}
	if sent < 18 {
		t.Errorf("only %d requests were sent", sent)
	}
	for _, reader := range []string{hers, limited} {
		for route, empty := range map[string]string{"GET /golden": `"questions":[]`, "GET /golden/runs": `"runs":[]`} {
			if w := s.expect(t, 200, reader, route); !strings.Contains(w.Body.String(), empty) {
				t.Errorf("%s shows %s", route, w.Body)
			}
		}
	}
	if w := s.do("POST", "/golden", hers, body); w.Code != 400 ||
		w.Body.String() != strings.ReplaceAll(s.do("POST", "/golden", hers,
			strings.ReplaceAll(body, m.ID.String(), absent)).Body.String(), absent, m.ID.String()) {
		t.Errorf("to expect a hidden memory: %d %s", w.Code, w.Body)
	}
}

// TestARepeatedGoldenQuestionIsCreatedOnce sends a question twice under one key.
func TestARepeatedGoldenQuestionIsCreatedOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	body := `{"question":"x?","expected":["` + m.ID.String() + `"]}`
	replayed(t, s.do("POST", "/golden", owner, body, "Idempotency-Key: a"),
		s.do("POST", "/golden", owner, body, "Idempotency-Key: a"))
	var list client.GoldenList
	if decode(t, s.expect(t, 200, owner, "GET /golden"), &list); len(list.Questions) != 1 {
		t.Errorf("got %+v, want one question", list)
	}
	replayed(t, s.do("POST", "/golden/run", owner, "", "Idempotency-Key: b"),
		s.do("POST", "/golden/run", owner, "", "Idempotency-Key: b"))
	var runs client.GoldenRuns
	if decode(t, s.expect(t, 200, owner, "GET /golden/runs"), &runs); len(runs.Runs) != 1 {
		t.Errorf("got %+v, want one run", runs)
	}
}
