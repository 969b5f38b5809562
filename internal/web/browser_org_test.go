package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
)

// TestBrowserDashboardOrg goes through the org: its rules, its people and invitations, the team and workspaces.
func TestBrowserDashboardOrg(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save(memory.Draft{Title: "x", Content: "y"})
	noor := w.colleague("noor@example.org")
	b := w.dashboard("/app/org")
	b.sees("Acme", "a sign-in with a proof of the last 5 minutes", "owner")
	b.look("org")
	b.axe("the org")

	// By keyboard: a rule, which needs a proof.
	w.clock.advance(6 * time.Minute)
	b.keys("e")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.choose("dialog select", "api_key")
	b.look("org-rules")
	b.axe("the rules of the org")
	b.click("Save")
	b.proves()
	b.sees("Saved.", "a key is enough")
	b.keys("u")
	b.sees("Undone.", "a sign-in with a proof of the last 5 minutes")

	// A rule for a type of events, by mouse.
	b.keys("e")
	b.click("Add a type")
	b.write(".org-type input", "tool_call")
	b.write(".org-type input[type=number]", "7")
	b.look("org-types")
	b.axe("a rule for a type of events")
	b.click("Save")
	b.sees("tool_call: 7 days")
	b.keys("e")
	b.do("remove the rule", clickOn(".org-type button"))
	b.click("Save")
	b.seesNo("tool_call: 7 days")

	// People.
	b.keys("2")
	b.sees("Noor (noor@example.org)", "2 people", "There are no invitations.")
	b.choose(`select[aria-label^="Role of Noor"]`, "admin")
	b.sees("Saved.")
	b.look("org-people")
	b.axe("the people of the org")
	b.click("Suspend")
	b.sees("loses sign-ins, keys")
	b.click("Suspend")
	b.sees("Let in again")
	b.keys("n")
	b.write("dialog textarea", "ada@example.org")
	b.click("Invite")
	b.sees("Pass these links on")
	b.until(`/\/app\/invite\?token=/.test(document.querySelector("dialog input").value)`)
	b.look("org-invited")
	b.axe("the links of invitations")
	b.click("Close")
	b.sees("ada@example.org", "waiting")
	b.click("Revoke")
	b.sees("no longer works")
	b.click("Revoke")
	b.sees("The invitation is revoked.")
	u := w.user(noor.ID)
	if !u.Disabled || u.OrgRole != loci.MemberAdmin {
		t.Errorf("Noor is %+v", u)
	}

	// The team.
	b.keys("3")
	b.sees("You are in no team")
	b.axe("no team")
	b.click("New team")
	b.write("dialog input", "Core")
	b.submit()
	b.sees("The team is there.", "Leave the team")
	b.look("org-team")
	b.axe("a team")
	b.click("Delete the team")
	b.sees("is deleted for all its members")
	b.click("Delete the team")
	b.sees("The team is deleted.", "You are in no team")

	// Workspaces and usage.
	b.keys("4")
	b.click("New workspace")
	b.write("dialog input", "Research")
	b.submit()
	b.sees("“Research” is there.")
	b.click("Members")
	b.sees("Mara (mara@example.org)")
	b.look("org-workspaces")
	b.axe("workspaces")
	b.click("Delete permanently")
	b.sees("must have no memories")
	b.keys(kb.Escape)
	b.keys("5")
	b.sees("Memories by writer", "cli")
	b.look("org-usage")
	b.axe("usage")
	b.clean()
}

// user reads a person of Mara's org.
func (w *world) user(id loci.UserID) loci.User {
	w.t.Helper()
	all, _, err := w.app.Org.Members(w.t.Context(), w.local(w.mara), loci.UserID{}, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, u := range all {
		if u.ID == id {
			return u
		}
	}
	w.t.Fatalf("there is no user %s", id)
	return loci.User{}
}

// TestBrowserDashboardOrgTexts shows names with attacks.
func TestBrowserDashboardOrgTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	if _, err := w.app.Org.Rename(ctx, mara, attacks[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := w.app.Org.CreateTeam(ctx, mara, attacks[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := w.app.Org.CreateWorkspace(ctx, w.local(w.mara), attacks[2]); err != nil {
		t.Fatal(err)
	}
	for i, text := range attacks[:3] {
		_, err := w.app.Org.AddUser(ctx, mara, org.NewUser{Email: fmt.Sprint("p", i, "@example.org"), Name: text})
		w.must(err)
	}
	w.save(memory.Draft{Title: "x", Content: "y"})
	b := w.dashboard("/app/org")
	b.sees(attacks[0])
	b.safe("the org")
	b.keys("2")
	b.sees("4 people", attacks[2])
	b.safe("the people")
	b.keys("3")
	b.sees(attacks[1])
	b.safe("the team")
	b.keys("4")
	b.sees(attacks[2])
	b.safe("workspaces")
	b.clean()
}

// TestBrowserDashboardTransfer exports memories, imports the file again, and imports a graph.
func TestBrowserDashboardTransfer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, text := range attacks {
		w.save(memory.Draft{Title: fmt.Sprint("memory ", i), Content: text, Tags: []string{"kept"}})
	}
	shop := w.shop()
	b := w.dashboard("/app/transfer")
	dir := t.TempDir()
	b.evaluate(`(() => { const ours = URL.createObjectURL;
		URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved = text); return ours(blob) };
		return "" })()`)
	b.sees("Export memories", "Import a graph")
	b.look("transfer")
	b.axe("import and export")
	b.keys("e")
	b.until("window.saved")
	text := b.evaluate("window.saved")
	count := strings.Count(text, "\n")
	if strings.Count(text, `{"memory":`) != len(attacks) || !strings.Contains(text, `{"entity":`) {
		t.Fatalf("the download: %s", text)
	}
	b.sees(fmt.Sprintf("Done: %d lines", count))

	// What is there stays single. What is not there comes back.
	other := filepath.Join(dir, "other.jsonl")
	text += `{"memory":{"title":"new one","content":"<script>window.hacked=1</script>","tags":["a"]}}
{"memory":{"title":"","content":"no title"}}
broken
`
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do("the file", chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]`), []string{other}))
	b.evaluate(`([...document.querySelectorAll("button")].filter((e) => e.innerText === "Import")[0].click(), "")`)
	b.sees("Loci saves the memories of")
	b.click("Import")
	b.sees("1 memory is imported.", "There already", "Refused", fmt.Sprintf("Line %d: not JSON", count+3))
	b.look("transfer-report")
	b.axe("the report of an import")
	b.safe("the report of an import")
	b.keys("u")
	b.sees("Undone.")

	// What the import changed gets the text before, unless somebody has changed it since.
	one := w.save(memory.Draft{Title: "old", Content: "as it was", Key: "one"})
	two := w.save(memory.Draft{Title: "older", Content: "was as it", Key: "two"})
	keyed := filepath.Join(dir, "keyed.jsonl")
	lines := `{"memory":{"title":"imported","content":"from the file","key":"one"}}
{"memory":{"title":"imported","content":"from the file","key":"one","tags":["again"]}}
{"memory":{"title":"imported","content":"from the file","key":"two"}}
`
	if err := os.WriteFile(keyed, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do("the file", chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]`), []string{keyed}))
	b.evaluate(`([...document.querySelectorAll("button")].filter((e) => e.innerText === "Import")[0].click(), "")`)
	b.sees("gives the others the text before")
	b.click("Import")
	b.sees("3 memories are imported.", "Changed: a memory with the key was there")
	w.save(memory.Draft{Title: "since", Content: "somebody else", Key: "two"})
	b.keys("u")
	b.sees("1 memory has changed since, and stays as it is.")
	for id, want := range map[loci.MemoryID]string{one: "as it was", two: "somebody else"} {
		if m, err := w.app.Memory.Get(t.Context(), w.local(w.mara), id); err != nil || m.Content != want {
			t.Errorf("%v %v", m, err)
		}
	}

	empty := filepath.Join(dir, "empty.jsonl")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do("an empty file", chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]`), []string{empty}))
	b.evaluate(`([...document.querySelectorAll("button")].filter((e) => e.innerText === "Import")[0].click(), "")`)
	b.until(`document.querySelector("dialog[open]")`)
	b.click("Import")
	b.sees("The file is empty. Choose another one.")

	// A graph.
	memories := filepath.Join(dir, "memory.json")
	lines = `{"type":"entity","name":"imported","entityType":"thing","observations":["is new"]}
{"type":"relation","from":"imported","to":"nowhere","relationType":"leads_to"}
`
	if err := os.WriteFile(memories, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	b.evaluate(`(document.querySelectorAll("input[type=file]")[1].id = "graph-file", "")`)
	b.do("the graph", chromedp.SetUploadFiles(chromedp.CSS(`#graph-file`), []string{memories}))
	b.click("Try it first")
	b.sees("Nothing was stored.", "nowhere")
	if w.entity(shop.ID, "imported") != nil {
		t.Error("a dry run stored something")
	}
	b.evaluate(`([...document.querySelectorAll("button")].filter((e) => e.innerText === "Import").at(-1).click(), "")`)
	b.sees("There is no undo")
	b.click("Import")
	b.sees("Done.", "New entities")
	b.until(`[...document.querySelectorAll("dt")]
		.some((e) => e.innerText === "New entities" && e.nextSibling.innerText === "1")`)
	if w.entity(shop.ID, "imported") == nil {
		t.Error("the import stored nothing")
	}
	b.clean()
}

// TestBrowserDashboardSettings shows the settings to somebody who may not change them.
func TestBrowserDashboardSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.dashboard("/app/settings")
	b.sees("Loci sends no texts to models", "LOCI_EMBED_MODEL", "dream.at", "03:30", "the configuration sets it",
		"Admins of the deployment change these settings.")
	b.until(`!document.querySelector("button[aria-label^=Change]")`)
	b.look("settings")
	b.axe("the settings")
	b.do("the menu", clickOn(".menu summary"))
	b.choose(".menu-items label:nth-of-type(2) select", "de")
	b.sees("Suche nach Bedeutung")
	b.look("settings-german")
	b.keys(kb.Escape)
	b.keys("o")
	b.until(`location.pathname === "/app/org"`)
	b.sees("Was Löschen verlangt")
	w.down.Store(true)
	w.dropStreams()
	b.keys("2")
	b.until(`document.querySelector(".plain-page .failed")`)
	w.down.Store(false)
	b.retry()
	b.sees("1 Person")
}

// TestBrowserDashboardSettingAttacks has attacks in what the configuration sets.
func TestBrowserDashboardSettingAttacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range w.settings.Keys {
		if k := &w.settings.Keys[i]; k.Choices == nil {
			k.Operator, k.Configured = true, attacks[i]+attacks[len(attacks)-1]
		}
	}
	b := w.dashboard("/app/settings")
	b.sees(attacks[1], attacks[2], attacks[3])
	b.safe("the settings")
	b.clean()
}

// TestBrowserDashboardSettingsChange changes settings as an admin of the deployment, by mouse and by keyboard.
func TestBrowserDashboardSettingsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.app.Identity.SetUserRole(t.Context(), w.local(w.mara), w.mara.UserID, loci.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	b := w.dashboard("/app/settings")
	b.sees("03:30", "Loci takes over a change while it runs")
	b.do("a setting", clickOn(`button[aria-label="Change: When it runs"]`))
	b.write("dialog input", "25:00")
	b.submit()
	b.sees("must be a time of the day such as 03:30, or off")
	b.look("settings-change")
	b.axe("a setting to change")
	b.write("dialog input", "02:15")
	b.submit()
	b.sees("Changed: When it runs", "an admin changed it", "usually 03:30")
	b.axe("changed settings")
	b.keys("u")
	b.sees("Undone.", "nobody changed it")

	// By keyboard, with a proof.
	w.clock.advance(6 * time.Minute)
	b.keys("k") // from the setting that was changed, to which the focus went back
	b.keys("k")
	b.until(`document.activeElement?.dataset.card === "embed.model"`)
	b.keys("e")
	b.until(`document.querySelector("dialog select")`)
	b.choose("dialog select", "small")
	b.click("Save")
	b.proves()
	b.sees("Changed: Model", "small")
	b.do("the model", chromedp.Focus(`[data-card="embed.model"]`))
	b.keys("r")
	b.until(`document.querySelector('[data-card="embed.model"] .tag').innerText === "off"`)
	b.clean()
}

// TestBrowserDashboardEvaluate asks a golden question, and shows at which place its memory was found.
func TestBrowserDashboardEvaluate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save(memory.Draft{Title: "Deploy day", Content: "We deploy on Tuesdays."})
	tea := w.save(memory.Draft{Title: attacks[0], Content: "Tea is green."})
	b := w.dashboard("/app/evaluate")
	b.sees("There are no questions yet")
	b.axe("no questions")
	w.earlierQuestions(b, tea)
	b.open(w.base + "/app/evaluate")
	b.sees("kept in this browser")
	b.open(w.base + "/app/evaluate")
	b.until(`document.querySelectorAll(".cards li").length === 1`)
	b.click("Remove the question")
	b.sees("is not asked again")
	b.click("Remove the question")
	b.sees("There are no questions yet")
	b.keys("n")
	b.write("dialog input", "When do we deploy? "+attacks[1])
	b.click("Deploy day")
	b.look("evaluate-new")
	b.axe("a new question")
	b.safe("a new question")
	b.submit()
	b.click("New question")
	b.write("dialog input", "zebra")
	b.click(attacks[0])
	b.click("Save")
	b.until(`!document.querySelector("dialog[open]")`)
	b.keys("r")
	b.sees("golden question", "found at place 1", "not among the first 20", "50%")
	b.look("evaluate")
	b.axe("golden questions")
	b.safe("golden questions")
	b.open(w.base + "/app/evaluate")
	b.sees("found at place 1")
	b.click("Remove the question")
	b.sees("is not asked again")
	b.click("Remove the question")
	b.sees("The question is removed.")
	b.keys("u")
	b.sees("Undone.", "When do we deploy?")
	b.click("Change the question")
	b.write("dialog input", "On which day do we deploy?")
	b.submit()
	b.sees("On which day do we deploy?")
	b.clean()
}

// earlierQuestions keeps questions in the browser as an earlier version did: one that can be asked, and one about a
// memory that is gone.
func (w *world) earlierQuestions(b *tab, id loci.MemoryID) {
	b.t.Helper()
	name := "loci.evaluate." + string(w.mara.OrgID) + "." + w.mara.UserID.String()
	b.evaluate(`(() => { localStorage.setItem("` + name + `", JSON.stringify({questions: [
		{id: "1", question: "kept in this browser", expected: [{id: "` + id.String() + `", name: "x"}]},
		{id: "2", question: "lost", expected: [{id: "` + loci.NewMemoryID().String() + `", name: "y"}]}], runs: []}));
		return "" })()`)
}
