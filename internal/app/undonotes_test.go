package app_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestUndoTellsWhoReadsAgain requires the note for those who could not read a memory before the undo, and none for
// others.
func TestUndoTellsWhoReadsAgain(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	ctx := t.Context()
	for name, tt := range map[string]struct {
		before []loci.Vendor
		change memory.Patch
		note   string
	}{
		"a vendor":     {[]loci.Vendor{"claude", "cursor"}, memory.Patch{AllowedVendors: &onlyClaude}, "cursor can read it again"},
		"every vendor": {[]loci.Vendor{"*"}, memory.Patch{AllowedVendors: &onlyClaude}, "all assistants can read it again"},
		"nobody new":   {[]loci.Vendor{"claude"}, memory.Patch{Content: new("other")}, ""},
	} {
		m := e.add(e.claude, titled(name, only(tt.before...)))
		since := e.now.Add(time.Millisecond)
		e.world.must(second(e.Memory.Patch(ctx, e.editor[0], m.ID, 0, tt.change)))
		got, err := e.Memory.Undo(ctx, e.local,
			loci.UndoSelection{CredentialID: e.editor[0].CredentialID, Since: since}, false)
		if err != nil || len(got.Undone) != 1 || got.Undone[0].Note != tt.note {
			t.Errorf("%s: got %+v, %v; want the note %q", name, got, err, tt.note)
		}
	}
}

// TestUndoTellsWhatNothingReplaces requires the note for a memory that the undo hides behind one in the trash, and none
// if it was hidden so before.
func TestUndoTellsWhatNothingReplaces(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	ctx := t.Context()
	by := loci.UndoSelection{CredentialID: e.editor[0].CredentialID}
	replaced := func(title string) *loci.Memory {
		old, next := e.add(e.owner, titled(title)), e.add(e.owner, titled("instead of "+title))
		e.world.must(e.supersede(t, e.owner, old.ID, next.ID))
		e.world.must(second(e.Memory.Trash(ctx, e.owner, next.ID, 0)))
		by.Since = e.now.Add(time.Millisecond)
		return old
	}
	reverted := replaced("reverted")
	e.world.must(second(e.Memory.Revert(ctx, e.editor[0], reverted.ID, 0, 1)))
	hides, err := e.Memory.Undo(ctx, e.local, by, false)
	e.world.must(err)
	trashed := replaced("trashed")
	e.world.must(second(e.Memory.Trash(ctx, e.editor[0], trashed.ID, 0)))
	same, err := e.Memory.Undo(ctx, e.local, by, false)
	e.world.must(err)
	for name, tt := range map[string]struct {
		got  *loci.UndoReport
		note string
	}{
		"hidden by the undo": {hides, "it is superseded again, by a memory that is gone; revert it if you want it back"},
		"hidden before":      {same, ""},
	} {
		if len(tt.got.Undone) != 1 || tt.got.Undone[0].Note != tt.note {
			t.Errorf("%s: got %+v, want the note %q", name, tt.got, tt.note)
		}
	}
}
