package app_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func TestSourcesAreStoredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.claude, memory.Draft{Title: "m", Content: "c", AllowedVendors: []loci.Vendor{"claude", "cursor"}})
	one := loci.Source{Kind: loci.SourceURL, Ref: "https://example.com", ID: loci.NewSourceID(), Origin: "cursor",
		UserID: loci.NewUserID()}
	two := loci.Source{Kind: loci.SourceText, Text: "ein Wort und noch eins", Quote: "Wort", Start: 4, End: 8,
		AllowedVendors: []loci.Vendor{"claude"}}
	list, added, err := w.Memory.AddSources(ctx, w.claude, m.ID, []loci.Source{one, two, one})
	if err != nil || added != 2 || len(list) != 2 {
		t.Fatalf("got %+v, %d, %v", list, added, err)
	}
	got := list[0]
	if got.ID == one.ID || got.Origin != "claude" || got.UserID != w.owner.UserID || got.MemoryID != m.ID ||
		got.CreatedAt.IsZero() {
		t.Errorf("the writer said what is the server's word: %+v", got)
	}
	if diff := cmp.Diff(m.AllowedVendors, got.AllowedVendors); diff != "" {
		t.Errorf("vendors left out (-memory +source):\n%s", diff)
	}
	again, added, err := w.Memory.AddSources(ctx, w.claude, m.ID, []loci.Source{two})
	if diff := cmp.Diff(list[1:], again); diff != "" || added != 0 || err != nil {
		t.Errorf("again: %d, %v (-want +got):\n%s", added, err, diff)
	}
	if _, added, err := w.Memory.AddSources(ctx, w.owner, m.ID, []loci.Source{two}); added != 1 || err != nil {
		t.Errorf("another writer's: %d, %v", added, err)
	}
	seen, err := w.Memory.Sources(ctx, w.other, m.ID)
	if diff := cmp.Diff(list[:1], seen); diff != "" || err != nil {
		t.Errorf("cursor: %v (-want +got):\n%s", err, diff)
	}
	if err := w.Memory.DeleteSource(ctx, w.claude, list[0].ID); err != nil {
		t.Error(err)
	}
	wantCode(t, w.Memory.DeleteSource(ctx, w.claude, list[0].ID), loci.NotFound)
}

func TestSourcesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.add(w.owner, memory.Draft{Title: "m", Content: "c", AllowedVendors: []loci.Vendor{"claude"}})
	good := loci.Source{Kind: loci.SourceText, Text: "x"}
	many := make([]loci.Source, loci.MaxSources+1)
	for i := range many {
		many[i] = loci.Source{Kind: loci.SourceText, Text: strings.Repeat("x", i+1)}
	}
	for field, drafts := range map[string][]loci.Source{
		"sources":                    {},
		"sources[1].kind":            {good, {Kind: "rumour"}},
		"sources[0].ref":             {{Kind: loci.SourceURL, Ref: "ftp://x"}},
		"sources[0].quote":           {{Kind: loci.SourceText, Text: "abc", Quote: "x", Start: 0, End: 1}},
		"sources[0].start":           {{Kind: loci.SourceText, Text: "abc", Start: 2, End: 9}},
		"sources[0].allowed_vendors": {{Kind: loci.SourceText, Text: "x", AllowedVendors: []loci.Vendor{"claude", "cursor"}}},
		"sources[1].allowed_vendors": {good, {Kind: loci.SourceText, Text: "y", AllowedVendors: []loci.Vendor{"*"}}},
	} {
		_, _, err := w.Memory.AddSources(t.Context(), w.owner, m.ID, drafts)
		if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != field {
			t.Errorf("%s: got field %q, %v", field, loci.FieldOf(err), err)
		}
	}
	_, _, err := w.Memory.AddSources(t.Context(), w.owner, m.ID, many)
	if loci.FieldOf(err) != "sources" {
		t.Errorf("too many: %v", err)
	}
	if list, err := w.Memory.Sources(t.Context(), w.owner, m.ID); len(list) != 0 || err != nil {
		t.Errorf("some of a refused call were stored: %v, %v", list, err)
	}
	if _, _, err := w.Memory.AddSources(t.Context(), w.owner, m.ID, many[:loci.MaxSources]); err != nil {
		t.Fatal(err)
	}
	_, _, err = w.Memory.AddSources(t.Context(), w.owner, m.ID, many[loci.MaxSources:])
	wantCode(t, err, loci.Conflict)
}
