package auth_test

import (
	"fmt"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// TestOtherWorkspacesAreNotNoticed makes, opens and closes a project in one workspace and reads the feed in another: a
// reset there would tell of it, and replace what happened in between.
func TestOtherWorkspacesAreNotNoticed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{})
	user, _ := w.colleague(t)
	spaces := map[string]loci.WorkspaceID{"Main": loci.NewWorkspaceID(), "Second": loci.NewWorkspaceID()}
	err := w.store.Update(t.Context(), w.org.ID, func(tx store.Tx) error {
		for name, id := range spaces {
			if err := tx.Workspaces().Insert(t.Context(), loci.Workspace{ID: id, Name: name, CreatedAt: w.now}); err != nil {
				return err
			}
			if err := tx.Workspaces().Join(t.Context(), id, user); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.store.Orgs().Update(t.Context(), w.org.ID,
		func(o *loci.Org) error { o.Workspaces = true; return nil }); err != nil {
		t.Fatal(err)
	}
	project := func(in string) loci.ProjectID {
		p, err := w.store.Projects().Create(t.Context(),
			loci.Project{OrgID: w.org.ID, Name: loci.NewUserID().String(), WorkspaceID: spaces[in], Everyone: true}, user)
		if err != nil {
			t.Fatal(err)
		}
		return p.ID
	}
	there, here := project("Second"), project("Main")
	for _, only := range [][]loci.ProjectID{nil, {here, there}} {
		name := fmt.Sprintf("a key of %d projects", len(only))
		c, key, err := auth.NewCredential(loci.Principal{OrgID: w.org.ID, UserID: user},
			auth.KeyRequest{Name: name, Vendor: "claude", ProjectIDs: only, WorkspaceID: spaces["Main"]}, w.now)
		if err == nil {
			err = w.store.Credentials().Insert(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
		wantProjects(t, name, a, key, only != nil, here)
		p, err := a.Authenticate(t.Context(), bearer(key))
		if err != nil {
			t.Fatal(err)
		}
		var at store.Position
		read := func(p loci.Principal) error {
			return w.store.View(t.Context(), w.org.ID, func(tx store.Tx) (err error) {
				if at == "" {
					at, err = tx.Feed().Now(t.Context(), p.Viewer())
					return err
				}
				_, err = tx.Feed().After(t.Context(), p.Viewer(), store.FeedQuery{After: at, Limit: 1})
				return err
			})
		}
		if err := read(p); err != nil {
			t.Fatal(err)
		}
		for deed, do := range map[string]func() error{
			"a new project": func() error { project("Second"); return nil },
			"a project that is not everybody's any more": func() error {
				_, err := w.store.Projects().Update(t.Context(), w.org.ID, there,
					func(p *loci.Project) error { p.Everyone = !p.Everyone; return nil })
				return err
			},
			"a member who leaves": func() error { return w.store.ProjectMembers().Remove(t.Context(), w.org.ID, there, user) },
		} {
			if err := do(); err != nil {
				t.Fatal(err)
			}
			if p, err = a.Authenticate(t.Context(), bearer(key)); err == nil {
				err = read(p)
			}
			if err != nil {
				t.Errorf("%s, %s in another workspace: %v", name, deed, err)
			}
		}
		project("Main")
		if p, err = a.Authenticate(t.Context(), bearer(key)); err != nil {
			t.Fatal(err)
		}
		if err := read(p); only == nil && loci.CodeOf(err) != loci.Conflict {
			t.Errorf("%s, a new project in the same workspace: %v, want a reset", name, err)
		}
	}
}
