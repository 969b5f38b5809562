package storetest

import (
	"slices"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func testOrgs(e *env) {
	ctx := e.Context()
	want := loci.Org{ID: "b-2", Name: "Bee", OwnerID: loci.NewUserID(), State: loci.OrgActive, CreatedAt: e.clock.now()}
	for i, offered := range []loci.Org{want,
		{ID: want.ID, Name: "Other", OwnerID: loci.NewUserID(), CreatedAt: e.clock.now().Add(time.Hour)}} {
		got, created, err := e.st.Orgs().Ensure(ctx, offered, loci.User{})
		if diff := cmp.Diff(want, got); diff != "" || created != (i == 0) || err != nil {
			e.Errorf("Ensure %d: created %v, %v (-want +got):\n%s", i, created, err, diff)
		}
	}
	if got, err := e.st.Orgs().Get(ctx, want.ID); err != nil || !cmp.Equal(got, want) {
		e.Errorf("Get: %+v, %v", got, err)
	}
	_, err := e.st.Orgs().Get(ctx, "absent")
	e.wantCode("Get of nothing", err, loci.NotFound)
	e.ensure("a", loci.NewUserID())
	list, err := e.st.Orgs().List(ctx)
	var ids []loci.OrgID
	for _, org := range list {
		ids = append(ids, org.ID)
	}
	if !slices.Equal(ids, []loci.OrgID{"a", "b-2", loci.DefaultOrg}) || err != nil {
		e.Errorf("List: %q, %v", ids, err)
	}
	for _, id := range []loci.OrgID{"", "A", "../x", "-a", "a/b"} {
		_, _, err := e.st.Orgs().Ensure(ctx, loci.Org{ID: id, OwnerID: loci.NewUserID()}, loci.User{})
		e.wantCode("Ensure "+string(id), err, loci.Invalid)
	}
	_, _, err = e.st.Orgs().Ensure(ctx, loci.Org{ID: "nobody"}, loci.User{})
	e.wantCode("Ensure without an owner", err, loci.Invalid)
}

// Of several that ensure one org at once, one creates it and all agree.
func testOrgsConcurrent(e *env) {
	const n = 8
	var wg sync.WaitGroup
	owners, created := make([]loci.UserID, n), make([]bool, n)
	for i := range n {
		wg.Go(func() {
			got, first, err := e.st.Orgs().Ensure(e.Context(),
				loci.Org{ID: "race", OwnerID: loci.NewUserID(), CreatedAt: e.clock.now()}, loci.User{})
			if err != nil {
				e.Errorf("%d: %v", i, explain(err))
			}
			owners[i], created[i] = got.OwnerID, first
		})
	}
	wg.Wait()
	firsts := 0
	for i := range n {
		if created[i] {
			firsts++
		}
		if owners[i] != owners[0] {
			e.Errorf("%d got another owner", i)
		}
	}
	if firsts != 1 {
		e.Errorf("%d say that they created it, want 1", firsts)
	}
	err := e.st.View(e.Context(), "race",
		func(tx store.Tx) error { _, err := tx.Users().Get(e.Context(), owners[0]); return err })
	if err != nil {
		e.Errorf("its owner: %v", err)
	}
}

func testReadyAndClose(e *env) {
	ctx := e.Context()
	for range 2 {
		if err := e.st.Ready(ctx); err != nil {
			e.Errorf("Ready: %v", err)
		}
	}
	e.insert()
	for range 2 {
		if err := e.st.Close(); err != nil {
			e.Errorf("Close: %v", err)
		}
	}
	fn := func(store.Tx) error { e.Error("a function ran after Close"); return nil }
	e.wantCode("View after Close", e.st.View(ctx, e.org, fn), loci.Unavailable)
	e.wantCode("Update after Close", e.st.Update(ctx, e.org, fn), loci.Unavailable)
	e.wantCode("Ready after Close", e.st.Ready(ctx), loci.Unavailable)
	_, err := e.st.Orgs().List(ctx)
	e.wantCode("Orgs after Close", err, loci.Unavailable)
}
