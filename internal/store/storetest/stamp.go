package storetest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// testStamp requires equal stamps while nobody commits, and others after each kind of write. An engine that can't tell
// has none.
func testStamp(e *env) {
	stamp := func(org loci.OrgID) (store.Stamp, bool) { return e.st.Stamp(e.Context(), org) }
	same := func(what string, org loci.OrgID, want bool, fn func()) {
		e.Helper()
		before, ok := stamp(org)
		fn()
		if after, still := stamp(org); ok && still && (before == after) != want {
			e.Errorf("%s: equal stamps %v, want %v", what, before == after, want)
		}
	}
	m := e.insert()
	same("a read", e.org, true, func() { e.list(e.person(), store.ListQuery{Limit: 5}) })
	same("an insert", e.org, false, func() { e.insert() })
	same("a change", e.org, false, func() { m = e.replace(m, titled("other")) })
	same("the trash", e.org, false, func() { e.trash(m) })
	same("an erasure", e.org, false, func() {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, m.ID) })
	})
	same("a new org in the registry", "", false, func() { e.ensure("other", loci.NewUserID()) })
	same("a save in another org", "other", true, func() { e.insert() })
}
