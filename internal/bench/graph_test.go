package bench

import (
	"slices"
	"strings"
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
		list, err := tx.Graph().Find(t.Context(), v, []loci.EntityRef{{Name: texts[1][0]}})
		if len(list) != 1 || !slices.ContainsFunc(list[0].Observations,
			func(o loci.Observation) bool { return strings.Contains(o.Content, texts[1][1]) }) {
			t.Errorf("%q finds %+v, without %s", texts[1][0], list, texts[1][1])
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
