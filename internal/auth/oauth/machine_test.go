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
		expires time.Time
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
	if k.used || k.grant.revoked || !m.now.Before(k.grant.expires) || !m.now.Before(k.expires) {
		k.grant.revoked = true // used again, or too late: the whole family goes
		return false
	}
	k.used = true
	return true
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
		m.exchange("redeem by another client", form, k.grant, false)
	default:
		m.exchange("redeem", form, k.grant, m.spend(k))
	}
}

func (m *machine) rotate(t *rapid.T) {
	k := pick(t, m.refresh)
	if rapid.IntRange(0, 5).Draw(t, "fault") == 0 {
		m.exchange("refresh by another client", refreshing(m.other, k.text), k.grant, false)
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

// TestOneOfManyGetsThrough lets many callers use one code, and then one refresh
// token, at once: at most one gets tokens, and the theft that this looks like
// ends the grant.
func TestOneOfManyGetsThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client := w.register(t, callback)
	race := func(form url.Values) (won []oauth.TokenResponse) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range 8 {
			wg.Go(func() {
				r, err := w.oauth.Token(t.Context(), form, own)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, r)
				} else if codeOf(err) != "invalid_grant" {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return won
	}
	code, _ := w.consent(t, request(client), "claude")
	won := race(exchange(client, code))
	if len(won) != 1 {
		t.Fatalf("%d of 8 redeemed one code", len(won))
	}
	if _, ok := w.works(t.Context(), won[0].AccessToken); ok {
		t.Error("a code that was used twice left a working token")
	}
	code, _ = w.consent(t, request(client), "claude")
	won = race(refreshing(client, w.token(t, exchange(client, code)).RefreshToken))
	if len(won) != 1 {
		t.Fatalf("%d of 8 used one refresh token", len(won))
	}
	if _, ok := w.works(t.Context(), won[0].AccessToken); ok {
		t.Error("a refresh token that was used twice left a working token")
	}
	if _, err := w.oauth.Token(t.Context(), refreshing(client, won[0].RefreshToken), own); codeOf(err) != "invalid_grant" {
		t.Errorf("its successor: %v", err)
	}
}
