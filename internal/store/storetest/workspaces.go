package storetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) addWorkspace(name string) loci.Workspace {
	e.Helper()
	w := loci.Workspace{ID: loci.NewWorkspaceID(), Name: name, CreatedAt: e.clock.now()}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Workspaces().Insert(ctx, w) })
	return w
}

func (e *env) tryWorkspaces(fn func(context.Context, store.Workspaces) error) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return fn(ctx, tx.Workspaces()) })
}

func testWorkspaces(e *env) {
	b := e.addWorkspace("Beta")
	e.clock.move(time.Second)
	a := e.addWorkspace("alpha")
	check := func(want ...loci.Workspace) {
		e.Helper()
		e.view(func(ctx context.Context, tx store.Tx) error {
			got, err := tx.Workspaces().List(ctx)
			if diff := cmp.Diff(want, got); diff != "" {
				e.Errorf("List (-want +got):\n%s", diff)
			}
			return err
		})
	}
	check(b, a)
	for _, name := range []string{"beta", "BETA"} {
		e.wantCode("Insert "+name, e.tryWorkspaces(func(ctx context.Context, w store.Workspaces) error {
			return w.Insert(ctx, loci.Workspace{ID: loci.NewWorkspaceID(), Name: name, CreatedAt: e.clock.now()})
		}), loci.Conflict)
		e.wantCode("Rename to "+name,
			e.tryWorkspaces(func(ctx context.Context, w store.Workspaces) error { return w.Rename(ctx, a.ID, name) }),
			loci.Conflict)
	}
	e.wantCode("Rename of nothing",
		e.tryWorkspaces(func(ctx context.Context, w store.Workspaces) error {
			return w.Rename(ctx, loci.NewWorkspaceID(), "x")
		}), loci.NotFound)
	a.Name = "Alpha"
	if err := e.tryWorkspaces(
		func(ctx context.Context, w store.Workspaces) error { return w.Rename(ctx, a.ID, a.Name) }); err != nil {
		e.Error(explain(err))
	}
	check(b, a)
}

func testWorkspaceMembers(e *env) {
	one := e.addWorkspace("one")
	e.clock.move(time.Second)
	two := e.addWorkspace("two")
	u := e.addUser()
	join := func(id loci.WorkspaceID, user loci.UserID) error {
		return e.tryWorkspaces(func(ctx context.Context, w store.Workspaces) error { return w.Join(ctx, id, user) })
	}
	leave := func(id loci.WorkspaceID, user loci.UserID) error {
		return e.tryWorkspaces(func(ctx context.Context, w store.Workspaces) error { return w.Leave(ctx, id, user) })
	}
	check := func(id loci.WorkspaceID, members []loci.UserID, of ...loci.Workspace) {
		e.Helper()
		slices.SortFunc(members, func(a, b loci.UserID) int { return strings.Compare(a.String(), b.String()) })
		e.view(func(ctx context.Context, tx store.Tx) error {
			got, err := tx.Workspaces().Members(ctx, id)
			if err != nil || !slices.Equal(got, members) {
				e.Errorf("Members: %v, %v, want %v", got, err, members)
			}
			mine, err := tx.Workspaces().Of(ctx, u.ID)
			if diff := cmp.Diff(of, mine); diff != "" {
				e.Errorf("Of (-want +got):\n%s", diff)
			}
			return err
		})
	}
	check(one.ID, nil)
	for range 2 { // may be repeated
		for _, err := range []error{join(two.ID, u.ID), join(one.ID, e.user), join(one.ID, u.ID)} {
			if err != nil {
				e.Error(explain(err))
			}
		}
	}
	check(one.ID, []loci.UserID{e.user, u.ID}, one, two)
	for range 2 {
		if err := leave(one.ID, u.ID); err != nil {
			e.Error(explain(err))
		}
	}
	check(one.ID, []loci.UserID{e.user}, two)
	for name, err := range map[string]error{
		"Join nothing": join(loci.NewWorkspaceID(), u.ID), "Join of nobody": join(one.ID, loci.NewUserID()),
		"Leave nothing": leave(loci.NewWorkspaceID(), u.ID), "Leave of nobody": leave(one.ID, loci.NewUserID()),
	} {
		e.wantCode(name, err, loci.NotFound)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Workspaces().Members(ctx, loci.NewWorkspaceID())
		e.wantCode("Members of nothing", err, loci.NotFound)
		return nil
	})
	if err := e.tryWorkspaces(
		func(ctx context.Context, w store.Workspaces) error { return w.Delete(ctx, two.ID) }); err != nil {
		e.Error(explain(err))
	}
	check(one.ID, []loci.UserID{e.user})
}

func testWorkspaceDelete(e *env) {
	w := e.addWorkspace("space")
	del := func(id loci.WorkspaceID) error {
		return e.tryWorkspaces(func(ctx context.Context, w store.Workspaces) error { return w.Delete(ctx, id) })
	}
	e.wantCode("of nothing", del(loci.NewWorkspaceID()), loci.NotFound)
	m := e.trash(e.insert(func(m *loci.Memory) { m.WorkspaceID = w.ID }))
	e.wantCode("with a memory, even a trashed one", del(w.ID), loci.Conflict)
	e.replace(m, func(m *loci.Memory) { m.WorkspaceID = loci.WorkspaceID{} })
	if err := del(w.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("twice", del(w.ID), loci.NotFound)
	e.check()
}

// Adopt moves rows of every kind and state, and nothing that is derived from
// them stays behind.
func testAdopt(e *env) {
	w, other := e.addWorkspace("space"), e.addWorkspace("other")
	team := e.addTeam("team")
	e.insert(titled("a"), func(m *loci.Memory) { m.Tags = []string{"t"} })
	e.insert(titled("b"), func(m *loci.Memory) { m.TeamID, m.AllowedVendors = team.ID, []loci.Vendor{"claude"} })
	e.insert(titled("elsewhere"), func(m *loci.Memory) { m.WorkspaceID = other.ID })
	gone := e.trash(e.insert(titled("gone")))
	adopt := func(id loci.WorkspaceID, want int) {
		e.Helper()
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Workspaces().Adopt(ctx, id)
			if n != want {
				e.Errorf("adopted %d, want %d", n, want)
			}
			return err
		})
	}
	v := e.person()
	v.WorkspaceID = w.ID
	if page := e.list(v, store.ListQuery{Total: true, Filter: store.Filter{Lifecycle: loci.AnyState}}); page.Total != 0 {
		e.Errorf("before: %q", titles(page.Memories))
	}
	adopt(w.ID, 3)
	adopt(w.ID, 0)
	for name, tt := range map[string]struct {
		f    store.Filter
		want []string
	}{
		"live": {store.Filter{}, []string{"b", "a"}}, "tag": {store.Filter{Tags: []string{"t"}}, []string{"a"}},
		"all":   {store.Filter{Lifecycle: loci.AnyState}, []string{"gone", "b", "a"}},
		"trash": {store.Filter{Lifecycle: loci.TrashOnly}, []string{"gone"}},
	} {
		page := e.list(v, store.ListQuery{Total: true, Filter: tt.f})
		if got := titles(page.Memories); !slices.Equal(got, tt.want) || page.Total != len(tt.want) {
			e.Errorf("%s: %q, total %d, want %q", name, got, page.Total, tt.want)
		}
	}
	if got, err := e.get(v, gone.ID, loci.TrashOnly); err != nil || got.WorkspaceID != w.ID ||
		got.Version != gone.Version || !got.UpdatedAt.Equal(gone.UpdatedAt) {
		e.Errorf("%+v, %v", got, err)
	}
	v.WorkspaceID = other.ID
	if got := titles(e.list(v, store.ListQuery{}).Memories); !slices.Equal(got, []string{"elsewhere"}) {
		e.Errorf("in the other: %q", got)
	}
	e.wantCode("into nothing", e.tryWorkspaces(func(ctx context.Context, w store.Workspaces) error {
		_, err := w.Adopt(ctx, loci.NewWorkspaceID())
		return err
	}), loci.NotFound)
	e.check()
}
