package storetest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// testStamp requires equal stamps while nobody commits, and others after each kind of write. An engine that can't tell
// has none.
func testStamp(e *env) {
	m := e.insert()
	same := stamps{e, e.st.Stamp}.same
	same("a read", e.org, true, func() { e.list(e.person(), store.ListQuery{Limit: 5}) })
	same("an insert", e.org, false, func() { e.insert() })
	same("a change", e.org, false, func() { m = e.replace(m, titled("other")) })
	same("the trash", e.org, false, func() { e.trash(m) })
	same("an erasure", e.org, false, func() {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, m.ID) })
	})
	same("a person", e.org, false, func() { e.addUser() })
	same("a new org in the registry", "", false, func() { e.ensure("other", loci.NewUserID()) })
	same("a save in another org", "other", true, func() { e.insert() })
}

// testPeopleStamp requires other stamps after each change of people and their workspaces, also between other changes.
func testPeopleStamp(e *env) {
	same := stamps{e, e.st.PeopleStamp}.same
	u := e.addUser()
	var w loci.Workspace
	in := func(fn func(context.Context, store.Workspaces) error) func() {
		return func() {
			if err := e.tryWorkspaces(fn); err != nil {
				e.Error(explain(err))
			}
		}
	}
	update := func(change func()) func() {
		return func() {
			if change(); e.updateUser(u) != nil {
				e.Error("the person was not changed")
			}
		}
	}
	for _, change := range []struct {
		what string
		do   func()
	}{
		{"a new person", func() { e.addUser() }},
		{"a role", update(func() { u.OrgRole = loci.MemberAdmin })},
		{"a person who may not sign in", update(func() { u.Disabled = true })},
		{"a workspace", func() { w = e.addWorkspace("w") }},
		{"a member", in(func(ctx context.Context, t store.Workspaces) error { return t.Join(ctx, w.ID, u.ID) })},
		{"a name", in(func(ctx context.Context, t store.Workspaces) error { return t.Rename(ctx, w.ID, "v") })},
		{"no member", in(func(ctx context.Context, t store.Workspaces) error { return t.Leave(ctx, w.ID, u.ID) })},
	} {
		same("a read", e.org, true, func() { e.list(e.person(), store.ListQuery{Limit: 5}) })
		same(change.what, e.org, false, func() {
			e.insert()
			change.do()
			e.insert()
		})
	}
}

type stamps struct {
	*env
	of func(context.Context, loci.OrgID) (store.Stamp, bool)
}

// same requires equal or other stamps before and after fn.
func (s stamps) same(what string, org loci.OrgID, want bool, fn func()) {
	s.Helper()
	before, ok := s.of(s.Context(), org)
	fn()
	if after, still := s.of(s.Context(), org); ok && still && (before == after) != want {
		s.Errorf("%s: equal stamps %v, want %v", what, before == after, want)
	}
}
