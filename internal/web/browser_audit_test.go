package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// become gives Mara other roles.
func (w *world) become(role loci.Role, member loci.MemberRole) {
	w.t.Helper()
	err := w.store.Update(w.t.Context(), w.mara.OrgID, func(tx store.Tx) error {
		u, err := tx.Users().Get(w.t.Context(), w.mara.UserID)
		if err != nil {
			return err
		}
		u.Role, u.OrgRole = role, member
		return tx.Users().Update(w.t.Context(), u)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// acts lets somebody of Mara's org save a memory and, if they may, rename the org. Loci records it as theirs.
func (w *world) acts(user loci.UserID, vendor loci.Vendor, name string) (saved loci.MemoryID) {
	w.t.Helper()
	ctx := w.t.Context()
	c, secret, err := auth.NewCredential(loci.Principal{OrgID: w.mara.OrgID, UserID: user},
		auth.KeyRequest{Name: "a key", Vendor: vendor}, w.clock.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Credentials().Insert(ctx, c); err != nil {
		w.t.Fatal(err)
	}
	p, err := w.auth.Authenticate(ctx, auth.Request{Bearer: secret})
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := w.app.Memory.Create(ctx, p, memory.Draft{Title: "x", Content: "of " + name})
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = w.app.Org.Rename(ctx, p, name)
	return m.ID
}

// rows returns the texts of the rows in sight of a list.
func (b *tab) rows() string {
	return b.evaluate(`[...document.querySelectorAll(".list .row")]
		.map((e) => e.innerText.replaceAll("\n", " ")).join("\n")`)
}

// TestBrowserDashboardAudit reads the trail as an owner: what she and her assistants did, and who administered the org.
func TestBrowserDashboardAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noor := w.colleague("noor@example.org")
	hidden := w.acts(noor.ID, "", "Mine")
	w.acts(w.mara.UserID, "", "Acme & Co")
	w.acts(w.mara.UserID, "claude", "Claude's")
	b := w.dashboard("/app/org")
	b.sees("What deleting requires")
	b.keys("6")
	b.sees("who administered the org")
	b.lists("you, through claude", "Save a memory", "Rename the org", "Noor", "rejected")
	b.look("org-audit")
	b.axe("the audit trail")
	if rows := b.rows(); strings.Count(rows, "Save a memory") != 2 || strings.Contains(rows, hidden.String()) {
		t.Errorf("the trail shows %s", rows)
	}

	// By keyboard: the first entry in full, and only what was rejected.
	b.keys("d")
	b.until(`new URLSearchParams(location.search).get("denied") && document.querySelectorAll(".list .row").length === 2`)
	b.keys("j")
	b.keys("o")
	b.until(`document.querySelector("dialog[open]")`)
	b.sees("org.change", "rejected", "Action")
	b.look("org-audit-entry")
	b.axe("an entry of the audit trail")
	b.keys(kb.Escape)
	b.keys("d")
	b.lists("Save a memory")

	// By mouse: filters, which the address keeps.
	b.choose(`select[aria-label=Who]`, noor.ID.String())
	b.seesNo("you, through claude")
	b.lists("Rename the org")
	b.choose(`select[aria-label=What]`, "memory.trash")
	b.sees("No entry passes these filters")
	b.axe("an empty audit trail")
	b.open(w.base + b.evaluate(`location.pathname + location.search`))
	b.sees("No entry passes these filters")
	b.click("Show all entries")
	b.sees("you, through claude")
	b.click("Rejected only")
	b.until(`document.querySelectorAll(".list .row").length === 2`)
	b.clean()
}

// lists waits until the rows of a list show all the texts.
func (b *tab) lists(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".list .row")].some((e) => e.innerText.includes(%q))`, text))
	}
}

// TestBrowserDashboardAuditOfMembers shows a member only what she did, and neither the deployment nor its data.
func TestBrowserDashboardAuditOfMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noor := w.colleague("noor@example.org")
	w.acts(noor.ID, "", "Mine")
	w.acts(w.mara.UserID, "", "Acme & Co")
	w.become(loci.RoleUser, loci.Member)
	b := w.dashboard("/app/org/audit")
	b.sees("never contents")
	b.lists("Save a memory", "Rename the org")
	b.seesNo("Noor", "Deployment", "Mine")
	if rows := b.rows(); strings.Count(rows, "Save a memory") != 1 || strings.Count(rows, "Rename the org") != 1 {
		t.Errorf("the trail of a member shows %s", rows)
	}
	b.keys("7")
	b.lists("Save a memory")
	b.evaluate(`(performance.clearResourceTimings(), "")`)
	b.open(w.base + "/app/org/admin")
	b.until(`document.querySelector(".org-tabs")`)
	b.sees("What deleting requires")
	got := b.evaluate(`performance.getEntriesByType("resource").map((e) => e.name)
		.filter((n) => n.includes("/admin/")).join()`)
	if got != "" {
		t.Errorf("the page of a member asks for %s", got)
	}
	b.clean()
}

// TestBrowserDashboardAuditLong scrolls through a long trail, page by page, and shows attacks as texts.
func TestBrowserDashboardAuditLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	err := w.store.Update(t.Context(), w.mara.OrgID, func(tx store.Tx) error {
		for i := range 1200 {
			e := loci.AuditEntry{At: w.clock.Now().Add(time.Duration(i) * time.Second), Action: "memory.create", Allowed: true,
				Kind: loci.KindUser, Method: loci.ByKey, UserID: w.mara.UserID, Target: fmt.Sprint("entry ", i)}
			if i < len(attacks) {
				e.Action, e.Target, e.Vendor, e.Method = attacks[i], attacks[i], loci.Vendor(attacks[i]), loci.Method(attacks[i])
			}
			if err := tx.Audit().Add(t.Context(), e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b := w.dashboard("/app/org/audit")
	b.lists("Save a memory")
	for range 30 {
		if b.evaluate(`(() => { const l = document.querySelector(".list"); l.scrollTop = l.scrollHeight;
			return String([...document.querySelectorAll(".list time")].length < 60) })()`) != "true" {
			t.Fatal("the list is not virtual")
		}
		b.until(`!document.querySelector(".list-more") || document.querySelector(".list").scrollTop +
			document.querySelector(".list").clientHeight < document.querySelector(".list").scrollHeight - 200`)
	}
	b.sees(attacks[0])
	b.click("you, through " + attacks[0])
	b.until(`document.querySelector("dialog[open]")`)
	b.sees(attacks[0])
	b.safe("the audit trail")
	b.keys(kb.Escape)
	b.clean()
}
