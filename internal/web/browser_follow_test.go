package web_test

import (
	"context"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
)

// must fails the test if a change of somebody else failed.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestBrowserDashboardFollowsWork changes from elsewhere what the views of work show. It appears without a reload, and
// long before the views would ask: they do so every five minutes.
func TestBrowserDashboardFollowsWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	ids := w.propose([]string{"first rule", "second rule", "third rule"}, nil)
	b := w.dashboard("/app/inbox")
	b.until(`document.querySelector(".live.live")`)
	b.sees("Waiting3")
	b.until(`document.querySelectorAll(".list a[data-id]").length === 3`) // the count may come before the list

	// The inbox keeps the focus and the selection.
	b.keys("j")
	b.keys("s")
	b.until(`document.querySelectorAll(".list input:checked").length === 1 && document.activeElement.closest(".list a")`)
	b.evaluate(`(() => { window.held = document.activeElement; return "" })()`)
	w.propose([]string{"fourth rule"}, nil)
	b.sees("fourth rule", "Waiting4")
	_, err := w.app.Review.Reject(ctx, mara, ids[0], review.Decision{})
	w.must(err)
	b.sees("Waiting3", "Rejected1")
	b.until(`!document.querySelector(".list").innerText.includes("first rule")`)
	b.until(`document.querySelectorAll(".list input:checked").length === 1 && document.activeElement === window.held`)
	// Somebody else decides about the candidate that is open.
	open := b.evaluate(`location.pathname.split("/").at(-1)`)
	id, err := loci.ParseMemoryID(open)
	w.must(err)
	_, err = w.app.Review.Reject(ctx, mara, loci.CandidateID(id), review.Decision{Reason: "said elsewhere"})
	w.must(err)
	b.sees("Waiting2", "said elsewhere")

	// Suggestions.
	b.keys("2")
	b.sees("No suggestions wait")
	old, err := w.app.Memory.Create(ctx, w.agent("cursor"), memory.Draft{Title: "Release day", Content: "Friday"})
	w.must(err)
	_, err = w.app.Memory.Create(ctx, w.agent("claude"), memory.Draft{Title: "Release day", Content: "Tuesday",
		Supersedes: []loci.MemoryID{old.ID}})
	w.must(err)
	b.sees("Release day", "Suggestions1")

	b.view("sessions")
	b.sees("There are no sessions")
	s := w.session("Review of the login page")
	b.sees("Review of the login page", "active")
	b.evaluate(`String(window.setInterval = () => 0)`) // the views that are opened now do not ask by themselves
	b.click("Review of the login page")
	b.sees("There are no events")
	key := w.vendorKey("claude")
	for _, text := range []string{"The form lacks a label.", "The button is too small."} {
		w.logEvents(key, s, loci.Event{Content: text})
		b.sees(text)
	}
	_, err = w.app.Agent.CloseSession(ctx, mara, s.ID.String())
	w.must(err)
	b.sees("closed")

	b.open(w.base + "/app/memories")
	b.until(`document.querySelector(".live.live")`)
	b.evaluate(`String(window.setInterval = () => 0)`)
	b.view("inbox")
	b.click("Dream-cycle")
	b.sees("The dream-cycle has not run yet")
	_, err = w.app.Review.Dream(ctx, mara, review.DreamRequest{})
	w.must(err)
	b.sees("2 accepted · 0 put away · 2 left to people")

	b.view("agents")
	b.sees("There are no agents yet")
	made, err := w.app.Agent.Create(ctx, mara, agent.Draft{Name: "nightly", Vendor: "claude"})
	w.must(err)
	b.sees("nightly")
	b.click("nightly")
	text := "Reads the logs"
	_, err = w.app.Agent.Update(ctx, mara, made.ID.String(), agent.Patch{Description: &text})
	w.must(err)
	b.until(`document.querySelector(".reading")?.innerText.includes("Reads the logs")`)
	b.clean()
}

// TestBrowserDashboardFollowsProjects does the same with projects and their graphs, also while the server was away.
func TestBrowserDashboardFollowsProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	shop := w.shop()
	noor := w.colleague("noor@example.org")
	b := w.dashboard("/app/projects/" + shop.ID.String())
	b.until(`document.querySelector(".live.live")`)
	name := "the shop"
	_, err := w.app.Project.Change(ctx, w.local(w.mara), shop.ID, project.Patch{Name: &name})
	w.must(err)
	b.until(`document.querySelector(".reading h2")?.innerText === "the shop"`)
	b.until(`document.querySelector(".list")?.innerText.includes("the shop")`)
	w.must(w.app.Project.PutMember(ctx, w.local(w.mara), shop.ID,
		loci.ProjectMember{UserID: noor.ID, Role: loci.MemberAdmin}))
	b.sees("noor@example.org")

	b.open(w.base + "/app/graph/" + shop.ID.String())
	b.sees("API gateway", "6")
	b.until(`document.querySelector(".live.live")`)
	_, err = w.app.Graph.CreateEntities(ctx, w.local(w.mara), shop.ID, nil, []loci.NewEntity{thing("cache", "service")})
	w.must(err)
	b.sees("cache")
	b.open(w.base + "/app/graph/" + shop.ID.String() + "/" + w.entity(shop.ID, "website").ID.String())
	b.sees("Runs in Frankfurt.")
	b.until(`document.querySelector(".live.live")`)
	observe := func(text string) {
		_, err := w.app.Graph.AddObservations(ctx, w.local(w.mara), shop.ID, nil, []loci.Contents{{
			Entity: loci.EntityRef{Name: "website"}, Contents: []string{text}}})
		w.must(err)
	}
	observe("Moves to Paris.")
	b.sees("Moves to Paris.")
	w.down.Store(true)
	w.dropStreams()
	b.sees("The server does not answer.")
	observe("Moved in March.")
	w.down.Store(false)
	b.sees("Moved in March.")
	b.seesNo("The server does not answer.")
}

// TestBrowserDashboardFollowsAccounts does the same with keys, connections, sign-ins and the org.
func TestBrowserDashboardFollowsAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	b := w.dashboard("/app/keys")
	b.until(`document.querySelector(".live.live")`)
	key := w.key(auth.KeyRequest{Name: "backup script"})
	b.sees("backup script")
	w.must(w.app.Identity.RevokeKey(ctx, mara, key.ID))
	b.seesNo("backup script")

	b.view("connections")
	b.sees("No assistant is connected")
	grant := w.grant("https://client.example", "Desk")
	b.sees("Desk")
	w.must(w.app.Identity.RevokeGrant(ctx, mara, grant))
	b.sees("No assistant is connected")
	w.down.Store(true)
	w.dropStreams()
	b.sees("The server does not answer")
	w.key(auth.KeyRequest{Name: "while away", Vendor: "gemini"})
	w.down.Store(false)
	b.sees("while away")

	b.view("account")
	b.sees("this browser")
	other := w.browser()
	other.signIn()
	b.until(`document.querySelectorAll(".cards li").length === 2`)

	b.view("org")
	b.sees("Acme")
	_, err := w.app.Org.Rename(ctx, mara, "Acme and daughters")
	w.must(err)
	b.sees("Acme and daughters")
	b.keys("2")
	b.sees("1 person")
	noor := w.colleague("noor@example.org")
	b.sees("Noor (noor@example.org)", "2 people")
	_, err = w.app.Org.InviteToOrg(ctx, mara, []string{"ada@example.org"}, loci.Member)
	w.must(err)
	b.sees("ada@example.org")
	b.keys("3")
	b.sees("You are in no team")
	for _, change := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := w.app.Org.CreateTeam(ctx, mara, "Platform"); return err },
		func(ctx context.Context) error {
			admin := loci.MemberAdmin
			_, err := w.app.Org.SetMember(ctx, mara, noor.ID, org.MemberChange{Role: &admin})
			return err
		},
	} {
		w.must(change(ctx))
	}
	b.sees("Platform")
}
