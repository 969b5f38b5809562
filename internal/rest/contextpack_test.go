package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// TestContextPackRoute asks at each place, in both formats, in a session and with wrong input.
func TestContextPackRoute(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.expect(t, 201, claude, `POST /agent/memories {"title":"Deploys","content":"We deploy on Tuesdays."}`)
	s.expect(t, 201, claude, `POST /agent/memories {"title":"Key","content":"The deploy key is in the safe.",`+
		`"allowed_vendors":["claude"]}`)
	for _, path := range []string{"/api/context", "/api/v1/context", "/context"} {
		var got loci.ContextPack
		decode(t, s.expect(t, 200, cursor, "POST "+path+` {"goal":"deploy","max_tokens":300}`), &got)
		if !strings.Contains(got.Context, "We deploy on Tuesdays.") || strings.Contains(got.Context, "safe") ||
			got.MaxTokens != 300 || len(got.Receipt.Included) != 1 || len(got.Receipt.LeftOut) != 0 {
			t.Errorf("%s: got %+v", path, got)
		}
	}
	w := s.expect(t, 200, cursor, `POST /context {"goal":"deploy","format":"markdown"}`)
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/markdown") ||
		!strings.HasSuffix(w.Body.String(), "</memories>\n") {
		t.Errorf("as Markdown: %s\n%s", w.Header().Get("Content-Type"), w.Body)
	}
	var session loci.Session
	decode(t, s.expect(t, 201, owner, `POST /sessions {"title":"work"}`), &session)
	body := ` {"goal":"deploy","session_id":"` + session.ID.String() + `"}`
	var first, second loci.ContextPack
	decode(t, s.expect(t, 200, owner, "POST /context"+body), &first)
	decode(t, s.expect(t, 200, owner, "POST /context"+body), &second)
	if len(first.Receipt.Included) != 2 || len(second.Receipt.Included) != 0 || len(second.Receipt.LeftOut) != 2 {
		t.Errorf("first %+v\nsecond %+v", first.Receipt, second.Receipt)
	}
	for _, bad := range []string{`{}`, `{"goal":""}`, `{"goal":"x","max_tokens":10}`, `{"goal":"x","project":"absent"}`,
		`{"goal":"x","session_id":"00000000-0000-4000-8000-000000000000"}`, `{"goal":"x","odd":1}`} {
		if w := s.request(owner, "POST /context "+bad); w.Code != 400 {
			t.Errorf("%s: got %d, want 400", bad, w.Code)
		}
	}
}

// TestContextMatchesOnly gives a hook what fits a telling word of a prompt, and nothing for a prompt without one: of
// stop-words, fillers, single characters, and words that most memories have.
func TestContextMatchesOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for i, fact := range []string{"The login page is on port 8443", "Ada prefers tabs over spaces",
		"The staging server runs Debian 12", "We deploy on Mondays and Thursdays", "Do not run migrations on Friday",
		"It is not allowed to push to main", "The API key is on the shelf in room 1", "The grid is 2 by 8 pixels",
		"Continuous integration runs on two machines", "The cat is called Minka", "Errors go to Sentry"} {
		s.expect(t, 201, claude, fmt.Sprintf(`POST /agent/memories {"title":"Fact %d","content":"%s at Acme."}`, i, fact))
	}
	for _, tt := range []struct{ prompt, want string }{
		{"1", ""}, {"2", ""}, {"on", ""}, {"go on", ""}, {"Is it on?", ""}, {"run it", ""}, {"do not do that", ""},
		{"yes", ""}, {"Yes, please", ""}, {"ok thanks", ""}, {"continue", ""}, {"try again", ""}, {"why?", ""},
		{"looks good!", ""}, {"what about it?", ""}, {"now the other one", ""}, {"weiter", ""}, {"ja, mach das", ""},
		{"a", ""}, {"👍", ""}, {"…", ""}, {"Acme", ""}, {"Tell me about Acme", ""}, {"xylophone", ""},
		{"Which port has the login page?", "8443"}, {"deploy", "Mondays"}, {"When may we deploy at Acme?", "Mondays"},
		{"run the migrations", "Friday"}, {"What is the cat called?", "Minka"}, {"continuous integration", "two machines"},
		{"where do errors go", "Sentry"}, {"debian", "staging"},
	} {
		var got loci.ContextPack
		decode(t, s.expect(t, 200, claude, fmt.Sprintf(`POST /context {"goal":%q,"matches_only":true}`, tt.prompt)), &got)
		lines := len(got.Receipt.Included)
		if (tt.want == "") != (lines == 0) || !strings.Contains(got.Context, tt.want) {
			t.Errorf("%q: got %d lines: %s", tt.prompt, lines, got.Context)
		}
	}
}
