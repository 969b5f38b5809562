package app_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// edited is a world whose history is written down beside it.
type edited struct {
	*world
	st     store.Store
	editor []loci.Principal
	ids    []loci.MemoryID
	begun  time.Time
}

func newEdited(t *testing.T) *edited {
	t.Helper()
	e := &edited{}
	e.world = newWorld(t, func(o *app.Options) { e.st = o.Store })
	team, err := e.Org.CreateTeam(t.Context(), e.owner, "Herons")
	if err != nil {
		t.Fatal(err)
	}
	e.local.TeamID = team.ID
	with := func(p loci.Principal, session bool) loci.Principal {
		p.TeamID, p.CredentialID = team.ID, loci.NewCredentialID()
		if session {
			p.SessionID = loci.NewSessionID()
		}
		return p
	}
	e.editor = []loci.Principal{with(e.owner, false), with(e.owner, true), with(e.claude, true), with(e.claude, true),
		with(e.other, false)}
	return e
}

// said is what a memory says, without how it came to say it.
func said(m *loci.Memory) loci.Memory {
	c := *m.Clone()
	c.State, c.UpdatedAt = loci.State{}, time.Time{}
	if !c.DeletedAt.IsZero() {
		c.DeletedAt = time.Unix(1, 0)
	}
	return c
}

// state returns what every memory of the draw says.
func (e *edited) state(t testing.TB) map[loci.MemoryID]loci.Memory {
	t.Helper()
	out := map[loci.MemoryID]loci.Memory{}
	for _, id := range e.ids {
		m, _ := e.history(t, id)
		out[id] = said(m)
	}
	return out
}

func (e *edited) history(t testing.TB, id loci.MemoryID) (m *loci.Memory, all []*loci.Memory) {
	t.Helper()
	err := e.st.View(t.Context(), e.local.OrgID, func(tx store.Tx) (err error) {
		if m, err = tx.Memories().Get(t.Context(), e.local.Viewer(), id, loci.AnyState); err != nil {
			return err
		}
		versions, err := tx.Memories().Versions(t.Context(), e.local.Viewer(), id, loci.AnyState, 0, 1000)
		for _, v := range versions {
			all = append(all, &v.Memory)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	return m, append(all, m)
}

// supersede hides one memory in favour of another, as a save does it.
func (e *edited) supersede(t testing.TB, p loci.Principal, id, by loci.MemoryID) error {
	return e.st.Update(t.Context(), p.OrgID, func(tx store.Tx) error {
		m, err := tx.Memories().Get(t.Context(), p.Viewer(), id, loci.LiveOnly)
		if err != nil {
			return err
		}
		m = m.Clone()
		e.now = e.now.Add(time.Second)
		m.SupersededBy, m.ValidTo, m.UpdatedAt = by, e.now, e.now
		m.State = loci.State{Version: m.Version + 1, Change: loci.Updated, Editor: p.Origin, EditorID: p.UserID,
			EditorCredentialID: p.CredentialID, EditorSessionID: p.SessionID}
		return tx.Memories().Replace(t.Context(), m)
	})
}

// step does one random thing; what is not allowed does nothing.
func (e *edited) step(rt *rapid.T, t testing.TB) {
	ctx := t.Context()
	p := rapid.SampledFrom(e.editor).Draw(rt, "editor")
	word := fmt.Sprint("w", rapid.IntRange(0, 9).Draw(rt, "word"))
	if len(e.ids) == 0 || rapid.IntRange(0, 5).Draw(rt, "create") == 0 {
		m, err := e.Memory.Create(ctx, p,
			memory.Draft{Title: word, Content: word, Importance: rapid.IntRange(1, 10).Draw(rt, "importance"),
				Dedupe: memory.DedupeCreate})
		if err != nil {
			rt.Fatal(err)
		}
		e.ids = append(e.ids, m.ID)
		return
	}
	id := rapid.SampledFrom(e.ids).Draw(rt, "id")
	var err error
	switch rapid.SampledFrom(
		[]string{"patch", "patch", "trash", "restore", "share", "unshare", "supersede", "revert"}).Draw(rt, "what") {
	case "patch":
		_, err = e.Memory.Patch(ctx, p, id, 0,
			memory.Patch{Content: loci.Set(word),
				AllowedVendors: loci.Set([]loci.Vendor{loci.Vendor(rapid.SampledFrom([]string{"*", "claude"}).Draw(rt, "for"))})})
	case "trash":
		_, err = e.Memory.Trash(ctx, p, id, 0)
	case "restore":
		_, err = e.Memory.Restore(ctx, p, id, 0)
	case "share":
		_, err = e.Memory.Share(ctx, p, id)
	case "unshare":
		_, err = e.Memory.Unshare(ctx, p, id)
	case "supersede":
		if by := rapid.SampledFrom(e.ids).Draw(rt, "by"); by != id && p.Vendor == "" {
			err = e.supersede(t, p, id, by)
		}
	case "revert":
		_, err = e.Memory.Revert(ctx, p, id, 0, rapid.IntRange(1, 4).Draw(rt, "version"))
	}
	if code := loci.CodeOf(err); err != nil && code != loci.Forbidden && code != loci.NotFound && code != loci.Conflict {
		rt.Fatal(err)
	}
}

func (e *edited) selection(rt *rapid.T) loci.UndoSelection {
	p := rapid.SampledFrom(e.editor).Draw(rt, "whose")
	length := int(e.now.Sub(e.begun) / time.Second)
	s := loci.UndoSelection{
		Since: e.begun.Add(time.Duration(rapid.IntRange(0, length*2/3).Draw(rt, "since")) * time.Second)}
	if rapid.Bool().Draw(rt, "bounded") {
		s.Until = s.Since.Add(time.Duration(rapid.IntRange(length/3+1, length+1).Draw(rt, "length")) * time.Second)
	}
	switch n := rapid.IntRange(0, 2).Draw(rt, "by"); {
	case n == 0 && !p.SessionID.IsZero():
		s.SessionID = p.SessionID
	case n == 1:
		s.CredentialID = p.CredentialID
	default:
		s.Origin = p.Origin
	}
	return s
}

// want is what undoing the selection makes of a memory, from its versions alone. ok says that it is to be put back.
func want(s *loci.UndoSelection, versions []*loci.Memory) (m loci.Memory, ok bool) {
	first := slices.IndexFunc(versions, s.Means)
	for _, v := range versions[max(first, 0):] {
		if first < 0 || !s.Means(v) {
			return said(versions[len(versions)-1]), false
		}
	}
	if first > 0 {
		return said(versions[first-1]), true
	}
	m = said(versions[len(versions)-1])
	m.DeletedAt = time.Unix(1, 0)
	return m, true
}

// For every history and every selection: what only the selection changed says what it said before, everything else
// stays as it is; nothing of the history is lost; and undoing the undo brings everything back.
func TestUndoThenRedoIsTheIdentity(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	undone, left := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		e.ids, e.begun = nil, e.now.Add(time.Second)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			e.step(rt, t)
		}
		s := e.selection(rt)
		before, wanted, histories := e.state(t), map[loci.MemoryID]loci.Memory{}, map[loci.MemoryID][]*loci.Memory{}
		for _, id := range e.ids {
			_, histories[id] = e.history(t, id)
			wanted[id], _ = want(&s, histories[id])
		}
		dry, err := e.Memory.Undo(t.Context(), e.local, s, true)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(before, e.state(t)); diff != "" {
			rt.Fatalf("a dry run changed something:\n%s", diff)
		}
		report, err := e.Memory.Undo(t.Context(), e.local, s, false)
		if err != nil {
			rt.Fatal(err)
		}
		for _, l := range report.LeftAlone {
			wanted[l.ID] = before[l.ID]
			if _, ok := want(&s, histories[l.ID]); ok {
				rt.Fatalf("%s was left alone: %s", l.ID, l.Reason)
			}
		}
		if diff := cmp.Diff(wanted, e.state(t)); diff != "" {
			rt.Fatalf("undone:\n%s", diff)
		}
		sameReport(rt, dry, report)
		for id, was := range histories {
			if _, is := e.history(t, id); !cmp.Equal(was, is[:len(was)]) {
				rt.Fatalf("the history of %s changed", id)
			}
		}
		undone, left = undone+len(report.Undone), left+len(report.LeftAlone)
		if report.Redo == nil {
			if len(report.Undone) > 0 {
				rt.Fatal("nothing says how to take it back")
			}
			return
		}
		again, err := e.Memory.Undo(t.Context(), e.local, *report.Redo, false)
		if err != nil || len(again.LeftAlone) > 0 || len(again.Undone) != len(report.Undone) {
			rt.Fatalf("redo: %+v, %v", again, err)
		}
		if diff := cmp.Diff(before, e.state(t)); diff != "" {
			rt.Fatalf("undone and done again:\n%s", diff)
		}
	})
	if undone == 0 || left == 0 {
		t.Errorf("%d undone and %d left alone: one of the two was not tried", undone, left)
	}
}

// A dry run says what is done then.
func sameReport(rt *rapid.T, dry, done *loci.UndoReport) {
	c := *done
	c.DryRun, c.Redo, c.Undone = true, nil, slices.Clone(done.Undone)
	for i := range c.Undone {
		c.Undone[i].Version = 0
	}
	if diff := cmp.Diff(dry, &c); diff != "" {
		rt.Fatalf("the dry run said otherwise:\n%s", diff)
	}
}
