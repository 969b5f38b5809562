package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/reviewtest"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

const (
	stateful  = "2025-11-25"
	stateless = "2026-07-28"
)

// world is a server on a fresh data directory.
type world struct {
	t      testing.TB
	app    *app.App
	auth   *auth.Authenticator
	store  *sqlite.Store
	server *mcpserver.Server
	owner  loci.Principal
	url    string   // of /mcp
	dir    string   // of the data
	ends   []func() // of the clients over stdio
	clock  *clock
	log    *bytes.Buffer
}

// clock advances by a second whenever it is read, so that no two memories have the
// same time, until it is frozen.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	frozen bool
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.frozen {
		c.now = c.now.Add(time.Second)
	}
	return c.now
}

func (c *clock) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = true
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

const ownerKey loci.Secret = "the-owner's-key"

func newWorld(t testing.TB, change ...func(*mcpserver.Options)) *world {
	t.Helper()
	return newWorldOf(t, reviewtest.ByLine{}, change...)
}

// newWorldOf is newWorld with what reads notes; nil: what a real server has without a model.
func newWorldOf(t testing.TB, reader review.Extractor, change ...func(*mcpserver.Options)) *world {
	t.Helper()
	ctx := context.Background()
	w := &world{t: t, clock: &clock{now: time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)}, log: &bytes.Buffer{},
		dir: t.TempDir()}
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: w.dir, Now: w.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	w.store = st
	events := embedded.Open(embedded.Options{Dir: filepath.Join(w.dir, "events"), Now: w.clock.Now})
	t.Cleanup(func() { events.Close() })
	w.app = app.New(app.Options{Patience: time.Hour, Store: st, Now: w.clock.Now, Extractor: reader,
		Events: event.Options{Logs: eventlogtest.One{Log: events}}})
	if _, _, err := w.app.Identity.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	if w.auth, err = auth.New(auth.Options{Store: st, OwnerKey: ownerKey, Now: w.clock.Now}); err != nil {
		t.Fatal(err)
	}
	if w.owner, err = w.auth.Local(ctx, ""); err != nil {
		t.Fatal(err)
	}
	o := mcpserver.Options{App: w.app, Auth: w.auth, Version: "test", Log: newLogger(w.log)}
	for _, c := range change {
		c(&o)
	}
	w.server = mcpserver.New(o)
	mux := http.NewServeMux()
	mux.Handle("/mcp", w.server.HTTP())
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	w.url = srv.URL + "/mcp"
	return w
}

// key creates an agent key.
func (w *world) key(vendor loci.Vendor, rights ...loci.Right) (loci.Credential, loci.Secret) {
	w.t.Helper()
	return w.keyOf(w.owner, vendor, rights...)
}

func (w *world) keyOf(p loci.Principal, vendor loci.Vendor, rights ...loci.Right) (loci.Credential, loci.Secret) {
	w.t.Helper()
	c, key, err := w.app.Identity.CreateKey(context.Background(), p,
		auth.KeyRequest{Name: string(vendor), Vendor: vendor, Rights: rights})
	if err != nil {
		w.t.Fatal(err)
	}
	return c, key
}

// person creates a person in an org, and the org if it is missing.
func (w *world) person(org loci.OrgID, email string) loci.Principal {
	w.t.Helper()
	ctx := context.Background()
	u := loci.User{ID: loci.NewUserID(), OrgID: org, Email: email, Role: loci.RoleUser, OrgRole: loci.Member,
		CreatedAt: w.clock.Now()}
	if _, err := w.store.Orgs().Get(ctx, org); loci.CodeOf(err) == loci.NotFound {
		u.OrgRole = loci.MemberOwner
		_, _, err := w.store.Orgs().Ensure(ctx,
			loci.Org{ID: org, Name: string(org), OwnerID: u.ID, State: loci.OrgActive, CreatedAt: w.clock.Now()}, u)
		if err != nil {
			w.t.Fatal(err)
		}
	} else if err := w.store.People().Add(ctx, u, nil); err != nil {
		w.t.Fatal(err)
	}
	p, err := w.auth.LocalAs(ctx, org, u.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// team puts people into a team.
func (w *world) team(name string, people ...loci.Principal) {
	w.t.Helper()
	ctx := context.Background()
	t := loci.Team{ID: loci.NewTeamID(), Name: name, CreatedAt: w.clock.Now()}
	err := w.store.Update(ctx, people[0].OrgID, func(tx store.Tx) error {
		if err := tx.Teams().Insert(ctx, t); err != nil {
			return err
		}
		for _, p := range people {
			u, err := tx.Users().Get(ctx, p.UserID)
			if err != nil {
				return err
			}
			u.TeamID, u.TeamRole = t.ID, loci.Member
			if err := tx.Users().Update(ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// as returns an HTTP client that sends a key.
func as(key loci.Secret) *http.Client {
	return &http.Client{Transport: sender{key, http.DefaultTransport}}
}

type sender struct {
	key  loci.Secret
	next http.RoundTripper
}

func (s sender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+s.key.Reveal())
	return s.next.RoundTrip(r)
}

// connect opens a connection with the official client.
func (w *world) connect(key loci.Secret, version string) *mcp.ClientSession {
	w.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(),
		&mcp.StreamableClientTransport{Endpoint: w.url, HTTPClient: as(key), DisableStandaloneSSE: true},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.t.Fatalf("connect with %s: %v", version, err)
	}
	w.t.Cleanup(func() { session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		w.t.Fatalf("negotiated %s, want %s", got, version)
	}
	return session
}

// raw is a client that speaks HTTP by hand.
type raw struct {
	w       *world
	query   string // of the address, with its question mark
	key     loci.Secret
	version string
	session string
	header  http.Header // of every request
	next    int
}

// raw opens a connection, if the version has them.
func (w *world) raw(key loci.Secret, version string) *raw {
	w.t.Helper()
	return w.rawAt(key, version, "")
}

// rawAt is raw at an address with a query.
func (w *world) rawAt(key loci.Secret, version, query string) *raw {
	w.t.Helper()
	r := &raw{w: w, key: key, version: version, query: query}
	if version >= stateless {
		return r
	}
	a := r.call("initialize", `{"protocolVersion":"`+version+
		`","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}`)
	if r.session = a.header.Get("Mcp-Session-Id"); r.session == "" {
		w.t.Fatalf("initialize: %d without a session: %s", a.status, a.body)
	}
	r.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil)
	return r
}

// reply is an HTTP answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// result unpacks the JSON-RPC result.
func (a reply) result(t testing.TB, into any) {
	t.Helper()
	var m struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal([]byte(a.body), &m); err != nil || m.Result == nil {
		t.Fatalf("status %d without a result: %s", a.status, a.body)
	}
	if err := json.Unmarshal(m.Result, into); err != nil {
		t.Fatal(err)
	}
}

// call sends one request with everything that the version requires.
func (r *raw) call(method, params string) reply {
	r.w.t.Helper()
	r.next++
	header := http.Header{}
	if r.version >= stateless {
		var p map[string]json.RawMessage
		if err := json.Unmarshal([]byte(params), &p); err != nil {
			r.w.t.Fatalf("params %s: %v", params, err)
		}
		header.Set("Mcp-Method", method)
		for _, name := range []string{"name", "uri"} {
			var s string
			if json.Unmarshal(p[name], &s) == nil {
				header.Set("Mcp-Name", s)
			}
		}
		p["_meta"] = json.RawMessage(`{"io.modelcontextprotocol/protocolVersion":"` + r.version +
			`","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":{}}`)
		b, err := json.Marshal(p)
		if err != nil {
			r.w.t.Fatal(err)
		}
		params = string(b)
	}
	return r.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, r.next, method, params), header)
}

// tool calls a tool.
func (r *raw) tool(name, arguments string) reply {
	r.w.t.Helper()
	return r.call("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
}

func (r *raw) post(body string, header http.Header) reply {
	r.w.t.Helper()
	return r.send(http.MethodPost, body, header)
}

func (r *raw) send(method, body string, header http.Header) reply {
	r.w.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, r.w.url+r.query, bytes.NewReader([]byte(body)))
	if err != nil {
		r.w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if r.version != "" {
		req.Header.Set("Mcp-Protocol-Version", r.version)
	}
	if r.session != "" {
		req.Header.Set("Mcp-Session-Id", r.session)
	}
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key.Reveal())
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.w.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.w.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

func newLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// failed reports whether the answer is a JSON-RPC error.
func (a reply) failed() bool {
	var m struct{ Error json.RawMessage }
	return json.Unmarshal([]byte(a.body), &m) == nil && m.Error != nil
}

// deletesByKey lets keys of the default org delete.
func (w *world) deletesByKey() {
	w.t.Helper()
	_, err := w.store.Orgs().Update(context.Background(), loci.DefaultOrg,
		func(o *loci.Org) error { o.Deletion = loci.DeleteWithKey; return nil })
	if err != nil {
		w.t.Fatal(err)
	}
}
