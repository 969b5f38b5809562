package storetest

import (
	"slices"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

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
	for kind, want := range map[loci.Kind][]loci.Credential{loci.KindUser: {b, a}, loci.KindAgent: {agent},
		loci.KindAdmin: nil} {
		got, err := keys.List(ctx, store.CredentialQuery{OrgID: e.org, UserID: e.user, Kind: kind})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("List %s: %v (-want +got):\n%s", kind, err, diff)
		}
	}
	if got, err := keys.List(ctx,
		store.CredentialQuery{OrgID: e.org, UserID: loci.NewUserID(), Kind: loci.KindUser}); err != nil || len(got) != 0 {
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
	e.wantCode("an unknown org", keys.Insert(ctx, e.credential(3, func(d *loci.Credential) { d.OrgID = "absent" })),
		loci.NotFound)
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

// insertCredential stores what credential returns.
func (e *env) insertCredential(seed byte, change ...func(*loci.Credential)) loci.Credential {
	e.Helper()
	c := e.credential(seed, change...)
	if err := e.st.Credentials().Insert(e.Context(), c); err != nil {
		e.Fatal(explain(err))
	}
	return c
}

func (e *env) byHash(c loci.Credential) loci.Credential {
	e.Helper()
	got, err := e.st.Credentials().ByHash(e.Context(), c.Hash)
	if err != nil {
		e.Fatal(explain(err))
	}
	return got.Credential
}

func session(c *loci.Credential) {
	c.Method, c.Prefix, c.IdleAfter, c.ProvedAt = loci.BySignIn, "", 7*24*time.Hour, c.CreatedAt
	c.ExpiresAt = c.CreatedAt.Add(30 * 24 * time.Hour)
}

func link(c *loci.Credential) { c.Method, c.ExpiresAt = loci.ByLink, c.CreatedAt.Add(time.Hour) }

func testCredentialKinds(e *env) {
	ctx, keys, now := e.Context(), e.st.Credentials(), e.clock.now()
	grantID := loci.NewGrantID()
	full := e.insertCredential(1, forAgent, func(c *loci.Credential) {
		c.Method, c.GrantID, c.WorkspaceID = loci.ByOAuth, grantID, loci.NewWorkspaceID()
		c.ProjectIDs = []loci.ProjectID{{1}, {2}}
	})
	s, l, key := e.insertCredential(2, session), e.insertCredential(3, link), e.insertCredential(4)
	stranger := e.insertCredential(5, func(c *loci.Credential) { c.UserID = loci.NewUserID() })
	for seed, method := range map[byte]loci.Method{6: loci.ByEnvironment, 7: loci.ByDisk} { // of an assistant
		c := e.insertCredential(seed, forAgent, func(c *loci.Credential) { c.Method, c.UserID = method, loci.NewUserID() })
		got, err := keys.List(ctx, store.CredentialQuery{OrgID: e.org, Method: method})
		if diff := cmp.Diff([]loci.Credential{c}, got); diff != "" || err != nil {
			e.Errorf("%s: %v (-want +got):\n%s", method, err, diff)
		}
		if err := keys.Revoke(ctx, e.org, c.UserID, c.ID, now); err != nil {
			e.Error(err)
		}
		if n, err := keys.Purge(ctx, now.Add(time.Second), 9); n != 1 || err != nil {
			e.Errorf("Purge of %s: %d, %v", method, n, err)
		}
	}
	for _, c := range []loci.Credential{full, s, l, key, stranger} {
		if diff := cmp.Diff(c, e.byHash(c)); diff != "" {
			e.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, tt := range []struct {
		name string
		q    store.CredentialQuery
		want []loci.Credential
	}{
		{"of a person", store.CredentialQuery{UserID: e.user}, []loci.Credential{key, l, s, full}},
		{"of all", store.CredentialQuery{}, []loci.Credential{stranger, key, l, s, full}},
		{"sessions", store.CredentialQuery{UserID: e.user, Method: loci.BySignIn}, []loci.Credential{s}},
		{"one", store.CredentialQuery{UserID: e.user, ID: key.ID}, []loci.Credential{key}},
		{"one of another", store.CredentialQuery{UserID: e.user, ID: stranger.ID}, nil},
		{"agents", store.CredentialQuery{Kind: loci.KindAgent}, []loci.Credential{full}},
		{"usable in two hours", store.CredentialQuery{UserID: e.user, Usable: now.Add(2 * time.Hour)},
			[]loci.Credential{key, s, full}},
		{"usable after idling", store.CredentialQuery{UserID: e.user, Usable: now.Add(7 * 24 * time.Hour)},
			[]loci.Credential{key, full}},
	} {
		tt.q.OrgID = e.org
		got, err := keys.List(ctx, tt.q)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			e.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
	any, err := keys.AnyAgent(ctx, now)
	if any || err != nil {
		e.Errorf("AnyAgent counts a token: %v, %v", any, err)
	}
	if any, err = keys.Any(ctx, now); !any || err != nil {
		e.Errorf("Any: %v, %v", any, err)
	}
	for _, c := range []loci.Credential{key, stranger} {
		if err := keys.Revoke(ctx, e.org, loci.UserID{}, c.ID, now); err != nil { // by an operator
			e.Error(err)
		}
	}
	if any, err = keys.Any(ctx, now); any || err != nil {
		e.Errorf("Any counts sessions, links, tokens or revoked keys: %v, %v", any, err)
	}
}

func testCredentialChanges(e *env) {
	ctx, keys, now := e.Context(), e.st.Credentials(), e.clock.now()
	s, key := e.insertCredential(1, session), e.insertCredential(2)
	at := now.Add(time.Hour)
	if err := keys.Prove(ctx, s.ID, at); err != nil || !e.byHash(s).ProvedAt.Equal(at) {
		e.Errorf("proved at %v, %v", e.byHash(s).ProvedAt, err)
	}
	e.wantCode("Prove of a key", keys.Prove(ctx, key.ID, at), loci.NotFound)
	w := loci.NewWorkspaceID()
	for _, want := range []loci.WorkspaceID{w, {}} {
		if err := keys.Enter(ctx, e.org, e.user, key.ID, want); err != nil || e.byHash(key).WorkspaceID != want {
			e.Errorf("in workspace %v, %v, want %v", e.byHash(key).WorkspaceID, err, want)
		}
	}
	e.wantCode("Enter by another person", keys.Enter(ctx, e.org, loci.NewUserID(), key.ID, w), loci.NotFound)
	e.wantCode("Enter in another org", keys.Enter(ctx, "other", e.user, key.ID, w), loci.NotFound)
	second, stranger := e.insertCredential(3, session),
		e.insertCredential(4, session, func(c *loci.Credential) { c.UserID = loci.NewUserID() })
	old := e.insertCredential(5, session, func(c *loci.Credential) { c.ExpiresAt = now })
	n, err := keys.RevokeAll(ctx, e.org, e.user, loci.BySignIn, second.ID, now)
	if n != 1 || err != nil {
		e.Errorf("RevokeAll: %d, %v, want 1", n, err)
	}
	for _, c := range []loci.Credential{second, stranger, key, old} {
		if got := e.byHash(c); !got.RevokedAt.IsZero() {
			e.Errorf("%d was revoked", c.Hash[0])
		}
	}
	if got := e.byHash(s); got.Usable(now) {
		e.Error("the other session is usable")
	}
	if n, err := keys.RevokeAll(ctx, e.org, e.user, "", loci.CredentialID{}, now); n != 2 || err != nil {
		e.Errorf("RevokeAll of any method: %d, %v, want 2", n, err)
	}
}

// Of several that use one link at once, one gets in.
func testUse(e *env) {
	ctx, keys, now := e.Context(), e.st.Credentials(), e.clock.now()
	l, late := e.insertCredential(1, link), e.insertCredential(2, link)
	_, err := keys.Use(ctx, late.Hash, late.ExpiresAt)
	e.wantCode("one that has expired", err, loci.NotFound)
	_, err = keys.Use(ctx, [32]byte{9}, now)
	e.wantCode("an unknown one", err, loci.NotFound)
	var wg sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		wg.Go(func() {
			got, err := keys.Use(ctx, l.Hash, now)
			if err == nil && (got.ID != l.ID || got.UserID != l.UserID || !got.RevokedAt.Equal(now)) {
				e.Errorf("got %+v", got)
			}
			results[i] = err
		})
	}
	wg.Wait()
	if won := slices.DeleteFunc(results, func(err error) bool { return loci.CodeOf(err) == loci.NotFound }); len(
		won) != 1 || won[0] != nil {
		e.Errorf("got %v, want one success", won)
	}
}

func testRotate(e *env) {
	ctx, keys, now := e.Context(), e.st.Credentials(), e.clock.now()
	soon, overlap := now.Add(time.Hour), now.Add(24*time.Hour)
	old, short := e.insertCredential(1), e.insertCredential(2, func(c *loci.Credential) { c.ExpiresAt = soon })
	next := func(seed byte, of loci.Credential) loci.Credential {
		return e.credential(seed, func(c *loci.Credential) { c.Replaces = of.ID })
	}
	results := make([]error, 6)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = keys.Rotate(ctx, next(byte(10+i), old), now, overlap) })
	}
	wg.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else {
			e.wantCode("a loser", err, loci.Conflict)
		}
	}
	if won != 1 || !e.byHash(old).ExpiresAt.Equal(overlap) {
		e.Errorf("%d won, the old key expires at %v; want 1, %v", won, e.byHash(old).ExpiresAt, overlap)
	}
	after := next(20, short)
	if err := keys.Rotate(ctx, after, now, overlap); err != nil || !e.byHash(short).ExpiresAt.Equal(soon) {
		e.Errorf("%v, the short key expires at %v, want %v", err, e.byHash(short).ExpiresAt, soon)
	}
	if diff := cmp.Diff(after, e.byHash(after)); diff != "" {
		e.Errorf("(-want +got):\n%s", diff)
	}
	e.wantCode("one that has expired", keys.Rotate(ctx, next(21, short), soon, overlap), loci.NotFound)
	stranger := next(22, after)
	stranger.UserID = loci.NewUserID()
	e.wantCode("another person's", keys.Rotate(ctx, stranger, now, overlap), loci.NotFound)
	e.wantCode("a taken hash", keys.Rotate(ctx, next(1, after), now, overlap), loci.Conflict)
	if got := e.byHash(after); !got.ExpiresAt.IsZero() {
		e.Errorf("a rotation that failed lets the key expire at %v", got.ExpiresAt)
	}
}

func testPurgeCredentials(e *env) {
	ctx, keys, now := e.Context(), e.st.Credentials(), e.clock.now()
	then := now.Add(-time.Hour)
	at := func(f func(c *loci.Credential, t time.Time), t time.Time) func(*loci.Credential) {
		return func(c *loci.Credential) { f(c, t) }
	}
	revoked := func(c *loci.Credential, t time.Time) { c.RevokedAt = t }
	expired := func(c *loci.Credential, t time.Time) { c.ExpiresAt = t }
	idle := func(c *loci.Credential, t time.Time) {
		c.CreatedAt, c.IdleAfter = t.Add(-2*time.Hour), time.Hour
		c.LastUsedAt = t.Add(-time.Hour)
	}
	before := then.Add(-time.Microsecond)
	for i, change := range []func(*loci.Credential){at(revoked, before), at(expired, before), at(idle, before)} {
		e.insertCredential(byte(10+i), session, change)
	}
	var kept []loci.Credential
	for i, change := range []func(*loci.Credential){at(revoked, then), at(expired, then), at(idle, then)} {
		kept = append(kept, e.insertCredential(byte(20+i), session, change))
	}
	for i, change := range []func(*loci.Credential){at(revoked, before), at(expired, before)} {
		kept = append(kept, e.insertCredential(byte(30+i), change)) // a key
	}
	for _, want := range []int{2, 1, 0} {
		if n, err := keys.Purge(ctx, then, 2); n != want || err != nil {
			e.Errorf("Purge: %d, %v, want %d", n, err, want)
		}
	}
	for _, c := range kept {
		e.byHash(c)
	}
}
