package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
)

// project makes a project of Mara's with a graph.
func (w *world) project(name string, entities []loci.NewEntity, relations ...loci.NewRelation) loci.Project {
	w.t.Helper()
	ctx := w.t.Context()
	made, err := w.app.Project.Create(ctx, w.local(w.mara), project.Draft{Name: name})
	if err != nil {
		w.t.Fatal(err)
	}
	mara := w.local(w.mara) // who now belongs to it
	for len(entities) > 0 {
		n := min(len(entities), 1000)
		if _, err := w.app.Graph.CreateEntities(ctx, mara, made.ID, nil, entities[:n]); err != nil {
			w.t.Fatal(err)
		}
		entities = entities[n:]
	}
	for len(relations) > 0 {
		n := min(len(relations), 1000)
		if _, err := w.app.Graph.CreateRelations(ctx, mara, made.ID, nil, relations[:n]); err != nil {
			w.t.Fatal(err)
		}
		relations = relations[n:]
	}
	return made
}

func thing(name, kind string, observations ...string) loci.NewEntity {
	return loci.NewEntity{EntityRef: loci.EntityRef{Name: name, Type: kind}, Observations: observations}
}

func tie(from, kind, to string) loci.NewRelation {
	return loci.NewRelation{From: loci.EntityRef{Name: from}, Type: kind, To: loci.EntityRef{Name: to}}
}

// entity reads an entity by its name; nil: there is none.
func (w *world) entity(in loci.ProjectID, name string) *loci.Entity {
	w.t.Helper()
	e, err := w.app.Graph.Entity(w.t.Context(), w.local(w.mara), in, graph.Which{EntityRef: loci.EntityRef{Name: name}})
	if loci.CodeOf(err) == loci.NotFound {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return &e
}

// shop is a small graph.
func (w *world) shop() loci.Project {
	return w.project("shop", []loci.NewEntity{
		thing("website", "service", "Runs in Frankfurt."),
		thing("API gateway", "service", "Listens on port 8443."),
		thing("billing", "service"),
		thing("Alice", "person", "Is on call on Mondays."),
		thing("Bob", "person"),
		thing("lonely", "place"),
	},
		tie("website", "depends_on", "API gateway"),
		tie("API gateway", "calls", "billing"),
		tie("Alice", "owns", "billing"),
		tie("Bob", "reports_to", "Alice"))
}

// TestBrowserDashboardGraph goes through a graph by mouse: search, neighbours, a path, edits, a merge and the trash.
func TestBrowserDashboardGraph(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shop := w.shop()
	b := w.dashboard("/app/graph")
	b.until(`location.pathname === "/app/graph/` + shop.ID.String() + `"`)
	b.sees("6 entities, 4 relations", "API gateway", "service")
	b.until(`document.querySelector(".graph-picture canvas")`)
	b.seesNo("Arranging…")
	b.look("graph")
	b.axe("a graph")
	w.project("empty", nil)
	b.open(w.base + "/app/graph") // the last one opens
	b.until(`location.pathname === "/app/graph/` + shop.ID.String() + `"`)
	b.until(`document.querySelector(".graph-picture canvas")`)
	b.seesNo("Arranging…")

	// Search, types, neighbours.
	b.write("input[type=search]", "port OR Mondays")
	b.click("Search")
	b.sees("2 entities")
	b.click("person")
	b.until(`document.querySelectorAll(".list .row").length === 1`)
	b.click("Alice")
	b.sees("Is on call on Mondays.", "← reports_to", "→ owns")
	b.look("graph-entity")
	b.axe("an entity")
	b.open(w.base + "/app/graph/" + shop.ID.String())
	b.click("website")
	b.click("1 step around it")
	b.sees("2 entities")
	b.until(`document.querySelectorAll(".list .row").length === 2`)
	b.click("everything")

	// A path.
	b.click("Path to…")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.evaluate(`(() => { document.querySelector("dialog input").focus(); return "" })()`)
	b.keys("bob")
	b.click("Bob")
	b.look("graph-picker")
	b.axe("the choice of an entity")
	b.click("Show the path")
	b.sees("4 steps", "→ depends_on →", "← owns ←")
	b.look("graph-path")
	b.axe("a path")
	b.click("Close the path")

	// Edits.
	b.click("Add a relation")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.keys("hosted_in")
	b.write(".graph-picker input", "lone")
	b.click("lonely")
	b.click("Save")
	b.sees("Related.", "→ hosted_in")
	b.click("Undo")
	b.sees("Undone.")
	b.until(`!document.querySelector(".graph-relations").innerText.includes("hosted_in")`)
	b.do("the readers", chromedp.Click(chromedp.CSS(`.graph-entity .actions button:nth-of-type(6)`)))
	b.do("some assistants", clickOn(`dialog label:nth-of-type(2) input`))
	b.click("Save")
	b.sees("Changed.", "only claude")
	e := w.entity(shop.ID, "website")
	if fmt.Sprint(e.AllowedVendors, e.Observations[0].AllowedVendors) != "[claude] [claude]" {
		t.Errorf("others still read it: %+v", e)
	}
	b.pair(w)
	b.clean()
}

// pair draws two entities, which stay near the middle, not in opposite corners.
func (b *tab) pair(w *world) {
	pair := w.project("pair", []loci.NewEntity{thing("a", "thing"), thing("b", "thing")}, tie("a", "knows", "b"))
	b.open(w.base + "/app/graph/" + pair.ID.String())
	b.sees("2 entities, 1 relation")
	b.until(`document.querySelector(".graph-picture canvas")`)
	b.seesNo("Arranging…")
	b.until(`(() => { // the names are drawn beside their entities
		const canvas = document.querySelector("canvas.sigma-labels");
		const { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
		let [left, right, top, bottom] = [width, 0, height, 0];
		for (let i = 0; i < width * height; i++) {
			if (!data[4 * i + 3]) continue;
			const [x, y] = [i % width, Math.floor(i / width)];
			[left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
		}
		const apart = Math.max(right - left, bottom - top);
		return apart > 0 && apart < Math.min(width, height) - 200 * devicePixelRatio;
	})()`)
}

// TestBrowserDashboardGraphKeys does the same by keyboard, and moves an entity to the trash and back.
func TestBrowserDashboardGraphKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shop := w.shop()
	b := w.dashboard("/app/graph/" + shop.ID.String())
	b.sees("6 entities")
	b.keys("n")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.write("dialog input", "cache")
	b.keys(kb.Tab + "service" + kb.Tab + "Is Redis.")
	b.look("graph-new")
	b.axe("a new entity")
	b.do("save", chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	b.sees("“cache” is in the graph.", "Is Redis.", "7 entities")
	b.keys("e")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.write("dialog textarea", "Forgets at night.")
	b.do("save", chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	b.sees("Added.", "Forgets at night.")
	b.keys("u")
	b.sees("Undone.")
	b.until(`!document.querySelector(".graph-entity").innerText.includes("Forgets at night.")`)
	b.keys("c")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.write("dialog input", "Redis")
	b.keys(kb.Enter)
	b.sees("It is “Redis” now.")
	b.until(`document.querySelector(".graph-entity h2")?.innerText === "Redis"`)
	if e := w.entity(shop.ID, "Redis"); e == nil || len(e.Observations) != 1 || w.entity(shop.ID, "cache") != nil {
		t.Errorf("after the new name: %+v", e)
	}
	b.keys("m")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.write(".graph-picker input", "lone")
	b.keys(kb.Enter)
	b.sees("Chosen: lonely")
	b.keys(kb.Enter)
	b.sees("“Redis” is merged into “lonely”.")
	b.until(`document.querySelector(".graph-entity h2")?.innerText === "lonely"`)
	b.sees("Is Redis.", "6 entities")
	b.keys("x")
	b.sees("“lonely” goes to the trash")
	b.keys(kb.Enter)
	b.sees("“lonely” is in the trash.", "5 entities")
	b.keys("u")
	b.sees("Undone.", "6 entities")
	// The row has the focus before the next key can come.
	if on := b.evaluate(`(() => {
		document.dispatchEvent(new KeyboardEvent("keydown", { key: "j" }));
		return String(document.activeElement.matches(".list a"));
	})()`); on != "true" {
		t.Error("a key that moves does not put the focus on the row")
	}
	b.keys("j")
	b.keys("j")
	b.keys(kb.Enter)
	b.until(`document.querySelector(".graph-entity h2")?.innerText`)
	b.keys("+")
	b.keys("0")
	b.keys(kb.Escape)
	b.until(`!document.querySelector(".graph-entity")`)
	b.click("Trash")
	b.sees("Redis", "cache")
	b.look("graph-trash")
	b.axe("the trash of a graph")
	b.click("Restore")
	b.sees("An entity comes back with everything")
	b.click("Restore")
	b.sees("is restored.")
	b.keys("?")
	b.sees("Zoom in", "Next entity")
	b.clean()
}

// TestBrowserDashboardGraphTexts stores attacks in names, types, observations and relations.
func TestBrowserDashboardGraphTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var entities []loci.NewEntity
	var relations []loci.NewRelation
	for i, text := range attacks {
		entities = append(entities, thing(text, attacks[(i+1)%len(attacks)], strings.Join(attacks, "\n")))
		relations = append(relations, tie(attacks[0], text, attacks[(i+1)%len(attacks)]))
	}
	made := w.project(attacks[1], entities, relations...)
	id := w.entity(made.ID, attacks[0]).ID.String()
	b := w.dashboard("/app/graph/" + made.ID.String())
	b.sees(fmt.Sprint(len(attacks), " entities"), attacks[0])
	b.safe("the graph")
	b.open(w.base + "/app/graph/" + made.ID.String() + "/" + id)
	b.sees("Observations", attacks[1])
	b.click("History")
	b.sees("created: entity")
	b.safe("an entity")
	b.look("graph-attacks")
	b.keys("p")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.evaluate(`(() => { document.querySelector("dialog input").focus(); return "" })()`)
	b.keys("svg")
	b.until(`document.querySelector(".graph-choices li")`)
	b.safe("the choice of an entity")
	b.keys(kb.Enter)
	b.keys(kb.Enter)
	b.sees("1 step")
	b.safe("a path")
	b.keys("x")
	b.sees("goes to the trash of the graph")
	b.safe("a question")
	b.keys(kb.Enter)
	b.until(`!document.querySelector(".graph-entity")`)
	b.click("Trash")
	b.sees(attacks[0], "Restore")
	b.safe("the trash")
	b.clean()
}

// TestBrowserDashboardGraphStates shows an empty graph, no graph, and a browser without WebGL.
func TestBrowserDashboardGraphStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.dashboard("/app/graph")
	b.sees("There is no project yet")
	b.axe("no project")
	empty := w.project("empty", nil)
	b.open(w.base + "/app/graph/" + empty.ID.String())
	b.sees("The graph is empty")
	b.look("graph-empty")
	b.axe("an empty graph")
	w.shop()
	b.open(w.base + "/app/graph/" + loci.NewProjectID().String())
	b.sees("Not found")
	b.evaluate(`(() => { HTMLCanvasElement.prototype.getContext = () => null;
		history.pushState(null, "", "/app/graph"); dispatchEvent(new PopStateEvent("popstate")); return "" })()`)
	b.sees("Choose a project")
	b.click("shop")
	b.sees("This browser cannot draw the graph", "6 entities")
	b.click("website")
	b.sees("Runs in Frankfurt.")
	b.look("graph-without-webgl")
	b.axe("a graph without WebGL")
	w.down.Store(true)
	w.dropStreams()
	b.click("Alice")
	b.until(`document.querySelector(".graph-entity .failed")`)
	w.down.Store(false)
	b.retry()
	b.sees("Is on call on Mondays.")
}
