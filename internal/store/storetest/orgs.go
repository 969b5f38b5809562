package storetest

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func testOrgOwner(e *env) {
	ctx, orgs := e.Context(), e.st.Orgs()
	org := loci.Org{ID: "acme", Name: "Acme", OwnerID: loci.NewUserID(), State: loci.OrgActive,
		Deletion: loci.DeleteWithKey, Workspaces: true, CreatedAt: e.clock.now()}
	owner := loci.User{ID: org.OwnerID, OrgID: org.ID, Email: "mara@example.com", Name: "Mara", Role: loci.RoleUser,
		OrgRole: loci.MemberOwner, CreatedAt: org.CreatedAt}
	_, _, err := orgs.Ensure(ctx, org, loci.User{ID: loci.NewUserID()})
	e.wantCode("another owner", err, loci.Invalid)
	got, created, err := orgs.Ensure(ctx, org, owner)
	if err != nil || !created || !reflect.DeepEqual(got, org) {
		e.Fatalf("got %+v, created %v, %v; want %+v", got, created, err, org)
	}
	e.wantPerson(owner, true)
	err = e.st.View(ctx, org.ID, func(tx store.Tx) error {
		got, err := tx.Users().Get(ctx, owner.ID)
		if got != owner {
			e.Errorf("got %+v, want %+v", got, owner)
		}
		return err
	})
	if err != nil {
		e.Error(err)
	}
	_, _, err = orgs.Ensure(ctx, loci.Org{ID: "second", OwnerID: loci.NewUserID()}, loci.User{Email: owner.Email})
	e.wantCode("an address that is taken", err, loci.Conflict)
	_, err = orgs.Get(ctx, "second")
	e.wantCode("the org that was refused", err, loci.NotFound)
}

func testOrgUpdate(e *env) {
	ctx, orgs := e.Context(), e.st.Orgs()
	u := e.addUser()
	want, err := orgs.Get(ctx, e.org)
	if err != nil {
		e.Fatal(err)
	}
	key := e.insertCredential(1)
	for _, change := range []func(){
		func() { want.Name, want.Deletion = "New", loci.DeleteWithStepUp },
		func() { want.State = loci.OrgSuspended },
		func() {
			want.Assets = loci.AssetRules{MaxBytes: 1, TotalBytes: 2, MediaTypes: []string{"image/*", "text/plain"}}
		},
		func() { want.Assets = loci.AssetRules{TotalBytes: loci.MaxAssetBytes} },
		func() { want.Events = loci.EventsInArc },
		func() { want.Events = "" },
		func() { want.State, want.Workspaces, want.OwnerID = loci.OrgActive, true, u.ID },
	} {
		change()
		if stored, err := orgs.Update(ctx, e.org, becomes(want)); err != nil || !reflect.DeepEqual(stored, want) {
			e.Fatalf("got %+v, %v, want %+v", stored, explain(err), want)
		}
		got, err := orgs.Get(ctx, e.org)
		if !reflect.DeepEqual(got, want) || err != nil {
			e.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		if list, err := orgs.List(ctx); err != nil || len(list) != 1 || !reflect.DeepEqual(list[0], want) {
			e.Errorf("List: %+v, %v", list, err)
		}
		found, err := e.st.Credentials().ByHash(ctx, key.Hash)
		if diff := cmp.Diff(store.Found{Credential: key, Org: want}, found); diff != "" || err != nil {
			e.Errorf("ByHash: %v (-want +got):\n%s", err, diff)
		}
		e.insert() // the operator gets in
	}
	_, err = orgs.Update(ctx, e.org, becomes(loci.Org{OwnerID: loci.NewUserID(), State: loci.OrgActive}))
	e.wantCode("a stranger as owner", err, loci.Invalid)
	_, err = orgs.Update(ctx, e.org, becomes(loci.Org{OwnerID: u.ID}))
	e.wantCode("a state that is none", err, loci.Invalid)
	_, err = orgs.Update(ctx, e.org,
		func(o *loci.Org) error { o.Name = "Refused"; return loci.Errorf(loci.Forbidden, "no") })
	e.wantCode("a change that is refused", err, loci.Forbidden)
	if got, err := orgs.Get(ctx, e.org); !reflect.DeepEqual(got, want) || err != nil {
		e.Errorf("after what was refused: %+v, %v, want %+v", got, err, want)
	}
	_, err = orgs.Update(ctx, "absent", becomes(want))
	e.wantCode("no such org", err, loci.NotFound)
}

// becomes changes what is stored of an org to this, whatever it was.
func becomes(to loci.Org) func(*loci.Org) error {
	return func(o *loci.Org) error {
		o.Name, o.OwnerID, o.State, o.Deletion, o.Workspaces, o.Assets, o.Events = to.Name, to.OwnerID, to.State,
			to.Deletion, to.Workspaces, to.Assets, to.Events
		return nil
	}
}

// Whoever changes a setting must not undo what somebody else changes meanwhile.
func testOrgUpdateAtOnce(e *env) {
	ctx, orgs := e.Context(), e.st.Orgs()
	const n = 20
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			_, err := orgs.Update(ctx, e.org, func(o *loci.Org) error { o.Name += "x"; return nil })
			if err != nil {
				e.Error(explain(err))
			}
		})
	}
	all.Wait()
	if org, err := orgs.Get(ctx, e.org); err != nil || strings.Count(org.Name, "x") != n {
		e.Errorf("got %q, %v, want %d changes", org.Name, err, n)
	}
}

func testOrgDelete(e *env) {
	ctx, orgs := e.Context(), e.st.Orgs()
	e.ensure("other", loci.NewUserID())
	u := e.addUser()
	e.insert()
	e.insert()
	key := e.insertCredential(1)
	o := newFlow(e, e.user)
	o.allow(1)
	if _, err := o.redeem(1, 1); err != nil {
		e.Fatal(explain(err))
	}
	_, err := orgs.Delete(ctx, "absent")
	e.wantCode("no such org", err, loci.NotFound)
	got, err := orgs.Delete(ctx, e.org)
	want := store.Receipt{OrgID: e.org, DeletedAt: e.clock.now(), Users: 2, Memories: 2, Credentials: 2, Files: got.Files}
	if got != want || err != nil {
		e.Fatalf("got %+v, %v, want %+v", got, explain(err), want)
	}
	if again, err := orgs.Delete(ctx, e.org); err != nil || again != want {
		e.Errorf("again: %+v, %v", again, explain(err))
	}
	_, err = orgs.Get(ctx, e.org)
	e.wantCode("Get", err, loci.NotFound)
	none := func(store.Tx) error { e.Error("a function ran in a deleted org"); return nil }
	e.wantCode("View", e.st.View(ctx, e.org, none), loci.NotFound)
	e.wantCode("Update", e.st.Update(ctx, e.org, none), loci.NotFound)
	_, err = orgs.Update(ctx, e.org, func(*loci.Org) error { e.Error("a change of a deleted org"); return nil })
	e.wantCode("Update of the org", err, loci.NotFound)
	e.wantPerson(u, false)
	_, err = e.st.Credentials().ByHash(ctx, key.Hash)
	e.wantCode("a key", err, loci.NotFound)
	e.wantCode("a new key", e.st.Credentials().Insert(ctx, e.credential(9)), loci.NotFound)
	e.wantCode("a new user", e.st.People().Add(ctx, e.newUser(), nil), loci.NotFound)
	_, _, err = orgs.Ensure(ctx, loci.Org{ID: e.org, OwnerID: loci.NewUserID()}, loci.User{})
	e.wantCode("Ensure", err, loci.Conflict)
	if list, err := orgs.List(ctx); err != nil || len(list) != 1 || list[0].ID != "other" {
		e.Errorf("List: %+v, %v", list, err)
	}
	u.OrgID = "other"
	if err := e.st.People().Add(ctx, u, nil); err != nil {
		e.Errorf("the address is not free: %v", err)
	}
}

func testOrgExport(e *env) {
	ctx, orgs := e.Context(), e.st.Orgs()
	e.insert()
	dir := filepath.Join(e.TempDir(), "new")
	events := func(w io.Writer) error { _, err := io.WriteString(w, "{}\n"); return err }
	if err := orgs.Export(ctx, e.org, dir, events); err != nil {
		e.Fatal(explain(err))
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) < 3 {
		e.Errorf("exported %v, %v; want the rows, events and a manifest", entries, err)
	}
	e.wantCode("into a directory with something in it", orgs.Export(ctx, e.org, dir, events), loci.Conflict)
	e.wantCode("of no org", orgs.Export(ctx, "absent", e.TempDir(), events), loci.NotFound)
	failed := loci.Errorf(loci.Unavailable, "no events")
	e.wantCode("without events", orgs.Export(ctx, e.org, e.TempDir(), func(io.Writer) error { return failed }),
		loci.Unavailable)
}
