package app_test

import (
	"errors"
	"strings"
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
		"a vendor": {[]loci.Vendor{"claude", "cursor"}, memory.Patch{AllowedVendors: loci.Set(onlyClaude)},
			"cursor can read it again"},
		"every vendor": {[]loci.Vendor{"*"}, memory.Patch{AllowedVendors: loci.Set(onlyClaude)},
			"all assistants can read it again"},
		"nobody new": {[]loci.Vendor{"claude"}, memory.Patch{Content: loci.Set("other")}, ""},
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

// TestUndoTellsWhatNothingReplaces requires the note for a memory that the undo hides behind one in the trash, and
// none if it was hidden so before.
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

// TestUndoInTeamsAndProjects requires that an undo works in the projects that are open and takes back a sharing
// without a word about a team, and that it may move a memory of an archived project to the trash but change nothing
// else there.
func TestUndoInTeamsAndProjects(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	in := memory.Draft{Title: "in", Content: "i", Scope: loci.ScopeProject, ProjectID: c.project}
	changed, shared := c.add(c.mara, in), c.add(c.mara, memory.Draft{Title: "shared", Content: "s"})
	operator, err := c.who.LocalAs(ctx, "acme", c.mara.UserID)
	c.must(err)
	undo := func(do func(loci.Principal)) *loci.UndoReport {
		t.Helper()
		by := c.mara
		by.CredentialID = loci.NewCredentialID()
		since := c.clock()
		do(by)
		got, err := c.Memory.Undo(ctx, operator, loci.UndoSelection{CredentialID: by.CredentialID, Since: since}, true)
		c.must(err)
		return got
	}
	patch := func(p loci.Principal) {
		c.must(second(c.Memory.Patch(ctx, p, changed.ID, 0, memory.Patch{Content: loci.Set(loci.NewMemoryID().String())})))
	}
	for _, tt := range []struct { // in this order
		name   string
		got    *loci.UndoReport
		change loci.Change // "": left alone
	}{
		{"a sharing", undo(func(p loci.Principal) { c.must(second(c.Memory.Share(ctx, p, shared.ID))) }), loci.Updated},
		{"a change", undo(patch), loci.Updated},
		{"a change in an archived project", undo(func(p loci.Principal) {
			patch(p)
			c.must(second(c.Project.Archive(ctx, c.mara, c.project)))
		}), ""},
		{"a save in an archived project", undo(func(p loci.Principal) {
			c.must(second(c.Project.Restore(ctx, c.mara, c.project)))
			in.Content = "another"
			c.add(p, in)
			c.must(second(c.Project.Archive(ctx, c.mara, c.project)))
		}), loci.Trashed},
		{"a restored memory in an archived project", undo(func(p loci.Principal) {
			c.must(second(c.Project.Restore(ctx, c.mara, c.project)))
			c.must(second(c.Memory.Trash(ctx, c.mara, changed.ID, 0)))
			c.must(second(c.Memory.Restore(ctx, p, changed.ID, 0)))
			c.must(second(c.Project.Archive(ctx, c.mara, c.project)))
		}), loci.Trashed},
	} {
		if tt.change == "" && len(tt.got.LeftAlone) == 1 {
			continue
		}
		if len(tt.got.Undone) != 1 || tt.got.Undone[0].Change != tt.change || tt.got.Undone[0].Note != "" {
			t.Errorf("%s: got %+v, want one that is %q, without a note", tt.name, tt.got, tt.change)
		}
	}
}

// TestUndoTellsIfAReplacementIsThere requires the note of an undo by what it leaves: a replacement that stays, and one
// that the undo itself moves to the trash.
func TestUndoTellsIfAReplacementIsThere(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	ctx := t.Context()
	const gone = "it is superseded again, by a memory that is gone; revert it if you want it back"
	for name, tt := range map[string]struct {
		trashed bool // the replacement, before the changes that are undone
		note    string
	}{"it stays": {false, ""}, "it goes": {true, gone}} {
		old, next := e.add(e.owner, titled(name)), e.add(e.owner, titled("instead of "+name))
		e.world.must(e.supersede(t, e.owner, old.ID, next.ID))
		if tt.trashed {
			e.world.must(second(e.Memory.Trash(ctx, e.owner, next.ID, 0)))
		}
		by := loci.UndoSelection{CredentialID: e.editor[0].CredentialID, Since: e.now.Add(time.Millisecond)}
		if tt.trashed {
			e.world.must(second(e.Memory.Restore(ctx, e.editor[0], next.ID, 0)))
		}
		e.world.must(second(e.Memory.Revert(ctx, e.editor[0], old.ID, 0, 1)))
		e.world.must(second(e.Memory.Trash(ctx, e.editor[0], old.ID, 0)))
		got, err := e.Memory.Undo(ctx, e.local, by, false)
		e.world.must(err)
		for _, u := range got.Undone {
			if want := map[bool]string{true: tt.note}[u.ID == old.ID]; u.Note != want {
				t.Errorf("%s: got the note %q of %s, want %q", name, u.Note, u.Title, want)
			}
		}
		var replaced *memory.ReplacedError
		_, err = e.Memory.Get(ctx, e.owner, old.ID)
		if !tt.trashed && (!errors.As(err, &replaced) || replaced.RevertTo != 3) {
			t.Errorf("got %+v, %v; want to revert to the last version outside the trash", replaced, err)
		}
	}
}

// TestUndoTellsWhatStaysReplaced requires it of a memory that the undo leaves alone, unless it is in the trash or what
// replaced it is there.
func TestUndoTellsWhatStaysReplaced(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	ctx := t.Context()
	for name, tt := range map[string]struct{ old, next, told bool }{ // which of them is in the trash
		"nothing is there": {false, true, true}, "the replacement is": {false, false, false},
		"itself is gone": {true, true, false},
	} {
		old, next := e.add(e.owner, titled(name)), e.add(e.owner, titled("instead of "+name))
		by := loci.UndoSelection{CredentialID: e.editor[0].CredentialID, Since: e.now.Add(time.Millisecond)}
		e.world.must(second(e.Memory.Patch(ctx, e.editor[0], old.ID, 0, memory.Patch{Content: loci.Set("edited")})))
		by.Until = e.now.Add(time.Millisecond)
		e.world.must(second(e.Memory.Patch(ctx, e.owner, old.ID, 0, memory.Patch{Content: loci.Set("edited again")})))
		e.world.must(e.supersede(t, e.owner, old.ID, next.ID))
		for id, trashed := range map[loci.MemoryID]bool{old.ID: tt.old, next.ID: tt.next} {
			if trashed {
				e.world.must(second(e.Memory.Trash(ctx, e.owner, id, 0)))
			}
		}
		got, err := e.Memory.Undo(ctx, e.local, by, false)
		e.world.must(err)
		if len(got.LeftAlone) != 1 || strings.Contains(got.LeftAlone[0].Reason, "it stays superseded") != tt.told {
			t.Errorf("%s: got %+v, want told: %t", name, got, tt.told)
		}
	}
}
