package web_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/test/random"
)

// propose stores a candidate of Mara's for each text, with notes around it. edit may change each.
func (w *world) propose(texts []string, edit func(i int, c *loci.Candidate)) (ids []loci.CandidateID) {
	w.t.Helper()
	ctx, mara := w.t.Context(), w.local(w.mara)
	access := loci.EventAccess{OrgID: mara.OrgID, UserID: mara.UserID, Origin: "claude", Reach: loci.ReachPrivate,
		AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	notes := loci.Reflection{ID: loci.ReflectionID(loci.NewMemoryID()), Title: "Planning", Intent: loci.IntentGeneral,
		EventAccess: access, CreatedAt: w.clock.Now(), Redacted: []loci.Redacted{}, TaskIDs: []loci.TaskID{},
		Text: "What was said before. " + strings.Join(texts, " And then: ") + " What was said after."}
	err := w.store.Update(ctx, mara.OrgID, func(tx store.Tx) error {
		if err := tx.Reflections().Insert(ctx, &notes); err != nil {
			return err
		}
		for i, text := range texts {
			start := strings.Index(notes.Text, text)
			c := &loci.Candidate{ID: loci.CandidateID(loci.NewMemoryID()), Kind: loci.CandidateDecision, Title: text,
				Content: text, Reason: "The notes say that it is settled.", Confidence: .82, EventAccess: access,
				SuggestedScope: loci.ScopeGlobal, SourceID: notes.ID, CreatedAt: w.clock.Now(),
				Evidence: []loci.Evidence{{Role: "statement", Start: start, End: start + len(text)}},
				Version:  1, State: loci.ReviewPending}
			if edit != nil {
				edit(i, c)
			}
			c.SetDefaults()
			if err := tx.Candidates().Insert(ctx, c); err != nil {
				return err
			}
			ids = append(ids, c.ID)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return ids
}

// numbered returns texts that all differ.
func numbered(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("We keep rule %d for the releases.", i))
	}
	return texts
}

// isState waits until the candidates are in these states: "pending 3, promoted 1".
func (b *tab) isState(want string) {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`(async () => {
		for (let tries = 0; ; tries++) {
			const { counts } = await (await fetch("/api/v1/review/candidates?limit=1")).json();
			const got = ["pending", "promoted", "rejected", "deferred", "archived"].filter((name) => counts[name])
				.map((name) => name + " " + counts[name]).join(", ");
			if (got === `+strconv.Quote(want)+` || tries === 50) return got;
			await new Promise((next) => setTimeout(next, 200));
		}
	})()`, chromedp.EvalAwaitPromise))
	if err != nil || got != want {
		b.t.Errorf("the candidates are %s (%v), want %s", got, err, want)
	}
}

// TestBrowserDashboardInbox decides candidates by mouse and by keyboard, with their evidence and what they change.
func TestBrowserDashboardInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.save(memory.Draft{Title: "Deploy day", Content: "We deploy on Fridays."})
	pinned := w.save(memory.Draft{Title: "Lasagne", Content: "45 minutes at 180 degrees.", Pinned: new(true)})
	w.propose([]string{"We name branches after tickets.", "We review within a day.", "We deploy on Tuesdays."},
		func(i int, c *loci.Candidate) {
			c.Exceptions = []string{"low_confidence"}
			if i == 2 {
				c.Exceptions = []string{"contradiction_candidate"}
				for _, id := range []loci.MemoryID{old, pinned} {
					c.Findings = append(c.Findings, loci.ReflectionFinding{ID: id.String(), Kind: loci.FindingSupersession,
						Target: id.String(), TargetType: "memory", Reason: "It names another day.", Confidence: .9})
				}
			}
		})
	b := w.dashboard("/app/inbox")
	b.sees("We deploy on Tuesdays.", "82% confident", "The notes say that it is settled.", "a memory says the opposite",
		"What it may replace", "Deploy day", "may be replaced", "It names another day.", "Evidence", "pinned")
	b.until(`[...document.querySelectorAll(".inbox-change a")].map((a) => a.innerText).join() === "Lasagne,Deploy day"`)
	b.until(`document.querySelectorAll(".inbox-change input:checked").length === 0`)
	b.until(`[...document.querySelectorAll(".diff del")].some((del) => del.innerText.includes("Fridays"))`)
	b.until(`document.querySelector(".inbox-passage mark")?.innerText === "We deploy on Tuesdays."`)
	b.until(`[...document.querySelectorAll(".memory-row .tag.warn")].filter((e) => e.scrollWidth <= e.clientWidth)
		.length === 3`)
	b.until(`[...document.querySelectorAll(".memory-row .line.text")]
		.every((e) => e.offsetHeight >= Math.floor(parseFloat(getComputedStyle(e).lineHeight)))`) // underscores need it
	b.look("inbox")
	b.axe("the inbox")
	b.click("Show all of the notes")
	b.until(`document.querySelector(".inbox-notes mark")?.innerText === "We deploy on Tuesdays."`)
	b.sees("What was said after.")
	b.look("inbox-notes")
	b.axe("the notes of a candidate")

	// By mouse: accepting replaces only what is ticked, and says so.
	replaced := func(want ...loci.MemoryID) {
		t.Helper()
		for _, id := range []loci.MemoryID{old, pinned} {
			m, err := w.app.Memory.GetAt(t.Context(), w.local(w.mara), id, loci.When{Superseded: true})
			if err != nil || m.SupersededBy.IsZero() == slices.Contains(want, id) {
				t.Errorf("%s is superseded by %s, %v", m.Title, m.SupersededBy, err)
			}
		}
	}
	b.do("accept", clickOn(".reading .button.primary"))
	b.sees("“We deploy on Tuesdays.” is a memory now.", "Accepted1")
	b.seesNo("Replaced:")
	b.until(`document.querySelector(".reading h2")?.innerText === "We review within a day."`)
	b.isState("pending 2, promoted 1")
	replaced()
	b.click("Undo")
	b.sees("Undone.")
	b.isState("pending 3")
	b.click("We deploy on Tuesdays.")
	b.do("tick", clickOn(".inbox-change:last-of-type input"))
	b.look("inbox-replace")
	b.keys("a")
	b.sees("“We deploy on Tuesdays.” is a memory now. Replaced: “Deploy day”.")
	b.isState("pending 2, promoted 1")
	replaced(old)
	b.click("Undo")
	b.sees("Undone.")
	b.isState("pending 3")
	replaced()

	// By keyboard: edit, accept, reject, take back.
	b.until(`document.querySelectorAll(".list .row").length === 3`)
	b.keys("e")
	b.until(`document.activeElement?.closest(".editor")`)
	b.look("inbox-editor")
	b.axe("the editor of a candidate")
	b.write(".editor textarea", "We review within two days.")
	b.click("Save and accept")
	b.isState("pending 2, promoted 1")
	b.keys("u")
	b.isState("pending 3")
	b.sees("We review within two days.")
	b.keys("u")
	b.seesNo("two days")
	b.keys("x")
	b.isState("pending 2, rejected 1")
	b.keys("d")
	b.isState("pending 1, rejected 1, deferred 1")
	b.keys("z")
	b.isState("rejected 1, deferred 1, archived 1")
	b.sees("Nothing waits for you")
	b.look("inbox-empty")
	b.axe("the empty inbox")
	b.keys("uuu")
	b.isState("pending 3")
	b.keys("?")
	b.sees("Later, at a time …", "Dream-cycle")
	b.axe("the keys of the inbox")
	b.keys(kb.Escape)
	b.clean()
}

// TestBrowserDashboardInboxSpeed has a person decide 100 of 10,000 candidates by keyboard, each after it is shown, and
// prints how long that takes. Under the race detector there are 2,000.
func TestBrowserDashboardInboxSpeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sets := random.Rounds(100, 20)
	for range sets {
		w.propose(numbered(100), nil)
	}
	b := w.dashboard("/app/inbox")
	b.sees("82% confident", "Waiting"+loci.Thousands(100*sets))
	began := time.Now()
	for i := range 100 {
		text := fmt.Sprintf("We keep rule %d for the releases.", 99-i)
		b.until(fmt.Sprintf(`document.querySelector(".inbox-passage mark")?.innerText === %q`, text))
		b.keys([]string{"a", "x", "d", "z"}[i%4])
	}
	took := time.Since(began)
	b.isState(fmt.Sprintf("pending %d, promoted 25, rejected 25, deferred 25, archived 25", 100*sets-100))
	t.Logf("100 of %d candidates are decided by keyboard in %.1f s; a person has 120 s", 100*sets, took.Seconds())
	rows, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`document.querySelectorAll(".list .row").length`))
	if err != nil || rows > 60 {
		t.Errorf("%d rows are in the page (%v)", rows, err)
	}
	b.until(`((list) => { list.scrollTop = list.scrollHeight;
		return Number(list.querySelector(".row:last-child").ariaPosInSet) > 300 })(document.querySelector(".list"))`)
	b.clean()
}

// TestBrowserDashboardInboxBulk decides about several candidates at once, merges some, and takes it back.
func TestBrowserDashboardInboxBulk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.propose(numbered(6), func(i int, c *loci.Candidate) {
		if i == 5 {
			c.Kind = loci.CandidatePlan
		}
	})
	b := w.dashboard("/app/inbox")
	b.sees("rule 5", "rule 0")
	b.do("pick", clickOn(`input[aria-label="Select We keep rule 5 for the releases."]`))
	b.keys("js")
	b.sees("2 selected")
	b.look("inbox-selection")
	b.axe("a selection of candidates")
	b.keys("m")
	b.sees("Which one stays?")
	b.look("inbox-merge")
	b.axe("merging")
	b.keys(kb.Enter)
	b.sees("2 candidates are one now.")
	b.isState("pending 5, archived 1")
	b.keys("u")
	b.isState("pending 6")
	b.until(`document.querySelectorAll(".list .row").length === 6`)
	b.keys("S")
	b.sees("6 selected")
	b.keys("x")
	b.sees("This decides about 6 candidates.")
	b.keys(kb.Enter)
	b.sees("6 candidates are rejected.", "Nothing waits for you")
	b.isState("rejected 6")
	b.keys("u")
	b.isState("pending 6")
	b.sees("rule 5", "rule 0")

	// Only plans; to a time.
	b.choose(`select[aria-label="Kind"]`, "plan")
	b.seesNo("rule 0")
	b.sees("rule 5")
	b.click("Later, at a time")
	b.sees("When it waits for you again")
	b.look("inbox-later")
	b.axe("deferring")
	b.evaluate(`(() => { const e = document.querySelector("dialog input"); e.value = "2026-12-01T09:00";
		e.dispatchEvent(new Event("input", { bubbles: true })); return "" })()`)
	b.do("later", clickOn("dialog .button.primary"))
	b.isState("pending 5, deferred 1")
	b.keys("3")
	b.sees("It waits for you again on Dec 1, 2026", "put off")
	b.keys("a")
	b.isState("pending 5, promoted 1")

	// Taking back a promotion needs no fresh proof of who Mara is.
	w.clock.advance(6 * time.Minute)
	b.keys("4")
	b.sees("rule 5", "Open the memory", "accepted")
	b.look("inbox-accepted")
	b.axe("accepted candidates")
	b.click("Open the memory")
	b.sees("Proposed by claude, accepted by you")
	b.evaluate(`(history.back(), "")`)
	b.sees("rule 5", "Open the memory")
	b.open(b.where())
	b.sees("rule 5", "Open the memory")
	b.keys("u")
	b.sees("The decision about 1 candidate is taken back.")
	b.isState("pending 5, deferred 1")
	b.clean()
}

// TestBrowserDashboardInboxSuggestions accepts a suggestion by a key, takes it back, and declines it by mouse.
func TestBrowserDashboardInboxSuggestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, err := w.app.Memory.Create(t.Context(), w.agent("cursor"), memory.Draft{Title: "Release day",
		Content: "We release on Fridays."})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.app.Memory.Create(t.Context(), w.agent("claude"), memory.Draft{Title: "Release day",
		Content: "We release on Tuesdays.", Supersedes: []loci.MemoryID{old.ID}})
	if err != nil {
		t.Fatal(err)
	}
	b := w.dashboard("/app/inbox")
	b.sees("Suggestions1", "Nothing waits for you")
	b.keys("2")
	b.sees("claude suggests a replacement", "No suggestion is open")
	b.keys("j")
	b.sees("From the old memory to the new one")
	b.until(`document.querySelector(".diff del")?.innerText === "Fridays"`)
	b.until(`document.querySelector(".diff ins")?.innerText === "Tuesdays"`)
	b.look("inbox-suggestions")
	b.axe("suggestions")
	superseded := func() bool {
		m, err := w.app.Memory.GetAt(t.Context(), w.local(w.mara), old.ID, loci.When{Superseded: true})
		if err != nil {
			t.Fatal(err)
		}
		return !m.SupersededBy.IsZero()
	}
	b.keys("a")
	b.sees("Accepted. The old memory is superseded.", "No suggestions wait")
	if !superseded() {
		t.Error("the old memory holds")
	}
	b.keys("u")
	b.sees("Undone.")
	if superseded() {
		t.Error("the old memory does not hold again")
	}
	_, err = w.app.Memory.Create(t.Context(), w.agent("claude"), memory.Draft{Title: "Release day",
		Content: "We release on Mondays.", Supersedes: []loci.MemoryID{old.ID}})
	w.must(err)
	b.sees("We release on Mondays.")
	b.do("open", clickOn(".list a"))
	b.click("Decline")
	b.sees("Both memories stay.")
	b.click("Decline")
	b.sees("No suggestions wait")
	if superseded() {
		t.Error("a suggestion that was declined holds")
	}
}

// TestBrowserDashboardInboxShare accepts replacements of a shared memory. The team reads the new one only if the person
// ticks the box.
func TestBrowserDashboardInboxShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.invite("noor@example.org") // makes a team
	cursor, claude := w.agent("cursor"), w.agent("claude")
	b := w.dashboard("/app/inbox?list=suggestions")
	for _, share := range []bool{false, true} {
		old, err := w.app.Memory.Create(t.Context(), cursor,
			memory.Draft{Title: "Release day", Content: fmt.Sprint("Friday, ", share), Share: true})
		if err != nil {
			t.Fatal(err)
		}
		by, err := w.app.Memory.Create(t.Context(), claude, memory.Draft{Title: "Release day",
			Content: fmt.Sprint("Tuesday, ", share), Supersedes: []loci.MemoryID{old.ID}})
		if err != nil {
			t.Fatal(err)
		}
		b.open(w.base + "/app/inbox?list=suggestions")
		b.sees("claude suggests a replacement")
		b.keys("j")
		b.sees("If you accept, the team can no longer read this fact.", "Let them read the new memory, too")
		if share {
			b.do("share", clickOn(".note input"))
		} else {
			b.axe("a shared suggestion")
		}
		b.keys("a")
		b.sees("Accepted. The old memory is superseded.")
		if !share {
			b.sees("the team could read it, and cannot read the new one.")
		}
		m, err := w.app.Memory.Get(t.Context(), w.local(w.mara), by.ID)
		if err != nil || (m.SharedWith("the project") == "the team") != share {
			t.Errorf("share %v: shared with %q, %v", share, m.SharedWith("the project"), err)
		}
	}
	b.clean()
}

// TestBrowserDashboardInboxDream runs the dream-cycle and reads its receipt.
func TestBrowserDashboardInboxDream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.propose([]string{"We deploy on Tuesdays."}, func(_ int, c *loci.Candidate) { c.Kind = loci.CandidateSession })
	b := w.dashboard("/app/inbox?list=dream")
	b.sees("The dream-cycle has not run yet", "It runs every day at 03:30, by the clock of the server.")
	b.look("inbox-no-dream")
	b.axe("no receipts")
	b.click("What would it do now?")
	b.sees("What the dream-cycle would do", "Left to people")
	b.isState("pending 1")
	b.click("Run it now")
	b.sees("You can take back each decision.")
	b.click("Run it now")
	b.sees("The dream-cycle has ended.", "only a person decides about this kind", "We deploy on Tuesdays.")
	b.look("inbox-dream")
	b.axe("a receipt")
	b.click("We deploy on Tuesdays.")
	b.sees("82% confident", "only a person decides about this kind")
	b.clean()
}

// TestBrowserDashboardInboxOfOthers shows no candidate of another org, follows new ones, and comes back with the
// server.
func TestBrowserDashboardInboxOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.propose([]string{"marker-of-mara one"}, nil)
	noor := w.owner("other", "noor@example.org")
	w.setPassword(noor, maraPassword)
	b := newTab(t)
	b.watchErrors()
	b.open(w.base + "/app/inbox")
	b.fill("#email", noor.Email)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/sign-in"))
	b.sees("Nothing waits for you")
	b.until(`document.querySelector(".live.live")`)
	b.evaluate(`(() => { window.sent = ""; const ours = fetch;
		window.fetch = async (...args) => { const a = await ours(...args);
			a.clone().text().then((text) => window.sent += text); return a }; return "" })()`)
	w.propose([]string{"marker-of-mara two"}, nil)
	w.mara, noor = noor, w.mara
	w.propose([]string{"noor's own"}, nil)
	w.remember("a memory of noor's") // its change makes the page ask again
	b.sees("noor's own", "Waiting1")
	w.down.Store(true)
	w.dropStreams()
	b.sees("The server does not answer.")
	w.propose([]string{"written while away"}, nil)
	w.down.Store(false)
	b.sees("written while away")
	b.seesNo("The server does not answer.")
	if got := b.evaluate(`document.documentElement.outerHTML + window.sent`); strings.Contains(got, "of-mara") {
		t.Errorf("the page of another has it: %s", got)
	}
}
