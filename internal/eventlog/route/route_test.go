package route_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc/arctest"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/route"
	"github.com/loci-memory/loci/internal/seal"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

const (
	token = "arc-token"
	acme  = loci.OrgID("acme")
	other = loci.OrgID("other")
)

// world has two orgs and two Arcs.
type world struct {
	*testing.T
	st     store.Store
	master *seal.Key
	local  *embedded.Log
	logs   *route.Logs

	mu   sync.Mutex
	arcs map[string]*arctest.Arc // by host
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, arcs: map[string]*arctest.Arc{}}
	for _, host := range []string{"one.test", "two.test"} {
		fake := arctest.New(token)
		fake.Delay, fake.Cache = 0, 0
		t.Cleanup(fake.Close)
		w.arcs[host] = fake
	}
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: t.TempDir()})
	w.must(err)
	t.Cleanup(func() { w.must(st.Close()) })
	w.st = st
	w.master, err = seal.ParseKey(seal.Generate())
	w.must(err)
	for _, id := range []loci.OrgID{acme, other} {
		owner := loci.User{ID: loci.NewUserID(), OrgID: id, Email: string(id) + "@example.org", Role: loci.RoleUser,
			OrgRole: loci.MemberOwner, CreatedAt: time.Now()}
		_, _, err := st.Orgs().Ensure(t.Context(), loci.Org{ID: id, Name: string(id), OwnerID: owner.ID,
			CreatedAt: time.Now()}, owner)
		w.must(err)
	}
	w.local = embedded.Open(embedded.Options{Dir: filepath.Join(t.TempDir(), "events")})
	w.logs = w.open(seal.Ring{w.master})
	t.Cleanup(func() { w.must(w.logs.Close()); w.must(w.local.Close()) })
	return w
}

func (w *world) open(master seal.Ring) *route.Logs {
	return route.New(route.Options{Store: w.st, Local: w.local, Default: loci.EventsEmbedded, Master: master,
		HTTP: &http.Client{Transport: w}, BatchSize: 10, FlushInterval: time.Millisecond})
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.arcs[r.URL.Host].RoundTrip(r)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) set(id loci.OrgID, to loci.EventStore) {
	w.Helper()
	_, err := w.st.Orgs().Update(w.Context(), id, func(o *loci.Org) error { o.Events = to; return nil })
	w.must(err)
}

// bind gives an org an Arc, or another one.
func (w *world) bind(id loci.OrgID, host string) {
	w.Helper()
	nonce, sealed := w.master.Seal(id, token)
	row := store.ArcBinding{OrgID: id, URL: "http://" + host, Database: string(id), Measurement: "events",
		Key:       store.SealedKey{MasterID: w.master.ID(), Nonce: nonce, Sealed: sealed},
		CreatedAt: time.Now(), UpdatedAt: time.Now()}
	_, err := w.st.ArcBindings().Update(w.Context(), id, func(b *store.ArcBinding) error { *b = row; return nil })
	if loci.CodeOf(err) == loci.NotFound {
		err = w.st.ArcBindings().Insert(w.Context(), row)
	}
	w.must(err)
}

func (w *world) of(id loci.OrgID) eventlog.Engine {
	w.Helper()
	log, err := w.logs.Of(w.Context(), id)
	w.must(err)
	return log
}

func viewerOf(id loci.OrgID) loci.Viewer { return loci.Viewer{OrgID: id, UserID: loci.UserID{15: 1}} }

// append stores an event of an org in its present log.
func (w *world) append(id loci.OrgID, content string) {
	w.Helper()
	e := &loci.Event{Content: content, RecordedAt: loci.CutTime(time.Now()),
		EventAccess: loci.EventAccess{OrgID: id, UserID: loci.UserID{15: 1}, Origin: "person"}}
	e.SetDefaults(e.RecordedAt)
	e.ID = loci.NewEventID(e.Time)
	_, err := w.of(id).Append(w.Context(), viewerOf(id), []*loci.Event{e}, eventlog.Dedup{})
	w.must(err)
}

// wantEvents compares how many events a viewer of an org finds.
func (w *world) wantEvents(what string, id loci.OrgID, want int) {
	w.Helper()
	page, err := w.of(id).Find(w.Context(), viewerOf(id), eventlog.Query{Limit: 100})
	if err != nil || len(page.Events) != want {
		w.Errorf("%s: found %d events, %v, want %d", what, len(page.Events), err, want)
	}
}

// deliver runs the delivery until a host has n rows.
func (w *world) deliver(host string, n int) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), 20*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.logs.Run(ctx)
	}()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for w.arcs[host].Rows() < n && ctx.Err() == nil {
		<-look.C
	}
	cancel()
	<-done
	if got := w.arcs[host].Rows(); got != n {
		w.Errorf("%s has %d rows, want %d", host, got, n)
	}
}

func wantCode(t testing.TB, what string, err error, want loci.Code, text string) {
	t.Helper()
	if loci.CodeOf(err) != want || want != "" && !strings.Contains(err.Error(), text) {
		t.Errorf("%s: got %v with code %q, want %q and %q", what, err, loci.CodeOf(err), want, text)
	}
}

// Every change counts with the next call.
func TestChangesCountAtOnce(t *testing.T) {
	w := newWorld(t)
	if w.of(acme) != eventlog.Engine(w.local) {
		t.Error("an org without settings has another log than the default")
	}
	w.append(acme, "embedded")
	w.set(acme, loci.EventsInArc)
	_, err := w.logs.Of(t.Context(), acme)
	wantCode(t, "without an Arc", err, loci.Unavailable, "loci org add-arc acme")
	if w.of("nosuch") != eventlog.Engine(w.local) {
		t.Error("what is left of an org that doesn't exist is not in the embedded log")
	}
	w.bind(acme, "one.test")
	w.append(acme, "in the first Arc")
	w.wantEvents("both", acme, 2)
	w.wantEvents("of another org", other, 0)
	w.deliver("one.test", 1)
	w.bind(acme, "two.test")
	w.append(acme, "in the second Arc")
	w.deliver("two.test", 2) // the first one had not settled
	w.set(acme, loci.EventsEmbedded)
	w.append(acme, "embedded again")
	w.wantEvents("embedded again", acme, 4)
	w.set(acme, loci.EventsInArc)
	w.wantEvents("in Arc again", acme, 4)
}

// An org that has left Arc keeps what Arc doesn't have.
func TestNothingIsDeliveredWithoutArc(t *testing.T) {
	w := newWorld(t)
	w.bind(acme, "one.test")
	w.set(acme, loci.EventsInArc)
	w.append(acme, "waits")
	w.set(acme, loci.EventsEmbedded)
	w.bind(other, "two.test")
	w.set(other, loci.EventsInArc)
	w.append(other, "goes")
	w.deliver("two.test", 1)
	if n := w.arcs["one.test"].Rows(); n != 0 {
		t.Errorf("the Arc that the org has left got %d rows", n)
	}
	w.wantEvents("after the org has left Arc", acme, 1)
}

// What is deleted after an org has left its Arc is deleted there, too.
func TestPurgeReachesTheArc(t *testing.T) {
	w := newWorld(t)
	w.bind(acme, "one.test")
	w.set(acme, loci.EventsInArc)
	w.append(acme, "in Arc")
	w.deliver("one.test", 1)
	w.set(acme, loci.EventsEmbedded)
	w.append(acme, "embedded")
	gone := eventlog.Selection{UserID: viewerOf(acme).UserID}
	if n, err := w.of(acme).Purge(t.Context(), acme, gone, 10); n != 2 || err != nil {
		t.Errorf("Purge: %d, %v", n, err)
	}
	w.wantEvents("after Purge", acme, 0)
	if n := w.arcs["one.test"].Rows(); n != 0 {
		t.Errorf("Arc has %d rows", n)
	}
}

func TestKeysThatCannotBeOpened(t *testing.T) {
	w := newWorld(t)
	w.bind(acme, "one.test")
	w.bind(other, "two.test")
	w.set(other, loci.EventsInArc)
	wantCode(t, "sound keys", w.logs.Check(t.Context()), "", "")
	stranger, err := seal.ParseKey(seal.Generate())
	w.must(err)
	for name, ring := range map[string]seal.Ring{"another master key": {stranger}, "no master key": nil} {
		logs := w.open(ring)
		wantCode(t, name, logs.Check(t.Context()), loci.Unavailable, "the Arc key of the org ")
		_, err := logs.Of(t.Context(), other)
		wantCode(t, name, err, loci.Unavailable, "the Arc key of the org other")
		w.must(logs.Close())
	}
	stolen, err := w.st.ArcBindings().Get(t.Context(), acme)
	w.must(err)
	_, err = w.st.ArcBindings().Update(t.Context(), other, func(b *store.ArcBinding) error {
		b.Key = stolen.Key
		return nil
	})
	w.must(err)
	wantCode(t, "a key of another org", w.logs.Check(t.Context()), loci.Unavailable, "the Arc key of the org other")
	_, err = w.logs.Of(t.Context(), other)
	wantCode(t, "a key of another org", err, loci.Unavailable, "the Arc key of the org other")
}

func TestReady(t *testing.T) {
	w := newWorld(t)
	w.bind(acme, "one.test")
	w.set(acme, loci.EventsInArc)
	w.bind(other, "two.test")
	w.arcs["two.test"].SetFault(func(*http.Request, []byte) arctest.Fault { return arctest.Down })
	wantCode(t, "an Arc that nobody uses is down", w.logs.Ready(t.Context()), "", "")
	w.set(other, loci.EventsInArc)
	wantCode(t, "asked again at once", w.logs.Ready(t.Context()), "", "") // from memory
	fresh := w.open(seal.Ring{w.master})
	defer fresh.Close()
	err := fresh.Ready(t.Context())
	wantCode(t, "an Arc is down", err, loci.Unavailable, "1 of 2 Arcs of orgs cannot be used")
	if err != nil && strings.Contains(err.Error(), "other") {
		t.Errorf("the answer names an org: %v", err)
	}
}

func TestDrop(t *testing.T) {
	w := newWorld(t)
	w.append(other, "embedded")
	w.bind(acme, "one.test")
	w.set(acme, loci.EventsInArc)
	w.append(acme, "in Arc")
	w.deliver("one.test", 1)
	w.set(acme, loci.EventsEmbedded)
	w.arcs["one.test"].SetNoDelete(true)
	wantCode(t, "an Arc that deletes nothing", w.logs.Drop(t.Context(), acme), loci.Unavailable, "delete.enabled")
	w.wantEvents("after that", acme, 1)
	w.arcs["one.test"].SetNoDelete(false)
	w.must(w.logs.Drop(t.Context(), acme))
	if n := w.arcs["one.test"].Rows(); n != 0 {
		t.Errorf("Arc has %d rows", n)
	}
	w.wantEvents("after Drop", acme, 0)
	w.must(w.logs.Drop(t.Context(), other))
	w.wantEvents("after Drop", other, 0)
}
