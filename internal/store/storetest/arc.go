package storetest

import (
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) arcBinding(org loci.OrgID) store.ArcBinding {
	return store.ArcBinding{OrgID: org, URL: "https://arc.example.org:8000", Database: "acme", Measurement: "events",
		Key: store.SealedKey{MasterID: "0a1b", Nonce: []byte("123456789012"),
			Sealed: []byte("seventeen bytes at least")},
		CreatedAt: e.clock.now(), UpdatedAt: e.clock.now()}
}

func testArcBindings(e *env) {
	ctx, arcs := e.Context(), e.st.ArcBindings()
	e.ensure("other", loci.NewUserID())
	want, other := e.arcBinding(e.org), e.arcBinding("other")
	_, err := arcs.Get(ctx, e.org)
	e.wantCode("Get of none", err, loci.NotFound)
	e.wantCode("a binding of no org", arcs.Insert(ctx, e.arcBinding("absent")), loci.NotFound)
	for _, b := range []store.ArcBinding{other, want} {
		if err := arcs.Insert(ctx, b); err != nil {
			e.Fatal(explain(err))
		}
	}
	e.wantCode("a second one", arcs.Insert(ctx, want), loci.Conflict)
	check := func(what string) {
		e.Helper()
		got, err := arcs.Get(ctx, e.org)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
		list, err := arcs.List(ctx)
		if diff := cmp.Diff([]store.ArcBinding{want, other}, list); diff != "" || err != nil {
			e.Errorf("%s: List: %v (-want +got):\n%s", what, err, diff)
		}
	}
	check("after Insert")

	want.URL, want.Database, want.Measurement = "http://127.0.0.1:1", "b", "m"
	want.Key = store.SealedKey{MasterID: "ff", Nonce: []byte("abcdefghijkl"), Sealed: []byte("another seventeen bytes")}
	want.UpdatedAt = want.UpdatedAt.Add(time.Minute)
	got, err := arcs.Update(ctx, e.org, func(b *store.ArcBinding) error { *b = want; b.OrgID = "other"; return nil })
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		e.Errorf("Update: %v (-want +got):\n%s", err, diff)
	}
	check("after Update")
	refuse := func(b *store.ArcBinding) error { b.URL = "refused"; return loci.Errorf(loci.Invalid, "no") }
	_, err = arcs.Update(ctx, e.org, refuse)
	e.wantCode("a change that is refused", err, loci.Invalid)
	_, err = arcs.Update(ctx, "absent", refuse)
	e.wantCode("a change of none", err, loci.NotFound)
	_, err = arcs.UpdateAll(ctx, func(b *store.ArcBinding) error {
		if b.Key.MasterID = "new"; b.OrgID == "other" {
			return loci.Errorf(loci.Invalid, "no")
		}
		return nil
	})
	e.wantCode("a change of all that is refused", err, loci.Invalid)
	check("after what was refused")
	want.Key.MasterID, other.Key.MasterID = "new", "new"
	n, err := arcs.UpdateAll(ctx, func(b *store.ArcBinding) error { b.Key.MasterID = "new"; return nil })
	if n != 2 || err != nil {
		e.Errorf("UpdateAll: %d, %v", n, explain(err))
	}
	check("after UpdateAll")

	if err := arcs.Delete(ctx, e.org); err != nil {
		e.Error(explain(err))
	}
	e.wantCode("a second Delete", arcs.Delete(ctx, e.org), loci.NotFound)
	if _, err := e.st.Orgs().Delete(ctx, "other"); err != nil {
		e.Fatal(explain(err))
	}
	if list, err := arcs.List(ctx); len(list) != 0 || err != nil {
		e.Errorf("of no org: %+v, %v", list, err)
	}
	e.wantCode("a binding of a deleted org", arcs.Insert(ctx, other), loci.NotFound)
}

func testArcBindingsAtOnce(e *env) {
	ctx, arcs := e.Context(), e.st.ArcBindings()
	if err := arcs.Insert(ctx, e.arcBinding(e.org)); err != nil {
		e.Fatal(explain(err))
	}
	const n = 20
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			_, err := arcs.Update(ctx, e.org, func(b *store.ArcBinding) error { b.Database += "x"; return nil })
			if err != nil {
				e.Error(explain(err))
			}
		})
	}
	all.Wait()
	if b, err := arcs.Get(ctx, e.org); err != nil || len(b.Database) != len("acme")+n {
		e.Errorf("got %q, %v, want %d changes", b.Database, err, n)
	}
}
