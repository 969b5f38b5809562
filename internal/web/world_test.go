package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/deployment"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/setting"
	"github.com/loci-memory/loci/internal/setting/settingtest"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
	"github.com/loci-memory/loci/internal/vectors"
	"github.com/loci-memory/loci/internal/web"
)

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

const (
	maraMail                 = "mara@example.org"
	maraPassword loci.Secret = "correct horse battery"
)

// world is a server with one org and its owner, Mara, who has a password.
type world struct {
	t      *testing.T
	store  store.Store
	app    *app.App
	auth   *auth.Authenticator
	signIn *auth.SignIn
	clock  *clock
	log    *syncBuffer
	mara   loci.Person
	base   string // http://localhost:port
	all    http.Handler
	down   atomic.Bool // every connection breaks
	// What the configuration sets. A test may change the values before it opens the dashboard.
	settings setting.Options
	held     atomic.Pointer[chan struct{}] // requests wait until it is closed; nil: they do not
	srv      *httptest.Server
	sent     atomic.Pointer[syncBuffer] // what browsers got; nil: it is not recorded
	dir      string
	oidc     auth.SignInOptions
	second   http.Handler // another server, which gets every other request; nil: there is none
	requests atomic.Int64
	models   embed.Source // nil: there is none
}

// dropStreams breaks the connections that are open.
func (w *world) dropStreams() { w.srv.CloseClientConnections() }

// hold lets requests wait until release is called.
func (w *world) hold() (release func()) {
	wait := make(chan struct{})
	w.held.Store(&wait)
	return sync.OnceFunc(func() {
		w.held.Store(nil)
		close(wait)
	})
}

// reach holds requests, and breaks connections while the server is down.
func (w *world) reach(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if wait := w.held.Load(); wait != nil {
			select {
			case <-*wait:
			case <-r.Context().Done():
			}
		}
		if w.down.Load() {
			panic(http.ErrAbortHandler)
		}
		if w.requests.Add(1)%2 == 0 && w.second != nil {
			w.second.ServeHTTP(rw, r)
			return
		}
		next.ServeHTTP(w.recorded(rw, r), r)
	})
}

// syncBuffer takes the log of several requests at once.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// reset forgets what was written.
func (s *syncBuffer) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Reset()
}

// newWorld makes a world; providers are those of single sign-on.
func newWorld(t *testing.T, providers ...func(w *world) auth.OIDCProvider) *world {
	t.Helper()
	return newWorldWith(t, nil, providers...)
}

// newWorldWith makes a world with a model of embeddings.
func newWorldWith(t *testing.T, models embed.Source, providers ...func(w *world) auth.OIDCProvider) *world {
	t.Helper()
	w := &world{t: t, models: models, clock: &clock{now: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)}, log: &syncBuffer{},
		settings: settingtest.Options()}
	w.dir = t.TempDir()
	// The address is known before there is anything to serve.
	mux := http.NewServeMux()
	w.all = mux
	srv := httptest.NewServer(w.reach(mux))
	w.srv = srv
	t.Cleanup(srv.Close)
	w.base = strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	for _, p := range providers {
		w.oidc.Egress, w.oidc.Site = true, auth.Site{PublicURL: w.base}
		w.oidc.OIDC = append(w.oidc.OIDC, p(w))
	}
	w.serve(mux)
	w.mara = w.owner("acme", maraMail)
	w.setPassword(w.mara, maraPassword)
	return w
}

// serve adds to mux what a process of the server has.
func (w *world) serve(mux *http.ServeMux) {
	t := w.t
	t.Helper()
	log := slog.New(slog.NewTextHandler(w.log, nil))
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: w.dir, Now: w.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	w.store = st
	if w.auth, err = auth.New(auth.Options{Store: st, Now: w.clock.Now, Log: log}); err != nil {
		t.Fatal(err)
	}
	o := w.oidc
	o.Authenticator, o.Store, o.Now, o.Log = w.auth, st, w.clock.Now, log
	if w.signIn, err = auth.NewSignIn(o); err != nil {
		t.Fatal(err)
	}
	server := oauth.New(oauth.Options{Store: st, Now: w.clock.Now, Log: log})
	events := embedded.Open(embedded.Options{Dir: t.TempDir(), Now: w.clock.Now})
	t.Cleanup(func() { events.Close() })
	w.app = app.New(app.Options{Store: st, Now: w.clock.Now, Log: log, OAuth: server, SignIn: w.signIn,
		Events: event.Options{Logs: eventlogtest.One{Log: events}, Orgs: events.Orgs},
		Deployment: deployment.Options{Backups: &maintain.Backups{Dir: w.dir, Program: "test", Now: w.clock.Now},
			Copy: st.Backup}, Settings: w.settings, Models: w.models, Vectors: vectors.NewFiles(t.TempDir())})
	t.Cleanup(func() { w.app.Vectors.Close() })
	mux.Handle("/api/v1/", http.StripPrefix("/api/v1", rest.New(rest.Options{App: w.app, Auth: w.auth, Now: w.clock.Now,
		Log: log})))
	mux.Handle("/mcp", mcpserver.New(mcpserver.Options{App: w.app, Auth: w.auth, Log: log, SignIn: true}).HTTP())
	mux.Handle("/", web.New(web.Options{App: w.app, Auth: w.auth, SignIn: w.signIn, OAuth: server, Log: log,
		Now: w.clock.Now, Version: "test"}))
}

// owner makes an org with its owner.
func (w *world) owner(org loci.OrgID, email string) loci.Person {
	w.t.Helper()
	u := loci.User{ID: loci.NewUserID(), OrgID: org, Email: email, Name: "Mara", Role: loci.RoleUser,
		OrgRole: loci.MemberOwner, CreatedAt: w.clock.Now()}
	_, _, err := w.store.Orgs().Ensure(w.t.Context(),
		loci.Org{ID: org, Name: "Acme", OwnerID: u.ID, State: loci.OrgActive, CreatedAt: w.clock.Now()}, u)
	if err != nil {
		w.t.Fatal(err)
	}
	return loci.Person{UserID: u.ID, OrgID: org, Email: email}
}

func (w *world) setPassword(who loci.Person, password loci.Secret) {
	w.t.Helper()
	encoded, err := w.signIn.HashPassword(w.t.Context(), password, who.Email)
	if err == nil {
		err = w.store.Update(w.t.Context(), who.OrgID,
			func(tx store.Tx) error { return tx.SignIn().SetPassword(w.t.Context(), who.UserID, encoded) })
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// local is the operator acting for somebody.
func (w *world) local(who loci.Person) loci.Principal {
	w.t.Helper()
	p, err := w.auth.LocalAs(w.t.Context(), who.OrgID, who.UserID)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// remember stores a memory of Mara's that only some vendors may read.
func (w *world) remember(title string, vendors ...loci.Vendor) {
	w.t.Helper()
	_, err := w.app.Memory.Create(w.t.Context(), w.local(w.mara),
		memory.Draft{Title: title, Content: "about " + title, AllowedVendors: vendors})
	if err != nil {
		w.t.Fatal(err)
	}
}

// browser is an HTTP client with cookies that follows no redirect and says, as
// browsers do, that its requests come from the site's own pages.
type browser struct {
	w      *world
	client *http.Client
	site   string // Sec-Fetch-Site
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w: w, site: "same-origin", client: &http.Client{Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) location() string { return a.header.Get("Location") }

func (b *browser) do(method, path string, header http.Header, body string) answer {
	b.w.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, b.w.base+path, strings.NewReader(body))
	if err != nil {
		b.w.t.Fatal(err)
	}
	if b.site != "" {
		r.Header.Set("Sec-Fetch-Site", b.site)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	res, err := b.client.Do(r)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}

func (b *browser) get(path string) answer {
	b.w.t.Helper()
	return b.do(http.MethodGet, path, nil, "")
}

var formType = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}

// post sends a form of names and values.
func (b *browser) post(path string, pairs ...string) answer {
	b.w.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return b.do(http.MethodPost, path, formType, form.Encode())
}

// signIn signs Mara in.
func (b *browser) signIn() {
	b.w.t.Helper()
	if a := b.post("/app/sign-in", "email", maraMail, "password", maraPassword.Reveal()); a.status != http.StatusSeeOther {
		b.w.t.Fatalf("sign-in: %d %s", a.status, a.body)
	}
}

// client registers an OAuth client and returns its id.
func (w *world) client(name, redirect string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{redirect},
		"token_endpoint_auth_method": "none"})
	if err != nil {
		w.t.Fatal(err)
	}
	a := w.browser().do(http.MethodPost, "/oauth/register", http.Header{"Content-Type": {"application/json"}},
		string(body))
	var out struct {
		ClientID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || a.status != http.StatusCreated || out.ClientID == "" {
		w.t.Fatalf("register: %d %s", a.status, a.body)
	}
	return out.ClientID
}

// want fails unless an answer has a status and all the texts.
func want(t *testing.T, what string, a answer, status int, texts ...string) {
	t.Helper()
	if a.status != status {
		t.Errorf("%s: status %d, want %d: %s", what, a.status, status, a.body)
	}
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			t.Errorf("%s: %q is not in %s", what, text, a.body)
		}
	}
}
