package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// erased demands that nothing is left of a memory, under its id or in an index.
func (e *env) erased(m *loci.Memory, word string) {
	e.Helper()
	if _, err := e.get(e.personOf(m), m.ID, loci.AnyState); loci.CodeOf(err) != loci.NotFound {
		e.Errorf("%s is still there: %v", m.Title, err)
	}
	if got := e.containing(e.personOf(m), store.Filter{Lifecycle: loci.AnyState}, word); len(got) != 0 {
		e.Errorf("Contains finds %d of %q", len(got), word)
	}
	e.insert(func(n *loci.Memory) { n.ID, n.UserID = m.ID, m.UserID })
	if old, err := e.versions(e.personOf(m), m.ID, loci.AnyState, 0, 10); err != nil || len(old) != 0 {
		e.Errorf("an erased memory left %d versions, %v", len(old), err)
	}
}

func testErase(e *env) {
	keep := e.replace(e.insert(titled("kept")), titled("kept too"))
	erase := func(id loci.MemoryID) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, id) })
	}
	e.wantCode("Erase of nothing", erase(loci.NewMemoryID()), loci.NotFound)
	for name, change := range map[string]func(*loci.Memory){
		"live":        func(*loci.Memory) {},
		"trashed":     func(m *loci.Memory) { m.DeletedAt = e.clock.now() },
		"expired":     func(m *loci.Memory) { m.ExpiresAt = e.clock.now() },
		"no reader's": func(m *loci.Memory) { m.Scope, m.AllowedVendors = loci.ScopeAgent, nil },
	} {
		m := e.insert(titled(name), func(m *loci.Memory) { m.Content = "xylophone" })
		e.replace(m, change, titled(name+" again"))
		if err := erase(m.ID); err != nil {
			e.Fatalf("%s: %v", name, explain(err))
		}
		e.wantCode(name+" twice", erase(m.ID), loci.NotFound)
		e.erased(m, "xylophon")
	}
	if old, err := e.versions(e.person(), keep.ID, loci.LiveOnly, 0, 10); err != nil || len(old) != 1 {
		e.Errorf("of the one that stays: %q, %v", old, err)
	}
	e.check()
}

func testEraseOf(e *env) {
	leaver, team := e.addUser().ID, e.addTeam("team")
	keep := e.insert(titled("kept"), func(m *loci.Memory) { m.TeamID = team.ID })
	var gone []*loci.Memory
	for _, change := range []func(*loci.Memory){
		func(m *loci.Memory) { m.TeamID = team.ID },
		func(m *loci.Memory) { m.DeletedAt = e.clock.now() },
		func(m *loci.Memory) { m.Scope = loci.ScopeAgent }, // which nobody can read
		func(m *loci.Memory) {
			m.ExpiresAt, m.AllowedVendors = e.clock.now().Add(-time.Hour), []loci.Vendor{"claude"}
		},
		func(m *loci.Memory) { m.SupersededBy = keep.ID },
	} {
		m := e.insert(func(m *loci.Memory) { m.UserID, m.Content = leaver, "xylophone" })
		gone = append(gone, e.replace(m, change))
	}
	for _, want := range []int{3, 2, 0} {
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Memories().EraseOf(ctx, leaver, 3)
			if n != want {
				e.Errorf("erased %d, want %d", n, want)
			}
			return err
		})
	}
	e.check()
	v := e.person()
	v.TeamID = team.ID
	if got := titles(e.list(v, store.ListQuery{Filter: store.Filter{Lifecycle: loci.AnyState}}).Memories); !cmp.Equal(got,
		[]string{"kept"}) {
		e.Errorf("left: %q", got)
	}
	for _, m := range gone {
		e.erased(m, "xylophon")
	}
	e.check()
}

func testSharedBy(e *env) {
	team, other, u := e.addTeam("team").ID, e.addTeam("other").ID, e.addUser().ID
	var want []loci.MemoryID
	share := func(change ...func(*loci.Memory)) {
		m := e.insert(func(m *loci.Memory) { m.UserID, m.TeamID = u, team })
		for _, c := range change {
			m = e.replace(m, c)
		}
		want = append(want, m.ID)
	}
	share()
	share(func(m *loci.Memory) { m.DeletedAt = e.clock.now() })
	share(func(m *loci.Memory) { m.SupersededBy, m.ExpiresAt = loci.NewMemoryID(), e.clock.now() })
	e.insert(func(m *loci.Memory) { m.UserID, m.TeamID = u, other })
	e.insert(func(m *loci.Memory) { m.TeamID = team })
	e.insert(func(m *loci.Memory) { m.UserID = u })
	was := e.insert(func(m *loci.Memory) { m.UserID, m.TeamID = u, team })
	e.replace(was, func(m *loci.Memory) { m.TeamID = loci.TeamID{} })
	e.view(func(ctx context.Context, tx store.Tx) error {
		got, err := tx.Memories().SharedBy(ctx, u, team, 10)
		if !sameIDs(got, want) {
			e.Errorf("got %v, want %v", got, want)
		}
		if some, err := tx.Memories().SharedBy(ctx, u, team, 2); len(some) != 2 || err != nil {
			e.Errorf("with limit 2: %v, %v", some, err)
		}
		if none, err := tx.Memories().SharedBy(ctx, u, loci.TeamID{}, 10); len(none) != 0 || err != nil {
			e.Errorf("with no team: %v, %v", none, err)
		}
		return err
	})
}

func testReplacedBy(e *env) {
	u, by := e.addUser().ID, e.insert().ID
	replaced := func(change func(*loci.Memory)) loci.MemoryID {
		return e.replace(e.insert(func(m *loci.Memory) { m.UserID = u }), func(m *loci.Memory) {
			m.SupersededBy = by
			change(m)
		}).ID
	}
	open := replaced(func(*loci.Memory) {})
	claudes := replaced(func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"claude"} })
	replaced(func(m *loci.Memory) { m.DeletedAt = e.clock.now() })
	replaced(func(m *loci.Memory) { m.ExpiresAt = e.clock.now() })
	replaced(func(m *loci.Memory) { m.SupersededBy = loci.NewMemoryID() })
	e.replace(e.insert(), func(m *loci.Memory) { m.SupersededBy = by }) // of somebody else
	e.view(func(ctx context.Context, tx store.Tx) error {
		for vendor, want := range map[loci.Vendor][]loci.MemoryID{"": {open, claudes}, "claude": {open, claudes},
			"cursor": {open}} {
			v := loci.Viewer{OrgID: e.org, UserID: u, Vendor: vendor}
			list, err := tx.Memories().ReplacedBy(ctx, v, by, 10)
			if err != nil {
				return err
			}
			var got []loci.MemoryID
			for _, m := range list {
				got = append(got, m.ID)
			}
			if !sameIDs(got, want) {
				e.Errorf("for %q: got %v, want %v", vendor, got, want)
			}
			if list, err = tx.Memories().ReplacedBy(ctx, v, by, 1); err != nil || len(list) != 1 {
				e.Errorf("for %q with limit 1: got %d, %v", vendor, len(list), err)
			}
		}
		return nil
	})
}

func sameIDs(a, b []loci.MemoryID) bool {
	order := func(list []loci.MemoryID) []loci.MemoryID {
		list = slices.Clone(list)
		slices.SortFunc(list, func(x, y loci.MemoryID) int { return slices.Compare(x[:], y[:]) })
		return list
	}
	return slices.Equal(order(a), order(b))
}
