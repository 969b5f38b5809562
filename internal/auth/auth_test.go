package auth_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

type world struct {
	store store.Store
	dir   string
	org   loci.Org
	now   time.Time
}

func newWorld(t testing.TB) *world {
	w := &world{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	w.dir = t.TempDir()
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: w.dir, Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	w.store = st
	w.org = w.newOrg(t, loci.DefaultOrg, "mara@example.org")
	return w
}

func (w *world) newOrg(t testing.TB, id loci.OrgID, email string) loci.Org {
	t.Helper()
	owner := loci.User{ID: loci.NewUserID(), OrgID: id, Email: email, Role: loci.RoleUser, OrgRole: loci.MemberOwner,
		CreatedAt: w.now}
	org, _, err := w.store.Orgs().Ensure(t.Context(),
		loci.Org{ID: id, Name: string(id), OwnerID: owner.ID, State: loci.OrgActive, CreatedAt: w.now}, owner)
	if err != nil {
		t.Fatal(err)
	}
	return org
}

func (w *world) clock() time.Time { return w.now }

func (w *world) auth(t testing.TB, o auth.Options) *auth.Authenticator {
	o.Store, o.Now = w.store, w.clock
	a, err := auth.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (w *world) key(t testing.TB, r auth.KeyRequest) (loci.Credential, loci.Secret) {
	owner := loci.Principal{Kind: loci.KindLocal, OrgID: w.org.ID, UserID: w.org.OwnerID}
	c, key, err := auth.NewCredential(owner, r, w.now)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Credentials().Insert(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return c, key
}

func bearer(key loci.Secret) auth.Request { return auth.Request{Bearer: key} }

func TestEachPathMakesItsPrincipal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, personal := w.key(t, auth.KeyRequest{Name: "script", Rights: []loci.Right{loci.RightRead}})
	_, agent := w.key(t, auth.KeyRequest{Name: "laptop", Vendor: "cursor"})
	a := w.auth(t, auth.Options{OwnerKey: "owner-secret",
		AgentKeys: map[loci.Vendor]loci.Secret{"claude": "claude-secret"}})
	for _, tt := range []struct {
		name   string
		key    loci.Secret
		kind   loci.Kind
		vendor loci.Vendor
		origin string
		writes bool
	}{
		{"owner key", "owner-secret", loci.KindUser, "", "api", true},
		{"agent key of the environment", "claude-secret", loci.KindAgent, "claude", "claude", true},
		{"a person's key", personal, loci.KindUser, "", "api", false},
		{"an agent's key", agent, loci.KindAgent, "cursor", "cursor", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := a.Authenticate(t.Context(), bearer(tt.key))
			if err != nil {
				t.Fatal(err)
			}
			if p.Kind != tt.kind || p.Vendor != tt.vendor || p.Origin != tt.origin || p.UserID != w.org.OwnerID ||
				p.Has(loci.RightWrite) != tt.writes {
				t.Errorf("got %+v", p)
			}
		})
	}
	if !strings.HasPrefix(personal.Reveal(), "loci_live_") || !strings.HasPrefix(agent.Reveal(), "loci_agent_") ||
		len(personal) < 50 {
		t.Error("keys have the wrong form")
	}
}

func TestBadCredentialsGetOneAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, revoked := w.key(t, auth.KeyRequest{Name: "revoked"})
	if err := w.store.Credentials().Revoke(t.Context(), w.org.ID, w.org.OwnerID, c.ID, w.now); err != nil {
		t.Fatal(err)
	}
	_, expired := w.key(t, auth.KeyRequest{Name: "expired", ExpiresAt: w.now.Add(time.Minute)})
	w.now = w.now.Add(time.Minute)
	a := w.auth(t, auth.Options{OwnerKey: "owner-secret"})
	var texts []string
	for name, key := range map[string]loci.Secret{"unknown": "loci_live_nothing", "revoked": revoked, "expired": expired,
		"huge": loci.Secret(strings.Repeat("x", 1<<20)), "binary": "\x00\xff", "prefix of the owner's": "owner-secre"} {
		_, err := a.Authenticate(t.Context(), bearer(key))
		if loci.CodeOf(err) != loci.Unauthenticated {
			t.Errorf("%s: %v", name, err)
			continue
		}
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		if text != texts[0] {
			t.Errorf("answers differ: %q and %q", text, texts[0])
		}
	}
	if _, err := a.Authenticate(t.Context(), auth.Request{}); loci.CodeOf(err) != loci.Unauthenticated {
		t.Error(err)
	}
}

func TestUseIsRecordedOnceAMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, key := w.key(t, auth.KeyRequest{Name: "k"})
	a := w.auth(t, auth.Options{})
	start := w.now
	for _, tt := range []struct{ after, want time.Duration }{{0, 0}, {59 * time.Second, 0},
		{60 * time.Second, 60 * time.Second}, {90 * time.Second, 60 * time.Second}} {
		w.now = start.Add(tt.after)
		if _, err := a.Authenticate(t.Context(), bearer(key)); err != nil {
			t.Fatal(err)
		}
		got, err := w.store.Credentials().ByHash(t.Context(), c.Hash)
		if err != nil || !got.LastUsedAt.Equal(start.Add(tt.want)) {
			t.Errorf("after %v: last used %v, %v", tt.after, got.LastUsedAt.Sub(start), err)
		}
	}
}

func TestAgentsExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	exist := func(a *auth.Authenticator) bool {
		ok, err := a.AgentsExist(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	a := w.auth(t, auth.Options{OwnerKey: "o"})
	w.key(t, auth.KeyRequest{Name: "person"})
	if exist(a) {
		t.Error("a person's key is no agent")
	}
	if !exist(w.auth(t, auth.Options{AgentKeys: map[loci.Vendor]loci.Secret{"claude": "k"}})) {
		t.Error("an agent key of the environment is not seen")
	}
	w.key(t, auth.KeyRequest{Name: "agent", Vendor: "claude"})
	if !exist(a) {
		t.Error("a stored agent key is not seen")
	}
}

func TestDashboardNeedsItsToken(t *testing.T) {
	t.Parallel()
	const service, secret = "service-key", "0123456789abcdef0123456789abcdef"
	w := newWorld(t)
	a := w.auth(t, auth.Options{Dashboard: auth.Dashboard{ServiceKey: service, JWTSecret: secret}})
	good := jwt.MapClaims{"email": "Mara@example.org", "iss": "loci-dashboard", "aud": "loci", "email_verified": true,
		"exp": w.now.Add(time.Hour).Unix()}
	with := func(key string, value any) jwt.MapClaims {
		c := jwt.MapClaims{}
		for k, v := range good {
			c[k] = v
		}
		c[key] = value
		return c
	}
	sign := func(c jwt.MapClaims, key string) string {
		s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, good).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	critical := jwt.NewWithClaims(jwt.SigningMethodHS256, good)
	critical.Header["crit"], critical.Header["b64"] = []string{"b64"}, false
	crit, err := critical.SignedString([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, token string
		code        loci.Code
	}{
		{"good", sign(good, secret), ""},
		{"a header that it must understand", crit, loci.Unauthenticated},
		{"expires as text", sign(with("exp", strconv.FormatInt(w.now.Add(time.Hour).Unix(), 10)), secret),
			loci.Unauthenticated},
		{"expires at the limit", sign(with("exp", w.now.Add(auth.MaxDashboardToken).Unix()), secret), ""},
		{"expires too late", sign(with("exp", w.now.Add(auth.MaxDashboardToken+time.Minute).Unix()), secret),
			loci.Unauthenticated},
		{"expires in 300 years", sign(with("exp", w.now.AddDate(300, 0, 0).Unix()), secret), loci.Unauthenticated},
		{"expires never", sign(with("exp", 1e300), secret), loci.Unauthenticated},
		{"issued now", sign(with("iat", w.now.Unix()), secret), ""},
		{"issued by a clock that is ahead", sign(with("iat", w.now.Add(20*time.Second).Unix()), secret), ""},
		{"issued in the future", sign(with("iat", w.now.Add(time.Minute).Unix()), secret), loci.Unauthenticated},
		{"issued as text", sign(with("iat", "1"), secret), loci.Unauthenticated},
		{"proved as text", sign(with("auth_time", "1"), secret), loci.Unauthenticated},
		{"unverified address", sign(with("email_verified", false), secret), loci.Forbidden},
		{"address of which nothing is said", sign(with("email_verified", nil), secret), loci.Forbidden},
		{"verified as text", sign(with("email_verified", "true"), secret), loci.Forbidden},
		{"none", "", loci.Unauthenticated},
		{"unsigned", none, loci.Unauthenticated},
		{"other secret", sign(good, "another secret of at least 32 bytes"), loci.Unauthenticated},
		{"expired", sign(with("exp", w.now.Add(-time.Hour).Unix()), secret), loci.Unauthenticated},
		{"no expiry", sign(with("exp", nil), secret), loci.Unauthenticated},
		{"other audience", sign(with("aud", "else"), secret), loci.Unauthenticated},
		{"other issuer", sign(with("iss", "else"), secret), loci.Unauthenticated},
		{"no email", sign(with("email", ""), secret), loci.Forbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := a.Authenticate(t.Context(), auth.Request{Bearer: service, DashboardToken: loci.Secret(tt.token)})
			if loci.CodeOf(err) != tt.code || err == nil && (p.Origin != "dashboard" || p.UserID != w.org.OwnerID) {
				t.Errorf("got %+v, %v; want code %q", p, err, tt.code)
			}
		})
	}
	for ahead, want := range map[time.Duration]bool{0: true, -loci.StepUpAge: true, -6 * time.Minute: false,
		20 * time.Second: true, time.Minute: false, 1e6 * time.Second: false} {
		token := sign(with("auth_time", w.now.Add(ahead).Unix()), secret)
		p, err := a.Authenticate(t.Context(), auth.Request{Bearer: service, DashboardToken: loci.Secret(token)})
		if err != nil || p.Fresh(w.now) != want {
			t.Errorf("proved %v from now: fresh %v, %v; want %v", ahead, p.Fresh(w.now), err, want)
		}
	}
	if _, err := a.Authenticate(t.Context(), auth.Request{Bearer: "another-key",
		DashboardToken: loci.Secret(sign(good, secret))}); loci.CodeOf(err) != loci.Unauthenticated {
		t.Errorf("without the key of the dashboard: %v", err)
	}
	off := w.auth(t, auth.Options{})
	if _, err := off.Authenticate(t.Context(),
		auth.Request{Bearer: service, DashboardToken: loci.Secret(sign(good, secret))}); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("a dashboard that is not configured: %v", err)
	}
}

func TestNewRefusesConfusingKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, o := range map[string]auth.Options{
		"two vendors, one key": {AgentKeys: map[loci.Vendor]loci.Secret{"a": "k", "b": "k"}},
		"owner and vendor":     {OwnerKey: "k", AgentKeys: map[loci.Vendor]loci.Secret{"a": "k"}},
		"bad vendor":           {AgentKeys: map[loci.Vendor]loci.Secret{"A b": "k"}},
		"a person's origin":    {AgentKeys: map[loci.Vendor]loci.Secret{"api": "k"}},
		"half a dashboard":     {Dashboard: auth.Dashboard{ServiceKey: "k"}},
		"short secret":         {Dashboard: auth.Dashboard{ServiceKey: "k", JWTSecret: "short"}},
	} {
		o.Store = w.store
		if _, err := auth.New(o); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	key := loci.Secret("hunter2")
	for _, format := range []string{"%v", "%s", "%q", "%#v", "%+v", "%x"} {
		if s := fmt.Sprintf(format, struct{ K loci.Secret }{key}) +
			fmt.Sprintf(format, key); strings.Contains(s, "hunter2") || strings.Contains(s, "68756e74657232") {
			t.Errorf("%s prints %s", format, s)
		}
	}
}

// TestNewCredentialRefuses requires that a key has only rights of its kind, and a vendor that is one.
func TestNewCredentialRefuses(t *testing.T) {
	w := newWorld(t)
	owner := loci.Principal{Kind: loci.KindLocal, OrgID: w.org.ID, UserID: w.org.OwnerID}
	all := func(rights ...loci.Right) []loci.Right { return rights }
	for name, tt := range map[string]struct {
		r     auth.KeyRequest
		field string
	}{
		"a person's":                  {auth.KeyRequest{Rights: loci.Rights()}, ""},
		"an agent's":                  {auth.KeyRequest{Vendor: "claude", Rights: loci.AgentRights()}, ""},
		"an agent's, for the account": {auth.KeyRequest{Vendor: "claude", Rights: all(loci.RightAccount)}, "scopes"},
		"an agent's, for the org":     {auth.KeyRequest{Vendor: "claude", Rights: all(loci.RightAdmin)}, "scopes"},
		"of an unknown right":         {auth.KeyRequest{Rights: all("everything")}, "scopes"},
		"of the server":               {auth.KeyRequest{Vendor: loci.ServerOrigin}, "vendor"},
		"of a person as vendor":       {auth.KeyRequest{Vendor: loci.OriginAPI}, "vendor"},
		"for as many projects as may": {auth.KeyRequest{ProjectIDs: make([]loci.ProjectID, 100)}, ""},
		"for more projects than may":  {auth.KeyRequest{ProjectIDs: make([]loci.ProjectID, 101)}, "project_ids"},
		"that has expired":            {auth.KeyRequest{ExpiresAt: w.now}, "expires_at"},
		"that expires in a moment":    {auth.KeyRequest{ExpiresAt: w.now.Add(1)}, ""},
	} {
		tt.r.Name = "k"
		_, _, err := auth.NewCredential(owner, tt.r, w.now)
		if loci.FieldOf(err) != tt.field || tt.field == "" && err != nil {
			t.Errorf("a key %s: %v, want an error about %q", name, err, tt.field)
		}
	}
}

// TestWhoIsAdmin requires that the role of a person makes no admin of their agents.
func TestWhoIsAdmin(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	err := w.store.Update(ctx, w.org.ID, func(tx store.Tx) error {
		u, err := tx.Users().Get(ctx, w.org.OwnerID)
		if err != nil {
			return err
		}
		u.Role = loci.RoleAdmin
		return tx.Users().Update(ctx, u)
	})
	if err != nil {
		t.Fatal(err)
	}
	a := w.auth(t, auth.Options{})
	_, persons := w.key(t, auth.KeyRequest{Name: "mine"})
	_, agents := w.key(t, auth.KeyRequest{Name: "claude", Vendor: "claude"})
	for key, want := range map[loci.Secret]loci.Kind{persons: loci.KindAdmin, agents: loci.KindAgent} {
		if p, err := a.Authenticate(ctx, bearer(key)); err != nil || p.Kind != want {
			t.Errorf("got %s, %v; want %s", p.Kind, err, want)
		}
	}
}

func FuzzParseBearer(f *testing.F) {
	for _, s := range []string{"Bearer x", "bearer  y ", "Basic x", "Bearer", "", "Bearer\tx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		token := auth.ParseBearer(header).Reveal()
		if token != strings.TrimSpace(token) || token != "" && !strings.Contains(header, token) {
			t.Errorf("%q gave %q", header, token)
		}
	})
}
