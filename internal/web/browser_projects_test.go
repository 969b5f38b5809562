package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/org"
)

// colleague adds a person to Mara's org.
func (w *world) colleague(email string) loci.User {
	w.t.Helper()
	u, err := w.app.Org.AddUser(w.t.Context(), w.local(w.mara), org.NewUser{Email: email, Name: "Noor"})
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

// submit presses Ctrl+Enter, which saves a form.
func (b *tab) submit() {
	b.t.Helper()
	b.do("save", chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
}

// proves proves with the password who Mara is, and comes back.
func (b *tab) proves() {
	b.t.Helper()
	b.sees("Confirm that it is you")
	b.click("Confirm")
	b.until(`location.pathname === "/app/step-up"`)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/step-up"))
}

// TestBrowserDashboardProjects creates, changes, archives and deletes projects, and says who belongs to them.
func TestBrowserDashboardProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.colleague("noor@example.org")
	b := w.dashboard("/app/projects")
	b.sees("You belong to no project yet")
	b.axe("no projects")
	b.keys("n")
	b.write("dialog input", "website")
	b.keys(kb.Tab + "All about the shop.")
	b.look("projects-new")
	b.axe("a new project")
	b.submit()
	b.sees("“website” is there.", "All about the shop.", "you alone")
	b.look("projects")
	b.axe("a project")
	b.keys("e")
	b.write("dialog input", "shop")
	b.do("everybody", clickOn(`dialog input[type=checkbox]`))
	b.submit()
	b.sees("Saved.", "everybody in the org")
	b.keys("u")
	b.sees("Undone.", "you alone")

	// By mouse: members.
	b.click("Add a member")
	b.until(`document.querySelectorAll("dialog select option").length === 6`)
	b.evaluate(`(() => { const s = document.querySelector("dialog select");
		s.value = [...s.options].find((o) => o.text.includes("noor")).value;
		s.dispatchEvent(new Event("change", { bubbles: true })); return "" })()`)
	b.click("Save")
	b.sees("Added.", "noor@example.org", "2 people")
	b.choose(`select[aria-label="Role of noor@example.org"]`, "admin")
	b.sees("noor@example.org: admin")
	b.look("projects-members")
	b.axe("members of a project")
	b.evaluate(`([...document.querySelectorAll(".plain-member")].find((e) => e.innerText.includes("noor"))
		.querySelector(".danger").click(), "")`)
	b.sees("no longer belongs to")
	b.click("Remove")
	b.sees("noor@example.org is removed.")

	// Archive, restore, delete.
	b.evaluate(`(document.activeElement.blur(), "")`)
	b.keys("x")
	b.sees("Nobody can read or change the graph")
	b.keys(kb.Enter)
	b.sees("“website” is archived.", "It is archived")
	b.keys("r")
	b.sees("“website” is active again.")
	w.clock.advance(6 * time.Minute)
	b.click("Delete permanently")
	b.sees("You cannot undo this.")
	b.click("Delete permanently")
	b.proves()
	b.sees("Delete the project permanently?")
	b.click("Delete permanently")
	b.sees("“website” is deleted.", "You belong to no project yet")
	b.clean()
}

// TestBrowserDashboardAgents registers, changes and deletes an agent.
func TestBrowserDashboardAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.dashboard("/app/agents")
	b.sees("There are no agents yet")
	b.look("agents-none")
	b.axe("no agents")
	b.click("New agent")
	b.write("dialog input", "builder")
	b.keys(kb.Tab + "claude" + kb.Tab + "Builds the site." + kb.Tab + "[1]")
	b.click("Save")
	b.sees("The config must be a JSON object")
	b.write("dialog textarea[spellcheck]", `{"model": "small"}`)
	b.look("agents-new")
	b.axe("a new agent")
	b.submit()
	b.sees("“builder” is registered.", "Builds the site.", `"model": "small"`)
	b.look("agents")
	b.axe("an agent")
	b.keys("e")
	b.write("dialog input", "maker")
	b.submit()
	b.until(`document.querySelector(".reading h2")?.innerText === "maker"`)
	b.keys("u")
	b.until(`document.querySelector(".reading h2")?.innerText === "builder"`)
	b.keys("x")
	b.sees("What “builder” wrote stays")
	b.keys(kb.Enter)
	b.sees("“builder” is deleted.", "There are no agents yet")
	b.clean()
}

// outline reads the items of a node as text: each with the number of its level.
func (b *tab) outline(want string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`[...document.querySelectorAll(".node-item")].map((e) =>
		e.className.match(/depth-(\d)/)[1] + " " +
			e.querySelector(".node-handle").innerText.split("\n").at(-1).replace(/^.*: ?/, ""))
		.join(", ") === %q`, want))
}

// TestBrowserDashboardNodes makes a memory node, and orders it by keyboard and by dragging.
func TestBrowserDashboardNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save(memory.Draft{Title: "Deploy day", Content: "We deploy on Tuesdays."})
	w.shop()
	b := w.dashboard("/app/nodes")
	b.sees("There are no memory nodes yet")
	b.axe("no nodes")
	b.keys("n")
	b.write("dialog input", "Onboarding")
	b.keys(kb.Tab + "For new people." + kb.Tab + "team")
	b.look("nodes-new")
	b.axe("a new node")
	b.submit()
	b.sees("“Onboarding” is there.", "The node is empty", "#team")
	add := func(text string) {
		b.keys("a")
		b.until(`document.querySelector("dialog select")`)
		b.choose("dialog select", "text")
		b.write("dialog textarea", text)
		b.submit()
		b.until(`!document.querySelector("dialog[open]")`)
		b.until(`document.querySelector(".node-item.current")`)
	}
	add("first")
	add("second")
	add("third")
	b.outline("1 first, 1 second, 1 third")

	// By keyboard: up, in, undo.
	b.keys("K")
	b.outline("1 first, 1 third, 1 second")
	b.keys("L")
	b.outline("1 first, 2 third, 1 second")
	b.keys("u")
	b.outline("1 first, 1 third, 1 second")
	b.keys("j")
	b.keys("L")
	b.outline("1 first, 1 third, 2 second")
	b.look("nodes")
	b.axe("a node")

	// By mouse: a memory and an entity, and dragging.
	b.click("Add an item")
	b.click("Deploy day")
	b.look("nodes-add")
	b.axe("the choice of a memory")
	b.click("Save")
	b.outline("1 first, 1 third, 2 second, 1 Deploy day")
	b.click("Add an item")
	b.choose("dialog select", "entity")
	b.until(`document.querySelectorAll("dialog select")[1]?.options.length === 2`)
	b.evaluate(`(() => { const s = document.querySelectorAll("dialog select")[1]; s.value = s.options[1].value;
		s.dispatchEvent(new Event("change", { bubbles: true })); return "" })()`)
	b.write("dialog input[type=search]", "gateway")
	b.click("API gateway")
	b.click("Save")
	b.until(`document.querySelectorAll(".node-item").length === 5`)
	b.evaluate(`(() => {
		const [a, z] = [document.querySelector(".node-item"), document.querySelectorAll(".node-item")[3]];
		const box = a.getBoundingClientRect();
		const at = { bubbles: true, cancelable: true, clientX: box.x + 20, clientY: box.y + 1,
			dataTransfer: new DataTransfer() };
		z.dispatchEvent(new DragEvent("dragstart", at));
		setTimeout(() => { a.dispatchEvent(new DragEvent("dragover", at)); a.dispatchEvent(new DragEvent("drop", at)) }, 100);
		return "" })()`)
	b.until(`document.querySelector(".node-item .node-handle").innerText.includes("Deploy day")`)
	b.click("Show what a model reads")
	b.sees("We deploy on Tuesdays.", "[1]")
	b.look("nodes-pack")
	b.keys("x")
	b.sees("goes to the trash with its items")
	b.keys(kb.Enter)
	b.sees("“Onboarding” is in the trash.", "There are no memory nodes yet")
	b.keys("u")
	b.sees("Undone.", "For new people.")
	b.clean()
}

// TestBrowserDashboardPlainTexts stores attacks in projects, agents and nodes.
func TestBrowserDashboardPlainTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	everything := strings.Join(attacks, "\n")
	for _, text := range attacks[:len(attacks)-1] { // a name has no characters that turn it around
		w.project(text, nil)
		if _, err := w.app.Agent.Create(ctx, mara, agent.Draft{Name: text, Vendor: "claude", Description: text,
			Config: []byte(fmt.Sprintf(`{"x": %q}`, "<script>window.hacked=1</script>"))}); err != nil {
			t.Fatal(err)
		}
	}
	n, err := w.app.Node.Create(ctx, mara, node.Draft{Name: attacks[0], Description: everything,
		Tags: []string{attacks[1]}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range attacks {
		if _, err := w.app.Node.AddItem(ctx, mara, n.ID, node.ItemDraft{Kind: loci.ItemText, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	b := w.dashboard("/app/projects")
	b.sees(attacks[0])
	b.keys("j")
	b.sees("Who belongs to it")
	b.safe("a project")
	b.keys("x")
	b.sees("until you restore it")
	b.safe("a question about a project")
	b.open(w.base + "/app/agents")
	b.sees(attacks[0])
	b.keys("j")
	b.sees("Registered by", "Config")
	b.safe("an agent")
	b.open(w.base + "/app/nodes/" + n.ID.String())
	b.sees(attacks[0], attacks[1], attacks[5])
	b.keys("j")
	b.keys("p")
	b.sees("What a model reads")
	b.safe("a node")
	b.look("nodes-attacks")
	b.clean()
}
