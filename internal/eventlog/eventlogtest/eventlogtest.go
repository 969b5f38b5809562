// Package eventlogtest is the suite that every event log passes, all of it. It tests the contract at
// its boundary: nothing in it knows how a log keeps its events. A log joins with one test that calls
// Run.
package eventlogtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// Open makes a fresh, empty log for one test and closes it when the test ends. now is its clock.
type Open func(t *testing.T, now func() time.Time) eventlog.Engine

// Run runs the suite, each test on a log of its own.
func Run(t *testing.T, open Open) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(newEnv(t, open))
		})
	}
}

var tests = []struct {
	name string
	run  func(*env)
}{
	{"KeepsEveryField", testKeepsEveryField},
	{"EmptyLog", testEmptyLog},
	{"AppendErrors", testAppendErrors},
	{"AppendIsAllOrNothing", testAppendIsAllOrNothing},
	{"Get", testGet},
	{"Orders", testOrders},
	{"Brief", testBrief},
	{"Pages", testPages},
	{"PagesUnderAppends", testPagesUnderAppends},
	{"PagePositions", testPagePositions},
	{"Filters", testFilters},
	{"Among", testAmong},
	{"LateEvents", testLateEvents},
	{"Spent", testSpent},
	{"Stats", testStats},
	{"Duplicates", testDuplicates},
	{"DuplicatesInOneCall", testDuplicatesInOneCall},
	{"DuplicatesInWindow", testDuplicatesInWindow},
	{"DuplicatesOfVisible", testDuplicatesOfVisible},
	{"DuplicatesConcurrently", testDuplicatesConcurrently},
	{"DuplicatesOfMany", testDuplicatesOfMany},
	{"ClosedSessions", testClosedSessions},
	{"SessionAccess", testSessionAccess},
	{"SessionRevisions", testSessionRevisions},
	{"Visibility", testVisibility},
	{"Tenancy", testTenancy},
	{"Tail", testTail},
	{"TailPositions", testTailPositions},
	{"ForeignPositions", testForeignPositions},
	{"PositionsOfNothing", testPositionsOfNothing},
	{"Changed", testChanged},
	{"Walk", testWalk},
	{"Read", testRead},
	{"Purge", testPurge},
	{"Drop", testDrop},
	{"Concurrent", testConcurrent},
	{"Ready", testReady},
}

// env is the world of one test.
type env struct {
	*testing.T
	log    eventlog.Engine
	clock  *clock
	org    loci.OrgID
	person loci.Viewer
	agent  loci.AgentID
}

const org = loci.OrgID("acme")

func newEnv(t *testing.T, open Open) *env {
	c := &clock{at: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)}
	e := &env{T: t, log: open(t, c.now), clock: c, org: org, agent: loci.NewAgentID()}
	e.person = loci.Viewer{OrgID: org, UserID: loci.NewUserID()}
	return e
}

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// move moves the clock and returns the new time.
func (c *clock) move(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return c.at
}

// event returns a valid event of the env's person. Each is a millisecond after the one before.
func (e *env) event(content string, change ...func(*loci.Event)) *loci.Event {
	return e.eventOf(e.person, content, change...)
}

func (e *env) eventOf(v loci.Viewer, content string, change ...func(*loci.Event)) *loci.Event {
	ev := &loci.Event{Content: content, EventAccess: loci.EventAccess{OrgID: v.OrgID, UserID: v.UserID, Origin: "person"}}
	ev.RecordedAt = e.clock.move(time.Millisecond)
	for _, fn := range change {
		fn(ev)
	}
	ev.SetDefaults(ev.RecordedAt)
	ev.ID = loci.NewEventID(ev.Time)
	if err := ev.Validate(); err != nil {
		e.Fatalf("the event of the test is wrong: %v", err)
	}
	return ev
}

func inSession(s loci.SessionID) func(*loci.Event) { return func(ev *loci.Event) { ev.SessionID = s } }

func tagged(tags ...string) func(*loci.Event) { return func(ev *loci.Event) { ev.Tags = tags } }

func ofType(name string) func(*loci.Event) { return func(ev *loci.Event) { ev.Type = name } }

func at(t time.Time) func(*loci.Event) { return func(ev *loci.Event) { ev.Time = t } }

func reaching(r loci.Reach) func(*loci.Event) { return func(ev *loci.Event) { ev.Reach = r } }

// append stores events as the env's person, without looking for duplicates.
func (e *env) append(events ...*loci.Event) []*loci.Event {
	e.Helper()
	for _, o := range e.appendOf(e.person, 0, events...) {
		if o.Duplicate {
			e.Errorf("event %s is a duplicate, although nobody asked", o.ID)
		}
	}
	return events
}

func (e *env) appendOf(v loci.Viewer, window time.Duration, events ...*loci.Event) []eventlog.Outcome {
	e.Helper()
	got, err := e.log.Append(e.Context(), v, events, eventlog.Dedup{Window: window})
	if err != nil {
		e.Fatalf("append: %v", err)
	}
	if len(got) != len(events) {
		e.Fatalf("append returned %d outcomes for %d events", len(got), len(events))
	}
	return got
}

func (e *env) find(v loci.Viewer, q eventlog.Query) eventlog.Page {
	e.Helper()
	if q.Limit == 0 {
		q.Limit = 1000
	}
	page, err := e.log.Find(e.Context(), v, q)
	if err != nil {
		e.Fatalf("find %+v: %v", q, err)
	}
	return page
}

// upkeep does everything that is due.
func (e *env) upkeep() {
	e.Helper()
	for range 10_000 {
		more, err := e.log.Upkeep(e.Context(), e.org)
		if err != nil {
			e.Fatalf("upkeep: %v", err)
		}
		if !more {
			return
		}
	}
	e.Fatal("upkeep never ends")
}

// stages runs fn for fresh events, after upkeep, and after upkeep two months later.
func (e *env) stages(fn func(stage string)) {
	e.Helper()
	fn("fresh")
	e.upkeep()
	fn("after upkeep")
	e.clock.move(62 * 24 * time.Hour)
	e.upkeep()
	fn("after two months")
}

func (e *env) wantCode(what string, err error, want loci.Code) {
	e.Helper()
	if got := loci.CodeOf(err); got != want || want == "" && err != nil {
		e.Errorf("%s: code %q (%v), want %q", what, got, err, want)
	}
}

// wantEvents compares events field by field, in their order.
func (e *env) wantEvents(what string, got, want []*loci.Event) {
	e.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantContents compares the contents of events, in their order.
func (e *env) wantContents(what string, got []*loci.Event, want ...string) {
	e.Helper()
	if list := contents(got); !slices.Equal(list, want) {
		e.Errorf("%s: %q, want %q", what, list, want)
	}
}

func contents(events []*loci.Event) (list []string) {
	for _, ev := range events {
		list = append(list, ev.Content)
	}
	return list
}

func idsOf(events []*loci.Event) (ids []loci.EventID) {
	for _, ev := range events {
		ids = append(ids, ev.ID)
	}
	return ids
}

// inTime returns events sorted by time and id.
func inTime(events []*loci.Event, order eventlog.Order) []*loci.Event {
	sorted := slices.Clone(events)
	slices.SortFunc(sorted, func(a, b *loci.Event) int {
		if order != eventlog.Oldest {
			a, b = b, a
		}
		return strings.Compare(string(a.ID[:]), string(b.ID[:]))
	})
	return sorted
}

// walk reads all pages.
func (e *env) walk(ctx context.Context, v loci.Viewer, q eventlog.Query) (all []*loci.Event) {
	e.Helper()
	for range 10_000 {
		page, err := e.log.Find(ctx, v, q)
		if err != nil {
			e.Fatalf("find %+v: %v", q, err)
		}
		if len(page.Events) > q.Limit {
			e.Errorf("a page has %d events, the limit is %d", len(page.Events), q.Limit)
		}
		all = append(all, page.Events...)
		if q.After = page.Next; q.After == "" {
			return all
		}
	}
	e.Fatal("the pages never end")
	return nil
}

func numbered(n int) string { return fmt.Sprintf("event %d", n) }

// One is one log for all orgs, for the services.
type One struct{ Log eventlog.Engine }

// Of returns the log.
func (o One) Of(context.Context, loci.OrgID) (eventlog.Engine, error) { return o.Log, nil }
