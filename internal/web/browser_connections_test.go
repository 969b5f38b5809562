package web_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/project"
)

// grant stores that Mara allowed a client to act as claude.
func (w *world) grant(client, name string) loci.GrantID {
	w.t.Helper()
	ctx, now := w.t.Context(), w.clock.Now()
	c := loci.OAuthClient{ID: client, Name: name, RedirectURIs: []string{redirect}, CreatedAt: now}
	g := loci.Grant{ID: loci.GrantID(loci.NewCredentialID()), OrgID: w.mara.OrgID, UserID: w.mara.UserID, ClientID: client,
		ClientName: name, Vendor: "claude", Rights: []loci.Right{loci.RightRead, loci.RightWrite}, CreatedAt: now,
		ExpiresAt: now.AddDate(5, 0, 0)}
	code := loci.AuthCode{Hash: sha256.Sum256([]byte(client)), GrantID: g.ID, ClientID: client, RedirectURI: redirect,
		Challenge: challengeOf(verifier), ExpiresAt: now.Add(time.Minute)}
	err := w.store.OAuth().PutClient(ctx, c)
	if err == nil {
		err = w.store.OAuth().Allow(ctx, g, code)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return g.ID
}

// TestBrowserDashboardConnections shows what has access and what each sees, and ends it.
func TestBrowserDashboardConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("everybody's")
	w.remember("claude's", "claude")
	shop, err := w.app.Project.Create(t.Context(), w.local(w.mara), project.Draft{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	grant := w.grant("one", "Claude at home")
	w.key(auth.KeyRequest{Name: "Cursor (connected)", Vendor: "cursor"})
	w.key(auth.KeyRequest{Name: "limited", Vendor: "codex", ProjectIDs: []loci.ProjectID{shop.ID}})
	w.key(auth.KeyRequest{Name: "writer", Vendor: "n8n", Rights: []loci.Right{loci.RightWrite}})
	w.key(auth.KeyRequest{Name: "my own"})
	w.auth.Used(t.Context(), loci.Principal{OrgID: w.mara.OrgID, UserID: w.mara.UserID, Kind: loci.KindAgent,
		Method: loci.ByDisk, Vendor: "opencode"})
	revoked := w.key(auth.KeyRequest{Name: "an old one", Vendor: "zed"})
	if err := w.app.Identity.RevokeKey(t.Context(), w.local(w.mara), revoked.ID); err != nil {
		t.Fatal(err)
	}
	b := w.dashboard("/app/connections")
	card := func(name string) string {
		return `[...document.querySelectorAll(".card")].find((e) => e.innerText.startsWith("` + name + `"))?.innerText ?? ""`
	}
	for name, texts := range map[string][]string{
		"Claude at home": {"claude", "signed in", "It sees 2 memories · 0 are hidden from it",
			"read memories · write memories", "never used"},
		"Cursor (connected)": {"cursor", "loci_agent_", "It sees 1 memory · 1 is hidden from it", "everything"},
		"limited":            {"codex", "It sees at most 1 memory", "only project shop"},
		"writer":             {"n8n", "It may not read memories", "write memories"},
		"OpenCode (stdio)": {"It sees 1 memory · 1 is hidden from it", "everything", "last used",
			"Only a person at the server's machine can take this access away"},
	} {
		for _, text := range texts {
			b.until(`(` + card(name) + `).includes("` + text + `")`)
		}
	}
	b.seesNo("my own")
	b.until(`!document.querySelector('button[aria-label="Disconnect OpenCode (stdio)"]')`)
	b.look("connections")
	b.axe("the connections")
	w.remember("another of claude") // by the stream of changes
	b.until(`(` + card("Cursor (connected)") + `).includes("It sees 2 memories · 1 is hidden")`)
	b.click("Ended (1)")
	b.sees("an old one", "revoked")

	b.do("disconnect", clickOn(`button[aria-label="Disconnect Claude at home"]`))
	b.sees("Disconnect Claude at home?", "can no longer read or write your memory")
	b.axe("a question")
	b.click("Cancel")
	b.seesNo("Disconnect Claude at home?")
	b.do("disconnect", clickOn(`button[aria-label="Disconnect Claude at home"]`))
	b.sees("Disconnect Claude at home?")
	b.click("Disconnect")
	b.sees("Claude at home is disconnected.", "Ended (2)")
	grants, err := w.app.Identity.Grants(t.Context(), w.local(w.mara))
	if err != nil || len(grants) != 1 || grants[0].ID != grant || grants[0].RevokedAt.IsZero() {
		t.Errorf("%+v %v", grants, err)
	}
	b.keys("j") // by keyboard: the newest key
	b.keys("x")
	b.sees("Revoke the key “")
	b.keys(kb.Enter)
	b.sees("is revoked.", "Ended (3)")
	b.clean()
}

// TestBrowserDashboardConnect tells how to connect each client, by mouse and by keyboard.
func TestBrowserDashboardConnect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.dashboard("/app/connections")
	b.sees("No assistant is connected", "Connect an assistant", "Claude Code")
	b.look("connections-none")
	b.axe("no connections")
	b.do("cursor", clickOn(`button[aria-label="Connect Cursor"]`))
	b.sees("By signing in", "Or paste this into ~/.cursor/mcp.json", `"url": "`+w.base+`/mcp"`, "loci connect cursor")
	b.look("connect-cursor")
	b.axe("how to connect")
	b.until(`document.querySelector("[data-install]").href.startsWith("cursor://anysphere.cursor-deeplink/mcp/install?")`)
	b.click("With a key")
	w.clock.advance(6 * time.Minute)
	b.click("Make a key")
	b.sees("Confirm that it is you")
	b.click("Confirm")
	b.until(`location.pathname === "/app/step-up"`)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/step-up"))
	b.sees("Connect Cursor", "By signing in")
	b.click("With a key")
	b.click("Make a key")
	b.sees("only this once", `"Authorization": "Bearer loci_agent_`)
	b.axe("a key of a client")
	key := b.evaluate(`document.querySelector("dialog code").textContent.match(/loci_agent_[^"]+/)[0]`)
	if p := w.principal(key); p.Vendor != "cursor" || p.UserID != w.mara.UserID {
		t.Errorf("the key is %+v", p)
	}
	link := b.evaluate(`atob(new URL(document.querySelector("[data-install]").href).searchParams.get("config"))`)
	if !strings.Contains(link, key) || !strings.Contains(link, w.base+"/mcp") {
		t.Errorf("the link has %s", link)
	}
	b.keys(kb.Escape) // does not lose it
	b.sees(key)
	b.click("I have copied it")
	b.sees("Cursor", "loci_agent_", "It sees 0 memories")

	b.keys("j") // the key, then the clients
	b.keys("j")
	b.until(`document.activeElement?.innerText.startsWith("Claude\n")`)
	b.keys(kb.Enter)
	b.sees("Connect Claude", "Claude runs at its maker and cannot reach this address")
	b.keys(kb.Escape)
	b.until(`document.activeElement?.innerText.startsWith("Claude\n")`)
	b.keys("j")
	b.keys("c")
	b.sees("claude mcp add --scope user --transport http loci " + w.base + "/mcp")
	b.keys(kb.Escape)
	b.seesNo("claude mcp add")
	b.until(`document.activeElement?.innerText.startsWith("Claude Code")`)
	b.evaluate(`String(document.activeElement.querySelector("button").focus())`) // Enter on a button presses it
	b.keys(kb.Enter)
	b.sees("claude mcp add")
	b.clean()
}
