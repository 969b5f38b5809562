package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
)

var onlyClaude = []loci.Vendor{"claude"}

func only(vendors ...loci.Vendor) func(*memory.Draft) {
	return func(d *memory.Draft) { d.AllowedVendors = vendors }
}

// TestOneRuleAboutChanges has an agent change, narrow, share and trash its own memory, another
// vendor's, the person's, one that it may not see and one that never was.
func TestOneRuleAboutChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	doings := map[string]func(loci.MemoryID) error{
		"patch": func(id loci.MemoryID) error {
			_, err := w.Memory.Patch(ctx, w.claude, id, 0, memory.Patch{Title: new("other")})
			return err
		},
		"narrow": func(id loci.MemoryID) error {
			_, err := w.Memory.Patch(ctx, w.claude, id, 0, memory.Patch{AllowedVendors: &onlyClaude})
			return err
		},
		"trash": func(id loci.MemoryID) error { _, err := w.Memory.Trash(ctx, w.claude, id, 0); return err },
		"bulk": func(id loci.MemoryID) error {
			done, err := w.Memory.Bulk(ctx, w.claude,
				[]memory.BulkItem{{Op: loci.BulkUpdate, ID: id, Patch: memory.Patch{Title: new("other")}}}, false)
			if err == nil && done[0].Error != nil {
				err = loci.Errorf(done[0].Error.Code, "%s", done[0].Error.Text)
			}
			return err
		},
	}
	hidden := w.add(w.other, titled("hidden", only("cursor")))
	for name, do := range doings {
		own := w.add(w.claude, titled("own "+name))
		if err := do(own.ID); err != nil {
			t.Errorf("%s its own: %v", name, err)
		}
		if len(w.versions(own.ID)) != 1 {
			t.Errorf("%s its own: the old version is gone", name)
		}
		for _, p := range []loci.Principal{w.other, w.owner} {
			m := w.add(p, titled("theirs "+name+p.Origin))
			err := do(m.ID)
			wantCode(t, err, loci.Forbidden)
			if err != nil && !strings.Contains(err.Error(), "supersedes") {
				t.Errorf("%s a memory of %s: %v, which does not tell what to do", name, p.Origin, err)
			}
			if len(w.versions(m.ID)) != 0 {
				t.Errorf("%s a memory of %s: it changed", name, p.Origin)
			}
		}
		missing, absent := do(hidden.ID), do(loci.NewMemoryID())
		wantCode(t, missing, loci.NotFound)
		if missing == nil || absent == nil || missing.Error() != absent.Error() {
			t.Errorf("%s: hidden %v, absent %v", name, missing, absent)
		}
	}
}

func TestOnlyPeopleAdmitVendors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.claude, titled("kept", only("claude")))
	wide := []loci.Vendor{"claude", "cursor"}
	_, err := w.Memory.Patch(ctx, w.claude, m.ID, 0, memory.Patch{AllowedVendors: &wide})
	wantCode(t, err, loci.Forbidden)
	if _, err = w.Memory.Patch(ctx, w.owner, m.ID, 0, memory.Patch{AllowedVendors: &wide}); err != nil {
		t.Error(err)
	}
}

// TestShorterLivesFollowTheDeletionRule checks that the error names a way out and no internal action.
func TestShorterLivesFollowTheDeletionRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	m := w.add(w.claude, memory.Draft{Key: "k", Content: "c"})
	_, err := w.Memory.Create(t.Context(), w.claude, memory.Draft{Key: "k", Content: "c", TTL: time.Hour})
	wantCode(t, err, loci.Forbidden)
	if err == nil || strings.Contains(err.Error(), "memory.") || !strings.Contains(err.Error(), "ttl") {
		t.Errorf("by key: %v", err)
	}
	soon := w.now.Add(time.Hour)
	_, err = w.Memory.Patch(t.Context(), w.claude, m.ID, 0, memory.Patch{ExpiresAt: &soon})
	wantCode(t, err, loci.Forbidden)
}

// TestSupersedingNarrows checks who reads the old text once a new one takes its place.
func TestSupersedingNarrows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		of                loci.Vendor
		old, by           []loci.Vendor
		want              []loci.Vendor // may read old after it
		narrowed, reports bool
	}{
		{"an open one by a narrow one", "claude", []loci.Vendor{"*"}, onlyClaude, onlyClaude, true, false},
		{"two by one", "claude", []loci.Vendor{"claude", "cursor"}, onlyClaude, onlyClaude, true, false},
		{"by a wider one", "claude", onlyClaude, []loci.Vendor{"*"}, onlyClaude, false, false},
		{"by others", "claude", onlyClaude, []loci.Vendor{"cursor"}, onlyClaude, false, true},
		{"another vendor's", "cursor", []loci.Vendor{"*"}, onlyClaude, []loci.Vendor{"*"}, false, true},
		{"another vendor's, equally", "cursor", []loci.Vendor{"*"}, []loci.Vendor{"*"}, []loci.Vendor{"*"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			old := w.add(w.agent(tt.of), titled("old", only(tt.old...)))
			saved := w.keep(w.claude, titled("new", supersedes(old.ID), only(tt.by...)))
			now, err := w.Memory.GetAt(t.Context(), w.owner, old.ID, loci.When{Superseded: true})
			w.must(err)
			if diff := cmp.Diff(tt.want, now.AllowedVendors); diff != "" {
				t.Errorf("the old one (-want +got):\n%s", diff)
			}
			if (len(saved.Narrowed) == 1) != tt.narrowed || (len(saved.NotNarrowed) == 1) != tt.reports {
				t.Errorf("answered narrowed %v, not narrowed %+v", saved.Narrowed, saved.NotNarrowed)
			}
			if tt.reports && !cmp.Equal(saved.NotNarrowed[0], loci.StillOpen{ID: old.ID, Origin: old.Origin,
				AllowedVendors: tt.old}) {
				t.Errorf("not narrowed: %+v", saved.NotNarrowed[0])
			}
			if len(saved.Suggestions) == 0 {
				return
			}
			_, err = w.Memory.AcceptSuggestion(t.Context(), w.owner, saved.Suggestions[0].ID, false)
			w.must(err)
			if now, err = w.Memory.GetAt(t.Context(), w.owner, old.ID, loci.When{Superseded: true}); err != nil ||
				!cmp.Equal(now.AllowedVendors, tt.by) {
				t.Errorf("accepted: %v, %v, want %v", now.AllowedVendors, err, tt.by)
			}
		})
	}
}
