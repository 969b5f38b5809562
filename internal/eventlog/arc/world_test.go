package arc_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
	"github.com/loci-memory/loci/internal/eventlog/arc/arctest"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
)

const (
	token = "arc-token"
	acme  = loci.OrgID("acme")
)

var person = loci.Viewer{OrgID: acme, UserID: loci.UserID{15: 1}}

// world is a log with a fake Arc, in a bubble of synctest: time passes only while a test waits.
type world struct {
	*testing.T
	dir  string
	fake *arctest.Arc
	skew *atomic.Int64 // of the local log's clock

	mu       *sync.Mutex
	bindings map[loci.OrgID]loci.ArcBinding
	arcs     map[string]*arctest.Arc // by host

	local *embedded.Log
	log   *arc.Log
	stop  func()
	all   []*loci.Event // that were appended
}

// inWorld runs a test in a world whose log delivers.
func inWorld(t *testing.T, test func(*world), change ...func(*arc.Options)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(change...)
		test(w)
		w.close()
	})
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "events"), fake: arctest.New(token), skew: new(atomic.Int64),
		mu: new(sync.Mutex), bindings: map[loci.OrgID]loci.ArcBinding{}, arcs: map[string]*arctest.Arc{}}
	t.Cleanup(w.fake.Close)
	w.arcs["arc.test"] = w.fake
	w.bind(acme, "arc.test", "acme")
	return w
}

func (w *world) bind(org loci.OrgID, host, database string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bindings[org] = loci.ArcBinding{URL: "http://" + host, Database: database, Measurement: "events", Key: token}
}

func (w *world) binding(_ context.Context, org loci.OrgID) (loci.ArcBinding, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, ok := w.bindings[org]
	if !ok {
		return b, loci.Errorf(loci.Unavailable, "no binding")
	}
	return b, nil
}

func (w *world) orgs(context.Context) (orgs []loci.OrgID, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for org := range w.bindings {
		orgs = append(orgs, org)
	}
	return orgs, nil
}

// RoundTrip goes to the fake of the host.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	a := w.arcs[r.URL.Host]
	w.mu.Unlock()
	return a.RoundTrip(r)
}

// open starts a process.
func (w *world) open(change ...func(*arc.Options)) {
	w.Helper()
	w.local = embedded.Open(embedded.Options{Dir: w.dir, Now: func() time.Time {
		return time.Now().Add(time.Duration(w.skew.Load()))
	}})
	o := arc.Options{Local: w.local, Binding: w.binding, Orgs: w.orgs, HTTP: &http.Client{Transport: w}}
	for _, c := range change {
		c(&o)
	}
	w.log = arc.New(o)
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.log.Run(ctx)
	}()
	w.stop = func() { cancel(); <-done }
}

// close ends a process.
func (w *world) close() {
	w.Helper()
	w.stop()
	if err := w.log.Close(); err != nil {
		w.Error(err)
	}
	if err := w.local.Close(); err != nil {
		w.Error(err)
	}
}

// reopen ends the process and starts another one.
func (w *world) reopen() {
	w.Helper()
	w.close()
	w.open()
}

func event(org loci.OrgID, content string, change ...func(*loci.Event)) *loci.Event {
	e := &loci.Event{Content: content, RecordedAt: loci.CutTime(time.Now()),
		EventAccess: loci.EventAccess{OrgID: org, UserID: person.UserID, Origin: "person"}}
	for _, fn := range change {
		fn(e)
	}
	e.SetDefaults(e.RecordedAt)
	e.ID = loci.NewEventID(e.Time)
	return e
}

// append stores events of acme.
func (w *world) append(events ...*loci.Event) {
	w.Helper()
	if _, err := w.log.Append(w.Context(), person, events, eventlog.Dedup{}); err != nil {
		w.Fatal(err)
	}
	w.all = append(w.all, events...)
}

// appendMany stores n events at once.
func (w *world) appendMany(n int) {
	w.Helper()
	var events []*loci.Event
	for range n {
		events = append(events, event(acme, fmt.Sprint("event ", len(w.all)+len(events))))
	}
	w.append(events...)
}

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

func idsOf(events []*loci.Event) (ids []loci.EventID) {
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

func oldestFirst(a, b loci.EventID) int { return slices.Compare(a[:], b[:]) }

// check compares all reads with what was appended.
func (w *world) check(what string) {
	w.Helper()
	want := slices.SortedFunc(slices.Values(idsOf(w.all)), oldestFirst)
	ctx := w.Context()
	for _, order := range []eventlog.Order{eventlog.Oldest, eventlog.Newest} {
		var got []loci.EventID
		q := eventlog.Query{Order: order, Limit: 70}
		for {
			page, err := w.log.Find(ctx, person, q)
			if err != nil {
				w.Fatalf("%s: find: %v", what, explain(err))
			}
			got = append(got, idsOf(page.Events)...)
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		if order == eventlog.Newest {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) {
			w.Fatalf("%s: found %d events %s, want %d", what, len(got), order, len(want))
		}
	}
	stats, err := w.log.Stats(ctx, person, eventlog.Filter{})
	if err != nil || stats.Total != len(want) {
		w.Fatalf("%s: counted %d, %v, want %d", what, stats.Total, explain(err), len(want))
	}
	got, err := w.log.Get(ctx, person, want[max(0, len(want)-10):])
	if err != nil || len(got) != min(len(want), 10) {
		w.Fatalf("%s: got %d by id, %v", what, len(got), explain(err))
	}
}

func (w *world) state() eventlog.QueueState {
	w.Helper()
	s, err := w.local.State(w.Context(), acme)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// wantDelivered fails unless the queue is empty and Arc has every event, and n copies more.
func (w *world) wantDelivered(copies int) {
	w.Helper()
	if s := w.state(); s.First != 0 {
		w.Errorf("the queue begins at %d", s.First)
	}
	if n := w.fake.Rows(); n != len(w.all)+copies {
		w.Errorf("Arc has %d rows, want %d", n, len(w.all)+copies)
	}
}

func (w *world) dead() (contents []string) {
	w.Helper()
	list, err := w.local.Dead(w.Context(), acme, 0, 1000)
	if err != nil {
		w.Fatal(err)
	}
	for _, d := range list {
		contents = append(contents, d.Event.Content)
	}
	return contents
}

func wantCode(t testing.TB, what string, err error, want loci.Code) {
	t.Helper()
	if loci.CodeOf(err) != want {
		t.Errorf("%s: got %v with code %q, want %q", what, explain(err), loci.CodeOf(err), want)
	}
}

// explain adds hidden causes.
func explain(err error) string {
	text := fmt.Sprint(err)
	for err != nil {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		if err = u.Unwrap(); err != nil {
			text += " <- " + err.Error()
		}
	}
	return text
}

// isQuery and isWrite tell what a request asks of Arc.
func isQuery(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/query") }

func isWrite(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/msgpack") }
