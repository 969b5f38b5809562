package storetest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// testVisibility draws rows and viewers and demands that the engine and the
// rule in package loci agree on every path that returns text or existence.
func testVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		w.fill(rapid.IntRange(1, 14).Draw(t, "rows"), rapid.IntRange(0, 8).Draw(t, "changes"))
		w.view(func(ctx context.Context, tx store.Tx) error {
			for range 3 {
				v := w.viewer()
				for _, compare := range []func(context.Context, store.Tx, loci.Viewer) error{w.compareGet, w.compareBetween,
					w.compareVersions,
					w.compareList} {
					if err := compare(ctx, tx, v); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
	e.check()
}

// visible returns the rows that the rule admits, in the order of storing.
func (w *world) visible(v loci.Viewer, l loci.Lifecycle) (list []*loci.Memory) {
	for _, m := range w.rows {
		if v.SeesMemory(m, l, w.clock.now()) {
			list = append(list, m)
		}
	}
	return list
}

// differ fails the property with both sides.
func (w *world) differ(what string, v loci.Viewer, want, got any) {
	w.Helper()
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		w.t.Fatalf("%s for %+v (-rule +engine):\n%s", what, v, diff)
	}
}

func (w *world) compareGet(ctx context.Context, tx store.Tx, v loci.Viewer) error {
	l := rapid.SampledFrom(memoryLifecycles).Draw(w.t, "lifecycle")
	want := w.visible(v, l)
	var one []*loci.Memory
	var ids []loci.MemoryID
	for _, m := range w.rows {
		ids = append(ids, m.ID)
		got, err := tx.Memories().Get(ctx, v, m.ID, l)
		if err == nil {
			one = append(one, got)
		} else if loci.CodeOf(err) != loci.NotFound {
			return err
		}
	}
	w.differ("Get", v, want, one)
	many, err := tx.Memories().GetMany(ctx, v, ids, l)
	w.differ("GetMany", v, want, many)
	return err
}

// compareBetween asks for a range of ids, which has all rows if both ends are free.
func (w *world) compareBetween(ctx context.Context, tx store.Tx, v loci.Viewer) error {
	q := store.IDQuery{IDRange: idRange[loci.MemoryID](w, rapid.SampledFrom(memoryLifecycles).Draw(w.t, "lifecycle"))}
	if q.Lifecycle == loci.LiveOnly {
		q.Superseded = draw(w.t, "superseded too", false, true)
	}
	want := within(w.rows, q.IDRange, func(m *loci.Memory) (loci.MemoryID, bool) {
		if q.Superseded {
			return m.ID, v.SeesAt(m, m, loci.When{Superseded: true}, w.clock.now())
		}
		return m.ID, v.SeesMemory(m, q.Lifecycle, w.clock.now())
	})
	got, err := tx.Memories().Between(ctx, v, q)
	w.differ("Between", v, want, got)
	return err
}

func (w *world) compareVersions(ctx context.Context, tx store.Tx, v loci.Viewer) error {
	l := rapid.SampledFrom(memoryLifecycles).Draw(w.t, "lifecycle")
	for _, m := range w.rows {
		var want []*loci.Version
		for _, old := range w.old[m.ID] {
			if v.SeesMemory(m, l, w.clock.now()) && v.SeesVersion(&old.Access, &m.Access, l, w.clock.now()) {
				want = append(want, old)
			}
		}
		got, err := tx.Memories().Versions(ctx, v, m.ID, l, 0, 100)
		if sees := v.SeesMemory(m, l, w.clock.now()); sees != (err == nil) || !sees && loci.CodeOf(err) != loci.NotFound {
			w.t.Fatalf("Versions for %+v: %v, but the rule says %v", v, err, sees)
		}
		w.differ("Versions", v, want, got)
	}
	return nil
}

func (w *world) compareList(ctx context.Context, tx store.Tx, v loci.Viewer) error {
	q := store.ListQuery{Filter: w.filter(), Limit: rapid.IntRange(1, 5).Draw(w.t, "limit"), Total: true,
		Oldest: draw(w.t, "oldest", false, true), Offset: draw(w.t, "offset", 0, 0, 1, 3)}
	all := w.oldest(v, &q.Filter)
	if !q.Oldest {
		slices.Reverse(all)
	}
	want := all[min(q.Offset, len(all)):]
	var got []*loci.Memory
	for first := true; first || q.After != ""; first = false {
		page, err := tx.Lists().List(ctx, v, q)
		if err != nil {
			return err
		}
		if page.Total != len(all) || !page.Exact {
			w.t.Fatalf("List for %+v counts %d, the rule %d; %+v", v, page.Total, len(all), q)
		}
		if full := len(page.Memories) == q.Limit; len(page.Memories) > q.Limit || page.Next != "" && !full {
			w.t.Fatalf("a page of %d with limit %d and Next %q", len(page.Memories), q.Limit, page.Next)
		}
		got = append(got, page.Memories...)
		q.After, q.Offset = page.Next, 0
	}
	w.differ("List", v, want, got)
	if err := w.compareFacets(ctx, tx, v, q.Filter, all); err != nil {
		return err
	}
	return w.compareIDs(ctx, tx, v, q.Filter)
}

// compareIDs requires IDs and Passing to agree with the rule.
func (w *world) compareIDs(ctx context.Context, tx store.Tx, v loci.Viewer, f store.Filter) error {
	want, others := []loci.MemoryID{}, []loci.MemoryID{loci.NewMemoryID()}
	for _, m := range w.oldest(v, &f) {
		want = append(want, m.ID)
	}
	for _, m := range w.rows {
		others = append(others, m.ID)
	}
	passing, err := tx.Lists().Passing(ctx, v, f, append(others, want...))
	if err != nil {
		return err
	}
	slices.SortFunc(passing, compareIDs)
	limit := rapid.IntRange(1, len(want)+1).Draw(w.t, "ids")
	ids, more, err := tx.Lists().IDs(ctx, v, f, limit)
	slices.Reverse(want)
	if err == nil && (!slices.Equal(ids, want[:min(limit, len(want))]) || more != (len(want) > limit)) {
		w.t.Fatalf("IDs has %v and more %v, the rule %v", ids, more, want)
	}
	slices.SortFunc(want, compareIDs)
	if passing = slices.Compact(passing); !slices.Equal(passing, want) {
		w.t.Fatalf("Passing has %v, the rule %v", passing, want)
	}
	return err
}

// oldest returns what List has, oldest first.
func (w *world) oldest(v loci.Viewer, f *store.Filter) []*loci.Memory {
	all := slices.DeleteFunc(w.visible(v, f.Lifecycle), func(m *loci.Memory) bool { return !passes(m, f) })
	slices.SortStableFunc(all,
		func(a, b *loci.Memory) int { return cmp.Compare(listTime(a, f.Lifecycle), listTime(b, f.Lifecycle)) })
	return all
}

func listTime(m *loci.Memory, l loci.Lifecycle) int64 {
	if l == loci.TrashOnly {
		return m.DeletedAt.UnixMicro()
	}
	return m.CreatedAt.UnixMicro()
}

// passes is the filter as its documentation says it.
func passes(m *loci.Memory, f *store.Filter) bool {
	has := func(tag string) bool { return slices.Contains(m.Tags, tag) }
	switch {
	case f.Origin != "" && m.Origin != f.Origin, f.Type != "" && m.Type != f.Type,
		f.Category != "" && m.Category != f.Category,
		!f.ProjectID.IsZero() && m.ProjectID != f.ProjectID && (!f.OrGlobal || !m.ProjectID.IsZero()),
		!f.TeamID.IsZero() && m.TeamID != f.TeamID,
		f.Key != "" && m.Key != f.Key, f.Scope != "" && m.Scope != f.Scope, f.Pinned && !m.Pinned,
		f.HiddenFrom != "" && m.Scope != loci.ScopeAgent && loci.Covers(m.AllowedVendors, []loci.Vendor{f.HiddenFrom}),
		!f.AgentID.IsZero() && m.AgentID != f.AgentID, !f.SessionID.IsZero() && m.SessionID != f.SessionID,
		!f.From.IsZero() && m.CreatedAt.Before(f.From), !f.To.IsZero() && !m.CreatedAt.Before(f.To):
		return false
	case f.AllTags:
		return !slices.ContainsFunc(f.Tags, func(tag string) bool { return !has(tag) })
	}
	return len(f.Tags) == 0 || slices.ContainsFunc(f.Tags, has)
}

// What a viewer may not see changes nothing in an answer: not the hits, not a
// count, not their order.
func testHiddenRowsChangeNothing(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		w.fill(rapid.IntRange(1, 10).Draw(t, "rows"), 0)
		v := w.viewer()
		lq := store.ListQuery{Filter: w.filter(), Limit: rapid.IntRange(1, 6).Draw(t, "limit"), Total: true}
		listBefore, titlesBefore := w.list(v, lq), w.containing(v, lq.Filter, "e")
		known := len(w.rows)
		w.fill(rapid.IntRange(1, 10).Draw(t, "more rows"), 0)
		var hide []*loci.Memory
		for _, m := range w.rows[known:] {
			if v.Sees(&m.Access, loci.AnyState, e.clock.now()) {
				hide = append(hide, m)
			}
		}
		// Those that the viewer would see leave again: what is left is hidden.
		w.update(func(ctx context.Context, tx store.Tx) error {
			for _, m := range hide {
				gone := edited(m, e.clock.now(), func(m *loci.Memory) {
					m.UserID, m.Scope, m.TeamID, m.SupersededBy, m.DeletedAt = e.user, loci.ScopeGlobal, loci.TeamID{},
						loci.MemoryID{}, time.Time{}
				})
				if err := tx.Memories().Replace(ctx, gone); err != nil {
					return err
				}
			}
			return nil
		})
		w.differ("IDs beside hidden rows", v, titlesBefore, w.containing(v, lq.Filter, "e"))
		after := w.list(v, lq)
		after.Next, listBefore.Next = "", ""
		w.differ("List beside hidden rows", v, listBefore, after)
	})
}

// Rebuilding what is derived changes no answer.
func testRebuildChangesNothing(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		w.fill(4, 3) // each rebuild takes in what all rounds before it stored
		w.update(func(ctx context.Context, tx store.Tx) error { return tx.Lists().Rebuild(ctx) })
		e.check()
		w.view(func(ctx context.Context, tx store.Tx) error {
			v := w.viewer()
			return w.compareList(ctx, tx, v)
		})
	})
}

func compareIDs(x, y loci.MemoryID) int { return bytes.Compare(x[:], y[:]) }
