package rest_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/deployment"
	eventcase "github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/front"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/review/reviewtest"
	"github.com/loci-memory/loci/internal/setting/settingtest"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// The credentials of a test server.
const (
	owner  = "owner-key"
	claude = "claude-key"
	cursor = "cursor-key"
	gemini = "gemini-key"
)

// clock is a time that moves by a second whenever it is asked, until it is
// frozen.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	frozen bool
	step   time.Duration // at each call; default: a second
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.frozen {
		c.now = c.now.Add(cmp.Or(c.step, time.Second))
	}
	return c.now
}

// slow lets the clock move by ten milliseconds at each call, unless it has another step.
func (c *clock) slow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step = cmp.Or(c.step, 10*time.Millisecond)
}

func (c *clock) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = true
}

// stop freezes the clock at noon of its second day, however often the background work of the server
// has asked for the time until now.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.frozen = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), true
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// server is a real handler over a real store, behind the front door.
type server struct {
	http.Handler
	app   *app.App
	auth  *auth.Authenticator
	store store.Store
	owner loci.Principal
	clock *clock
	log   *bytes.Buffer
}

func newServer(tb testing.TB, change ...func(*rest.Options, *app.Options)) *server {
	tb.Helper()
	ctx := context.Background()
	c := &clock{now: time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC)}
	dir := tb.TempDir()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: dir, Now: c.Now})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	au, err := auth.New(auth.Options{Store: st, OwnerKey: owner, Now: c.Now,
		AgentKeys: map[loci.Vendor]loci.Secret{"claude": claude, "cursor": cursor, "gemini": gemini}})
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{auth: au, store: st, clock: c, log: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(&lockedWriter{w: s.log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ro := rest.Options{Auth: au, Now: c.Now, Version: "0.0.0-test", Log: log}
	events := embedded.Open(embedded.Options{Dir: filepath.Join(dir, "events"), Now: c.Now})
	tb.Cleanup(func() { events.Close() })
	signIn, err := auth.NewSignIn(auth.SignInOptions{Authenticator: au, Store: st, Now: c.Now})
	if err != nil {
		tb.Fatal(err)
	}
	ao := app.Options{Patience: time.Hour, Settings: settingtest.Options(), Store: st, Now: c.Now, SignIn: signIn,
		Deletion:  loci.DeleteWithKey,
		Extractor: reviewtest.ByLine{},
		Events:    eventcase.Options{Logs: eventlogtest.One{Log: events}, Orgs: events.Orgs},
		Deployment: deployment.Options{Backups: &maintain.Backups{Dir: dir, Program: "0.0.0-test", Now: c.Now},
			Copy: st.Backup}}
	for _, f := range change {
		f(&ro, &ao)
	}
	s.app = app.New(ao)
	if _, _, err := s.app.Identity.Setup(ctx); err != nil {
		tb.Fatal(err)
	}
	if s.owner, err = au.Local(ctx, ""); err != nil {
		tb.Fatal(err)
	}
	ro.App = s.app
	s.Handler = front.New(front.Options{REST: rest.New(ro), Log: log})
	return s
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// do sends one request. A header is "Name: value".
func (s *server) do(method, path, key, body string, headers ...string) *httptest.ResponseRecorder {
	if strings.HasSuffix(path, "/changes") {
		path += "?once=true" // the answer to others has no end
	}
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:5624"
	switch {
	case strings.HasSuffix(r.URL.Path, "/graph/import"):
		r.Header.Set("Content-Type", "application/x-ndjson")
	case body != "":
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if value == "" {
			r.Header.Del(name)
			continue
		}
		r.Header.Set(name, value)
	}
	return s.send(r, key)
}

func (s *server) send(r *http.Request, key string) *httptest.ResponseRecorder {
	if strings.HasPrefix(key, "loci_session_") {
		r.AddCookie(&http.Cookie{Name: auth.SecureCookie, Value: key})
		if _, said := r.Header["Sec-Fetch-Site"]; !said && r.Header.Get("Origin") == "" { // as a browser does
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
	} else if key != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// write stores a memory and returns it.
func (s *server) write(tb testing.TB, key, body string) *loci.Memory {
	tb.Helper()
	w := s.do("POST", "/agent/memories", key, body)
	if w.Code != http.StatusCreated {
		tb.Fatalf("POST /agent/memories: got %d %s", w.Code, w.Body)
	}
	var m loci.Memory
	decode(tb, w, &m)
	return &m
}

func decode(tb testing.TB, w *httptest.ResponseRecorder, v any) {
	tb.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
		tb.Fatalf("the answer %s is not what was expected: %v", w.Body, err)
	}
}
