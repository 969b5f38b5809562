package oauth_test

import (
	"net/url"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth/oauth"
)

// The model: what must be true of codes and tokens, in a few lines.
type (
	modelGrant struct {
		revoked bool
		expires time.Time
		access  []*modelToken
	}
	modelToken struct {
		text    string
		grant   *modelGrant
		used    bool
		expires time.Time // if used: the end of the grace
	}
	machine struct {
		*world
		t       *rapid.T
		tb      testing.TB
		client  string
		other   string
		codes   []*modelToken
		refresh []*modelToken
	}
)

func (m *machine) spend(k *modelToken) bool {
	if k.grant.revoked || !m.now.Before(k.grant.expires) || !m.now.Before(k.expires) {
		k.grant.revoked = true // too late: the whole family goes
		return false
	}
	if !k.used {
		k.used, k.expires = true, m.now.Add(time.Minute)
	}
	return true
}

// steal is what another client's use does.
func (m *machine) steal(k *modelToken) bool {
	k.grant.revoked = k.grant.revoked || k.used
	return false
}

// exchange runs one call and compares it with what the model says.
func (m *machine) exchange(what string, form url.Values, g *modelGrant, want bool) {
	r, err := m.oauth.Token(m.t.Context(), form, own)
	if want != (err == nil) || !want && codeOf(err) != "invalid_grant" {
		m.t.Fatalf("%s: got %v, the model says %v", what, err, want)
	}
	if err == nil {
		g.access = append(g.access, &modelToken{text: r.AccessToken, grant: g, expires: m.now.Add(oauth.AccessLife)})
		m.refresh = append(m.refresh, &modelToken{text: r.RefreshToken, grant: g, expires: m.now.Add(oauth.RefreshLife)})
		g.expires = m.now.Add(oauth.RefreshLife)
	}
	for _, a := range g.access {
		if _, ok := m.works(m.t.Context(), a.text); ok != (!g.revoked && m.now.Before(a.expires)) {
			m.t.Fatalf("%s: an access token works: %v; revoked: %v", what, ok, g.revoked)
		}
	}
}

func (m *machine) authorize(*rapid.T) {
	code, _ := m.consent(m.tb, request(m.client), "claude")
	m.codes = append(m.codes, &modelToken{text: code.Reveal(), grant: &modelGrant{expires: m.now.Add(oauth.RefreshLife)},
		expires: m.now.Add(oauth.CodeLife)})
}

func pick(t *rapid.T, from []*modelToken) *modelToken {
	if len(from) == 0 {
		t.Skip("nothing to choose from")
	}
	if rapid.IntRange(0, 3).Draw(t, "newest") > 0 { // mostly what is likely to work
		return from[len(from)-1]
	}
	return rapid.SampledFrom(from).Draw(t, "which")
}

func (m *machine) redeem(t *rapid.T) {
	k := pick(t, m.codes)
	form := exchange(m.client, loci.Secret(k.text))
	switch rapid.IntRange(0, 5).Draw(t, "fault") {
	case 0:
		form.Set("code_verifier", verifier+"x")
		m.exchange("redeem with a wrong verifier", form, k.grant, false)
	case 1:
		form.Set("client_id", m.other)
		m.exchange("redeem by another client", form, k.grant, m.steal(k))
	default:
		m.exchange("redeem", form, k.grant, m.spend(k))
	}
}

func (m *machine) rotate(t *rapid.T) {
	k := pick(t, m.refresh)
	if rapid.IntRange(0, 5).Draw(t, "fault") == 0 {
		m.exchange("refresh by another client", refreshing(m.other, k.text), k.grant, m.steal(k))
		return
	}
	m.exchange("refresh", refreshing(m.client, k.text), k.grant, m.spend(k))
}

func (m *machine) revoke(t *rapid.T) {
	k := pick(t, m.refresh)
	if err := m.oauth.Revoke(t.Context(), url.Values{"token": {k.text}}); err != nil {
		t.Fatal(err)
	}
	k.grant.revoked = true
}

// TestStateMachine runs random interleavings of everything that can happen to
// codes and refresh tokens, and compares each answer with the model.
func TestStateMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client, other := w.register(t, callback), w.register(t, callback)
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{world: w, t: t, tb: tb, client: client, other: other}
		m.authorize(t)
		t.Repeat(map[string]func(*rapid.T){
			"authorize": m.authorize,
			"redeem":    m.redeem,
			"redeem a":  m.redeem,
			"refresh":   m.rotate,
			"refresh a": m.rotate,
			"revoke":    m.revoke,
			"wait": func(t *rapid.T) {
				w.now = w.now.Add(rapid.SampledFrom(
					[]time.Duration{time.Second, time.Second, 30 * time.Second, time.Minute, 59 * time.Minute, 2 * time.Hour,
						91 * 24 * time.Hour}).Draw(t, "wait"))
			},
		})
	})
}

// TestManyProcessesOfAClient lets the processes of one client use one code, and then one refresh token,
// at once. Each gets tokens, all of which work until somebody replays the old one later.
func TestManyProcessesOfAClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client := w.register(t, callback)
	race := func(form url.Values) []oauth.TokenResponse {
		won := make([]oauth.TokenResponse, 8)
		var wg sync.WaitGroup
		for i := range won {
			wg.Go(func() {
				var err error
				if won[i], err = w.oauth.Token(t.Context(), form, own); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return won
	}
	working := func(tokens []oauth.TokenResponse) (n int) {
		for _, one := range tokens {
			if _, ok := w.works(t.Context(), one.AccessToken); ok {
				n++
			}
		}
		return n
	}
	code, _ := w.consent(t, request(client), "claude")
	won := race(exchange(client, code))
	heirs := race(refreshing(client, won[0].RefreshToken))
	if n := working(won) + working(heirs); n != 16 {
		t.Errorf("%d of 16 access tokens work", n)
	}
	for _, one := range heirs {
		w.token(t, refreshing(client, one.RefreshToken))
	}
	w.now = w.now.Add(loci.ReplayGrace)
	if _, err := w.oauth.Token(t.Context(), refreshing(client, won[0].RefreshToken), own); codeOf(err) != "invalid_grant" {
		t.Errorf("a replay after the grace: %v", err)
	}
	if n := working(won) + working(heirs); n != 0 {
		t.Errorf("%d access tokens work after a late replay", n)
	}
	if _, err := w.oauth.Token(t.Context(), refreshing(client, won[1].RefreshToken), own); codeOf(err) != "invalid_grant" {
		t.Errorf("a refresh after a late replay: %v", err)
	}
}

// TestAnotherClientsReplay replays a used code and a used refresh token as another client, within the grace.
func TestAnotherClientsReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client, other := w.register(t, callback), w.register(t, callback)
	for name, replay := range map[string]func(code loci.Secret, got oauth.TokenResponse) url.Values{
		"code": func(code loci.Secret, _ oauth.TokenResponse) url.Values { return exchange(other, code) },
		"refresh token": func(_ loci.Secret, got oauth.TokenResponse) url.Values {
			return refreshing(other, got.RefreshToken)
		},
	} {
		code, _ := w.consent(t, request(client), "claude")
		got := w.token(t, exchange(client, code))
		next := w.token(t, refreshing(client, got.RefreshToken))
		if _, err := w.oauth.Token(t.Context(), replay(code, got), own); codeOf(err) != "invalid_grant" {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := w.works(t.Context(), next.AccessToken); ok {
			t.Errorf("%s: the grant lives on", name)
		}
	}
}
