package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/memory"
)

// recall returns the contents of the memories and events that a recall finds, by rank.
func (d *desk) recall(who loci.Principal, r memory.SearchRequest) (string, *memory.SearchPage[loci.Recalled]) {
	d.t.Helper()
	page, err := d.Memory.Recall(d.t.Context(), who, r)
	d.must(err)
	found := map[int]string{}
	var ranks []int
	add := func(rank int, text string) {
		if _, twice := found[rank]; twice {
			d.t.Errorf("two hits have rank %d", rank)
		}
		found[rank], ranks = text, append(ranks, rank)
	}
	for _, m := range page.Items {
		add(m.Rank, m.Content)
	}
	for _, e := range page.Events {
		add(e.Rank, e.Content)
	}
	slices.Sort(ranks)
	var list []string
	for _, n := range ranks {
		list = append(list, found[n])
	}
	return strings.Join(list, " | "), page
}

// TestRecallFindsMemoriesAndEvents requires one ranking of both, with the reasons of each.
func TestRecallFindsMemoriesAndEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.open(d.mara, agent.SessionDraft{Title: "release"})
	d.add(d.mara, memory.Draft{Title: "Rule", Content: "The release needs two reviews."})
	d.log(d.claude, event.Draft{Session: "release", Content: "The disk of the runner was full.", Type: "error",
		Actor: "ci", Tags: []string{"runner"}})
	d.log(d.claude, event.Draft{Session: "release", Content: "We clean it each night.", Class: loci.EventDecision,
		Metadata: json.RawMessage(`{"reasoning":"the release failed because of the runner"}`)})
	d.log(d.claude, event.Draft{Content: "Lunch is at noon.", Importance: 9})
	for _, tt := range []struct {
		name string
		r    memory.SearchRequest
		want string
	}{
		{"both, and an event by its reason", memory.SearchRequest{Query: "runner release"},
			"We clean it each night. | The disk of the runner was full. | The release needs two reviews."},
		{"memories", memory.SearchRequest{Query: "runner release", Kinds: []memory.Kind{memory.KindMemory}},
			"The release needs two reviews."},
		{"events", memory.SearchRequest{Query: "release", Kinds: []memory.Kind{memory.KindEvent}},
			"We clean it each night. | The disk of the runner was full."},
		{"the first of them", memory.SearchRequest{Query: "runner release", Limit: 1}, "We clean it each night."},
		{"by type", memory.SearchRequest{Query: "error"}, "The disk of the runner was full. | We clean it each night."},
		{"with a tag", memory.SearchRequest{Query: "release disk", Filter: memory.Filter{Tags: []string{"runner"}}},
			"The disk of the runner was full."},
		{"of a session", memory.SearchRequest{Query: "lunch disk", Filter: memory.Filter{SessionID: s.ID}},
			"The disk of the runner was full. | We clean it each night."},
		{"by origin", memory.SearchRequest{Query: "release", Filter: memory.Filter{Origin: "claude"}},
			"We clean it each night. | The disk of the runner was full."},
		{"with a filter of memories", memory.SearchRequest{Query: "release", Filter: memory.Filter{Category: "fact"}},
			"The release needs two reviews."},
		{"at another time", memory.SearchRequest{Query: "runner", Filter: memory.Filter{When: loci.When{AsOf: d.now}}}, ""},
		{"before", memory.SearchRequest{Query: "lunch", Filter: memory.Filter{To: d.now.Add(-time.Hour)}}, ""},
		{"since", memory.SearchRequest{Query: "lunch", Filter: memory.Filter{From: d.now.Add(-time.Hour)}},
			"Lunch is at noon."},
	} {
		got, page := d.recall(d.mara, tt.r)
		if tt.r.Query == "runner release" && tt.name != "memories" && page.Total != 3 {
			t.Errorf("%s: a total of %d", tt.name, page.Total)
		}
		if got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
	_, page := d.recall(d.tom, memory.SearchRequest{Query: "disk", Explain: true})
	e := page.Events[0]
	if e.Actor != "ci" || e.SessionID != s.ID || e.Snippet.Plain() != e.Content || e.Score <= 0 ||
		len(e.Why.Terms) != 1 || !slices.Equal(e.Why.Terms[0].Fields, []string{"content"}) || e.Why.Signals == nil {
		t.Errorf("an event: %+v", e)
	}
	_, err := d.Memory.Recall(t.Context(), d.tom, memory.SearchRequest{Query: "x", Kinds: []memory.Kind{"event", "note"}})
	refused(t, "an unknown kind", err, loci.Invalid, "kinds[1] must be memory or event")
}

// TestManyEventsHideNoMemories has more events that pass a filter than an index is asked for.
func TestManyEventsHideNoMemories(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.log(d.mara, event.Draft{Content: "the first lynx", Tags: []string{"zoo"}})
	batch := make([]event.Draft, 5001)
	for i := range batch {
		batch[i] = event.Draft{Content: fmt.Sprint("visitor ", i), Tags: []string{"zoo"}}
	}
	d.now = d.now.Add(time.Minute)
	d.must(second(d.Event.Append(t.Context(), d.mara, batch)))
	d.add(d.mara, memory.Draft{Title: "t", Content: "a lynx of memory", Tags: []string{"zoo"}})
	for range 20 { // the index may need several calls
		got, page := d.recall(d.mara, memory.SearchRequest{Query: "lynx", Filter: memory.Filter{Tags: []string{"zoo"}}})
		if page.EventsPartial {
			continue
		}
		if !strings.Contains(got, "a lynx of memory") || !strings.Contains(got, "the first lynx") {
			t.Errorf("found %q", got)
		}
		return
	}
	t.Error("the index never got ready")
}

// TestRecalledEventsCome in pages, and none twice.
func TestRecalledEventsComeInPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range 7 {
		d.log(d.claude, event.Draft{Content: fmt.Sprintf("otter %d", i)})
		d.add(d.mara, memory.Draft{Title: "t", Content: fmt.Sprintf("an otter of memory %d", i)})
	}
	seen := map[string]bool{}
	r := memory.SearchRequest{Query: "otter", Limit: 4}
	for rank := 1; ; {
		page, err := d.Memory.Recall(t.Context(), d.mara, r)
		d.must(err)
		for _, m := range page.Items {
			seen[m.Content] = true
		}
		for _, e := range page.Events {
			seen[e.Content] = true
		}
		if rank += len(page.Items) + len(page.Events); page.NextCursor == "" {
			break
		}
		r.Cursor = page.NextCursor
	}
	if len(seen) != 14 {
		t.Errorf("found %d of 14", len(seen))
	}
	r.Kinds = []memory.Kind{memory.KindEvent}
	_, err := d.Memory.Recall(t.Context(), d.mara, r)
	refused(t, "a cursor of other kinds", err, loci.Invalid, "cursor")
}

// TestRecallHidesEvents requires that a hidden event changes nothing in an answer: no hit, no score, no total. It
// follows the session at once, and what is deleted.
func TestRecallHidesEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	private, wide := loci.ReachPrivate, loci.ReachOrg
	hidden, narrowed := d.hiddenEvents()
	for _, tt := range hidden {
		d.log(tt.who, event.Draft{Content: "The walrus met the " + tt.name})
		ask := func() string {
			page, err := d.Memory.Recall(t.Context(), tt.who, memory.SearchRequest{Query: "walrus meeting", Limit: 50,
				Explain: true})
			d.must(err)
			out, err := json.Marshal(page)
			d.must(err)
			return string(out)
		}
		before := ask()
		for i := range 3 {
			tt.draft.Content = fmt.Sprintf("walrus walrus meeting meeting %d of %s", i, tt.name)
			d.log(d.mara, tt.draft)
			if tt.draft.Session == narrowed && i == 2 {
				if _, page := d.recall(tt.who, memory.SearchRequest{Query: "narrowed"}); page.Total != 4 {
					t.Errorf("before it is narrowed, %d hits", page.Total)
				}
				d.must(second(d.Agent.UpdateSession(t.Context(), d.mara, narrowed, agent.SessionPatch{Reach: &private})))
			}
		}
		if after := ask(); after != before {
			t.Errorf("%s: it answers\n%s\nwant\n%s", tt.name, after, before)
		}
		if got, _ := d.recall(d.mara, memory.SearchRequest{Query: `"meeting 2 of ` + tt.name + `"`}); !strings.Contains(got,
			"meeting 2 of "+tt.name) {
			t.Errorf("%s: its writer finds %q", tt.name, got)
		}
	}
	d.must(second(d.Agent.UpdateSession(t.Context(), d.mara, narrowed, agent.SessionPatch{Reach: &wide})))
	if got, _ := d.recall(d.tom, memory.SearchRequest{Query: `"meeting 1 of in"`}); !strings.Contains(got, "narrowed") {
		t.Errorf("once it is wide again, tom finds %q", got)
	}
}

// TestRecallWithoutEvents has callers who may not read events, and logs that do not answer.
func TestRecallWithoutEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.log(d.mara, event.Draft{Content: "a heron flew"})
	d.add(d.mara, memory.Draft{Title: "t", Content: "a heron sat"})
	_, secret, err := d.Identity.CreateKey(t.Context(), d.mara, auth.KeyRequest{Name: "k", Vendor: "claude",
		Rights: []loci.Right{loci.RightRead}})
	d.must(err)
	reader := d.with(secret)
	if got, page := d.recall(reader, memory.SearchRequest{Query: "heron"}); got != "a heron sat" || page.EventsPartial {
		t.Errorf("without the right, it finds %q, partial %v", got, page.EventsPartial)
	}
	onlyEvents := []memory.Kind{memory.KindEvent}
	_, err = d.Memory.Recall(t.Context(), reader, memory.SearchRequest{Query: "heron", Kinds: onlyEvents})
	refused(t, "without the right, events", err, loci.Forbidden, "")

	down := app.New(app.Options{Store: d.st, Now: d.clock, Events: event.Options{Logs: downLogs{}}})
	page, err := down.Memory.Recall(t.Context(), d.mara, memory.SearchRequest{Query: "heron"})
	if err != nil || len(page.Items) != 1 || len(page.Events) != 0 || !page.EventsPartial {
		t.Errorf("without the log: %+v, %v", page, err)
	}
	_, err = down.Memory.Recall(t.Context(), d.mara, memory.SearchRequest{Query: "heron", Kinds: onlyEvents})
	refused(t, "without the log, events", err, loci.Unavailable, "")
}

// downLogs are logs that do not answer.
type downLogs struct{}

func (downLogs) Of(context.Context, loci.OrgID) (eventlog.Engine, error) {
	return nil, loci.Errorf(loci.Unavailable, "it is down")
}

// BenchmarkRecallEvents measures a recall without events, its first one of 100,000 events, how long the index of these
// takes, and a recall with them.
func BenchmarkRecallEvents(b *testing.B) {
	d := newDesk(b)
	d.add(d.mara, memory.Draft{Title: "t", Content: "We deploy on Tuesdays."})
	words := strings.Fields("deploy build test review release login page server disk queue cache index token user error " +
		"timeout retry branch commit merge lint format docs chart table mail phone invoice order stock price tax bank")
	ask := memory.SearchRequest{Query: "why did the deploy time out"}
	b.Run("none", func(b *testing.B) {
		for b.Loop() {
			d.recall(d.mara, ask)
		}
	})
	const events = 100_000
	s := d.open(d.mara, agent.SessionDraft{}).ID.String()
	for n := 0; n < events; {
		batch := make([]event.Draft, 5000)
		for i := range batch {
			text := fmt.Sprint("Event ", n, ":")
			for w := range 12 {
				text += " " + words[(n*(w+7)+w*w)%len(words)]
			}
			batch[i] = event.Draft{Content: text, Session: s}
			n++
		}
		_, err := d.Event.Append(b.Context(), d.mara, batch)
		d.must(err)
		d.now = d.now.Add(time.Minute)
	}
	began := time.Now()
	_, page := d.recall(d.mara, ask)
	first := time.Since(began)
	for page.EventsPartial {
		_, page = d.recall(d.mara, ask)
	}
	built := time.Since(began)
	b.Run("100000", func(b *testing.B) {
		for b.Loop() {
			d.recall(d.mara, ask)
		}
		b.ReportMetric(first.Seconds()*1000, "first-ms")
		b.ReportMetric(events/built.Seconds(), "indexed/s")
	})
}

// halfLog is a log whose follower works, and whose readers fail.
type halfLog struct {
	eventlog.Engine
	err error
}

func (l *halfLog) Find(context.Context, loci.Viewer, eventlog.Query) (eventlog.Page, error) {
	return eventlog.Page{}, l.err
}

func (l *halfLog) Get(context.Context, loci.Viewer, []loci.EventID) ([]*loci.Event, error) {
	return nil, l.err
}

// TestRecallWhenTheLogFails requires memories, and no error, when the log of events fails after the index has
// answered, as an Arc may do.
func TestRecallWhenTheLogFails(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	log := embedded.Open(embedded.Options{Dir: filepath.Join(t.TempDir(), "events"), Now: d.clock})
	t.Cleanup(func() { d.must(log.Close()) })
	half := &halfLog{log, loci.Errorf(loci.Unavailable, "it is down")}
	d.App = app.New(app.Options{Store: d.st, Now: d.clock, Events: event.Options{Logs: eventlogtest.One{Log: half}}})
	d.log(d.mara, event.Draft{Content: "a heron flew"})
	d.add(d.mara, memory.Draft{Title: "t", Content: "a heron sat", Tags: []string{"bird"}})
	for _, half.err = range []error{half.err, errors.New("a damaged file")} {
		for name, f := range map[string]memory.Filter{"no filter": {}, "a tag": {Tags: []string{"bird"}}} {
			got, page := d.recall(d.mara, memory.SearchRequest{Query: "heron", Filter: f})
			if got != "a heron sat" || !page.EventsPartial {
				t.Errorf("%s: it finds %q, partial %v", name, got, page.EventsPartial)
			}
		}
		_, err := d.Memory.Recall(t.Context(), d.mara, memory.SearchRequest{Query: "heron",
			Kinds: []memory.Kind{memory.KindEvent}})
		if err == nil {
			t.Error("a search for events alone succeeds")
		}
	}
}

// silentLog is a log whose readers wait until nobody waits for them any more.
type silentLog struct{ eventlog.Engine }

func (silentLog) Find(ctx context.Context, _ loci.Viewer, _ eventlog.Query) (eventlog.Page, error) {
	<-ctx.Done()
	return eventlog.Page{}, ctx.Err()
}

func (silentLog) Get(ctx context.Context, _ loci.Viewer, _ []loci.EventID) ([]*loci.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestRecallDoesNotWaitForASilentLog requires an answer, marked as partial, from a recall whose client sets no limit.
func TestRecallDoesNotWaitForASilentLog(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	log := embedded.Open(embedded.Options{Dir: filepath.Join(t.TempDir(), "events"), Now: d.clock})
	t.Cleanup(func() { d.must(log.Close()) })
	d.App = app.New(app.Options{Store: d.st, Now: d.clock,
		Events: event.Options{Logs: eventlogtest.One{Log: silentLog{log}}}})
	d.log(d.mara, event.Draft{Content: "a heron flew"})
	d.add(d.mara, memory.Draft{Title: "t", Content: "a heron sat", Tags: []string{"bird"}})
	for name, f := range map[string]memory.Filter{"no filter": {}, "a tag": {Tags: []string{"bird"}}} {
		got, page := d.recall(d.mara, memory.SearchRequest{Query: "heron", Filter: f})
		if got != "a heron sat" || !page.EventsPartial {
			t.Errorf("%s: it finds %q, partial %v", name, got, page.EventsPartial)
		}
	}
	got, page := d.recall(d.mara, memory.SearchRequest{Query: "heron", Kinds: []memory.Kind{memory.KindEvent}})
	if got != "" || !page.EventsPartial {
		t.Errorf("events alone: it finds %q, partial %v", got, page.EventsPartial)
	}
}
