package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

// attacks are texts that run a script in a page that takes them for HTML, for an address or for Markdown.
var attacks = []string{
	`<script>window.hacked=1</script>`,
	`<img src=x onerror="window.hacked=1">`,
	`"><svg onload=window.hacked=1>`,
	`' autofocus onfocus='window.hacked=1`,
	`<a href="javascript:window.hacked=1">x</a>`,
	`[x](javascript:window.hacked=1)`,
	`[x](data:text/html,<script>window.hacked=1</script>)`,
	`![x](https://evil.example/x.png)`,
	`<javascript:window.hacked=1>`,
	`[x](JaVaScRiPt:window.hacked=1)`,
	`<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>`,
	`</textarea><script>window.hacked=1</script>`,
	`<style>*{display:none}</style>`,
	`<form action="https://evil.example/"><button>x</button></form>`,
	`{{constructor.constructor("window.hacked=1")()}}`,
	`<math><mtext><table><mglyph><style><img src=x onerror=window.hacked=1>`,
	"\u202egro.live\u202c",
}

// safe fails if a stored text became more than a text.
func (b *tab) safe(view string) {
	b.t.Helper()
	if got := b.evaluate(`String(window.hacked)`); got != "undefined" {
		b.t.Errorf("%s: a stored text ran as a script", view)
	}
	got := b.evaluate(`[...document.querySelectorAll(
		"#app :is(script, img, iframe, svg, object, embed, math, style, base)," +
		"#app form:not(.top form, [role=search], .editor, .form), #app [onerror], #app [onload], #app [onfocus]")]
		.concat([...document.querySelectorAll("#app a")].filter((a) => !/^https?:$/.test(a.protocol)))
		.map((e) => e.outerHTML).join("\n")`)
	if got != "" {
		b.t.Errorf("%s: a stored text became HTML: %s", view, got)
	}
	if text := b.text(); strings.ContainsAny(text, "\u202e\u202c") {
		b.t.Errorf("%s: the page has characters that turn text around", view)
	}
}

// TestBrowserDashboardShowsTextsAsTexts stores attacks in every field that a text can be in.
func TestBrowserDashboardShowsTextsAsTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	everything := strings.Join(attacks, "\n\n")
	shop, err := w.app.Project.Create(ctx, mara, project.Draft{Name: attacks[0], Description: attacks[2]})
	if err != nil {
		t.Fatal(err)
	}
	bot, err := w.app.Agent.Create(ctx, mara, agent.Draft{Name: "bot", Vendor: "claude", Description: attacks[1]})
	if err != nil {
		t.Fatal(err)
	}
	session, err := w.app.Agent.CreateSession(ctx, mara, agent.SessionDraft{Agent: bot.Name, Title: attacks[1]})
	if err != nil {
		t.Fatal(err)
	}
	mara = w.local(w.mara) // who now belongs to the project
	mara.SessionID = session.ID
	var ids []loci.MemoryID
	for i, text := range attacks {
		d := memory.Draft{Title: text, Content: everything, Summary: &text, Key: fmt.Sprint("k", i, text),
			Tags: []string{text}, Scope: loci.ScopeProject, ProjectID: shop.ID}
		m, err := w.app.Memory.Create(ctx, mara, d)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		ids = append(ids, m.ID)
	}
	id := ids[1]
	changed := everything + " changed"
	if _, err := w.app.Memory.Patch(ctx, w.local(w.mara), id, 0, memory.Patch{Content: loci.Set(changed)}); err != nil {
		t.Fatal(err)
	}
	var sources []loci.Source
	for _, text := range attacks {
		sources = append(sources, loci.Source{Kind: loci.SourceText, Text: "before " + text + " after", Quote: text})
	}
	for _, text := range attacks[:len(attacks)-1] { // a ref has no characters that turn it around
		sources = append(sources, loci.Source{Kind: loci.SourceMessage, Ref: text, Quote: text})
	}
	if _, err := w.app.Identity.RenameMe(ctx, w.local(w.mara), attacks[3]); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.app.Memory.AddSources(ctx, w.local(w.mara), id, sources); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`<img src=x onerror="window.hacked=1">.html`, `"><svg onload=window.hacked=1>.svg`} {
		up := memory.Upload{Name: name, Size: int64(len(attacks[0])), Body: strings.NewReader(attacks[0])}
		if _, _, err := w.app.Memory.AddAsset(ctx, w.local(w.mara), id, up); err != nil {
			t.Fatal(err)
		}
	}

	b := w.dashboard("/app/")
	b.sees(attacks[0], "17 memories")
	b.safe("the list")
	b.keys("f")
	b.sees("Written by", "Only pinned")
	b.safe("the filters")
	for _, text := range []string{"hacked", attacks[0], attacks[1]} {
		b.open(w.base + "/app/memories?q=" + url.QueryEscape(text))
		b.until(`document.querySelector(".found")?.innerText`)
		b.safe("a search for " + text)
	}
	b.open(w.base + "/app/memories/" + id.String() + "?q=hacked")
	b.sees(attacks[0], attacks[1], attacks[7], "Sources", "Attachments", ".svg", "Why it was found")
	b.click("Versions")
	b.click("Compare with now")
	b.until(`document.querySelector(".diff ins")`)
	b.safe("the reading pane")
	b.look("attacks")
	b.keys("e")
	b.until(`document.activeElement?.closest(".editor")`)
	b.click("Preview")
	b.until(`document.querySelector(".editor .markdown")`)
	b.safe("the editor")
	b.click("Cancel")
	b.until(`document.querySelector(".reading h2")`)
	b.keys("x")
	b.sees("is then hidden from everybody")
	b.safe("a question")
	b.open(w.base + "/app/projects/" + shop.ID.String())
	b.sees(attacks[0], attacks[2])
	b.safe("a project")
}

// TestBrowserDashboardOfOthers shows nothing of one person to another, in the page or in what the server sends it.
func TestBrowserDashboardOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("marker-of-mara")
	noor := w.owner("other", "noor@example.org")
	w.setPassword(noor, maraPassword)
	b := newTab(t)
	b.watchErrors()
	b.open(w.base + "/app/")
	b.fill("#email", noor.Email)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/sign-in"))
	b.sees("You have no memories yet", "/mcp")
	b.until(`document.querySelector(".live.live")`)
	b.evaluate(`(() => { window.sent = ""; const ours = fetch;
		window.fetch = async (...args) => { const a = await ours(...args);
			a.clone().text().then((text) => window.sent += text); return a }; return "" })()`)
	w.remember("marker-of-mara again")
	own := memory.Draft{Title: "noor's", Content: "own"}
	if _, err := w.app.Memory.Create(t.Context(), w.local(noor), own); err != nil {
		t.Fatal(err)
	}
	b.sees("noor's", "1 memory")
	b.write("input[type=search]", "marker")
	b.click("Search")
	b.sees("No memory matches “marker”")
	if got := b.evaluate(`document.documentElement.outerHTML + window.sent`); strings.Contains(got, "of-mara") {
		t.Errorf("the page of another has it: %s", got)
	}
	b.clean()
}

// TestBrowserDashboardRefusesScripts has the browser refuse what the policy of the dashboard forbids. newTab fails each
// test in which that happens without being expected.
func TestBrowserDashboardRefusesScripts(t *testing.T) {
	t.Parallel()
	b := newWorld(t).dashboard("/app/")
	for _, try := range [][2]string{
		{`document.body.innerHTML = "<p>x</p>"`, "TrustedHTML"},
		{`const e = new Image(); e.src = "https://evil.example/x.png"; document.body.append(e)`, "img-src"},
		{`document.body.setAttribute("style", "color: red")`, "style-src"},
	} {
		b.evaluate(`(() => { try { ` + try[0] + ` } catch {} return "" })()`)
		b.refuses(try[1])
	}
}
