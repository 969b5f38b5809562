package bench

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// TestFill checks that what reads are measured on is really there.
func TestFill(t *testing.T) {
	dir := t.TempDir()
	b := &bencher{Options: Options{Memories: 700}}
	ids, err := b.load(t.Context(), dir)
	if err != nil || len(ids) != 700 {
		t.Fatalf("%d ids, %v", len(ids), err)
	}
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	org, err := st.Orgs().Get(t.Context(), loci.DefaultOrg)
	if err != nil {
		t.Fatal(err)
	}
	v := loci.Viewer{OrgID: org.ID, UserID: org.OwnerID, Vendor: "claude"}
	err = st.View(t.Context(), org.ID, func(tx store.Tx) error {
		got, err := tx.Memories().GetMany(t.Context(), v, ids, loci.LiveOnly)
		if len(got) != len(ids) {
			t.Errorf("%d of %d are there", len(got), len(ids))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestFillScopes checks that the reader of the recall benchmark sees all that is stored, and that it is
// of all scopes.
func TestFillScopes(t *testing.T) {
	b := &bencher{Options: Options{Memories: 600}}
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	in, err := b.fillScopes(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	org, err := st.Orgs().Get(t.Context(), loci.DefaultOrg)
	if err != nil {
		t.Fatal(err)
	}
	v := loci.Viewer{OrgID: org.ID, UserID: org.OwnerID, AgentID: in.agent, ProjectIDs: []loci.ProjectID{in.project}}
	for scope, want := range map[loci.Scope]int{"": 600, loci.ScopeProject: 200, loci.ScopeAgent: 100,
		loci.ScopeGlobal: 300} {
		err = st.View(t.Context(), org.ID, func(tx store.Tx) error {
			page, err := tx.Lists().List(t.Context(), v,
				store.ListQuery{Filter: store.Filter{Scope: scope}, Limit: 1, Total: true})
			if page.Total != want {
				t.Errorf("scope %q: %d memories are to be seen, want %d", scope, page.Total, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestWritesHaveOneBar checks that the default save, which is compared, has the bars of the one that is not.
func TestWritesHaveOneBar(t *testing.T) {
	b := &bencher{Options: Options{Common: Common{Clients: 16}}}
	b.addWrites(written{compared: saves{one: Sample{PerSecond: 40}, many: Sample{PerSecond: 140}},
		plain: saves{one: Sample{PerSecond: 60}, many: Sample{PerSecond: 160}}}, 100)
	want := []struct {
		step  string
		limit float64
		met   bool
	}{{"write, 1 client", 0.5, false}, {"write, 16 clients", 1.5, false},
		{`write, 1 client, "similar": false`, 0.5, true}, {`write, 16 clients, "similar": false`, 1.5, true}}
	if len(b.results) != len(want) {
		t.Fatalf("got %d rows", len(b.results))
	}
	for i, w := range want {
		got := b.results[i]
		if got.Step != w.step || got.Bars[0] != (Bar{"must", w.limit, false}) || got.Bars[0].Met(got.Value) != w.met {
			t.Errorf("row %d is %+v, want %+v", i, got, w)
		}
	}
}
