package indexing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
)

// eventWorld is a log of events, and indexes of it in several processes.
type eventWorld struct {
	tb       testing.TB
	dir      string
	log      *embedded.Log
	now      time.Time
	user     loci.UserID
	live     []*loci.Event
	sessions []eventlog.Session
	mixed    bool          // readers are others from event to event
	back     time.Duration // how long before now events were
}

const eventOrg = loci.OrgID("acme")

func newEventWorld(tb testing.TB, dir string) *eventWorld {
	tb.Helper()
	w := &eventWorld{tb: tb, dir: filepath.Join(dir, "index"), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
		user: loci.NewUserID()}
	w.log = embedded.Open(embedded.Options{Dir: filepath.Join(dir, "events"), Now: func() time.Time { return w.now }})
	for range 3 {
		w.sessions = append(w.sessions, eventlog.Session{ID: loci.NewSessionID(), Revision: 1,
			Access: w.access(loci.ReachOrg)})
	}
	return w
}

func (w *eventWorld) access(r loci.Reach) loci.EventAccess {
	return loci.EventAccess{OrgID: eventOrg, UserID: w.user, Reach: r, Origin: "api",
		AllowedVendors: []loci.Vendor{loci.AnyVendor}}
}

func (w *eventWorld) process() *Index {
	x := NewEvents(EventsOptions{Options: Options{Dir: w.dir, Log: slog.New(slog.DiscardHandler)},
		Events: func(context.Context, loci.OrgID) (eventlog.Follower, error) { return w.log, nil }})
	x.limits = limits{flushRows: 5, buildRows: 7, fileRows: 40, stint: time.Minute, follow: time.Hour, events: 50,
		block: 4}
	return x
}

func (w *eventWorld) must(err error) {
	w.tb.Helper()
	if err != nil {
		w.tb.Fatal(err)
	}
}

// ownWord returns a word like no other.
func ownWord(n int) string {
	sum := sha256.Sum256([]byte{byte(n), byte(n >> 8)})
	for i := range sum {
		sum[i] = 'a' + sum[i]%26
	}
	return string(sum[:10])
}

// append logs n events. Session 0 is none.
func (w *eventWorld) append(n, session int) {
	w.tb.Helper()
	var list []*loci.Event
	for range n {
		w.now = w.now.Add(time.Second)
		at := w.now.Add(-w.back)
		e := &loci.Event{ID: loci.NewEventID(at), Time: at, RecordedAt: w.now, Class: loci.EventEpisodic,
			Type: "general", Content: "word " + ownWord(len(w.live)+len(list)), Tags: []string{}, Importance: 5,
			EventAccess: w.access(loci.ReachOrg)}
		if session > 0 {
			s := &w.sessions[session-1]
			e.SessionID, e.EventAccess = s.ID, s.Access
		}
		if w.mixed {
			w.mix(e, len(w.live)+len(list))
		}
		list = append(list, e)
	}
	_, err := w.log.Append(context.Background(), loci.Viewer{OrgID: eventOrg, UserID: w.user}, list, eventlog.Dedup{})
	w.must(err)
	w.live = append(w.live, list...)
}

// mix gives the nth event readers and other fields than those before it.
func (w *eventWorld) mix(e *loci.Event, n int) {
	e.AllowedVendors = readers[n%3]
	e.Type, e.Importance, e.AgentID = []string{"general", "a", "b", "c"}[n%4], 1+n%10, loci.AgentID{byte(n % 2)}
	if n%5 == 0 {
		e.Class, e.Actor = loci.EventDecision, "x"
	}
	if n%2 == 1 {
		e.Tags = append(e.Tags, "odd")
	}
	if n%3 == 0 {
		e.Tags = append(e.Tags, "third")
	}
	if len(w.live) > 0 && n%7 == 0 {
		e.ParentID = w.live[0].ID
	}
}

// turn makes a session private, or everybody's.
func (w *eventWorld) turn(session int) {
	w.tb.Helper()
	s := &w.sessions[session-1]
	s.Revision++
	if s.Access.Reach = loci.ReachOrg; s.Revision%2 == 0 {
		s.Access.Reach = loci.ReachPrivate
	}
	w.must(w.log.SetSession(context.Background(), eventOrg, *s))
}

func (w *eventWorld) purge(ids ...loci.EventID) {
	w.tb.Helper()
	_, err := w.log.Purge(context.Background(), eventOrg, eventlog.Selection{IDs: ids}, len(ids))
	w.must(err)
	w.live = slices.DeleteFunc(w.live, func(e *loci.Event) bool { return slices.Contains(ids, e.ID) })
}

func (w *eventWorld) latest(x *Index) *Snapshot {
	w.tb.Helper()
	s, err := x.Latest(context.Background(), w.log, eventOrg, time.Minute)
	if err != nil || s == nil || !s.Whole {
		w.tb.Fatalf("not whole: %+v, %v", s, err)
	}
	return s
}

// cutShort is a log whose reader has time for some calls.
type cutShort struct {
	eventlog.Follower
	left int
	end  context.CancelFunc
}

func (l *cutShort) count() {
	if l.left--; l.left < 0 {
		l.end()
	}
}

func (l *cutShort) Changed(ctx context.Context, org loci.OrgID, at eventlog.Position, n int) (eventlog.Changes, error) {
	l.count()
	return l.Follower.Changed(ctx, org, at, n)
}

func (l *cutShort) Read(ctx context.Context, org loci.OrgID, ids []loci.EventID) ([]*loci.Event, error) {
	l.count()
	return l.Follower.Read(ctx, org, ids)
}

// hurry searches in the name of a person other than the writer, with time for some calls of the log. The search must
// show nothing that this person does not see.
func (w *eventWorld) hurry(x *Index, calls int) {
	w.tb.Helper()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	s, err := x.Latest(ctx, &cutShort{w.log, calls, end}, eventOrg, time.Minute)
	w.must(err)
	if s == nil {
		return
	}
	other := loci.Viewer{OrgID: eventOrg, UserID: loci.NewUserID()}
	got := found(s, other, "word")
	list, err := w.log.Get(context.Background(), other, got)
	w.must(err)
	if len(list) != len(got) {
		w.tb.Errorf("a search with little time finds %d events, of which %d are visible", len(got), len(list))
	}
}

// found returns the events that a reader finds by a word, sorted.
func found(s *Snapshot, v loci.Viewer, word string) (ids []loci.EventID) {
	at := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	q := recall.Ask{Text: word, At: at, Sees: recall.Sees(v), Limit: 10_000}.Read()
	for _, h := range s.Find(q).Hits {
		ids = append(ids, h.ID)
	}
	slices.SortFunc(ids, func(a, b loci.EventID) int { return bytes.Compare(a[:], b[:]) })
	return ids
}

// check requires an index to have each event once, to find for each reader what the log shows them, and to have
// nothing of what is gone beside what is left.
func (w *eventWorld) check(what string, x *Index) {
	w.tb.Helper()
	once := w.process()
	once.dir = ""
	s, fresh := w.latest(x), w.latest(once)
	for _, e := range w.live {
		if got, want := group(s, rowID(e.ID)), group(fresh, rowID(e.ID)); !slices.Equal(got, want) {
			w.tb.Errorf("%s: event %s is beside %v, and in an index built at once beside %v", what, e.ID, got, want)
		}
	}
	n := 0
	for _, v := range s.views {
		n += v.Live()
	}
	if n != len(w.live) {
		w.tb.Errorf("%s: the index has %d rows, want %d", what, n, len(w.live))
	}
	for name, v := range map[string]loci.Viewer{"the writer": {OrgID: eventOrg, UserID: w.user},
		"another person": {OrgID: eventOrg, UserID: loci.NewUserID()}} {
		page, err := w.log.Find(context.Background(), v, eventlog.Query{Order: eventlog.Oldest, Limit: 10_000})
		w.must(err)
		var want []loci.EventID
		for _, e := range page.Events {
			want = append(want, e.ID)
		}
		if got := found(s, v, "word"); !slices.Equal(got, want) {
			w.tb.Errorf("%s: %s finds %d events, and sees %d", what, name, len(got), len(want))
		}
		w.checkFilters(what+": "+name, s, v)
	}
	for _, p := range s.parts {
		all := &Snapshot{views: []*index.View{index.NewView(p.view.Segment)}}
		p.view.Each(func(id [16]byte) bool {
			has, had := group(&Snapshot{views: []*index.View{p.view}}, id), group(all, id)
			if !slices.Equal(has, had) {
				w.tb.Errorf("%s: of what was indexed beside each other, %d of %d events are left", what, len(has), len(had))
				return false
			}
			return true
		})
	}
	if problems, err := x.Verify(context.Background(), eventOrg); err != nil || len(problems) > 0 {
		w.tb.Errorf("%s: verify: %q, %v", what, problems, err)
	}
}

// checkFilters requires that the index selects, for the filters that it knows, the events that the log finds by reading
// all of them.
func (w *eventWorld) checkFilters(what string, s *Snapshot, v loci.Viewer) {
	w.tb.Helper()
	filters := []eventlog.Filter{{SessionID: w.sessions[0].ID}, {Tags: []string{"odd"}}, {Tags: []string{"odd", "third"}},
		{Tags: []string{"odd", "third"}, AllTags: true}, {Tags: []string{"none"}}, {Types: []string{"a", "b"}},
		{Classes: []loci.EventClass{loci.EventDecision}}, {Actor: "x"}, {MinImportance: 7}, {Origin: "api"},
		{Origin: "cli"}, {AgentID: loci.AgentID{1}}}
	if len(w.live) > 0 {
		filters = append(filters, eventlog.Filter{ParentID: w.live[0].ID},
			eventlog.Filter{Tags: []string{"odd"}, Since: w.live[len(w.live)/2].Time})
	}
	for _, f := range filters {
		for _, q := range []eventlog.Query{{Filter: f, Order: eventlog.Oldest, Limit: 3000}, {Filter: f, Limit: 3000},
			{Filter: f, Limit: 2}} {
			want, err := w.log.Find(context.Background(), v, q)
			w.must(err)
			if q.Filter = s.Narrowed(f, v, nil); q.Among == nil {
				w.tb.Fatalf("%s: the index knows nothing of %+v", what, f)
			}
			got, err := w.log.Find(context.Background(), v, q)
			w.must(err)
			ids := func(list []*loci.Event) (ids []loci.EventID) {
				for _, e := range list {
					ids = append(ids, e.ID)
				}
				return ids
			}
			if !slices.Equal(ids(got.Events), ids(want.Events)) || (got.Next == "") != (want.Next == "") {
				w.tb.Errorf("%s: %+v: %d events with the index and %d without", what, f, len(got.Events), len(want.Events))
			}
		}
	}
}

// TestEventIndexHasTheEvents logs, hides, shows and deletes events at random, in the presence of several processes
// that write and merge files at random times, end and begin.
func TestEventIndexHasTheEvents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		w := newEventWorld(t, dir)
		w.mixed = true
		defer func() { w.must(w.log.Close()) }()
		processes := []*Index{w.process(), w.process()}
		one := func() *Index { return processes[rapid.IntRange(0, 1).Draw(rt, "process")] }
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				n := rapid.SampledFrom([]int{1, 2, 5, 70}).Draw(rt, "n")
				w.back = rapid.SampledFrom(ago).Draw(rt, "ago")
				w.append(n, rapid.IntRange(0, 3).Draw(rt, "session"))
			},
			"search":         func(rt *rapid.T) { w.latest(one()) },
			"hurried search": func(rt *rapid.T) { w.hurry(one(), rapid.IntRange(0, 6).Draw(rt, "calls")) },
			"turn":           func(rt *rapid.T) { w.turn(rapid.IntRange(1, 3).Draw(rt, "session")) },
			"delete": func(rt *rapid.T) {
				var ids []loci.EventID
				for range min(len(w.live), rapid.IntRange(1, 4).Draw(rt, "n")) {
					ids = append(ids, w.live[rapid.IntRange(0, len(w.live)-1).Draw(rt, "event")].ID)
				}
				if len(ids) > 0 {
					w.purge(ids...)
				}
			},
			"upkeep": func(rt *rapid.T) {
				x := one()
				for _, o := range x.open() {
					x.upkeep(context.Background(), o, rapid.Bool().Draw(rt, "erased"), 0)
				}
			},
			"restart": func(rt *rapid.T) { processes[rapid.IntRange(0, 1).Draw(rt, "process")] = w.process() },
			"rebuild": func(rt *rapid.T) { w.must(one().Rebuild(context.Background(), eventOrg)) },
		})
		for i, x := range processes {
			w.check(fmt.Sprintf("process %d", i), x)
		}
		w.check("a new process", w.process())
	})
}

// TestNoWordsOfDeletedEvents requires that nobody finds the events beside a deleted one by its words.
func TestNoWordsOfDeletedEvents(t *testing.T) {
	t.Parallel()
	w := newEventWorld(t, t.TempDir())
	defer func() { w.must(w.log.Close()) }()
	x := w.process()
	x.limits.block = blockRows
	w.append(5, 1)
	writer := loci.Viewer{OrgID: eventOrg, UserID: w.user}
	if got := found(w.latest(x), writer, ownWord(2)); len(got) != 5 {
		t.Fatalf("by a word of one, %d events of its session are found, want all 5", len(got))
	}
	w.purge(w.live[2].ID)
	if got := found(w.latest(x), writer, ownWord(2)); len(got) != 0 {
		t.Errorf("by a word of a deleted event, %d events are found", len(got))
	}
	if got := found(w.latest(x), writer, ownWord(3)); len(got) != 4 {
		t.Errorf("the others are beside each other: by a word of one, %d are found, want 4", len(got))
	}
}

// TestEventIndexStopsInTime requires an index whose caller has no time to say nothing rather than what others saw
// before, and to be complete later.
func TestEventIndexStopsInTime(t *testing.T) {
	t.Parallel()
	w := newEventWorld(t, t.TempDir())
	defer func() { w.must(w.log.Close()) }()
	x := w.process()
	w.append(20, 1)
	w.latest(x)
	w.turn(1)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if s, _ := x.Latest(ended, w.log, eventOrg, time.Minute); s != nil {
		t.Error("it has answered before it knew what became of the events")
	}
	w.check("later", x)
}

// TestLongSessionsAreFollowed changes a session with more events than a search or a turn of the upkeep has time for.
func TestLongSessionsAreFollowed(t *testing.T) {
	t.Parallel()
	w := newEventWorld(t, t.TempDir())
	defer func() { w.must(w.log.Close()) }()
	x := w.process()
	w.append(500, 1)
	w.latest(x)
	behind := func() bool {
		end, err := w.log.End(context.Background(), eventOrg)
		w.must(err)
		return eventlog.Position(x.of(eventOrg).at) != end
	}
	w.turn(1)
	for n := 0; behind(); n++ {
		if w.hurry(x, 4); n > 10 {
			t.Fatal("searches with little time never follow the session")
		}
	}
	w.check("after searches", x)
	w.turn(1)
	w.hurry(x, 3) // which begins
	w.turn(1)
	w.append(70, 1)
	w.purge(w.live[3].ID, w.live[400].ID)
	w.hurry(x, 20)
	w.check("after a change meanwhile", x)

	var some []loci.EventID
	for i, e := range w.live {
		if i%10 == 0 {
			some = append(some, e.ID)
		}
	}
	w.turn(1)
	w.purge(some...)
	x.of(eventOrg).limits.stint = time.Nanosecond
	x.upkeep(context.Background(), x.of(eventOrg), false, 0)
	if behind() {
		t.Error("upkeep with little time has not followed the session")
	}
	w.check("after upkeep", x)
}

// TestLongEventsAreReadInSmallBatches requires that the bytes of a batch are bounded, whatever the events have.
func TestLongEventsAreReadInSmallBatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ events, bytes, want int }{
		{0, 0, firstBatch}, {100, 100 * 50, 1000}, {100, 100 * 10_000, 104}, {50, 50 * loci.MaxContent, leastBatch},
	} {
		var b batch
		list := make([]*loci.Event, tt.events)
		for i := range list {
			list[i] = &loci.Event{Content: string(make([]byte, tt.bytes/tt.events))}
		}
		if b.learn(list); b.limit(1000) != tt.want {
			t.Errorf("after %d events of %d bytes: %d at a time, want %d", tt.events, tt.bytes, b.limit(1000), tt.want)
		}
	}
}
