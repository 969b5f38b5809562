package storetest

import (
	"context"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) versions(v loci.Viewer, id loci.MemoryID, l loci.Lifecycle, before, limit int) (got []string, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		got = nil
		old, err := tx.Memories().Versions(e.Context(), v, id, l, before, limit)
		for _, o := range old {
			got = append(got, fmt.Sprintf("%d %s", o.Version, o.Title))
		}
		return err
	})
	return got, err
}

func testVersions(e *env) {
	m := e.insert(titled("one"))
	for _, title := range []string{"two", "three", "four"} {
		e.clock.move(time.Second)
		m = e.replace(m, titled(title))
	}
	for name, tt := range map[string]struct {
		before, limit int
		want          []string
	}{
		"all":    {0, 10, []string{"3 three", "2 two", "1 one"}},
		"first":  {0, 1, []string{"3 three"}},
		"next":   {3, 1, []string{"2 two"}},
		"end":    {2, 5, []string{"1 one"}},
		"beyond": {1, 5, nil},
	} {
		got, err := e.versions(e.person(), m.ID, loci.LiveOnly, tt.before, tt.limit)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			e.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	e.trash(m)
	_, err := e.versions(e.person(), m.ID, loci.LiveOnly, 0, 10)
	e.wantCode("versions of a trashed memory among live ones", err, loci.NotFound)
	if got, err := e.versions(e.person(), m.ID, loci.LiveOrTrash, 0, 10); err != nil || len(got) != 4 {
		e.Errorf("versions of a trashed memory: %q, %v", got, err)
	}
	_, err = e.versions(e.person(), loci.NewMemoryID(), loci.AnyState, 0, 10)
	e.wantCode("versions of nothing", err, loci.NotFound)
}

func testVersionsNeedBothVendors(e *env) {
	m := e.insert(titled("secret"), func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} })
	m = e.replace(m, titled("open"), func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"*"} })
	m = e.replace(m, titled("two"), func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"claude", "cursor"} })
	for vendor, want := range map[loci.Vendor][]string{"": {"2 open", "1 secret"}, "claude": {"2 open"},
		"cursor": {"2 open", "1 secret"}} {
		got, err := e.versions(e.agent(vendor), m.ID, loci.LiveOnly, 0, 10)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("for %q: %v (-want +got):\n%s", vendor, err, diff)
		}
	}
	_, err := e.versions(e.agent("chatgpt"), m.ID, loci.LiveOnly, 0, 10)
	e.wantCode("open once, but not now", err, loci.NotFound)
}

func testInsertVersion(e *env) {
	m := e.insert(titled("now"), func(m *loci.Memory) { m.Version = 3 })
	insert := func(version int, id loci.MemoryID) error {
		old := &loci.Version{Memory: *m.Clone(), ReplacedAt: e.clock.now()}
		old.ID, old.Version, old.Title = id, version, fmt.Sprint("v", version)
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Memories().InsertVersion(ctx, old) })
	}
	for _, version := range []int{2, 1} {
		if err := insert(version, m.ID); err != nil {
			e.Fatal(err)
		}
	}
	e.wantCode("a version that is taken", insert(2, m.ID), loci.Conflict)
	e.wantCode("the current version", insert(3, m.ID), loci.Conflict)
	e.wantCode("of no memory", insert(1, loci.NewMemoryID()), loci.NotFound)
	got, err := e.versions(e.person(), m.ID, loci.LiveOnly, 0, 10)
	if diff := cmp.Diff([]string{"2 v2", "1 v1"}, got); diff != "" || err != nil {
		e.Errorf("%v (-want +got):\n%s", err, diff)
	}
	e.replace(m, titled("next"))
	e.check()
}
