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
	for i, offered := range []loci.Org{want, {ID: want.ID, Name: "Other", OwnerID: loci.NewUserID(), CreatedAt: e.clock.now().Add(time.Hour)}} {
		got, created, err := e.st.Orgs().Ensure(ctx, offered, loci.User{})
		if diff := cmp.Diff(want, got); diff != "" || created != (i == 0) || err != nil {
			e.Errorf("Ensure %d: created %v, %v (-want +got):\n%s", i, created, err, diff)
		}
	}
	if got, err := e.st.Orgs().Get(ctx, want.ID); err != nil || got != want {
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
			got, first, err := e.st.Orgs().Ensure(e.Context(), loci.Org{ID: "race", OwnerID: loci.NewUserID(), CreatedAt: e.clock.now()}, loci.User{})
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
	err := e.st.View(e.Context(), "race", func(tx store.Tx) error { _, err := tx.Users().Get(e.Context(), owners[0]); return err })
	if err != nil {
		e.Errorf("its owner: %v", err)
	}
}

func (e *env) credential(seed byte, change ...func(*loci.Credential)) loci.Credential {
	c := loci.Credential{ID: loci.NewCredentialID(), OrgID: e.org, UserID: e.user, Kind: loci.KindUser, Name: "laptop",
		Method: loci.ByKey, Hash: [32]byte{seed, 0, 255}, Prefix: "loci_live_ab", CreatedAt: e.clock.now()}
	for _, f := range change {
		f(&c)
	}
	return c
}

func forAgent(c *loci.Credential) { c.Kind, c.Vendor = loci.KindAgent, "claude" }

func testCredentials(e *env) {
	ctx, keys := e.Context(), e.st.Credentials()
	a := e.credential(1)
	b := e.credential(2, func(c *loci.Credential) {
		c.CreatedAt = c.CreatedAt.Add(time.Second)
		c.ExpiresAt, c.RevokedAt, c.LastUsedAt = c.CreatedAt.Add(time.Hour), c.CreatedAt.Add(time.Minute), c.CreatedAt
		c.Rights = []loci.Right{loci.RightRead, loci.RightWrite}
	})
	agent := e.credential(3, forAgent)
	for _, c := range []loci.Credential{a, b, agent} {
		if err := keys.Insert(ctx, c); err != nil {
			e.Fatal(explain(err))
		}
		got, err := keys.ByHash(ctx, c.Hash)
		if diff := cmp.Diff(c, got.Credential); diff != "" || err != nil {
			e.Errorf("ByHash: %v (-want +got):\n%s", err, diff)
		}
	}
	for kind, want := range map[loci.Kind][]loci.Credential{loci.KindUser: {b, a}, loci.KindAgent: {agent}, loci.KindAdmin: nil} {
		got, err := keys.List(ctx, store.CredentialQuery{OrgID: e.org, UserID: e.user, Kind: kind})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("List %s: %v (-want +got):\n%s", kind, err, diff)
		}
	}
	if got, err := keys.List(ctx, store.CredentialQuery{OrgID: e.org, UserID: loci.NewUserID(), Kind: loci.KindUser}); err != nil || len(got) != 0 {
		e.Errorf("List of a stranger: %v, %v", got, err)
	}
	used := func(at time.Time, want time.Time) {
		e.Helper()
		if err := keys.Touch(ctx, a.ID, at); err != nil {
			e.Error(err)
		}
		if got, _ := keys.ByHash(ctx, a.Hash); !got.LastUsedAt.Equal(want) {
			e.Errorf("last used %s, want %s", got.LastUsedAt, want)
		}
	}
	now := e.clock.now()
	used(now, now)
	used(now.Add(-time.Minute), now)
	used(now.Add(time.Minute), now.Add(time.Minute))
	for _, at := range []time.Time{now, now.Add(time.Hour)} {
		if err := keys.Revoke(ctx, e.org, e.user, a.ID, at); err != nil {
			e.Error(err)
		}
		if got, _ := keys.ByHash(ctx, a.Hash); !got.RevokedAt.Equal(now) {
			e.Errorf("revoked at %s, want %s", got.RevokedAt, now)
		}
	}
}

func testCredentialErrors(e *env) {
	ctx, keys := e.Context(), e.st.Credentials()
	c := e.credential(1)
	if err := keys.Insert(ctx, c); err != nil {
		e.Fatal(err)
	}
	e.wantCode("a taken hash", keys.Insert(ctx, e.credential(1)), loci.Conflict)
	e.wantCode("a taken id", keys.Insert(ctx, e.credential(2, func(d *loci.Credential) { d.ID = c.ID })), loci.Conflict)
	e.wantCode("an unknown org", keys.Insert(ctx, e.credential(3, func(d *loci.Credential) { d.OrgID = "absent" })), loci.NotFound)
	_, err := keys.ByHash(ctx, [32]byte{9})
	e.wantCode("an unknown hash", err, loci.NotFound)
	now := e.clock.now()
	e.wantCode("Revoke of an unknown id", keys.Revoke(ctx, e.org, e.user, loci.NewCredentialID(), now), loci.NotFound)
	e.wantCode("Revoke by another person", keys.Revoke(ctx, e.org, loci.NewUserID(), c.ID, now), loci.NotFound)
	e.wantCode("Revoke in another org", keys.Revoke(ctx, "other", e.user, c.ID, now), loci.NotFound)
	e.wantCode("Touch of an unknown id", keys.Touch(ctx, loci.NewCredentialID(), now), loci.NotFound)
	if got, err := keys.ByHash(ctx, c.Hash); err != nil || !cmp.Equal(got.Credential, c) {
		e.Errorf("after all that: %+v, %v", got, err)
	}
}

func testAnyAgent(e *env) {
	keys, now := e.st.Credentials(), e.clock.now()
	want := func(when time.Time, any bool) {
		e.Helper()
		if got, err := keys.AnyAgent(e.Context(), when); err != nil || got != any {
			e.Errorf("AnyAgent: %v, %v, want %v", got, err, any)
		}
	}
	add := func(seed byte, change ...func(*loci.Credential)) loci.Credential {
		c := e.credential(seed, change...)
		if err := keys.Insert(e.Context(), c); err != nil {
			e.Fatal(err)
		}
		return c
	}
	add(1)
	want(now, false)
	add(2, forAgent, func(c *loci.Credential) { c.ExpiresAt = now.Add(time.Hour) })
	want(now, true)
	want(now.Add(time.Hour), false)
	forever := add(3, forAgent)
	want(now.Add(time.Hour), true)
	if err := keys.Revoke(e.Context(), e.org, e.user, forever.ID, now); err != nil {
		e.Fatal(err)
	}
	want(now.Add(time.Hour), false)
	want(now, true)
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
