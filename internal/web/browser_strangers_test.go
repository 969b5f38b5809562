package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// wire keeps what the server sends.
type wire struct {
	http.ResponseWriter

	sent *syncBuffer
}

func (w wire) Write(b []byte) (int, error) {
	_, _ = w.sent.Write(b)
	return w.ResponseWriter.Write(b)
}

func (w wire) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// record returns all that the server sends to browsers from now on, their streams included.
func (w *world) record() *syncBuffer {
	sent := &syncBuffer{}
	w.sent.Store(sent)
	return sent
}

// recorded is a writer that also keeps the answer, if it is one to a browser and the world records them.
func (w *world) recorded(rw http.ResponseWriter, r *http.Request) http.ResponseWriter {
	sent := w.sent.Load()
	if sent == nil || r.Header.Get("Authorization") != "" {
		return rw
	}
	r.Header.Del("Accept-Encoding")
	return wire{rw, sent}
}

// stranger is a person of a team, with an assistant, and everything that the API stores for the two.
type stranger struct {
	w *world
	loci.Person
	vendor loci.Vendor
	mark   string // is in all texts
	keys   map[string]string
	ids    []string // of all their rows
	paths  []string // of some of them, in the dashboard
}

var idOf = regexp.MustCompile(`"(?:id|[a-z]+_id)": ?"([0-9a-f-]{36})"`)

// stranger adds a person to Mara's org, with a team of their own.
func (w *world) stranger(name string, vendor loci.Vendor) *stranger {
	w.t.Helper()
	s := &stranger{w: w, Person: w.member(name + "@example.org"), vendor: vendor, mark: "mark-of-" + name,
		keys: map[string]string{}}
	w.setPassword(s.Person, maraPassword)
	team, err := w.app.Org.CreateTeam(w.t.Context(), w.local(s.Person), s.mark+" team")
	w.must(err)
	_, err = w.app.Org.InviteToTeam(w.t.Context(), w.local(s.Person), team.ID, []string{s.mark + "@example.org"},
		loci.Member)
	w.must(err)
	s.key("")
	s.key(vendor)
	s.ids = append(s.ids, team.ID.String())
	return s
}

// key makes a key of the person, or of the assistant, and returns its id.
func (s *stranger) key(vendor loci.Vendor) string {
	s.w.t.Helper()
	c, secret, err := auth.NewCredential(loci.Principal{OrgID: s.OrgID, UserID: s.UserID},
		auth.KeyRequest{Name: s.mark + " key", Vendor: vendor, Rights: loci.AgentRights()}, s.w.clock.Now())
	s.w.must(err)
	s.w.must(s.w.store.Credentials().Insert(s.w.t.Context(), c))
	s.keys[string(vendor)] = secret.Reveal()
	s.ids = append(s.ids, c.ID.String())
	return c.ID.String()
}

// post sends a request with a key of the person, or of the assistant, and returns the id in the answer.
func (s *stranger) post(as loci.Vendor, path string, body map[string]any) string {
	s.w.t.Helper()
	text, err := json.Marshal(body)
	s.w.must(err)
	a := s.w.browser().do(http.MethodPost, "/api/v1"+path, http.Header{"Content-Type": {"application/json"},
		"Authorization": {"Bearer " + s.keys[string(as)]}}, string(text))
	if a.status/100 != 2 {
		s.w.t.Fatalf("%s as %q: %d %s", path, as, a.status, a.body)
	}
	var made struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal([]byte(a.body), &made)
	for _, m := range idOf.FindAllStringSubmatch(a.body, -1) {
		known := []string{s.UserID.String(), s.w.mara.UserID.String()}
		if !slices.Contains(s.ids, m[1]) && !slices.Contains(known, m[1]) {
			s.ids = append(s.ids, m[1])
		}
	}
	return made.ID
}

// works stores rows of each kind that others do not see, by hand and by the assistant.
func (s *stranger) works(round int) {
	s.w.t.Helper()
	m := fmt.Sprint(s.mark, " ", round)
	mine := []string{string(s.vendor)}
	one := s.post("", "/agent/memories", map[string]any{"title": m + " title", "content": m + " content",
		"tags": []string{s.mark}, "summary": m, "key": s.mark + "/" + fmt.Sprint(round),
		"sources": []any{map[string]any{"kind": "text", "text": m, "quote": m}}})
	two := s.post(s.vendor, "/agent/memories", map[string]any{"title": m + " of the team", "content": m + " was first",
		"share_with_team": true, "allowed_vendors": mine})
	s.post(s.vendor, "/agent/memories", map[string]any{"title": m + " later", "content": m, "supersedes": []string{one}})
	gone := s.post("", "/agent/memories", map[string]any{"title": m + " trash", "content": m})
	id, err := loci.ParseMemoryID(gone)
	s.w.must(err)
	_, err = s.w.app.Memory.Trash(s.w.t.Context(), s.w.local(s.Person), id, 0)
	s.w.must(err)

	in := s.post("", "/projects", map[string]any{"name": m + " project", "description": m, "everyone": false})
	s.post("", "/projects/"+in+"/graph/entities", map[string]any{"entities": []any{
		map[string]any{"name": m + " door", "entity_type": s.mark, "observations": []string{m + " is blue"}},
		map[string]any{"name": m + " key", "entity_type": s.mark}}})
	s.post("", "/projects/"+in+"/graph/relations", map[string]any{"relations": []any{
		map[string]any{"from": m + " key", "relation_type": s.mark, "to": m + " door"}}})
	s.post("", "/tasks", map[string]any{"project": in, "title": m + " task", "notes": m})
	node := s.post("", "/memory-nodes", map[string]any{"name": m + " node", "description": m, "tags": []string{s.mark}})
	s.post("", "/memory-nodes/"+node+"/items", map[string]any{"kind": "text", "text": m})
	s.post("", "/memory-nodes/"+node+"/items", map[string]any{"kind": "memory", "memory_id": two})

	var session string
	for _, reach := range []string{"private", "team"} {
		session = s.post(s.vendor, "/sessions", map[string]any{"title": m + " session", "reach": reach,
			"metadata": map[string]any{"note": m}, "allowed_vendors": mine})
		s.post(s.vendor, "/events", map[string]any{"content": m + " event " + reach, "session_id": session, "actor": s.mark,
			"event_type": "decision", "tags": []string{s.mark}})
	}
	s.post(s.vendor, "/context/reflect", map[string]any{"persist": true, "allowed_vendors": mine,
		"content": "We decided that " + m + " is the door. We always close " + m + " before we release."})
	s.post("", "/golden", map[string]any{"question": m + " question?", "expected": []string{one}})
	s.post("", "/golden/run", nil)
	s.paths = []string{"memories/" + one, "memories/" + gone, "visibility/claude/" + one, "projects/" + in, "graph/" + in,
		"nodes/" + node, "sessions/" + session, "time?session=" + session}
}

// views are the views with a text in each that proves that it is there.
func (s *stranger) views() [][2]string {
	return [][2]string{{"memories", s.mark}, {"memories?trash=1", s.mark}, {"memories?q=title", s.mark}, {"inbox", s.mark},
		{"inbox?list=suggestions", s.mark}, {"visibility", "All memories"}, {"visibility/" + string(s.vendor), s.mark},
		{"time", s.mark}, {"sessions", s.mark}, {"graph", s.mark}, {"projects", s.mark}, {"nodes", s.mark},
		{"agents", "gents"}, {"connections", s.mark}, {"keys", s.mark}, {"org", "Acme"}, {"org/people", "dmin"},
		{"org/team", s.mark}, {"org/workspaces", "orkspace"}, {"org/usage", string(s.vendor)}, {"org/audit", "emory"},
		{"transfer", "xport"}, {"evaluate", s.mark}, {"settings", "odel"}, {"account", s.Email}}
}

// TestBrowserDashboardStrangers has two people of one org, of different teams and with different assistants, go
// through all views. Neither the page nor the network tells one of a row of the other, not even by its id, also while
// the other works.
func TestBrowserDashboardStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noor, ben := w.stranger("noor", "claude"), w.stranger("ben", "cursor")
	noor.works(0)
	ben.works(0)
	sent := w.record()
	t.Run("noor", func(t *testing.T) { noor.looks(newTab(t), sent, ben) }) // its end closes the browser
	sent.reset()
	t.Run("ben", func(t *testing.T) { ben.looks(newTab(t), sent, noor) })
}

// looks goes through all views while the other works, and asks for rows of the other.
func (s *stranger) looks(b *tab, sent *syncBuffer, other *stranger) {
	b.t.Helper()
	b.watchErrors()
	b.do("wide window", chromedp.EmulateViewport(1280, 800))
	b.open(s.w.base + "/app/")
	b.fill("#email", s.Email)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/sign-in"))
	b.sees(s.mark)
	views := s.views()
	for _, path := range s.paths {
		views = append(views, [2]string{path, s.mark})
	}
	for _, view := range strings.Fields(b.evaluate(`[...document.querySelectorAll("nav a, .menu-items a")]
		.map((e) => e.pathname.split("/")[2]).filter(Boolean).join(" ")`)) {
		if !slices.ContainsFunc(views, func(v [2]string) bool { return strings.HasPrefix(v[0], view) }) {
			b.t.Errorf("this test lacks the view %s", view)
		}
	}
	for i, v := range views {
		b.open(s.w.base + "/app/" + v[0])
		b.sees(v[1])
		b.until(`document.querySelector(".live.live") && !document.querySelector(".spinner, .failed")`)
		if i%5 == 0 { // one stream serves all views, so a part of them is enough
			other.works(i + 1)
			b.awaits(sent, s.key("")) // the stream tells of the key after what the other did
		}
		s.apart(b, v[0], b.evaluate(`document.documentElement.outerHTML`), other, other.ids)
	}
	s.apart(b, "the network", sent.String(), other, other.ids)
	for _, path := range other.paths {
		b.open(s.w.base + "/app/" + path)
		b.until(`document.querySelector(".live.live") && !document.querySelector(".spinner")`)
		s.apart(b, path, b.evaluate(`document.documentElement.outerHTML`), other, nil)
	}
	s.apart(b, "what was asked for", sent.String(), other, nil)
}

// apart fails if a text has something of the other.
func (s *stranger) apart(b *tab, where, text string, other *stranger, ids []string) {
	b.t.Helper()
	for _, hidden := range append(slices.Clip(ids), other.mark) {
		if i := strings.Index(text, hidden); i >= 0 {
			b.t.Errorf("%s tells %s of %s: %s", where, s.Email, hidden, text[max(i-300, 0):min(i+300, len(text))])
		}
	}
}

// awaits waits until the server has sent a text to browsers.
func (b *tab) awaits(sent *syncBuffer, text string) {
	b.t.Helper()
	for !strings.Contains(sent.String(), text) {
		b.do("wait", chromedp.Sleep(20*time.Millisecond))
	}
}
