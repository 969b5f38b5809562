package arc_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
	"github.com/loci-memory/loci/internal/eventlog/arc/arctest"
)

const minute = time.Minute

// Everything that was acknowledged is readable at every moment, wherever it is, and once.
func TestReadsAreTheUnion(t *testing.T) {
	inWorld(t, func(w *world) {
		// An hour begins in between: Arc then takes up to 90 seconds to believe that it has files.
		w.pass(time.Until(time.Now().Truncate(time.Hour).Add(57 * minute)))
		for i := range 80 {
			w.appendMany(1 + i%7)
			w.check(fmt.Sprint("at once, round ", i))
			w.pass(5 * time.Second)
			w.check(fmt.Sprint("later, round ", i))
		}
		if n := w.fake.Rows(); n < 200 {
			w.Errorf("Arc has only %d rows", n)
		}
		w.pass(3 * minute)
		w.check("at the end")
		w.wantDelivered(0)
		for _, s := range w.fake.Statements() {
			if !strings.Contains(s, "WHERE org_id = 'acme' AND time >= ") {
				w.Errorf("a statement doesn't begin with its org: %s", s)
			}
		}
	})
}

// Without the time in which events settle, the habit of Arc above would hide them.
func TestSettlingIsNecessary(t *testing.T) {
	inWorld(t, func(w *world) {
		w.pass(time.Until(time.Now().Truncate(time.Hour).Add(57 * minute)))
		w.appendMany(1)
		w.pass(30 * time.Second)
		w.check("in the first hour")
		w.pass(2*minute + 15*time.Second)
		q := eventlog.Query{Limit: 9}
		q.Since, q.Until = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		if _, err := w.log.Find(w.Context(), person, q); err != nil { // Arc looks for files of the next hour
			w.Fatal(err)
		}
		w.pass(20 * time.Second)
		w.appendMany(1)
		w.pass(12 * time.Second)
		q.Since = q.Since.Add(time.Second)
		page, err := w.log.Find(w.Context(), person, q)
		if err != nil || len(page.Events) == 2 {
			w.Errorf("the fake has no such habit: %d events, %v", len(page.Events), err)
		}
	}, func(o *arc.Options) { o.Settle, o.Confirm = 1, time.Second })
}

func TestBatches(t *testing.T) {
	inWorld(t, func(w *world) {
		w.appendMany(1)
		w.pass(900 * time.Millisecond)
		if n := w.fake.Writes(); n != 0 {
			w.Errorf("%d writes before the interval is over", n)
		}
		w.pass(200 * time.Millisecond)
		if n := w.fake.Writes(); n != 1 {
			w.Errorf("%d writes, want 1", n)
		}
		w.pass(minute)
		w.appendMany(250)
		w.pass(time.Millisecond)
		if n := w.fake.Writes(); n != 3 {
			w.Errorf("%d writes of 250 events, want 3 at once", n)
		}
		w.pass(3 * minute)
		w.wantDelivered(0)
	})
}

func TestArcIsDown(t *testing.T) {
	for name, fault := range map[string]arctest.Fault{"down": arctest.Down, "errors": arctest.Error, "busy": arctest.Busy,
		"slow": arctest.Slow} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.appendMany(5)
				w.pass(5 * minute)
				var down atomic.Bool
				var calls atomic.Int64
				w.fake.SetFault(func(r *http.Request, _ []byte) arctest.Fault {
					if !down.Load() {
						return arctest.None
					}
					if isWrite(r) {
						calls.Add(1)
					}
					return fault
				})
				down.Store(true)
				position, err := w.log.Tail(w.Context(), person, "", 10)
				wantCode(w, "Tail at the end", err, "")
				for range 60 {
					w.appendMany(2)
					w.pass(minute)
				}
				page, err := w.log.Tail(w.Context(), person, position.Next, 1000)
				if err != nil || len(page.Events) != 120 {
					w.Errorf("Tail: %d events, %v", len(page.Events), explain(err))
				}
				_, err = w.log.Find(w.Context(), person, eventlog.Query{Limit: 10})
				wantCode(w, "Find", err, loci.Unavailable)
				_, err = w.log.Stats(w.Context(), person, eventlog.Filter{})
				wantCode(w, "Stats", err, loci.Unavailable)
				_, err = w.log.Get(w.Context(), person, []loci.EventID{w.all[0].ID})
				wantCode(w, "Get of an event in Arc", err, loci.Unavailable)
				if got, err := w.log.Get(w.Context(), person, []loci.EventID{w.all[50].ID}); err != nil || len(got) != 1 {
					w.Errorf("Get of an event in the queue: %v, %v", got, err)
				}
				wantCode(w, "Ready", w.log.Ready(w.Context(), acme), loci.Unavailable)
				if n := calls.Load(); n < 30 || n > 300 && fault != arctest.Error || n > 3000 {
					w.Errorf("%d writes in an hour", n)
				}
				down.Store(false)
				w.pass(5 * minute)
				wantCode(w, "Ready", w.log.Ready(w.Context(), acme), "")
				w.check("when Arc is back")
				w.wantDelivered(0)
				if dead := w.dead(); len(dead) > 0 {
					w.Errorf("dead letters %q", dead)
				}
			})
		})
	}
}

func TestHalfAnswers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.appendMany(5)
		w.pass(5 * minute)
		w.fake.SetFault(func(r *http.Request, _ []byte) arctest.Fault {
			if isQuery(r) {
				return arctest.Half
			}
			return arctest.None
		})
		_, err := w.log.Find(w.Context(), person, eventlog.Query{Limit: 10})
		wantCode(w, "Find", err, loci.Unavailable)
		w.appendMany(5)
		w.pass(5 * minute)
		if w.state().First == 0 {
			w.Error("an event was forgotten, but no answer has shown it")
		}
		w.fake.SetFault(nil)
		w.pass(5 * minute)
		w.check("when answers are whole again")
		w.wantDelivered(0)
	})
}

func TestArcLosesItsMemory(t *testing.T) {
	inWorld(t, func(w *world) {
		w.appendMany(150)
		w.pass(2 * time.Second) // sent, but not on the disk
		w.fake.Crash()
		w.pass(minute)
		w.check("after the crash")
		if n := w.fake.Rows(); n != 0 {
			w.Errorf("Arc has %d rows, want none yet", n)
		}
		w.pass(2 * minute)
		w.check("sent again")
		w.pass(3 * minute)
		w.check("at the end")
		w.wantDelivered(0)
	})
}

func TestCopies(t *testing.T) {
	inWorld(t, func(w *world) {
		first := true
		w.fake.SetFault(func(r *http.Request, _ []byte) arctest.Fault {
			if isWrite(r) && first {
				first = false
				return arctest.Lost // Arc has the rows, but Loci doesn't know
			}
			return arctest.None
		})
		w.appendMany(20)
		for range 30 {
			w.pass(7 * time.Second)
			w.check("a lost answer")
		}
		w.wantDelivered(20)
		w.fake.Replay()
		w.check("after a replay")
		w.appendMany(3)
		w.check("with new ones")
	})
}

func TestPoison(t *testing.T) {
	inWorld(t, func(w *world) {
		w.fake.SetRefuse(func(row map[string]any) bool {
			content, _ := row["content"].(string)
			return strings.HasPrefix(content, "poison")
		})
		w.appendMany(40)
		w.append(event(acme, "poison 1"))
		w.appendMany(130)
		w.append(event(acme, "poison 2"))
		w.appendMany(10)
		w.pass(minute)
		w.check("with poison")
		w.pass(5 * minute)
		w.check("with dead letters")
		if dead := w.dead(); !slices.Equal(dead, []string{"poison 1", "poison 2"}) {
			w.Errorf("dead letters %q", dead)
		}
		if s := w.state(); s.First != 0 {
			w.Errorf("the queue begins at %d", s.First)
		}
		w.fake.SetRefuse(nil)
		if n, err := w.local.Replay(w.Context(), acme, nil); n != 2 || err != nil {
			w.Fatalf("Replay: %d, %v", n, err)
		}
		w.pass(5 * minute)
		w.check("after Replay")
		w.wantDelivered(0)
	})
}

// The clocks of Arc, of this host and of clients may all be wrong, and that of this host may be set back.
func TestClocks(t *testing.T) {
	for name, skew := range map[string]time.Duration{"Arc is ahead": 50 * time.Hour, "Arc is behind": -50 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.fake.SetNow(func() time.Time { return time.Now().Add(skew) })
				w.skew.Store(int64(3 * time.Hour))
				w.appendMany(20)
				w.append(event(acme, "of a client whose clock is ahead", at(20*time.Hour)),
					event(acme, "of a client whose clock is behind", at(-300*24*time.Hour)))
				w.pass(30 * time.Second)
				end, err := w.log.Tail(w.Context(), person, "", 10)
				wantCode(w, "Tail at the end", err, "")
				w.skew.Store(int64(-3 * time.Hour)) // the queue's numbers must not go back
				w.appendMany(20)
				w.check("at once")
				page, err := w.log.Tail(w.Context(), person, end.Next, 100)
				if err != nil || len(page.Events) != 20 {
					w.Errorf("Tail: %d events, %v, want 20", len(page.Events), explain(err))
				}
				w.pass(5 * minute)
				w.check("at the end")
				w.wantDelivered(0)
			})
		})
	}
}

// at moves the time of an event.
func at(d time.Duration) func(*loci.Event) {
	return func(e *loci.Event) { e.Time = loci.CutTime(time.Now().Add(d)) }
}

// If Arc refuses everything, the reason is not in the events.
func TestArcRefusesEverything(t *testing.T) {
	inWorld(t, func(w *world) {
		w.fake.SetRefuse(func(map[string]any) bool { return true })
		w.appendMany(1)
		w.pass(20 * minute)
		w.appendMany(300)
		w.pass(3 * time.Hour)
		if dead := w.dead(); len(dead) > 0 {
			w.Fatalf("dead letters %q", dead)
		}
		w.check("in the queue")
		w.fake.SetRefuse(nil)
		w.pass(10 * minute)
		w.check("at the end")
		w.wantDelivered(0)
		if dead := w.dead(); len(dead) > 0 {
			w.Errorf("dead letters %q", dead)
		}
	})
}

// More poison in a row than fits into a batch must not stop what comes after it.
func TestMuchPoison(t *testing.T) {
	inWorld(t, func(w *world) {
		w.fake.SetRefuse(func(row map[string]any) bool { return strings.HasPrefix(row["content"].(string), "poison") })
		for range 150 {
			w.append(event(acme, "poison"))
		}
		w.appendMany(50)
		w.pass(time.Hour)
		w.check("with dead letters")
		if dead := w.dead(); len(dead) != 150 {
			w.Errorf("%d dead letters, want 150", len(dead))
		}
		if s := w.state(); s.First != 0 {
			w.Errorf("the queue begins at %d", s.First)
		}
	})
}

// A new process does not know what the old one has sent.
func TestRestarts(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 40 {
			w.appendMany(30)
			w.pass(time.Duration(i%13) * time.Second)
			w.reopen()
			w.check(fmt.Sprint("after restart ", i))
		}
		w.pass(10 * minute)
		w.check("at the end")
		w.wantDelivered(0)
	})
}

// Two processes share one queue, and one of them sends.
func TestTwoProcesses(t *testing.T) {
	inWorld(t, func(w *world) {
		first, second := *w, *w
		second.open()
		for i := range 20 {
			for _, p := range []*world{&first, &second} {
				p.all = w.all
				p.appendMany(3)
				w.all = p.all
			}
			first.all, second.all = w.all, w.all
			first.check(fmt.Sprint("first, round ", i))
			second.check(fmt.Sprint("second, round ", i))
			w.pass(3 * time.Second)
		}
		second.close()
		w.pass(6 * minute)
		w.check("at the end")
		w.wantDelivered(0)
	})
}

// Orgs don't wait for each other, and a new binding counts at once.
func TestOrgsAreIndependent(t *testing.T) {
	inWorld(t, func(w *world) {
		other := loci.OrgID("other")
		theirs := person
		theirs.OrgID = other
		_, err := w.log.Append(w.Context(), theirs, []*loci.Event{event(other, "a")}, eventlog.Dedup{})
		wantCode(w, "Append without a binding", err, loci.Unavailable)
		_, err = w.log.Find(w.Context(), theirs, eventlog.Query{Limit: 1})
		wantCode(w, "Find without a binding", err, loci.Unavailable)

		second := arctest.New(token)
		defer second.Close()
		w.mu.Lock()
		w.arcs["second.test"] = second
		w.mu.Unlock()
		w.fake.SetFault(func(*http.Request, []byte) arctest.Fault { return arctest.Slow })
		w.appendMany(200)
		w.bind(other, "second.test", "other")
		if _, err := w.log.Append(w.Context(), theirs, []*loci.Event{event(other, "a")}, eventlog.Dedup{}); err != nil {
			w.Fatal(err)
		}
		w.pass(15 * time.Second)
		if n := second.Rows(); n != 1 {
			w.Errorf("the other org's Arc has %d rows, want 1", n)
		}
		page, err := w.log.Find(w.Context(), theirs, eventlog.Query{Limit: 10})
		if err != nil || len(page.Events) != 1 {
			w.Errorf("Find: %d events, %v", len(page.Events), explain(err))
		}
		page, err = w.log.Find(w.Context(), person, eventlog.Query{Limit: 10})
		wantCode(w, "Find in the slow Arc", err, loci.Unavailable)
		if len(page.Events) > 0 {
			w.Errorf("a failed Find has %d events", len(page.Events))
		}
	})
}

func TestEventsGoToTheNewPlace(t *testing.T) {
	inWorld(t, func(w *world) {
		w.appendMany(10)
		w.pass(10 * time.Second) // in the first Arc, but not settled
		second := arctest.New(token)
		defer second.Close()
		w.mu.Lock()
		w.arcs["second.test"] = second
		w.mu.Unlock()
		w.bind(acme, "second.test", "acme")
		w.appendMany(10)
		w.check("at once")
		w.pass(15 * time.Second)
		if n := second.Rows(); n != 20 {
			w.Errorf("the second Arc has %d rows, want all at once", n)
		}
		w.pass(5 * minute)
		w.check("from the second Arc alone")
		if n := second.Rows(); n != 20 {
			w.Errorf("the second Arc has %d rows, want 20", n)
		}
	})
}

func TestPurge(t *testing.T) {
	inWorld(t, func(w *world) {
		w.append(event(acme, "settled"), event(acme, "kept"))
		w.pass(5 * minute)
		w.append(event(acme, "on its way"))
		w.pass(8 * time.Second)
		w.append(event(acme, "queued"))
		gone := []loci.EventID{w.all[0].ID, w.all[2].ID, w.all[3].ID}
		end, err := w.log.End(w.Context(), acme)
		wantCode(w, "End", err, "")
		w.fake.SetNoDelete(true)
		_, err = w.log.Purge(w.Context(), acme, eventlog.Selection{IDs: gone}, 10)
		wantCode(w, "Purge by an Arc that doesn't delete", err, loci.Unavailable)
		w.check("after Purge was refused")
		w.fake.SetNoDelete(false)
		n, err := w.log.Purge(w.Context(), acme, eventlog.Selection{IDs: gone}, 10)
		if n != 3 || err != nil {
			w.Fatalf("Purge: %d, %v", n, explain(err))
		}
		w.all = w.all[1:2]
		for range 30 {
			w.check("after Purge")
			w.pass(10 * time.Second)
		}
		w.wantDelivered(0)
		changes, err := w.log.Changed(w.Context(), acme, end, 10)
		if got := slices.SortedFunc(slices.Values(changes.Gone), oldestFirst); err != nil || !slices.Equal(got, gone) {
			w.Errorf("followers see %v, %v, want %v", got, err, gone)
		}
		if n, err = w.log.Purge(w.Context(), acme, eventlog.Selection{Before: time.Now()}, 10); n != 1 || err != nil {
			w.Errorf("Purge of all: %d, %v", n, explain(err))
		}
		w.all = nil
		w.check("at the end")
	})
}

func TestRowsOfOthers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.check("no measurement")
		w.fake.Insert("acme", "events", map[string]any{"time": time.Now(), "org_id": "acme", "content": "of another program"})
		w.appendMany(3)
		w.check("only rows of another program")
		w.pass(5 * minute)
		w.check("both")
		if n := w.fake.Rows(); n != 4 {
			w.Errorf("Arc has %d rows", n)
		}
	})
}

func TestUpkeepDelivers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.stop()
		w.appendMany(30)
		for range 100 {
			if _, err := w.log.Upkeep(w.Context(), acme); err != nil {
				w.Fatal(explain(err))
			}
			w.pass(2 * time.Second)
		}
		w.check("at the end")
		w.wantDelivered(0)
	})
}

// TestFollowersGetNoParts requires that who follows a slow Arc learns that something is missing, because it would keep
// the rest as it was.
func TestFollowersGetNoParts(t *testing.T) {
	inWorld(t, func(w *world) {
		w.append(event(acme, "in Arc"))
		w.pass(5 * minute)
		w.fake.SetFault(func(*http.Request, []byte) arctest.Fault { return arctest.Slow })
		ctx, cancel := context.WithTimeoutCause(w.Context(), time.Second, loci.ErrSpent)
		defer cancel()
		if list, err := w.log.Read(ctx, acme, []loci.EventID{w.all[0].ID}); err == nil {
			w.Errorf("by id: %d events and no error", len(list))
		}
	})
}
