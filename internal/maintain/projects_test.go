package maintain_test

import (
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// note stores an entity; noted returns the names of all.
func note(t *testing.T, st *sqlite.Store, p loci.Project, user loci.UserID, name string) {
	t.Helper()
	v := loci.Viewer{OrgID: p.OrgID, UserID: user, ProjectIDs: []loci.ProjectID{p.ID}}
	err := st.UpdateProject(t.Context(), p.OrgID, p.ID, func(tx store.GraphTx) error {
		_, err := tx.Entities().Create(t.Context(), v, loci.GraphAccess{UserID: user, Origin: "api"},
			[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: name, Type: "note"}}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func noted(t *testing.T, st *sqlite.Store, p loci.Project, user loci.UserID) (names []string) {
	t.Helper()
	v := loci.Viewer{OrgID: p.OrgID, UserID: user, ProjectIDs: []loci.ProjectID{p.ID}}
	err := st.ViewProject(t.Context(), p.OrgID, p.ID, func(tx store.GraphTx) error {
		page, err := tx.Graph().Read(t.Context(), v, store.GraphQuery{Limit: 100})
		for _, e := range page.Entities {
			names = append(names, e.Name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A restore brings projects back as they were, to where they were, and keeps those
// that it replaces.
func TestRestoreBringsProjectsBack(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	st := openStore(t, dir)
	org := seed(t, st, 1, time.Time{})
	create := func(name string) loci.Project {
		p, err := st.Projects().Create(ctx, loci.Project{OrgID: org.ID, Name: name, Everyone: true}, org.OwnerID)
		if err != nil {
			t.Fatal(err)
		}
		note(t, st, p, org.OwnerID, "before")
		return p
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	active, archived, gone := create("active"), create("archived"), create("deleted after")
	must(st.Projects().Archive(ctx, org.ID, archived.ID))
	b := newBackups(dir)
	backup, err := b.Create(ctx, st.Backup)
	must(err)
	note(t, st, active, org.OwnerID, "after")
	must(st.Projects().Archive(ctx, org.ID, active.ID))
	must(st.Projects().Restore(ctx, org.ID, archived.ID))
	note(t, st, archived, org.OwnerID, "after")
	must(st.Projects().Delete(ctx, org.ID, gone.ID))
	young := create("made after")
	must(st.Close())
	done, err := b.RestoreInPlace(ctx, backup)
	must(err)

	st = openStore(t, dir)
	must(st.Projects().Restore(ctx, org.ID, archived.ID)) // which it is again
	for _, p := range []loci.Project{active, archived, gone} {
		if got := noted(t, st, p, org.OwnerID); !slices.Equal(got, []string{"before"}) {
			t.Errorf("%s has %q after the restore", p.Name, got)
		}
	}
	if problems, err := st.Check(ctx); err != nil || len(problems) > 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
	kept := openStore(t, done.Kept)
	for p, want := range map[loci.Project][]string{archived: {"before", "after"}, young: {"before"}} {
		if got := noted(t, kept, p, org.OwnerID); !slices.Equal(got, want) {
			t.Errorf("%s has %q in what was kept", p.Name, got)
		}
	}
	if problems, err := kept.Check(ctx); err != nil || len(problems) > 0 {
		t.Errorf("Check of what was kept: %q, %v", problems, err)
	}
}
