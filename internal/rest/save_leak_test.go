package rest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// anyID and anyTime differ between two answers that say the same.
var (
	anyID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyTime = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T[0-9:.]+Z`)
)

func (s *server) plainly(key, request string) string {
	w := s.request(key, request)
	text := headers(w) + "\n" + w.Body.String()
	return anyTime.ReplaceAllString(anyID.ReplaceAllString(text, "<id>"), "<time>")
}

// A save tells nothing of memories that its writer may not see: neither that
// they have the key, nor that they can be superseded, nor of suggestions about
// them.
func TestSavesTellNothingOfTheHidden(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	hidden := s.write(t, claude,
		`{"key":"known","title":"Hidden","content":"The harbour code is 4471 and opens all the gates.",`+
			`"allowed_vendors":["claude"],"tags":["port"]}`)
	mine := s.write(t, cursor, `{"title":"Mine","content":"Something else entirely."}`)
	var made loci.Saved
	decode(t, s.expect(t, 201, claude,
		`POST /agent/memories {"title":"Newer","content":"Nobody knows.","allowed_vendors":["claude"],"supersedes":["`+
			mine.ID.String()+`"]}`), &made)
	suggestion := made.Suggestions[0].ID.String()
	for name, requests := range map[string][2]string{
		"a key": {`POST /agent/memories {"key":"known","content":"The harbour code is 4471 and opens all the gates."}`,
			`POST /agent/memories {"key":"other","content":"The harbour code is 4471 and opens all the gates."}`},
		"supersede": {`POST /agent/memories {"title":"x","content":"y","supersedes":["` + hidden.ID.String() + `"]}`,
			`POST /agent/memories {"title":"x","content":"y","supersedes":["` + absent + `"]}`},
		"correct": {`POST /agent/memories {"key":"k","content":"y","corrects":["` + hidden.ID.String() + `"]}`,
			`POST /agent/memories {"key":"k","content":"y","corrects":["` + absent + `"]}`},
		"accept": {`POST /suggestions/` + suggestion + `/accept`, `POST /suggestions/` + absent + `/accept`},
	} {
		second := newServer(t) // to which nothing was ever hidden
		if name == "supersede" || name == "correct" || name == "accept" {
			second = s
		}
		got, want := s.plainly(cursor, requests[0]), strings.ReplaceAll(second.plainly(cursor, requests[1]), `"other"`,
			`"known"`)
		if got != want {
			t.Errorf("%s: what is hidden answers\n%s\nwhat never was\n%s", name, got, want)
		}
	}
	if got := s.request(cursor, "GET /suggestions").Body.String(); strings.Contains(got, suggestion) {
		t.Errorf("cursor is told of a suggestion by what it may not see: %s", got)
	}
	if got := s.request(claude, "GET /suggestions").Body.String(); !strings.Contains(got, suggestion) {
		t.Errorf("claude is not told of its own suggestion: %s", got)
	}
	if got := s.request(owner, "GET /suggestions").Body.String(); !strings.Contains(got, suggestion) {
		t.Errorf("the owner is not told of a suggestion: %s", got)
	}
}
