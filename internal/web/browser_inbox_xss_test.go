package web_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/store"
)

// TestBrowserDashboardInboxAttacks has attacks in every text of a candidate.
func TestBrowserDashboardInboxAttacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.save(memory.Draft{Title: attacks[0], Content: strings.Join(attacks, "\n\n")})
	w.propose(attacks, func(i int, c *loci.Candidate) {
		c.Reason, c.Domain, c.Cue, c.Tags = attacks[i], attacks[i], attacks[i], []string{attacks[i]}
		c.Exceptions, c.SensitivityFlags = []string{attacks[i]}, []string{attacks[i]}
		c.Findings = []loci.ReflectionFinding{{ID: "f", Kind: loci.FindingSupersession, Target: old.String(),
			TargetType: "memory", Title: attacks[i], Reason: attacks[i]},
			{ID: "g", Kind: loci.FindingDuplicate, Title: attacks[i], Reason: attacks[i]}}
		c.Content = strings.Join(attacks, "\n\n")
	})
	b := w.dashboard("/app/inbox")
	for range attacks {
		b.sees("What it may replace", "What the checks found")
		b.click("Show all of the notes")
		b.until(`document.querySelector(".inbox-notes")`)
		b.safe("a candidate")
		b.keys("j")
	}
	b.keys("e")
	b.until(`document.activeElement?.closest(".editor")`)
	b.safe("the editor of a candidate")
	b.click("Cancel")
	b.keys("S")
	b.keys("m")
	b.sees("Which one stays?")
	if got := b.evaluate(`String(window.hacked)`); got != "undefined" {
		t.Error("a stored text ran as a script in the question")
	}
	b.clean()
}

// TestBrowserDashboardReasonAttacks has attacks in the reasons of decisions and in the errors of the dream-cycle.
func TestBrowserDashboardReasonAttacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	ids := w.propose(attacks, nil)
	for i, text := range attacks {
		_, err := w.app.Review.Reject(ctx, mara, ids[i], review.Decision{Reason: text})
		w.must(err)
		w.must(w.store.Update(ctx, mara.OrgID, func(tx store.Tx) error {
			d := &loci.Dream{ID: loci.NewDreamID(), State: loci.DreamFailed, RequestedBy: text, Error: text,
				StartedAt: w.clock.Now(), FinishedAt: w.clock.Now(), LeftBy: map[string]int{text: 1}}
			d.SetDefaults()
			return tx.Dreams().Put(ctx, d)
		}))
	}
	b := w.dashboard("/app/inbox?list=rejected")
	for range attacks {
		b.keys("j")
		b.until(`document.querySelector("section[aria-label=Decisions] li")`)
		b.safe("a decision")
	}
	b.wander("inbox?list=dream")
	b.sees("No receipt is open", "failed; the next run goes on")
	for range attacks {
		b.keys("j")
		b.until(`document.querySelector(".reading .note")?.innerText`)
		b.safe("a receipt")
	}
	b.clean()
}

// TestBrowserDashboardSuggestionAttacks has attacks in both memories of a suggestion.
func TestBrowserDashboardSuggestionAttacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, text := range attacks[:3] {
		old, err := w.app.Memory.Create(t.Context(), w.agent("cursor"), memory.Draft{Title: text,
			Content: strings.Join(attacks, " ")})
		if err == nil {
			_, err = w.app.Memory.Create(t.Context(), w.agent("claude"), memory.Draft{Title: attacks[i+1],
				Content: strings.Join(attacks[1:], " "), Supersedes: []loci.MemoryID{old.ID}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b := w.dashboard("/app/inbox?list=suggestions")
	b.sees(attacks[0], attacks[1])
	b.safe("the suggestions")
	for range 3 {
		b.keys("j")
		b.sees("From the old memory to the new one")
		b.safe("a suggestion")
	}
}
