package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// TestHiddenSuccessorIsNotNamed supersedes memories with more readers than what takes their place: an answer
// names that only to who sees it.
func TestHiddenSuccessorIsNotNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	old := w.keep(w.claude, titled("Tuesdays"))
	by := w.keep(w.claude, titled("Thursdays", supersedes(old.ID),
		func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"claude"} }))
	binned := w.keep(w.owner, titled("Mondays"))
	row := binned.Clone()
	row.SupersededBy, row.DeletedAt, row.Version, row.UpdatedAt = by.ID, w.now, 2, w.now.Add(1000)
	w.must(w.st.Update(ctx, w.owner.OrgID, func(tx store.Tx) error { return tx.Memories().Replace(ctx, row) }))
	superseded := loci.When{Superseded: true}
	reads := map[string]func(p loci.Principal) (any, error){
		"get": func(p loci.Principal) (any, error) { return w.Memory.GetAt(ctx, p, old.ID, superseded) },
		"by ids": func(p loci.Principal) (any, error) {
			return w.Memory.ByIDs(ctx, p, []loci.MemoryID{old.ID}, superseded)
		},
		"list": func(p loci.Principal) (any, error) {
			return w.Memory.List(ctx, p, memory.ListRequest{Filter: memory.Filter{When: superseded}})
		},
		"search": func(p loci.Principal) (any, error) {
			return w.Memory.Search(ctx, p, memory.SearchRequest{Filter: memory.Filter{When: superseded}, Query: "Tuesdays"})
		},
		"recall": func(p loci.Principal) (any, error) {
			return w.Memory.Recall(ctx, p, memory.SearchRequest{Filter: memory.Filter{When: superseded}, Query: "Tuesdays"})
		},
		"query": func(p loci.Principal) (any, error) {
			return w.Memory.Query(ctx, p, memory.QueryRequest{Filter: memory.Filter{When: superseded}, Query: "Tuesdays"})
		},
		"versions": func(p loci.Principal) (any, error) {
			list, now, err := w.Memory.Versions(ctx, p, old.ID, 0, 0)
			return []any{list, now}, err
		},
		"diff":  func(p loci.Principal) (any, error) { return w.Memory.Diff(ctx, p, old.ID, 0, 0) },
		"trash": func(p loci.Principal) (any, error) { return w.Memory.Get(ctx, p, binned.ID) },
		"trash can": func(p loci.Principal) (any, error) {
			return w.Memory.List(ctx, p, memory.ListRequest{Filter: memory.Filter{Lifecycle: loci.TrashOnly}})
		},
	}
	names := func(p loci.Principal, name string) bool {
		t.Helper()
		answer, err := reads[name](p)
		if code := loci.CodeOf(err); code == loci.Forbidden || code == loci.NotFound {
			return false
		}
		w.must(err)
		text, err := json.Marshal(answer)
		w.must(err)
		return strings.Contains(string(text), by.ID.String())
	}
	for name := range reads {
		if names(w.other, name) {
			t.Errorf("%s: cursor learns which memory of claude's took the place", name)
		}
		if !names(w.owner, name) {
			t.Errorf("%s: the owner is not told what took the place", name)
		}
	}
	w.must(w.Memory.Erase(ctx, w.owner, by.ID, 0))
	for name := range reads {
		if names(w.owner, name) {
			t.Errorf("%s: what was erased is still named", name)
		}
	}
	restored, err := w.Memory.Restore(ctx, w.owner, binned.ID, 0)
	w.must(err)
	if !restored.SupersededBy.IsZero() {
		t.Error("a change answers with what was erased")
	}
	if page, err := w.Memory.List(ctx, w.owner, memory.ListRequest{}); err != nil ||
		strings.Contains(titles(page.Items), "Mondays") {
		t.Errorf("a change made a superseded memory count again: %v %v", titles(page.Items), err)
	}
}

// TestWhatReplacedItIsInTheTrash requires the way back to the replacement, for who reads the trash.
func TestWhatReplacedItIsInTheTrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.add(w.owner, titled("old"))
	by := w.keep(w.owner, titled("new", supersedes(old.ID)))
	w.must(second(w.Memory.Trash(t.Context(), w.owner, by.ID, 0)))
	_, err := w.Memory.Get(t.Context(), w.owner, old.ID)
	refused(t, "what it replaced", err, loci.NotFound, "which is in the trash; restore that one")
}
