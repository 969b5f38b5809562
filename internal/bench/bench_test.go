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
