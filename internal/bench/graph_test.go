package bench

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// TestFillLarge checks that what searches are measured on is really there, and
// that a phrase of it is found.
func TestFillLarge(t *testing.T) {
	dir := t.TempDir()
	g := &graphBencher{GraphOptions: GraphOptions{Observations: 12_000}}
	id, texts, err := g.fillLarge(t.Context(), dir)
	if err != nil || len(texts) != 3 {
		t.Fatalf("%d texts, %v", len(texts), err)
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
	v := loci.Viewer{OrgID: org.ID, UserID: org.OwnerID, Vendor: "claude", ProjectIDs: []loci.ProjectID{id}}
	err = st.ViewProject(t.Context(), org.ID, id, func(tx store.GraphTx) error {
		page, err := tx.Graph().Read(t.Context(), v, store.GraphQuery{Limit: 1})
		if err != nil {
			return err
		}
		if left := page.Left; left != 12_000/perEntity-1 || len(page.Entities[0].Observations) != perEntity {
			t.Errorf("%d entities are left, the first has %d observations", left, len(page.Entities[0].Observations))
		}
		q, err := loci.ParseGraphQuery(`"` + texts[1][1] + `"`)
		if err != nil {
			return err
		}
		hits, err := tx.Graph().Search(t.Context(), v, q)
		if err != nil || len(hits.Matches) != 1 {
			t.Fatalf("%q finds %+v, %v", texts[1][1], hits, err)
		}
		list, err := tx.Graph().Get(t.Context(), v, hits.Matches[0].ID)
		if len(list) != 1 || list[0].Name != texts[1][0] {
			t.Errorf("%q finds %+v, not %s", texts[1][1], list, texts[1][0])
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
