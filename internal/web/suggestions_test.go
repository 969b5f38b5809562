package web_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/project"
)

// agent is an assistant of Mara's.
func (w *world) agent(v loci.Vendor) loci.Principal {
	w.t.Helper()
	_, key, err := w.app.Identity.CreateKey(w.t.Context(), w.local(w.mara), auth.KeyRequest{Name: "k", Vendor: v})
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := w.auth.Authenticate(w.t.Context(), auth.Request{Bearer: key})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func TestSuggestionsAreInTheInbox(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	if a := b.get("/app/suggestions"); a.status != 303 || a.location() != "/app/inbox?list=suggestions" {
		t.Errorf("%d %s", a.status, a.location())
	}
}

func TestConnectionsListKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	want(t, "none", b.get("/app/connections"), 200, "No assistants are connected by signing in (OAuth).",
		"No assistants have a key.", `<a href="/app/keys">Keys</a>`)
	for _, k := range []auth.KeyRequest{{Name: "Cursor (connected)", Vendor: "cursor"}, {Name: "mine"},
		{Name: "revoked one", Vendor: "codex"}} {
		c, _, err := w.app.Identity.CreateKey(t.Context(), w.local(w.mara), k)
		if err == nil && k.Vendor == "codex" {
			err = w.app.Identity.RevokeKey(t.Context(), w.local(w.mara), c.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	a := b.get("/app/connections")
	want(t, "with a key", a, 200, "No assistants are connected by signing in (OAuth).",
		`<strong>Cursor (connected)</strong> is <span class="tag">cursor</span>`, "last used never")
	for _, name := range []string{"mine", "revoked one", "have a key"} {
		if strings.Contains(a.body, name) {
			t.Errorf("the page has %q", name)
		}
	}
}

// What limits a key is in the lists of keys: one that reaches a project only must not look as if it reached everything.
func TestKeysTellWhatTheyReach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	home, err := w.app.Project.Create(ctx, w.local(w.mara), project.Draft{Name: "home <1>"})
	if err != nil {
		t.Fatal(err)
	}
	work, err := w.app.Project.Create(ctx, w.local(w.mara), project.Draft{Name: "work"})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []auth.KeyRequest{
		{Name: "all"},
		{Name: "one", ProjectIDs: []loci.ProjectID{home.ID}},
		{Name: "two", ProjectIDs: []loci.ProjectID{home.ID, work.ID}, Rights: []loci.Right{loci.RightRead, loci.RightWrite}},
		{Name: "agent", Vendor: "cursor", ProjectIDs: []loci.ProjectID{work.ID}, Rights: []loci.Right{loci.RightRead}},
	} {
		if _, _, err := w.app.Identity.CreateKey(ctx, w.local(w.mara), k); err != nil {
			t.Fatal(err)
		}
	}
	b := w.browser()
	b.signIn()
	page := b.get("/app/keys")
	want(t, "keys", page, 200, "<small>everything ·", "<small>only project home &lt;1&gt; ·",
		"<small>memories:read, memories:write, only projects home &lt;1&gt;, work ·",
		"<small>memories:read, only project work ·")
	if n := strings.Count(page.body, "<small>everything"); n != 1 {
		t.Errorf("%d keys reach everything, want 1", n)
	}
	want(t, "connections", b.get("/app/connections"), 200, "<small>memories:read, only project work · last used")
}

func TestRevokingAsksFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, _, err := w.app.Identity.CreateKey(t.Context(), w.local(w.mara), auth.KeyRequest{Name: "<script>"})
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	b.signIn()
	want(t, "the question", b.get("/app/keys/revoke?id="+c.ID.String()), 200, "Revoke the key &lt;script&gt;?",
		"Programs that use this key stop working immediately", `<a class="button second" href="/app/keys">Cancel</a>`)
	list, err := w.app.Identity.Keys(t.Context(), w.local(w.mara), loci.KindUser)
	if err != nil || len(list) != 1 || !list[0].RevokedAt.IsZero() {
		t.Fatalf("the question revoked it: %+v %v", list, err)
	}
	for _, path := range []string{"/app/keys/revoke", "/app/connections/revoke"} {
		want(t, "none", b.get(path+"?id="+loci.NewCredentialID().String()), 404, "not found")
	}
}

func TestPagesOfferOnlyRightsThatExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	a := b.get("/app/keys")
	want(t, "the form", a, 200, `value="memories:read"`, `value="graph"`, `value="events"`,
		`value="reflect"`, `value="admin"`)
}
