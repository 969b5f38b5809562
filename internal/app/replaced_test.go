package app_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestReplacedMemoriesAreNamed changes memories that others replaced. Who may read such a one learns
// what happened to it. For everyone else it never existed.
func TestReplacedMemoriesAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	only := func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"claude"} }
	open, hidden := w.keep(w.claude, titled("Tuesdays")), w.keep(w.claude, titled("Secret", only))
	by := w.keep(w.claude, titled("Thursdays", supersedes(open.ID, hidden.ID), only))
	row := w.keep(w.owner, titled("Red"))
	w.keep(w.owner, titled("Blue", supersedes(row.ID), only))
	tries := map[string]func(p loci.Principal, id loci.MemoryID) error{
		"patch": func(p loci.Principal, id loci.MemoryID) error {
			_, err := w.Memory.Patch(t.Context(), p, id, 0, memory.Patch{Title: new("x")})
			return err
		},
		"supersede": func(p loci.Principal, id loci.MemoryID) error {
			_, err := w.Memory.Create(t.Context(), p, titled("x", supersedes(id)))
			return err
		},
		"add a source": func(p loci.Principal, id loci.MemoryID) error {
			_, _, err := w.Memory.AddSources(t.Context(), p, id, []loci.Source{{Kind: "message", Ref: "m"}})
			return err
		},
		"restore": func(p loci.Principal, id loci.MemoryID) error {
			_, err := w.Memory.Restore(t.Context(), p, id, 0)
			return err
		},
	}
	for name, try := range tries {
		never := try(w.other, loci.NewMemoryID())
		for what, id := range map[string]loci.MemoryID{"hidden": hidden.ID, "narrowed": open.ID, "of a hidden one": row.ID} {
			if err := try(w.other, id); err == nil || err.Error() != never.Error() {
				t.Errorf("%s: %s answers cursor %v, absent %v", name, what, err, never)
			}
		}
		err := try(w.owner, open.ID)
		if err == nil ||
			!strings.Contains(err.Error(), "was replaced by "+by.ID.String()+" (Thursdays); use that one, or ") ||
			!strings.HasSuffix(err.Error(), "revert it to version 1") {
			t.Errorf("%s: the owner gets %v", name, err)
		}
		if err := try(w.claude, open.ID); name != "restore" && (err == nil ||
			!strings.HasSuffix(err.Error(), " was replaced by "+by.ID.String()+" (Thursdays); use that one")) {
			t.Errorf("%s: claude gets %v", name, err)
		}
	}
}

// TestReplacedByTheHidden replaces a memory by one that fewer may see: the others learn that it was
// replaced, as include_superseded tells them, but not by what.
func TestReplacedByTheHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	old := w.keep(w.other, titled("Red"))
	by := w.keep(w.other, titled("Blue", supersedes(old.ID)))
	if _, err := w.Memory.Patch(ctx, w.owner, by.ID, 0,
		memory.Patch{AllowedVendors: &[]loci.Vendor{"claude"}}); err != nil {
		t.Fatal(err)
	}
	want := "memory " + old.ID.String() + " was replaced; save a new memory instead"
	_, err := w.Memory.Patch(ctx, w.other, old.ID, 0, memory.Patch{Title: new("x")})
	if loci.CodeOf(err) != loci.Conflict || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := w.Memory.Trash(ctx, w.owner, by.ID, 0); err != nil {
		t.Fatal(err)
	}
	_, err = w.Memory.Patch(ctx, w.claude, old.ID, 0, memory.Patch{Title: new("x")})
	if loci.CodeOf(err) != loci.Conflict || err.Error() != want {
		t.Errorf("of a successor in the trash: got %v, want %s", err, want)
	}
}

// TestTrashReplaced trashes memories that others replaced, alone, in a list and in a bulk call.
func TestTrashReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	var ids []loci.MemoryID
	for _, title := range []string{"a", "b", "c", "d"} {
		ids = append(ids, w.keep(w.owner, titled(title)).ID)
	}
	w.keep(w.owner, titled("new", supersedes(ids...)))
	_, err := w.Memory.Trash(ctx, w.claude, ids[0], 0)
	wantCode(t, err, loci.Forbidden)
	if _, err := w.Memory.Trash(ctx, w.owner, ids[0], 0); err != nil {
		t.Errorf("alone: %v", err)
	}
	if _, err := w.Memory.TrashMany(ctx, w.owner, ids[1:3]); err != nil {
		t.Errorf("in a list: %v", err)
	}
	if _, err := w.Memory.Bulk(ctx, w.owner, []memory.BulkItem{{Op: loci.BulkTrash, ID: ids[3]}}, true); err != nil {
		t.Errorf("in a bulk call: %v", err)
	}
	for _, id := range ids {
		_, err := w.Memory.Patch(ctx, w.owner, id, 0, memory.Patch{Title: new("x")})
		wantCode(t, err, loci.NotFound)
		m, err := w.Memory.Restore(ctx, w.owner, id, 0)
		if err != nil || m.SupersededBy.IsZero() {
			t.Errorf("restored: %+v, %v", m, err)
		}
	}
}
