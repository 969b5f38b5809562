package app_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
)

func TestFiltersOfEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	d.now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	d.agent(d.claude, "reviewer", "")
	session := d.open(d.claude, agent.SessionDraft{Agent: "reviewer", Title: "a review"})
	log := func(content string, ago time.Duration, e event.Draft) loci.EventID {
		e.Content, e.Time = content, d.now.Add(-ago)
		return d.log(d.claude, e)
	}
	log("a", 36*time.Hour, event.Draft{Tags: []string{"x", "y"}, Importance: 2})
	b := log("b", 13*time.Hour+30*time.Minute, event.Draft{Session: "a review", Class: loci.EventDecision,
		Tags: []string{"xy"}})
	log("c", 40*time.Minute, event.Draft{Type: "error", Tags: []string{"x"}, Importance: 9, Actor: "user"})
	log("d", time.Minute, event.Draft{ParentID: b, Agent: "reviewer"})
	for _, tt := range []struct {
		name string
		f    event.Filter
		want string
	}{
		{"all", event.Filter{}, "d c b a"},
		{"30m", event.Filter{Since: "30m"}, "d"},
		{"14h", event.Filter{Since: "14h"}, "d c b"},
		{"7d", event.Filter{Since: "7d", Until: "30m"}, "c b a"},
		{"RFC 3339", event.Filter{Since: "2026-03-09T22:00:00Z"}, "d c b"},
		{"a day in UTC", event.Filter{Since: "2026-03-10"}, "d c"},
		{"a day elsewhere", event.Filter{Since: "2026-03-10", Zone: "Europe/Berlin"}, "d c"},
		{"a day farther away", event.Filter{Since: "2026-03-10", Zone: "+05:00"}, "d c b"},
		{"any tag", event.Filter{Tags: []string{"x", "y"}}, "c a"},
		{"all tags", event.Filter{Tags: []string{"x", "y"}, AllTags: true}, "a"},
		{"a type", event.Filter{Types: []string{"error", "other"}}, "c"},
		{"a class", event.Filter{Classes: []loci.EventClass{loci.EventDecision}}, "b"},
		{"a session", event.Filter{Session: "a review"}, "b"},
		{"a session by its id", event.Filter{Session: session.ID.String()}, "b"},
		{"an agent", event.Filter{Agent: "reviewer"}, "d b"},
		{"an actor", event.Filter{Actor: "user"}, "c"},
		{"a parent", event.Filter{ParentID: b}, "d"},
		{"importance", event.Filter{MinImportance: 6}, "c"},
		{"an origin", event.Filter{Origin: "cursor"}, ""},
		{"a deleted session", event.Filter{Session: loci.NewSessionID().String()}, ""},
	} {
		if got := d.contents(d.tom, event.SearchRequest{Filter: tt.f}); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := d.contents(d.tom, event.SearchRequest{Order: eventlog.Oldest}); got != "a b c d" {
		t.Errorf("oldest first: %q", got)
	}
	for _, tt := range []struct {
		f    event.SearchRequest
		text string
	}{
		{event.SearchRequest{Filter: event.Filter{Since: "soon"}}, "since must be a time such as"},
		{event.SearchRequest{Filter: event.Filter{Until: "1x"}}, "until must be a time such as"},
		{event.SearchRequest{Filter: event.Filter{Since: "1h", Until: "2h"}}, "since must be before until"},
		{event.SearchRequest{Filter: event.Filter{Zone: "Mars/Base"}}, "time_zone must be"},
		{event.SearchRequest{Filter: event.Filter{Classes: []loci.EventClass{"x"}}}, "memory_type[0] must be"},
		{event.SearchRequest{Filter: event.Filter{Types: []string{"x y"}}}, "event_type[0] must be"},
		{event.SearchRequest{Filter: event.Filter{Session: "none"}}, "session_id names no session"},
		{event.SearchRequest{Filter: event.Filter{Agent: "none"}}, "agent_id names no agent"},
		{event.SearchRequest{Filter: event.Filter{MinImportance: 11}}, "min_importance must be"},
		{event.SearchRequest{Filter: event.Filter{Text: words(33)}}, "q has more than 32 words"},
		{event.SearchRequest{Order: "up"}, "order must be"},
		{event.SearchRequest{Limit: 501}, "limit must be from 1 to 500"},
	} {
		refused(t, tt.text, second(d.Event.Search(ctx, d.tom, tt.f)), loci.Invalid, tt.text)
	}
}

func words(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("word%d", i))
	}
	return strings.Join(list, " ")
}

// Pages have each event once, also if many have the same time.
func TestPagesOfEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var batch []event.Draft
	at := d.now
	for i := range 25 {
		batch = append(batch, event.Draft{Content: fmt.Sprint(i), Time: at})
	}
	d.must(second(d.Event.Append(t.Context(), d.claude, batch)))
	for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
		got := map[string]bool{}
		var list []string
		r := event.SearchRequest{Order: order, Limit: 7, Filter: event.Filter{Since: "1h"}}
		for pages := 1; ; pages++ {
			page, err := d.Event.Search(t.Context(), d.tom, r)
			d.must(err)
			for _, e := range page.Items {
				got[e.Content] = true
				list = append(list, e.Content)
			}
			if r.Cursor = page.NextCursor; r.Cursor == "" {
				if pages != 4 {
					t.Errorf("%d pages", pages)
				}
				break
			}
		}
		if len(got) != 25 {
			t.Errorf("%s: %d events", order, len(got))
		}
		if order == eventlog.Newest {
			slices.Reverse(list)
		}
		for i, content := range list {
			if content != fmt.Sprint(i) {
				t.Fatalf("%s: events of one time are not as they were sent: %v", order, list)
			}
		}
	}
	page, err := d.Event.Search(t.Context(), d.tom, event.SearchRequest{Limit: 7})
	d.must(err)
	for name, r := range map[string]event.SearchRequest{"another query": {Order: eventlog.Oldest}, "a filter": {
		Filter: event.Filter{Since: "1h"}}} {
		r.Cursor = page.NextCursor
		refused(t, name, second(d.Event.Search(t.Context(), d.tom, r)), loci.Invalid, "cursor does not belong")
	}
	refused(t, "another reader", second(d.Event.Search(t.Context(), d.ines, event.SearchRequest{
		Cursor: page.NextCursor})), loci.Invalid, "cursor does not belong")
}

func TestTailOfEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	d.log(d.claude, event.Draft{Content: "before"})
	tail := func(who loci.Principal, f event.Filter, cursor string) (string, string) {
		page, err := d.Event.Tail(ctx, who, event.TailRequest{Filter: f, Cursor: cursor})
		d.must(err)
		return contentsOf(page.Events), page.Cursor
	}
	failures := event.Filter{Types: []string{"error"}}
	_, toms := tail(d.tom, event.Filter{}, "")
	_, maras := tail(d.mara, failures, "")
	d.log(d.claude, event.Draft{Content: "old", Time: d.now.Add(-time.Hour)})
	d.log(d.claude, event.Draft{Content: "new", Type: "error"})
	d.log(d.claude, event.Draft{Content: "hidden", Type: "error", Reach: loci.ReachPrivate})
	got, next := tail(d.tom, event.Filter{}, toms)
	if got != "old new" {
		t.Errorf("tom's tail: %q", got)
	}
	if got, again := tail(d.tom, event.Filter{}, next); got != "" || again == "" {
		t.Errorf("and then: %q, %q", got, again)
	}
	if got, _ := tail(d.mara, failures, maras); got != "new hidden" {
		t.Errorf("mara's tail of errors: %q", got)
	}
}

// A stream stores everything before the event that is refused.
func TestStreamsOfEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	stream, err := d.Event.Stream(ctx, d.claude)
	d.must(err)
	for i := range 2500 {
		d.must(stream.Add(ctx, i+1, event.Draft{Content: fmt.Sprint("e", i%2400)}))
	}
	d.must(stream.Add(ctx, 2502, event.Draft{Type: "bad type"}))
	d.must(stream.Add(ctx, 2503, event.Draft{Content: "after"}))
	err = stream.Flush(ctx)
	refused(t, "a bad event", err, loci.Invalid, "content ")
	at := (*event.LineError)(nil)
	if !errors.As(err, &at) || at.Line != 2502 || stream.Stored != 2400 || stream.Duplicates != 100 {
		t.Errorf("got %+v, %v", stream, err)
	}
	stats, err := d.Event.Stats(ctx, d.tom, event.Filter{})
	d.must(err)
	if stats.Total != 2400 {
		t.Errorf("%d events", stats.Total)
	}
}

// Run drops the logs of orgs that do not exist any more, and no others, and ends.
func TestRunOfEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.log(d.claude, event.Draft{Content: "zebra"})
	access := loci.EventAccess{OrgID: "gone", UserID: d.mara.UserID, Origin: "person"}
	old := &loci.Event{Content: "old", EventAccess: access, RecordedAt: d.now}
	old.SetDefaults(d.now)
	old.ID = loci.NewEventID(old.Time)
	gone := loci.Viewer{OrgID: "gone", UserID: d.mara.UserID}
	d.must(second(d.events.Append(t.Context(), gone, []*loci.Event{old}, eventlog.Dedup{})))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { d.Event.Run(ctx); close(ended) }()
	for dropped := false; !dropped; runtime.Gosched() {
		orgs, err := d.events.Orgs(t.Context())
		d.must(err)
		dropped = !slices.Contains(orgs, "gone")
	}
	stop()
	<-ended
	if got := d.contents(d.tom, event.SearchRequest{Filter: event.Filter{Text: "zebra"}}); got != "zebra" {
		t.Errorf("got %q", got)
	}
}

// BenchmarkFindEvents finds 50 of 100,000 events, in ways of which the index knows.
func BenchmarkFindEvents(b *testing.B) {
	d := newDesk(b)
	words := strings.Fields("deploy build test review release login page server disk queue cache index token user error " +
		"timeout retry branch commit merge lint format docs chart table mail phone invoice order stock price tax bank")
	s := d.open(d.mara, agent.SessionDraft{}).ID.String()
	const events, batch = 100_000, 1000
	for n := range events / batch {
		drafts := make([]event.Draft, batch)
		for i := range drafts {
			text := fmt.Sprint("Event ", n*batch+i, ":")
			for w := range 12 {
				text += " " + words[(n*batch+i*(w+7)+w*w)%len(words)]
			}
			drafts[i] = event.Draft{Content: text, Tags: []string{"build", fmt.Sprint("tag-", i%100)}, Type: "tool_call"}
			if n == 50 {
				drafts[i].Session = s
			}
		}
		d.now = d.now.Add(time.Minute)
		_, err := d.Event.Append(b.Context(), d.mara, drafts)
		d.must(err)
	}
	began := time.Now()
	for partial := true; partial; {
		page, err := d.Event.Search(b.Context(), d.mara, event.SearchRequest{Filter: event.Filter{Text: "deploy"}})
		d.must(err)
		partial = page.Partial
	}
	b.Logf("%.0f events/s are indexed", events/time.Since(began).Seconds())
	for name, f := range map[string]event.Filter{"all": {}, "word": {Text: "deploy"}, "rare word": {Text: "5555"},
		"phrase": {Text: `"event 5555"`}, "words": {Text: "deploy server"}, "tag": {Tags: []string{"tag-7"}},
		"day, tag": {Tags: []string{"tag-7"}, Since: "24h"}, "session": {Session: s}, "none": {Text: "absent"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := d.Event.Search(b.Context(), d.mara, event.SearchRequest{Filter: f})
				d.must(err)
			}
		})
	}
	b.Run("stats", func(b *testing.B) {
		for b.Loop() {
			_, err := d.Event.Stats(b.Context(), d.mara, event.Filter{Text: "deploy"})
			d.must(err)
		}
	})
	b.Run("context", func(b *testing.B) {
		for b.Loop() {
			_, err := d.Event.SessionContext(b.Context(), d.mara, s, event.ContextRequest{})
			d.must(err)
		}
	})
}
