package app_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (w *world) recalled(p loci.Principal, query string) []loci.Recalled {
	w.t.Helper()
	page, err := w.Memory.Recall(w.t.Context(), p, memory.SearchRequest{Filter: memory.Filter{}, Query: query})
	w.must(err)
	return page.Items
}

// TestDisputesAreShown has two vendors give one key two values, and a third give it a value that one
// of them may not see.
func TestDisputesAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	old := w.add(w.other, memory.Draft{Key: "deploy.day", Content: "The deploy day is Friday, Friday"})
	now := w.add(w.claude, memory.Draft{Key: "deploy.day", Content: "The deploy day is Tuesday"})
	secret := w.add(w.agent("gemini"), memory.Draft{Key: "deploy.day", Content: "deploy on Sunday",
		AllowedVendors: []loci.Vendor{"gemini"}})
	w.add(w.agent("codex"), memory.Draft{Key: "deploy.day", Content: old.Content, AllowedVendors: onlyClaude})
	w.add(w.claude, memory.Draft{Key: "deploy.place", Content: "deploy from Oslo"})
	got := w.recalled(w.other, "deploy Friday")
	if len(got) != 3 || got[0].ID != now.ID || got[1].ID != old.ID && got[2].ID != old.ID {
		t.Fatalf("found %d, the first %q: want the newer of the two that disagree first", len(got), got[0].Content)
	}
	want := map[loci.MemoryID]loci.Disagreement{
		old.ID: {DisputedBy: []loci.Dispute{{ID: now.ID, Origin: "claude"}}},
		now.ID: {DisputedBy: []loci.Dispute{{ID: old.ID, Origin: "cursor"}}},
	}
	for _, m := range got {
		if diff := cmp.Diff(want[m.ID], m.Disagreement); diff != "" {
			t.Errorf("%q as cursor (-want +got):\n%s", m.Content, diff)
		}
	}
	for _, m := range w.recalled(w.owner, "deploy Friday") {
		if m.ID == now.ID && !m.With(secret.ID) {
			t.Errorf("the person does not learn of %s: %+v", secret.ID, m.Disagreement)
		}
	}
	page, err := w.Memory.Search(ctx, w.other, memory.SearchRequest{Query: "Tuesday"})
	if err != nil || len(page.Items) != 1 || !page.Items[0].Memory.With(old.ID) {
		t.Errorf("a search: %+v, %v", page.Items, err)
	}
	w.wantListed(w.other, want)
	_, err = w.Memory.Trash(ctx, w.owner, old.ID, 0)
	w.must(err)
	if got := w.recalled(w.other, "Tuesday"); len(got) != 1 || len(got[0].DisputedBy) != 0 {
		t.Errorf("after the other one was trashed: %+v", got)
	}
}

// wantListed reads memories in each way that is not a search.
func (w *world) wantListed(p loci.Principal, want map[loci.MemoryID]loci.Disagreement) {
	w.t.Helper()
	ctx := w.t.Context()
	check := func(way string, got *loci.Memory, err error) {
		w.t.Helper()
		w.must(err)
		if diff := cmp.Diff(want[got.ID], got.Disagreement); diff != "" {
			w.t.Errorf("%s: %q (-want +got):\n%s", way, got.Content, diff)
		}
	}
	page, err := w.Memory.List(ctx, p, memory.ListRequest{})
	w.must(err)
	for i, m := range page.Items {
		check("list", m, nil)
		if i > 0 && m.CreatedAt.After(page.Items[i-1].CreatedAt) {
			w.t.Errorf("the list is out of order at %d", i)
		}
	}
	latest, err := w.Memory.Latest(ctx, p, memory.Filter{Key: "deploy.day", Origin: "claude"})
	check("latest", latest, err)
	asked, err := w.Memory.Query(ctx, p, memory.QueryRequest{Query: "deploy Friday"})
	w.must(err)
	for _, m := range asked.Used {
		check("query", m, nil)
	}
	b, err := w.Memory.Briefing(ctx, p, loci.When{})
	w.must(err)
	for _, m := range b.Recent {
		if diff := cmp.Diff(want[m.ID], m.Disagreement); diff != "" {
			w.t.Errorf("briefing: %q (-want +got):\n%s", m.Title, diff)
		}
	}
	for id, d := range want {
		got, err := w.Memory.Get(ctx, p, id)
		check("get", got, err)
		found, err := w.Memory.ByIDs(ctx, p, []loci.MemoryID{id}, loci.When{})
		w.must(err)
		check("by ids", found[0], nil)
		if !strings.Contains(b.Markdown(), "; disputed by "+d.DisputedBy[0].Origin+", id "+d.DisputedBy[0].ID.String()) {
			w.t.Errorf("the briefing does not name %s:\n%s", d.DisputedBy[0].ID, b.Markdown())
		}
	}
}

// TestPendingReplacementsAreShown checks that a hit names what is suggested in its place, until that
// is decided, and only to those who see it.
func TestPendingReplacementsAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.add(w.other, memory.Draft{Title: "Day", Content: "We deploy on Friday"})
	by := w.keep(w.claude, memory.Draft{Title: "Day", Content: "The deploy moved to Tuesday",
		Supersedes: []loci.MemoryID{old.ID}, AllowedVendors: onlyClaude})
	for p, want := range map[*loci.Principal]loci.MemoryID{&w.claude: by.ID, &w.owner: by.ID, &w.other: {}} {
		for _, m := range w.recalled(*p, "deploy Friday") {
			if m.ID == old.ID && m.PendingSupersede != want || m.ID == by.ID && !m.PendingSupersede.IsZero() {
				t.Errorf("%s: %q is to be replaced by %s, want %s", p.Origin, m.Content, m.PendingSupersede, want)
			}
		}
	}
	if got := w.recalled(w.owner, "deploy Friday"); len(got) != 2 || got[0].ID != old.ID {
		t.Errorf("what is merely suggested comes first: %+v", got)
	}
	_, err := w.Memory.DeclineSuggestion(t.Context(), w.owner, by.Suggestions[0].ID)
	w.must(err)
	for _, m := range w.recalled(w.owner, "deploy Friday") {
		if !m.PendingSupersede.IsZero() {
			t.Errorf("after it was declined: %+v", m.Disagreement)
		}
	}
}
