package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/deployment"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/seal"
	"github.com/loci-memory/loci/internal/setting/settingtest"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
	"github.com/loci-memory/loci/internal/vectors"
)

// watched is a real engine that notes every audit entry of a transaction that
// was committed, and fails to add any while broken.
type watched struct {
	store.Store
	mu      sync.Mutex
	entries []loci.AuditEntry
	broken  bool
}

var errNoTrail = errors.New("the trail is broken")

type watchedTx struct {
	store.Tx
	w    *watched
	note *[]loci.AuditEntry
}

type watchedAudit struct {
	store.Audit
	tx watchedTx
}

type watchedPeople struct {
	store.People
	w *watched
}

func (w *watched) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	var note []loci.AuditEntry
	err := w.Store.Update(ctx, org, func(tx store.Tx) error {
		note = nil
		return fn(watchedTx{tx, w, &note})
	})
	w.commit(note, err)
	return err
}

type watchedGraph struct {
	store.GraphTx
	w    *watched
	note *[]loci.AuditEntry
}

func (w *watched) UpdateProject(ctx context.Context, org loci.OrgID, id loci.ProjectID,
	fn func(store.GraphTx) error) error {
	var note []loci.AuditEntry
	err := w.Store.UpdateProject(ctx, org, id, func(tx store.GraphTx) error {
		note = nil
		return fn(watchedGraph{tx, w, &note})
	})
	w.commit(note, err)
	return err
}

func (g watchedGraph) Record(ctx context.Context, e loci.AuditEntry) error {
	if g.w.broken {
		return errNoTrail
	}
	err := g.GraphTx.Record(ctx, e)
	if err == nil {
		*g.note = append(*g.note, e)
	}
	return err
}

func (w *watched) commit(note []loci.AuditEntry, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.entries = append(w.entries, note...)
	}
}

func (w *watched) People() store.People { return watchedPeople{w.Store.People(), w} }

func (p watchedPeople) Add(ctx context.Context, u loci.User, then func(store.Tx) error) error {
	var note []loci.AuditEntry
	err := p.People.Add(ctx, u, func(tx store.Tx) error {
		note = nil
		if then == nil {
			return nil
		}
		return then(watchedTx{tx, p.w, &note})
	})
	p.w.commit(note, err)
	return err
}

func (t watchedTx) Audit() store.Audit { return watchedAudit{t.Tx.Audit(), t} }

func (a watchedAudit) Add(ctx context.Context, e loci.AuditEntry) error {
	if a.tx.w.broken {
		return errNoTrail
	}
	err := a.Audit.Add(ctx, e)
	if err == nil {
		*a.tx.note = append(*a.tx.note, e)
	}
	return err
}

// stage is a deployment with people in it.
type stage struct {
	*app.App
	t      testing.TB
	st     *watched
	events *embedded.Log
	who    *auth.Authenticator
	dir    string
	clock  func() time.Time
	now    time.Time
	local  loci.Principal // the operator, in the default org
}

func newStage(t testing.TB, deletion loci.Deletion) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir(), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); s.now = s.now.Add(time.Millisecond); return s.now }
	s.clock = clock
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: s.dir, Now: clock})
	s.must(err)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	s.st = &watched{Store: st}
	s.who, err = auth.New(auth.Options{Store: s.st, Now: clock})
	s.must(err)
	signIn, err := auth.NewSignIn(auth.SignInOptions{Authenticator: s.who, Store: s.st, Now: clock})
	s.must(err)
	s.events = eventLog(t, s.dir, clock)
	s.App = app.New(app.Options{Patience: time.Minute, Store: s.st, Now: clock, Deletion: deletion, SignIn: signIn,
		OAuth: oauth.New(oauth.Options{Store: s.st, Now: clock}), Events: eventsIn(s.events),
		Settings: settingtest.Options(), Master: seal.Ring{masterKey(t)}, Models: &embedtest.Model{},
		Vectors:    vectors.NewFiles(filepath.Join(s.dir, "vectors")),
		Deployment: deployment.Options{Backups: &maintain.Backups{Dir: s.dir, Program: "test", Now: clock}, Copy: st.Backup}})
	t.Cleanup(func() {
		if err := s.Vectors.Close(); err != nil {
			t.Error(err)
		}
	})
	_, _, err = s.Identity.Setup(t.Context())
	s.must(err)
	s.local, err = s.who.LocalAs(t.Context(), loci.DefaultOrg, loci.UserID{})
	s.must(err)
	return s
}

// eventLog is a log of events in a data directory.
func eventLog(t testing.TB, dir string, now func() time.Time) *embedded.Log {
	t.Helper()
	log := embedded.Open(embedded.Options{Dir: filepath.Join(dir, "events"), Now: now})
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return log
}

func eventsIn(log *embedded.Log) event.Options {
	return event.Options{Logs: eventlogtest.One{Log: log}, Orgs: log.Orgs, DeadLetters: log}
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// org makes an org and returns the operator in it and its owner.
func (s *stage) org(id loci.OrgID, owner string) (loci.Principal, loci.User) {
	s.t.Helper()
	_, u, err := s.Org.Create(s.t.Context(), s.local, org.Draft{ID: id, Name: string(id), OwnerEmail: owner})
	s.must(err)
	return s.operator(id), u
}

func (s *stage) operator(id loci.OrgID) loci.Principal {
	s.t.Helper()
	p, err := s.who.LocalAs(s.t.Context(), id, loci.UserID{})
	s.must(err)
	return p
}

func (s *stage) user(operator loci.Principal, email string, role loci.MemberRole) loci.User {
	s.t.Helper()
	u, err := s.Org.AddUser(s.t.Context(), operator, org.NewUser{Email: email, Role: role})
	s.must(err)
	return u
}

// session signs a person in with a browser.
func (s *stage) session(u loci.User) loci.Principal {
	s.t.Helper()
	p, _, err := s.who.StartSignIn(s.t.Context(), loci.Person{UserID: u.ID, OrgID: u.OrgID, Email: u.Email}, "Test")
	s.must(err)
	return p
}

// key makes a key and comes in with it.
func (s *stage) key(p loci.Principal, r auth.KeyRequest) loci.Principal {
	s.t.Helper()
	if r.Name == "" {
		r.Name = "k"
	}
	_, secret, err := s.Identity.CreateKey(s.t.Context(), p, r)
	s.must(err)
	return s.with(secret)
}

func (s *stage) with(key loci.Secret) loci.Principal {
	s.t.Helper()
	p, err := s.who.Authenticate(s.t.Context(), auth.Request{Bearer: key})
	s.must(err)
	return p
}

func (s *stage) add(p loci.Principal, d memory.Draft) *loci.Memory {
	s.t.Helper()
	m, err := s.Memory.Create(s.t.Context(), p, d)
	s.must(err)
	return &m.Memory
}

// grant stores a grant of the person, without the browser's part of it.
func (s *stage) grant(p loci.Principal, client string, v loci.Vendor) loci.GrantID {
	s.t.Helper()
	s.must(s.st.OAuth().PutClient(s.t.Context(),
		loci.OAuthClient{ID: client, Name: client, RedirectURIs: []string{"https://c.example/cb"}, CreatedAt: s.now}))
	g := loci.Grant{ID: loci.NewGrantID(), OrgID: p.OrgID, UserID: p.UserID, ClientID: client, ClientName: client,
		Vendor: v,
		Rights: []loci.Right{loci.RightRead}, CreatedAt: s.now, ExpiresAt: s.now.Add(time.Hour)}
	code := loci.AuthCode{Hash: auth.Hash(auth.NewSecret("c")), GrantID: g.ID, ClientID: client,
		RedirectURI: "https://c.example/cb", ExpiresAt: s.now.Add(time.Minute)}
	s.must(s.st.OAuth().Allow(s.t.Context(), g, code))
	return g.ID
}

// project makes a project of p's.
func (s *stage) project(p loci.Principal, name string, everyone bool) loci.Project {
	s.t.Helper()
	made, err := s.Project.Create(s.t.Context(), p, project.Draft{Name: name, Everyone: &everyone})
	s.must(err)
	return made
}

func (s *stage) dumpProjects(org loci.OrgID, keep func(any, error)) {
	s.t.Helper()
	ctx := s.t.Context()
	ids, err := s.st.ProjectMembers().All(ctx, org, loci.WorkspaceID{})
	keep(ids, err)
	all := loci.Viewer{OrgID: org, UserID: loci.UserID{1}, ProjectIDs: ids}
	for _, id := range ids {
		p, err := s.st.Projects().Get(ctx, all, id)
		keep(p, err)
		keep(s.st.ProjectMembers().List(ctx, org, id))
		if p.Status == loci.ProjectArchived {
			continue
		}
		s.must(s.st.ViewProject(ctx, org, id, func(tx store.GraphTx) error {
			keep(tx.Graph().Read(ctx, all, store.GraphQuery{Limit: 1000}))
			keep(tx.Graph().Trash(ctx, all, 1000))
			return nil
		}))
	}
}

// dump writes down everything that a use case can change, of all orgs.
func (s *stage) dump() string {
	s.t.Helper()
	ctx := s.t.Context()
	var all []any
	keep := func(v any, err error) { s.t.Helper(); s.must(err); all = append(all, v) }
	orgs, err := s.st.Orgs().List(ctx)
	keep(orgs, err)
	keep(s.st.OAuth().Clients(ctx, 100))
	for _, org := range orgs {
		s.dumpProjects(org.ID, keep)
		creds, err := s.st.Credentials().List(ctx, store.CredentialQuery{OrgID: org.ID})
		for i := range creds {
			creds[i].LastUsedAt = time.Time{}
		}
		keep(creds, err)
		keep(s.st.OAuth().Grants(ctx, org.ID, loci.UserID{}))
		s.must(s.st.View(ctx, org.ID, func(tx store.Tx) error {
			users, err := tx.Users().List(ctx, loci.UserID{}, 100)
			keep(users, err)
			keep(tx.Teams().List(ctx))
			keep(tx.Teams().Invitations(ctx, loci.TeamID{}))
			workspaces, err := tx.Workspaces().List(ctx)
			keep(workspaces, err)
			for _, w := range workspaces {
				keep(tx.Workspaces().Members(ctx, w.ID))
			}
			for _, u := range users {
				encoded, err := tx.SignIn().Password(ctx, u.ID)
				if err != nil && loci.CodeOf(err) != loci.NotFound {
					return err
				}
				keep(encoded, nil)
				keep(tx.SignIn().Passkeys(ctx, u.ID))
				v := loci.Viewer{OrgID: org.ID, UserID: u.ID}
				nodes, _, err := tx.MemoryNodes().List(ctx, v, store.NodeQuery{Lifecycle: loci.AnyState, Limit: 100})
				keep(nodes, err)
				for _, n := range nodes {
					if n.DeletedAt.IsZero() {
						keep(tx.MemoryNodes().Items(ctx, v, n.ID))
					}
				}
				list, err := tx.Lists().List(ctx, v, store.ListQuery{Filter: store.Filter{Lifecycle: loci.AnyState}, Limit: 100})
				keep(list, err)
				for _, m := range list.Memories {
					keep(tx.Assets().List(ctx, v, m.ID, loci.AnyState))
					keep(tx.Sources().List(ctx, v, []loci.MemoryID{m.ID}, loci.AnyState))
				}
			}
			return nil
		}))
	}
	b, err := json.Marshal(all)
	s.must(err)
	return string(b)
}
