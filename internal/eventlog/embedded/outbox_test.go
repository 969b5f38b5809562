package embedded

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// queued stores events in the queue and returns their entries.
func queued(t *testing.T, l *Log, d eventlog.Dedup, events ...*loci.Event) []eventlog.Queued {
	t.Helper()
	state := stateOf(t, l)
	if _, err := l.Queue(t.Context(), person, events, d); err != nil {
		t.Fatal(err)
	}
	return entries(t, l, state.Last)
}

func entries(t *testing.T, l *Log, after int64) []eventlog.Queued {
	t.Helper()
	list, err := l.Queued(t.Context(), acme, after, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func stateOf(t *testing.T, l *Log) eventlog.QueueState {
	t.Helper()
	s, err := l.State(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func forgetUpTo(t *testing.T, l *Log, number int64) {
	t.Helper()
	if err := l.Forget(t.Context(), acme, number); err != nil {
		t.Fatal(err)
	}
}

func wantFound(t *testing.T, what string, l *Log, f eventlog.Filter, want ...string) {
	t.Helper()
	page, err := l.Find(t.Context(), person, eventlog.Query{Filter: f, Order: eventlog.Oldest, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range page.Events {
		got = append(got, e.Content)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: found %q, want %q", what, got, want)
	}
}

func TestQueue(t *testing.T) {
	c := newClock()
	l := open(t, t.TempDir(), c.now)
	if s := stateOf(t, l); s != (eventlog.QueueState{}) || len(entries(t, l, 0)) > 0 {
		t.Errorf("the state of no log: %+v", s)
	}
	put(t, l, eventlog.Dedup{}, newEvent(c, "not queued"))
	a, b := newEvent(c, "a"), newEvent(c, "b", func(e *loci.Event) { e.Tags = []string{"x"} })
	list := queued(t, l, eventlog.Dedup{}, a, b)
	for i, want := range []*loci.Event{a, b} {
		if diff := cmp.Diff(want, list[i].Event); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", i, diff)
		}
	}
	if list[0].Number < c.now().UnixMicro() || list[1].Number <= list[0].Number {
		t.Errorf("numbers %d and %d at %d", list[0].Number, list[1].Number, c.now().UnixMicro())
	}
	want := eventlog.QueueState{First: list[0].Number, Last: list[1].Number}
	if got := stateOf(t, l); got != want {
		t.Errorf("state %+v, want %+v", got, want)
	}
	if err := l.Offer(t.Context(), acme, list[1].Number); err != nil {
		t.Fatal(err)
	}
	wantFound(t, "in the queue", l, eventlog.Filter{}, "not queued", "a", "b")

	end, err := l.End(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	forgetUpTo(t, l, list[0].Number)
	want.First, want.Offered, want.Forgotten = list[1].Number, list[1].Number, list[0].Number
	if got := stateOf(t, l); got != want {
		t.Errorf("state %+v, want %+v", got, want)
	}
	forgetUpTo(t, l, list[1].Number)
	want.First, want.Forgotten = 0, list[1].Number
	if got := stateOf(t, l); got != want {
		t.Errorf("state %+v, want %+v", got, want)
	}
	wantFound(t, "after it was forgotten", l, eventlog.Filter{}, "not queued")
	changes, err := l.Changed(t.Context(), acme, end, 10)
	if err != nil || len(changes.Gone) > 0 {
		t.Errorf("followers see %+v, %v", changes, err)
	}
	later := queued(t, l, eventlog.Dedup{}, newEvent(c, "later"))
	if later[0].Number <= list[1].Number {
		t.Errorf("the number %d is used again", later[0].Number)
	}
}

// A copy of an old state must not give numbers that were given since.
func TestNumbersAfterARestore(t *testing.T) {
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	queued(t, l, eventlog.Dedup{}, newEvent(c, "before the backup"))
	backup := t.TempDir()
	if _, err := l.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	c.move(time.Hour)
	lost := queued(t, l, eventlog.Dedup{}, newEvents(c, 100)...)
	c.move(time.Second)
	restored := open(t, filepath.Join(backup, "events"), c.now)
	again := queued(t, restored, eventlog.Dedup{}, newEvent(c, "after the restore"))
	if last := lost[len(lost)-1].Number; again[0].Number <= last {
		t.Errorf("number %d, but %d was given", again[0].Number, last)
	}
}

func TestDuplicatesOfForgotten(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	l := open(t, dir, c.now)
	first := newEvent(c, "a")
	queued(t, l, day, newEvents(c, runSize)...) // a run
	queued(t, l, day, first)
	for state := stateOf(t, l); state.First != 0; state = stateOf(t, l) {
		forgetUpTo(t, l, state.Last)
	}
	check := func(what string, l *Log, viewer loci.Viewer, want loci.EventID) {
		t.Helper()
		again := newEvent(c, "a", func(e *loci.Event) { e.UserID = viewer.UserID })
		got, err := l.Queue(t.Context(), viewer, []*loci.Event{again, newEvent(c, "event 7")}, day)
		if err != nil {
			t.Fatal(err)
		}
		if want.IsZero() {
			want = again.ID
		}
		if got[0].ID != want || got[0].Duplicate != (want != again.ID) {
			t.Errorf("%s: got %+v, want %s", what, got[0], want)
		}
	}
	check("at once", l, person, first.ID)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir, c.now)
	check("by another process", l, person, first.ID)
	if err := l.Gone(t.Context(), acme, []loci.EventID{first.ID}); err != nil {
		t.Fatal(err)
	}
	check("after it was deleted elsewhere", l, person, loci.EventID{})
	c.move(day.Window + time.Hour)
	check("after the window", l, person, loci.EventID{})
}

func TestForgottenExpire(t *testing.T) {
	c := newClock()
	l := open(t, t.TempDir(), c.now)
	queued(t, l, eventlog.Dedup{}, newEvents(c, 10)...)
	forgetUpTo(t, l, stateOf(t, l).Last)
	rows := func() (n int64) {
		inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error {
			n = number(t, c, "SELECT count(*) FROM forgotten")
			return nil
		})
		return n
	}
	upkeep(t, l, acme)
	if n := rows(); n != 10 {
		t.Errorf("%d rows, want 10", n)
	}
	c.move(keepRuns + time.Hour)
	upkeep(t, l, acme)
	if n := rows(); n != 0 {
		t.Errorf("%d rows after their time, want 0", n)
	}
}

func TestEraseInQueue(t *testing.T) {
	c := newClock()
	l := open(t, t.TempDir(), c.now)
	list := queued(t, l, eventlog.Dedup{}, newEvent(c, "a"), newEvent(c, "b"))
	a := list[0].Event.ID
	n, err := l.Purge(t.Context(), acme, eventlog.Selection{IDs: []loci.EventID{a}}, 10)
	if n != 1 || err != nil {
		t.Fatalf("Purge: %d, %v", n, err)
	}
	wantFound(t, "after Purge", l, eventlog.Filter{}, "b")
	after := entries(t, l, 0)
	if len(after) != 2 || !after[0].Erased || after[0].Event.ID != a || after[0].Event.Content != "" || after[1].Erased ||
		!after[0].Event.Time.Equal(list[0].Event.Time) {
		t.Errorf("entries %+v", after)
	}
	erased, err := l.Erased(t.Context(), acme, 10)
	if err != nil || len(erased) != 1 || erased[0].Event.ID != a || erased[0].Number != list[0].Number {
		t.Errorf("Erased: %+v, %v", erased, err)
	}
	if s := stateOf(t, l); s.First != list[0].Number {
		t.Errorf("the queue begins at %d, want %d", s.First, list[0].Number)
	}
	if err := l.Bury(t.Context(), acme, list[0].Number, "late"); err != nil {
		t.Fatal(err)
	}
	if dead, err := l.Dead(t.Context(), acme, 0, 10); err != nil || len(dead) > 0 {
		t.Errorf("a purged event is a dead letter: %+v, %v", dead, err)
	}
	if erased, err = l.Erased(t.Context(), acme, 10); err != nil || len(erased) != 1 {
		t.Errorf("Erased after Bury: %+v, %v", erased, err)
	}
	forgetUpTo(t, l, list[1].Number)
	if erased, err = l.Erased(t.Context(), acme, 10); err != nil || len(erased) > 0 {
		t.Errorf("Erased after Forget: %+v, %v", erased, err)
	}
	got, err := l.Queue(t.Context(), person, []*loci.Event{newEvent(c, "a"), newEvent(c, "b")},
		eventlog.Dedup{Window: time.Hour})
	if err != nil || got[0].Duplicate || !got[1].Duplicate {
		t.Errorf("duplicates: %+v, %v", got, err)
	}
}

func TestDeadLetters(t *testing.T) {
	c := newClock()
	l := open(t, t.TempDir(), c.now)
	list := queued(t, l, eventlog.Dedup{}, newEvent(c, "a"), newEvent(c, "b"), newEvent(c, "c"), newEvent(c, "d"))
	for _, q := range list[1:] {
		if err := l.Bury(t.Context(), acme, q.Number, "too strange"); err != nil {
			t.Fatal(err)
		}
	}
	if left := entries(t, l, 0); len(left) != 1 || left[0].Number != list[0].Number {
		t.Errorf("queue %+v", left)
	}
	forgetUpTo(t, l, list[3].Number)
	wantFound(t, "dead letters", l, eventlog.Filter{}, "b", "c", "d")
	want := eventlog.DeadLetter{Number: list[1].Number, Event: list[1].Event, Reason: "too strange", BuriedAt: c.now()}
	dead, err := l.Dead(t.Context(), acme, 0, 10)
	if err != nil || len(dead) != 3 {
		t.Fatalf("Dead: %+v, %v", dead, err)
	}
	if diff := cmp.Diff(want, dead[0]); diff != "" {
		t.Errorf("Dead (-want +got):\n%s", diff)
	}
	dead, err = l.Dead(t.Context(), acme, list[1].Number, 1)
	if err != nil || len(dead) != 1 || dead[0].Event.Content != "c" {
		t.Errorf("Dead after the first: %+v, %v", dead, err)
	}
	replay := func(ids []loci.EventID, want int) {
		t.Helper()
		if n, err := l.Replay(t.Context(), acme, ids); n != want || err != nil {
			t.Errorf("Replay: %d, %v, want %d", n, err, want)
		}
	}
	replay([]loci.EventID{list[2].Event.ID, list[0].Event.ID}, 1)
	again := entries(t, l, list[3].Number)
	if len(again) != 1 || again[0].Event.Content != "c" || again[0].Number <= list[3].Number {
		t.Errorf("queue after Replay: %+v", again)
	}
	if n, err := l.Purge(t.Context(), acme, eventlog.Selection{IDs: []loci.EventID{list[3].Event.ID}}, 10); n != 1 ||
		err != nil {
		t.Errorf("Purge of a dead letter: %d, %v", n, err)
	}
	replay(nil, 1)
	replay(nil, 0)
	if got := entries(t, l, 0); len(got) != 2 || got[1].Event.Content != "b" {
		t.Errorf("queue at the end: %+v", got)
	}
}

func TestAccesses(t *testing.T) {
	c := newClock()
	l := open(t, t.TempDir(), c.now)
	known := int64(-1)
	table := func(changed bool) *eventlog.AccessTable {
		t.Helper()
		got, err := l.Accesses(t.Context(), acme, known)
		if err != nil || (got != nil) != changed {
			t.Fatalf("Accesses: %+v, %v, want a change: %v", got, err, changed)
		}
		if got != nil {
			known = got.Revision
		}
		return got
	}
	table(true)
	table(false)
	session := loci.NewSessionID()
	within := func(e *loci.Event) { e.SessionID = session }
	list := queued(t, l, eventlog.Dedup{}, newEvent(c, "a", within))
	access := list[0].Event.EventAccess
	access.Origin = ""
	if got := table(true); len(got.Stored) != 1 || len(got.Moved) != 0 || !cmp.Equal(got.Stored[0], access) {
		t.Errorf("got %+v, want %+v", got, access)
	}
	queued(t, l, eventlog.Dedup{}, newEvent(c, "the same", within))
	table(false)
	forgetUpTo(t, l, stateOf(t, l).Last)
	table(false)
	s := eventlog.Session{ID: session, Revision: 1, Access: access}
	set := func(reach loci.Reach) {
		t.Helper()
		s.Access.Reach = reach
		s.Revision++
		if err := l.SetSession(t.Context(), acme, s); err != nil {
			t.Fatal(err)
		}
	}
	set(loci.ReachOrg)
	set(loci.ReachPrivate)
	now := access
	now.Reach = loci.ReachPrivate
	want := []eventlog.Move{{SessionID: session, From: access, To: now}}
	if got := table(true); len(got.Stored) != 2 || !cmp.Equal(got.Moved, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// An event of the session that is stored with the old access moves at once; see Session.AccessOf.
	queued(t, l, eventlog.Dedup{}, newEvent(c, "b", within, func(e *loci.Event) { e.UserID = loci.UserID{1} }))
	if got := table(true); len(got.Moved) != 2 {
		t.Errorf("got %+v", got.Moved)
	}
	if got := entries(t, l, 0); len(got) != 1 || got[0].Event.Reach != loci.ReachOrg {
		t.Errorf("entries %+v, want the access that was stored", got)
	}
	set(loci.ReachOrg)
	if got := table(true); len(got.Moved) != 0 {
		t.Errorf("got %+v", got.Moved)
	}
}

// A stream that moves back takes away what the revision counts.
func TestRevisionsDiffer(t *testing.T) {
	c := newClock()
	l := open(t, t.TempDir(), c.now)
	sessions := []loci.SessionID{loci.NewSessionID(), loci.NewSessionID(), loci.NewSessionID()}
	for _, s := range sessions {
		put(t, l, eventlog.Dedup{}, newEvent(c, "a", func(e *loci.Event) { e.SessionID = s }))
	}
	seen := map[int64]bool{}
	for revision, reach := range []loci.Reach{loci.ReachPrivate, loci.ReachOrg} {
		for i := range sessions {
			s := eventlog.Session{ID: sessions[i], Revision: int64(revision + 1), Access: newEvent(c, "x").EventAccess}
			if reach == loci.ReachOrg {
				s.ID = sessions[len(sessions)-1-i]
			}
			s.Access.Reach = reach
			if err := l.SetSession(t.Context(), acme, s); err != nil {
				t.Fatal(err)
			}
			got, err := l.Accesses(t.Context(), acme, -1)
			if err != nil || seen[got.Revision] {
				t.Errorf("%s of session %d: revision %d again, %v", reach, i, got.Revision, err)
			}
			seen[got.Revision] = true
		}
	}
}

func TestClaim(t *testing.T) {
	c := newClock()
	l := open(t, t.TempDir(), c.now)
	claim := func(sender string, want bool) {
		t.Helper()
		if got, err := l.Claim(t.Context(), acme, sender, c.now().Add(time.Minute)); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", sender, got, err, want)
		}
	}
	claim("a", true)
	claim("b", false)
	c.move(50 * time.Second)
	claim("a", true)
	c.move(50 * time.Second)
	claim("b", false)
	c.move(time.Minute)
	claim("b", true)
	claim("a", false)
}

func TestQueuedEventsStayInTheLog(t *testing.T) {
	c := newClock()
	l := open(t, t.TempDir(), c.now)
	put(t, l, eventlog.Dedup{}, newEvent(c, "old words"))
	list := queued(t, l, eventlog.Dedup{}, newEvent(c, "dead words"), newEvent(c, "replayed words"),
		newEvent(c, "queued words"))
	for _, q := range list[:2] {
		if err := l.Bury(t.Context(), acme, q.Number, "no"); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, dead, inQueue int, contents ...string) {
		t.Helper()
		upkeep(t, l, acme)
		c.move(twoMonths)
		upkeep(t, l, acme)
		wantFound(t, what, l, eventlog.Filter{}, contents...)
		if got := entries(t, l, 0); len(got) != inQueue || inQueue > 0 && got[0].Event.Content == "" {
			t.Errorf("%s: the queue has %+v", what, got)
		}
		if got, err := l.Dead(t.Context(), acme, 0, 10); err != nil || len(got) != dead {
			t.Errorf("%s: dead letters: %+v, %v", what, got, err)
		}
	}
	check("queued", 2, 1, "old words", "dead words", "replayed words", "queued words")
	forgetUpTo(t, l, list[2].Number)
	put(t, l, eventlog.Dedup{}, newEvent(c, "new words"))
	check("forgotten", 2, 0, "old words", "dead words", "replayed words", "new words")
	if n, err := l.Replay(t.Context(), acme, []loci.EventID{list[1].Event.ID}); n != 1 || err != nil {
		t.Fatalf("Replay: %d, %v", n, err)
	}
	check("replayed", 1, 1, "old words", "dead words", "replayed words", "new words")
	sound(t, l)
}
