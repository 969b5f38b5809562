package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// TestBrowserDashboardDeployment manages orgs, clients and backups as an instance admin, and reads what jobs did.
func TestBrowserDashboardDeployment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.save(memory.Draft{Title: "a secret title", Content: "y"})
	client := w.client("Claude", "https://claude.example/callback")
	for _, j := range []store.Job{
		{Name: "trash.purge", BegunAt: w.clock.Now(), EndedAt: w.clock.Now(), Rows: 7, NextAt: w.clock.Now().Add(time.Hour)},
		{Name: "dream", BegunAt: w.clock.Now(), EndedAt: w.clock.Now(), Error: "the disk is full"}} {
		if err := w.store.Jobs().Put(ctx, j); err != nil {
			t.Fatal(err)
		}
	}
	w.become(loci.RoleAdmin, loci.MemberOwner)
	b := w.dashboard("/app/org")
	b.sees("What deleting requires")
	b.keys("7")
	b.sees("Empty the trash of what was in it too long", "the disk is full", "failed", "when somebody asks",
		"There are no backups", "Claude", "What only the operator can do")
	b.seesNo("a secret title")
	b.look("org-admin")
	b.axe("the deployment")

	// Orgs, by keyboard and after a proof.
	w.clock.advance(6 * time.Minute)
	b.keys("n")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.write("dialog label:nth-of-type(1) input", "Bravo Ltd")
	b.write("dialog label:nth-of-type(2) input", "bravo")
	b.write("dialog label:nth-of-type(3) input", "bo@bravo.example")
	b.look("org-admin-new")
	b.axe("a new org")
	b.submit()
	b.proves()
	b.sees("“Bravo Ltd” is there. bo@bravo.example owns it.", "bo@bravo.example")
	b.click("Suspend")
	b.sees("Loci rejects all requests of “Bravo Ltd”")
	b.click("Suspend")
	b.sees("The org is suspended.", "Let in again")
	if o, err := w.store.Orgs().Get(ctx, "bravo"); err != nil || o.State != loci.OrgSuspended {
		t.Errorf("the org is %+v, %v", o, err)
	}
	b.keys("u")
	b.sees("Undone.")
	b.seesNo("Let in again")

	// Clients.
	b.choose(`select[aria-label="Vendor of Claude"]`, "claude")
	b.sees("Saved.")
	if c, err := w.store.OAuth().Client(ctx, client); err != nil || c.Vendor != "claude" {
		t.Errorf("the client is %+v, %v", c, err)
	}
	// A message may lie over the button.
	b.evaluate(`([...document.querySelectorAll("button")].find((e) => e.innerText === "Remove").click(), "")`)
	b.sees("loses all access")
	b.click("Remove")
	b.sees("The client is removed.", "No program has registered so far.")

	// Backups.
	b.keys("b")
	b.sees("The backup ")
	b.until(`document.querySelector("button[aria-label^=Verify]:not(:disabled)")`)
	b.evaluate(`(document.querySelector("button[aria-label^=Verify]").click(), "")`) // a message may lie over it
	b.sees("The backup is sound")
	b.axe("a verified backup")
	b.click("Close")
	b.sees("when somebody asks")
	b.look("org-admin-backup")
	b.clean()
}

// TestBrowserDashboardDeploymentTexts shows attacks in what others can write into the registry.
func TestBrowserDashboardDeploymentTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for i, text := range attacks {
		err := w.store.Jobs().Put(ctx, store.Job{Name: text, Error: text, BegunAt: w.clock.Now(), EndedAt: w.clock.Now()})
		if err == nil {
			err = w.store.OAuth().PutClient(ctx, loci.OAuthClient{ID: fmt.Sprint("client", i), Name: text,
				RedirectURIs: []string{"https://a.example/"}, CreatedAt: w.clock.Now()})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.app.Org.Rename(ctx, w.local(w.mara), attacks[0]); err != nil {
		t.Fatal(err)
	}
	w.become(loci.RoleAdmin, loci.MemberOwner)
	b := w.dashboard("/app/org/admin")
	for _, text := range attacks[:len(attacks)-1] {
		b.until(fmt.Sprintf("document.body.innerText.split(%q).length > 2", text))
	}
	b.safe("the deployment")
	b.clean()
}
