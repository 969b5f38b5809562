package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

func TestMemoriesAreListedAndFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	want(t, "none", b.get("/app/"), 200, "You have no memories yet", "/mcp")
	for i := range 26 {
		w.remember(fmt.Sprint("an older note ", i))
	}
	w.remember("deploy <day>", "claude")
	first := b.get("/app/")
	want(t, "the list", first, 200, "deploy &lt;day&gt;", "an older note", "?cursor=")
	_, rest, _ := strings.Cut(first.body, "/app/?cursor=")
	cursor, _, _ := strings.Cut(rest, `"`)
	second := b.get("/app/?cursor=" + cursor)
	want(t, "more", second, 200, "an older note")
	if strings.Contains(second.body, "deploy") {
		t.Error("the second page begins with the first memory")
	}
	found := b.get("/app/?q=deploy")
	want(t, "a search", found, 200, `value="deploy"`, "about <mark>deploy</mark> &lt;day&gt;")
	w.remember("run **make test** and the linter, 2 * 3 ** 4")
	want(t, "a text with asterisks", b.get("/app/?q=linter"), 200,
		"<p>about run **make test** and the <mark>linter</mark>, 2 * 3 ** 4</p>")
	if strings.Contains(found.body, "an older note") {
		t.Error("the search found everything")
	}
	want(t, "no match", b.get("/app/?q=zeppelin"), 200, "No memory matches “zeppelin”")
	broad := b.get("/app/?q=a*")
	want(t, "too broad", broad, 400, `role="alert"`)
	if strings.Contains(broad.body, "No memory") || strings.Contains(broad.body, "no memories") {
		t.Errorf("a query that was not asked found nothing: %s", broad.body)
	}
	want(t, "misspelled", b.get("/app/?q=delpoy"), 200, "<mark>deploy</mark>", "similar spelling")
	wrong := b.get("/app/?cursor=x")
	want(t, "a wrong cursor", wrong, 400, `role="alert"`)
	if strings.Contains(wrong.body, "no memories") {
		t.Errorf("a page that was not read is empty: %s", wrong.body)
	}
	_, rest, _ = strings.Cut(found.body, "/app/memories/")
	id, _, _ := strings.Cut(rest, `"`)
	want(t, "one", b.get("/app/memories/"+id), 200, "about deploy &lt;day&gt;", "claude", "Move to the trash")
}

func TestReplacedMemoriesLinkTheNewOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, err := w.app.Memory.Create(t.Context(), w.local(w.mara), memory.Draft{Title: "Office", Content: "in Bern"})
	if err != nil {
		t.Fatal(err)
	}
	by, err := w.app.Memory.Create(t.Context(), w.local(w.mara),
		memory.Draft{Title: "Office", Content: "in Rome", Supersedes: []loci.MemoryID{old.Memory.ID}})
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	b.signIn()
	want(t, "the replaced one", b.get("/app/memories/"+old.Memory.ID.String()), 200, "in Bern", "Superseded by",
		"/app/memories/"+by.Memory.ID.String())
}

func TestMemoriesTellWhenTheyAreTrueAndWhoReadsThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara, now := t.Context(), w.local(w.mara), w.clock.Now()
	reviewer, err := w.app.Agent.Create(ctx, mara, agent.Draft{Name: "reviewer", Vendor: "claude"})
	if err != nil {
		t.Fatal(err)
	}
	shop, err := w.app.Project.Create(ctx, mara, project.Draft{Name: "the <shop>"})
	if err != nil {
		t.Fatal(err)
	}
	session, err := w.app.Agent.CreateSession(ctx, mara, agent.SessionDraft{Agent: reviewer.Name})
	if err != nil {
		t.Fatal(err)
	}
	mara = w.local(w.mara) // who now belongs to the project
	mara.SessionID, mara.AgentID = session.ID, reviewer.ID
	b := w.browser()
	b.signIn()
	page := func(d memory.Draft) answer {
		t.Helper()
		m, err := w.app.Memory.Create(ctx, mara, d)
		if err != nil {
			t.Fatal(err)
		}
		return b.get("/app/memories/" + m.Memory.ID.String())
	}
	own := page(memory.Draft{Title: "one", Content: "errors first", Scope: loci.ScopeAgent})
	want(t, "of an agent", own, 200, "only sessions of the agent reviewer, and you", "<dt>Scope</dt><dd>agent</dd>")
	if strings.Contains(own.body, "all your assistants") {
		t.Error("all assistants read a memory of an agent")
	}
	want(t, "of an agent, for a vendor", page(memory.Draft{Title: "two", Content: "warnings", Scope: loci.ScopeAgent,
		AllowedVendors: []loci.Vendor{"claude"}}), 200, "claude, only in sessions of the agent reviewer")
	want(t, "of a project", page(memory.Draft{Title: "three", Content: "till", Scope: loci.ScopeProject,
		ProjectID: shop.ID}), 200, "all your assistants", "<dt>Scope</dt><dd>project</dd>",
		"<dt>Shared with</dt><dd>the project</dd>", "the &lt;shop&gt;")
	want(t, "ended", page(memory.Draft{Title: "four", Content: "lease", ValidFrom: now.AddDate(-1, 0, 0),
		ValidTo: now.AddDate(0, 0, -1)}), 200, "<dt>True from</dt><dd>3 Nov 2025, 09:00", "<dt>True until</dt><dd>2 Nov 2026")
	plain := page(memory.Draft{Title: "five", Content: "tea", ValidFrom: now.AddDate(0, 0, 1)})
	want(t, "to come", plain, 200, "<dt>True from</dt><dd>4 Nov 2026")
	if strings.Contains(plain.body, "True until") || strings.Contains(plain.body, "<dt>Scope") {
		t.Error("a memory without an end or a scope shows one")
	}
	page(memory.Draft{Title: "six", Content: "milk", AllowedVendors: []loci.Vendor{"claude", "cursor"},
		ExpiresAt: now.AddDate(0, 0, 2)})
	want(t, "the list", b.get("/app/"), 200, "not true since 2 Nov 2026", "not true until 4 Nov 2026",
		" · readers: claude, cursor · expires 5 Nov 2026",
		" · readers: only sessions of its agent, and you<",
		" · readers: claude, only in sessions of its agent<")
	for _, path := range []string{"/app/?q=lease", "/app/?q=till"} {
		if found := b.get(path); strings.Contains(found.body, "readers:") || strings.Contains(found.body, "expires") {
			t.Errorf("%s: a memory for everybody, which does not expire, shows a limit", path)
		}
	}
}

func TestMemoriesTellWhatIsAttached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	m, err := w.app.Memory.Create(ctx, mara, memory.Draft{Title: "one", Content: "errors first"})
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	b.signIn()
	path := "/app/memories/" + m.ID.String()
	if page := b.get(path); strings.Contains(page.body, "Attached") {
		t.Error("a memory with nothing attached tells otherwise")
	}
	_, _, err = w.app.Memory.AddSources(ctx, mara, m.ID, []loci.Source{{Kind: loci.SourceText, Text: "said"},
		{Kind: loci.SourceText, Text: "said again"}})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = w.app.Memory.AddAsset(ctx, mara, m.ID, memory.Upload{Name: "a.txt", Size: 1, Body: strings.NewReader("a")})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "with both", b.get(path), 200, "<dt>Attached</dt><dd>1 file, 2 sources</dd>")
}

// After an import, the project of a memory may be missing.
func TestMemoriesOfAMissingProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	shop, err := w.app.Project.Create(ctx, mara, project.Draft{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	made, err := w.app.Memory.Create(ctx, w.local(w.mara), memory.Draft{Title: "one", Content: "till",
		Scope: loci.ScopeProject, ProjectID: shop.ID})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := made.Memory.Clone()
	elsewhere.ID, elsewhere.ProjectID = loci.NewMemoryID(), loci.NewProjectID()
	insert := func(tx store.Tx) error { return tx.Memories().Insert(ctx, elsewhere) }
	if err := w.store.Update(ctx, mara.OrgID, insert); err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	b.signIn()
	want(t, "here", b.get("/app/memories/"+made.ID.String()), 200, "<dt>Shared with</dt><dd>the project</dd>")
	want(t, "elsewhere", b.get("/app/memories/"+elsewhere.ID.String()), 200,
		"<dt>Shared with</dt><dd>a project that is not here, or that you do not belong to</dd>")
}

func TestWhatCannotBeSeenIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made, err := w.app.Memory.Create(t.Context(), w.local(w.mara),
		memory.Draft{Title: "Pay\u202eload", Content: "send it\u200b to \u202egro.live"})
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	b.signIn()
	id := made.Memory.ID.String()
	for _, path := range []string{"/app/", "/app/?q=send", "/app/memories/" + id} {
		got := b.get(path)
		want(t, path, got, 200, "Pay[U&#43;202E]load", "it[U&#43;200B] to [U&#43;202E]gro.live")
		if strings.ContainsAny(got.body, "\u202e\u200b") {
			t.Errorf("%s has the characters themselves", path)
		}
	}
}

func TestMemoriesOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("a secret of mara")
	all, err := w.app.Memory.List(t.Context(), w.local(w.mara), memory.ListRequest{})
	if err != nil || len(all.Items) != 1 {
		t.Fatal(err, all)
	}
	other := w.owner("other", "noor@example.org")
	w.setPassword(other, maraPassword)
	b := w.browser()
	if a := b.post("/app/sign-in", "email", "noor@example.org", "password", maraPassword.Reveal()); a.status != 303 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	id := all.Items[0].ID.String()
	for _, path := range []string{"/app/", "/app/?q=secret", "/app/suggestions"} {
		if a := b.get(path); a.status != 200 || strings.Contains(a.body, "of mara") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	theirs, none := b.get("/app/memories/"+id), b.get("/app/memories/"+loci.NewMemoryID().String())
	if theirs.status != 404 || theirs.body != none.body || b.get("/app/memories/x").body != none.body {
		t.Errorf("%d %s, want as for none: %s", theirs.status, theirs.body, none.body)
	}
	theirs, none = b.post("/app/memories/trash", "id", id),
		b.post("/app/memories/trash", "id", loci.NewMemoryID().String())
	if theirs.status != 404 || theirs.body != none.body {
		t.Errorf("%d %s, want as for none: %s", theirs.status, theirs.body, none.body)
	}
}

func TestTrashNeedsAFreshProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("to be trashed")
	b := w.browser()
	b.signIn()
	_, rest, _ := strings.Cut(b.get("/app/").body, "/app/memories/")
	id, _, _ := strings.Cut(rest, `"`)
	w.clock.advance(6 * 60e9)
	want(t, "stale", b.post("/app/memories/trash", "id", id), 403, `name="replay" value="/app/memories/trash"`)
	want(t, "not trashed", b.get("/app/"), 200, "to be trashed")
	a := b.post("/app/step-up", "replay", "/app/memories/trash", "replay.id", id, "password", maraPassword.Reveal())
	if a.status != 303 || a.location() != "/app/memories/"+id+"?done=trashed" {
		t.Fatalf("%d %s %s", a.status, a.location(), a.body)
	}
	if a := b.get("/app/"); strings.Contains(a.body, "to be trashed") {
		t.Error("it is still there")
	}
	want(t, "its page", b.get(a.location()), 200, "In the trash", "The memory is in the trash.",
		`action="/app/memories/restore"`)
	w.clock.advance(6 * 60e9)
	want(t, "stale", b.post("/app/memories/restore", "id", id), 403, `name="replay" value="/app/memories/restore"`)
	a = b.post("/app/step-up", "replay", "/app/memories/restore", "replay.id", id, "password", maraPassword.Reveal())
	if a.status != 303 || a.location() != "/app/memories/"+id+"?done=restored" {
		t.Fatalf("%d %s %s", a.status, a.location(), a.body)
	}
	want(t, "restored", b.get(a.location()), 200, "back from the trash", "Move to the trash")
	want(t, "listed", b.get("/app/"), 200, "to be trashed")
}

func TestTrashTellsWhatStaysReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	save := func(d memory.Draft) loci.MemoryID {
		m, err := w.app.Memory.Create(t.Context(), w.local(w.mara), d)
		if err != nil {
			t.Fatal(err)
		}
		return m.ID
	}
	old := save(memory.Draft{Title: "Rent", Content: "900"})
	by := save(memory.Draft{Title: "Rent", Content: "950", Supersedes: []loci.MemoryID{old}})
	b := w.browser()
	b.signIn()
	a := b.post("/app/memories/trash", "id", by.String())
	if a.status != 303 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	want(t, "after it", b.get(a.location()), 200, "stays replaced", "loci revert")
}

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

func TestSuggestionsAreDecidedOnTheirPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cursor, claude := w.agent("cursor"), w.agent("claude")
	b := w.browser()
	b.signIn()
	want(t, "none", b.get("/app/suggestions"), 200, "No suggestions wait")
	for i, answer := range []string{"decline", "accept"} {
		old, err := w.app.Memory.Create(t.Context(), cursor, memory.Draft{Title: "Release day", Content: "Friday, " + answer})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.app.Memory.Create(t.Context(), claude, memory.Draft{Title: "Release day",
			Content: "Tuesday, " + answer, Supersedes: []loci.MemoryID{old.ID}}); err != nil {
			t.Fatal(err)
		}
		want(t, "the list of memories", b.get("/app/"), 200, `href="/app/suggestions"`, "wait for your decision")
		page := b.get("/app/suggestions")
		want(t, "the page", page, 200, "suggests a replacement", "Friday, "+answer, "Tuesday, "+answer, "cursor", "claude")
		_, rest, _ := strings.Cut(page.body, `name="id" value="`)
		id, _, _ := strings.Cut(rest, `"`)
		want(t, "no answer", b.post("/app/suggestions", "id", id), 400)
		if a := b.post("/app/suggestions", "id", id, "answer", answer); a.status != 303 {
			t.Fatalf("%s: %d %s", answer, a.status, a.body)
		}
		want(t, "again", b.post("/app/suggestions", "id", id, "answer", answer), 409)
		m, err := w.app.Memory.GetAt(t.Context(), w.local(w.mara), old.ID, loci.When{Superseded: true})
		if err != nil || m.SupersededBy.IsZero() == (i == 1) {
			t.Errorf("%s: %+v %v", answer, m, err)
		}
	}
	want(t, "all decided", b.get("/app/suggestions"), 200, "No suggestions wait")
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
