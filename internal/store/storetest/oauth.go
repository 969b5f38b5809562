package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
)

const (
	accessLife  = time.Hour
	refreshLife = 90 * 24 * time.Hour
	codeLife    = time.Minute
)

// flow goes through OAuth as one person with one client. Codes and tokens are
// known by a number.
type flow struct {
	e      *env
	user   loci.UserID
	client loci.OAuthClient
}

func newFlow(e *env, user loci.UserID) *flow {
	e.Helper()
	f := &flow{e, user, loci.OAuthClient{ID: "client", Name: "Client", RedirectURIs: []string{"http://127.0.0.1/cb"},
		CreatedAt: e.clock.now()}}
	if err := e.st.OAuth().PutClient(e.Context(), f.client); err != nil {
		e.Fatal(explain(err))
	}
	return f
}

func secret(kind byte, n int) [32]byte {
	return [32]byte{kind, byte(n), byte(n >> 8), byte(n >> 16), 1}
}

// grant returns a grant and its code, number n, not yet stored.
func (f *flow) grant(n int) (loci.Grant, loci.AuthCode) {
	now := f.e.clock.now()
	g := loci.Grant{ID: loci.NewGrantID(), OrgID: f.e.org, UserID: f.user, ClientID: f.client.ID,
		ClientName: f.client.Name, Vendor: "claude",
		Rights: []loci.Right{loci.RightRead}, Resource: "http://127.0.0.1/mcp", CreatedAt: now,
		ExpiresAt: now.Add(refreshLife)}
	return g, loci.AuthCode{Hash: secret('c', n), GrantID: g.ID, ClientID: g.ClientID,
		RedirectURI: f.client.RedirectURIs[0], Challenge: "challenge",
		Resource: g.Resource, ExpiresAt: now.Add(codeLife)}
}

func (f *flow) allow(n int) loci.Grant {
	f.e.Helper()
	g, code := f.grant(n)
	if err := f.e.st.OAuth().Allow(f.e.Context(), g, code); err != nil {
		f.e.Fatal(explain(err))
	}
	return g
}

// tokens returns access and refresh token number n.
func (f *flow) tokens(n int) (loci.Credential, loci.RefreshToken) {
	now := f.e.clock.now()
	access := loci.Credential{ID: loci.NewCredentialID(), OrgID: f.e.org, UserID: f.user, Kind: loci.KindAgent,
		Method: loci.ByOAuth, Vendor: "claude",
		Hash: secret('a', n), Rights: []loci.Right{loci.RightRead}, CreatedAt: now, ExpiresAt: now.Add(accessLife)}
	return access, loci.RefreshToken{Hash: secret('r', n), ExpiresAt: now.Add(refreshLife)}
}

func (f *flow) redeem(code, next int) (loci.Grant, error) {
	access, refresh := f.tokens(next)
	return f.e.st.OAuth().Redeem(f.e.Context(), secret('c', code), f.e.clock.now(), access, refresh)
}

func (f *flow) refresh(token, next int) (loci.Grant, error) {
	access, refresh := f.tokens(next)
	return f.e.st.OAuth().Refresh(f.e.Context(), secret('r', token), f.e.clock.now(), access, refresh)
}

// usable reports whether access token n is.
func (f *flow) usable(n int) (bool, error) {
	got, err := f.e.st.Credentials().ByHash(f.e.Context(), secret('a', n))
	return err == nil && got.Usable(f.e.clock.now()), err
}

func testOAuthClients(e *env) {
	ctx, oauth := e.Context(), e.st.OAuth()
	a := loci.OAuthClient{ID: "a", Name: "A", RedirectURIs: []string{"https://a.example/cb"}, URI: "https://a.example",
		Vendor: "claude", CreatedAt: e.clock.now()}
	b := loci.OAuthClient{ID: "b", Name: "B", RedirectURIs: []string{"http://127.0.0.1/"},
		CreatedAt: e.clock.now().Add(time.Second)}
	want := func(c loci.OAuthClient) {
		e.Helper()
		got, err := oauth.Client(ctx, c.ID)
		if diff := cmp.Diff(c, got); diff != "" || err != nil {
			e.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	for _, c := range []loci.OAuthClient{a, b} {
		if err := oauth.PutClient(ctx, c); err != nil {
			e.Fatal(explain(err))
		}
		want(c)
	}
	changed := a
	changed.Name, changed.RedirectURIs, changed.Vendor = "AA", []string{"https://a.example/2"}, "cursor"
	if err := oauth.PutClient(ctx, changed); err != nil {
		e.Error(err)
	}
	changed.Vendor = a.Vendor
	want(changed)
	for _, v := range []loci.Vendor{"cursor", ""} {
		changed.Vendor = v
		if err := oauth.SetVendor(ctx, a.ID, v); err != nil {
			e.Error(err)
		}
		want(changed)
	}
	for limit, want := range map[int][]loci.OAuthClient{1: {b}, 9: {b, changed}} {
		got, err := oauth.Clients(ctx, limit)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("Clients: %v (-want +got):\n%s", err, diff)
		}
	}
	e.wantCode("SetVendor of nothing", oauth.SetVendor(ctx, "absent", "x"), loci.NotFound)
	e.wantCode("DeleteClient of nothing", oauth.DeleteClient(ctx, "absent", e.clock.now()), loci.NotFound)
	f := newFlow(e, e.user)
	f.allow(1)
	if _, err := f.redeem(1, 1); err != nil {
		e.Fatal(explain(err))
	}
	if err := oauth.DeleteClient(ctx, f.client.ID, e.clock.now()); err != nil {
		e.Error(err)
	}
	if ok, err := f.usable(1); ok || err != nil {
		e.Errorf("the token of a deleted client: usable %v, %v", ok, err)
	}
	_, err := oauth.Client(ctx, f.client.ID)
	e.wantCode("a deleted client", err, loci.NotFound)
	_, err = f.refresh(1, 2)
	e.wantCode("a refresh for a deleted client", err, loci.Conflict)
}

func testGrants(e *env) {
	ctx, oauth := e.Context(), e.st.OAuth()
	f, other := newFlow(e, e.user), newFlow(e, loci.NewUserID())
	first := f.allow(1)
	e.clock.move(time.Second)
	second, theirs := f.allow(2), other.allow(3)
	for _, tt := range []struct {
		user loci.UserID
		want []loci.Grant
	}{{e.user, []loci.Grant{second, first}}, {loci.UserID{}, []loci.Grant{theirs, second, first}},
		{loci.NewUserID(), nil}} {
		got, err := oauth.Grants(ctx, e.org, tt.user)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			e.Errorf("Grants: %v (-want +got):\n%s", err, diff)
		}
	}
	now := e.clock.now()
	e.wantCode("another's", oauth.Revoke(ctx, e.org, e.user, theirs.ID, now), loci.NotFound)
	e.wantCode("another org's", oauth.Revoke(ctx, "other", e.user, first.ID, now), loci.NotFound)
	if err := oauth.Revoke(ctx, e.org, loci.UserID{}, theirs.ID, now); err != nil {
		e.Error(err)
	}
	_, err := other.redeem(3, 3)
	e.wantCode("the code of a revoked grant", err, loci.Conflict)
	g, code := f.grant(9)
	g.ClientID = "absent"
	e.wantCode("an unknown client", oauth.Allow(ctx, g, code), loci.NotFound)
	g, code = f.grant(9)
	g.OrgID = "absent"
	e.wantCode("an unknown org", oauth.Allow(ctx, g, code), loci.NotFound)
}

func testRedeem(e *env) {
	ctx, oauth := e.Context(), e.st.OAuth()
	f := newFlow(e, e.user)
	g, code := f.grant(1)
	if err := oauth.Allow(ctx, g, code); err != nil {
		e.Fatal(explain(err))
	}
	gotCode, gotGrant, err := oauth.Code(ctx, code.Hash)
	if diff := cmp.Diff(code, gotCode) + cmp.Diff(g, gotGrant); diff != "" || err != nil {
		e.Errorf("Code: %v (-want +got):\n%s", err, diff)
	}
	e.clock.move(time.Second)
	access, refresh := f.tokens(1)
	wrong := access
	wrong.UserID = loci.NewUserID()
	_, err = oauth.Redeem(ctx, code.Hash, e.clock.now(), wrong, refresh)
	e.wantCode("another person's token", err, loci.Invalid)
	got, err := oauth.Redeem(ctx, code.Hash, e.clock.now(), access, refresh)
	g.LastUsedAt, g.ExpiresAt = e.clock.now(), refresh.ExpiresAt
	if diff := cmp.Diff(g, got); diff != "" || err != nil {
		e.Errorf("Redeem: %v (-want +got):\n%s", err, diff)
	}
	access.GrantID, refresh.GrantID = g.ID, g.ID
	if diff := cmp.Diff(access, e.byHash(access)); diff != "" {
		e.Errorf("the access token (-want +got):\n%s", diff)
	}
	gotCode, _, err = oauth.Code(ctx, code.Hash)
	code.UsedAt = e.clock.now()
	if diff := cmp.Diff(code, gotCode); diff != "" || err != nil {
		e.Errorf("the used code: %v (-want +got):\n%s", err, diff)
	}
	gotToken, gotGrant, err := oauth.Refreshable(ctx, refresh.Hash)
	if diff := cmp.Diff(refresh, gotToken) + cmp.Diff(g, gotGrant); diff != "" || err != nil {
		e.Errorf("Refreshable: %v (-want +got):\n%s", err, diff)
	}
	e.clock.move(time.Minute)
	if err := e.st.Credentials().Touch(ctx, access.ID, e.clock.now()); err != nil {
		e.Error(err)
	}
	if list, err := oauth.Grants(ctx, e.org, e.user); err != nil || !list[0].LastUsedAt.Equal(e.clock.now()) {
		e.Errorf("a use of the token is none of the grant: %+v, %v", list, err)
	}
	got, err = f.refresh(1, 2)
	if err != nil || !got.ExpiresAt.Equal(e.clock.now().Add(refreshLife)) {
		e.Errorf("Refresh: %+v, %v", got, err)
	}
	refresh.UsedAt = e.clock.now()
	e.clock.move(time.Second)
	if _, err := f.refresh(1, 20); err != nil {
		e.Errorf("Refresh again: %v", explain(err))
	}
	gotToken, _, err = oauth.Refreshable(ctx, refresh.Hash)
	if diff := cmp.Diff(refresh, gotToken); diff != "" || err != nil {
		e.Errorf("the used refresh token: %v (-want +got):\n%s", err, diff)
	}
	for n := 1; n <= 2; n++ {
		if ok, err := f.usable(n); !ok || err != nil {
			e.Errorf("token %d: usable %v, %v", n, ok, err)
		}
	}
	_, err = f.redeem(9, 3)
	e.wantCode("an unknown code", err, loci.NotFound)
	_, err = f.refresh(9, 3)
	e.wantCode("an unknown refresh token", err, loci.NotFound)
	_, _, err = oauth.Code(ctx, [32]byte{})
	e.wantCode("Code of nothing", err, loci.NotFound)
	_, _, err = oauth.Refreshable(ctx, [32]byte{})
	e.wantCode("Refreshable of nothing", err, loci.NotFound)
}

// family is what must be true of one grant.
type family struct {
	grant      loci.Grant
	code       int
	codeEnds   time.Time         // when it can be exchanged for the last time
	tokens     []int             // access and refresh tokens, oldest first
	tokenEnds  map[int]time.Time // codeEnds of each refresh token
	used       map[int]bool      // codes and refresh tokens, by their numbers
	ends       time.Time
	accessEnds map[int]time.Time
	ended      bool
}

// machine is what must be true of all grants of one run.
type machine struct {
	*flow
	families []*family
	last     int // the number that was given out last
}

func (m *machine) next() int { m.last++; return m.last }

func (m *machine) some(t *rapid.T) *family {
	if len(m.families) == 0 {
		t.Skip("nothing is granted yet")
	}
	return rapid.SampledFrom(m.families).Draw(t, "family")
}

func (m *machine) allow(*rapid.T) {
	code := m.next()
	g := m.flow.allow(code)
	m.families = append(m.families,
		&family{grant: g, code: code, codeEnds: m.e.clock.now().Add(codeLife), tokenEnds: map[int]time.Time{},
			used: map[int]bool{}, ends: m.e.clock.now().Add(refreshLife), accessEnds: map[int]time.Time{}})
}

func (m *machine) redeem(t *rapid.T) {
	x, token := m.some(t), m.next()
	_, err := m.flow.redeem(x.code, token)
	if m.issued(t, x, x.codeEnds, token, err) && !x.used[x.code] {
		x.codeEnds, x.used[x.code] = m.e.clock.now().Add(loci.ReplayGrace), true
	}
}

func (m *machine) refresh(t *rapid.T) {
	x := m.some(t)
	if len(x.tokens) == 0 {
		t.Skip("not redeemed yet")
	}
	newest := len(x.tokens) - 1
	i, token := rapid.IntRange(max(0, newest-2), newest).Draw(t, "which"), m.next()
	old := x.tokens[i]
	_, err := m.flow.refresh(old, token)
	if m.issued(t, x, x.tokenEnds[old], token, err) && !x.used[old] {
		x.tokenEnds[old], x.used[old] = m.e.clock.now().Add(loci.ReplayGrace), true
	}
}

// issued notes the result of an exchange that succeeds until the given time, and returns whether it did.
func (m *machine) issued(t *rapid.T, x *family, until time.Time, token int, err error) bool {
	now := m.e.clock.now()
	may := !x.ended && until.After(now) && x.ends.After(now)
	if may != (err == nil) || err != nil && loci.CodeOf(err) != loci.Conflict {
		t.Fatalf("got %v, want success %v", explain(err), may)
	}
	if err != nil {
		x.ended = true
		return false
	}
	x.tokens, x.ends = append(x.tokens, token), now.Add(refreshLife)
	x.tokenEnds[token], x.accessEnds[token] = now.Add(refreshLife), now.Add(accessLife)
	return true
}

func (m *machine) revoke(t *rapid.T) {
	x := m.some(t)
	if err := m.e.st.OAuth().Revoke(m.e.Context(), m.e.org, m.user, x.grant.ID, m.e.clock.now()); err != nil {
		t.Fatal(explain(err))
	}
	x.ended = true
}

func (m *machine) pass(t *rapid.T) {
	m.e.clock.move(rapid.SampledFrom([]time.Duration{time.Second, loci.ReplayGrace - time.Second, codeLife, accessLife,
		refreshLife}).Draw(t, "passes"))
}

func (m *machine) check(t *rapid.T) {
	for _, x := range m.families {
		for _, token := range x.tokens {
			got, err := m.usable(token)
			if want := !x.ended && x.accessEnds[token].After(m.e.clock.now()); got != want || err != nil {
				t.Fatalf("token %d: usable %v, %v, want %v", token, got, err, want)
			}
		}
	}
}

// testOAuthMachine draws any order of what clients, thieves, people and time do.
func testOAuthMachine(e *env) {
	m := &machine{flow: newFlow(e, e.user)}
	rapid.Check(e.T, func(t *rapid.T) {
		m.families = nil
		t.Repeat(map[string]func(*rapid.T){"allow": m.allow, "redeem": m.redeem, "refresh": m.refresh, "revoke": m.revoke,
			"time": m.pass, "": m.check})
	})
}

// The processes of one client race for a code or a refresh token. All of them get tokens that work. A
// replay after the grace ends them all.
func testOAuthConcurrent(e *env) {
	f := newFlow(e, e.user)
	const racers = 4
	race := func(what string, first int, run func(next int) error) {
		results := make([]error, racers)
		var wg sync.WaitGroup
		for i := range racers {
			wg.Go(func() { results[i] = run(first + i) })
		}
		wg.Wait()
		for i, err := range results {
			if ok, _ := f.usable(first + i); !ok || err != nil {
				e.Errorf("%s: token %d: usable %v, %v", what, first+i, ok, err)
			}
		}
	}
	for round := range 5 {
		n := 1000 * (round + 1)
		f.allow(n)
		race(fmt.Sprint("redeem ", round), n, func(next int) error { _, err := f.redeem(n, next); return err })
		f.allow(n + 100)
		if _, err := f.redeem(n+100, n+100); err != nil {
			e.Fatal(explain(err))
		}
		race(fmt.Sprint("refresh ", round), n+200, func(next int) error { _, err := f.refresh(n+100, next); return err })
		race(fmt.Sprint("each ", round), n+300, func(next int) error { _, err := f.refresh(next-100, next); return err })
		e.clock.move(loci.ReplayGrace)
		_, err := f.refresh(n+100, n+400)
		e.wantCode("a late replay", err, loci.Conflict)
		for i := range racers {
			for _, token := range []int{n + 200 + i, n + 300 + i} {
				if ok, _ := f.usable(token); ok {
					e.Errorf("token %d is usable after a late replay", token)
				}
			}
			_, err := f.refresh(n+300+i, n+500+i)
			e.wantCode("an heir of a replayed token", err, loci.Conflict)
		}
	}
}

func testPurgeOAuth(e *env) {
	ctx, oauth := e.Context(), e.st.OAuth()
	f := newFlow(e, e.user)
	unused := loci.OAuthClient{ID: "unused", RedirectURIs: []string{"https://x.example"}, CreatedAt: e.clock.now()}
	bound := loci.OAuthClient{ID: "bound", RedirectURIs: []string{"https://y.example"}, Vendor: "claude",
		CreatedAt: e.clock.now()}
	for _, c := range []loci.OAuthClient{unused, bound} {
		if err := oauth.PutClient(ctx, c); err != nil {
			e.Fatal(err)
		}
	}
	f.allow(1)
	if _, err := f.redeem(1, 1); err != nil {
		e.Fatal(explain(err))
	}
	if _, err := f.refresh(1, 2); err != nil {
		e.Fatal(explain(err))
	}
	purge := func(then time.Time, want int) {
		e.Helper()
		if n, err := oauth.Purge(ctx, then, 100); n != want || err != nil {
			e.Errorf("Purge: %d, %v, want %d", n, err, want)
		}
	}
	purge(e.clock.now(), 0)
	purge(e.clock.now().Add(time.Hour), 2) // the code and the client that nobody uses
	_, err := oauth.Client(ctx, unused.ID)
	e.wantCode("the unused client", err, loci.NotFound)
	for _, id := range []string{bound.ID, f.client.ID} {
		if _, err := oauth.Client(ctx, id); err != nil {
			e.Errorf("client %s: %v", id, err)
		}
	}
	if _, _, err := oauth.Refreshable(ctx, secret('r', 1)); err != nil {
		e.Errorf("a used refresh token is forgotten before it expires: %v", err)
	}
	e.clock.move(loci.ReplayGrace)
	_, err = f.refresh(1, 3)
	e.wantCode("its reuse", err, loci.Conflict)
	purge(e.clock.now().Add(time.Second), 2) // both refresh tokens of the revoked grant
}
