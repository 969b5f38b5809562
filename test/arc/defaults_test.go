//go:build arc

package arc

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
)

var person = loci.Viewer{OrgID: "acme", UserID: loci.UserID{15: 1}}

func newEvent(at time.Time, content string, change ...func(*loci.Event)) *loci.Event {
	e := &loci.Event{Time: loci.CutTime(at), RecordedAt: loci.CutTime(time.Now()), Content: content,
		EventAccess: loci.EventAccess{OrgID: person.OrgID, UserID: person.UserID, Origin: "person"}}
	for _, fn := range change {
		fn(e)
	}
	e.SetDefaults(e.RecordedAt)
	e.ID = loci.NewEventID(e.Time)
	return e
}

// run delivers until the test ends.
func run(t testing.TB, log *arc.Log) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		log.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func orgs(context.Context) ([]loci.OrgID, error) { return []loci.OrgID{person.OrgID}, nil }

// With the defaults of Loci and Arc, every event is found at every moment, once: in the local log, on its way and in
// Arc. Some have times in hours in which Arc has just looked in vain.
func TestDefaults(t *testing.T) {
	log := open(t, newDatabase(), arc.Options{Orgs: orgs})
	run(t, log)
	var all []*loci.Event
	begin, tick := time.Now(), time.NewTicker(2*time.Second)
	defer tick.Stop()
	for round := 0; time.Since(begin) < 6*time.Minute; round++ {
		back := time.Duration(round%10) * time.Hour
		events := []*loci.Event{newEvent(time.Now(), "now"), newEvent(time.Now().Add(-back), "earlier")}
		if time.Since(begin) < 3*time.Minute {
			if _, err := log.Append(t.Context(), person, events, eventlog.Dedup{}); err != nil {
				t.Fatal(err)
			}
			all = append(all, events...)
		}
		since := begin.Add(-11*time.Hour + time.Duration(round)*time.Second) // another statement in each round
		page, err := log.Find(t.Context(), person, eventlog.Query{Filter: eventlog.Filter{Since: since}, Limit: 1000})
		if err != nil || len(page.Events) != len(all) {
			t.Fatalf("round %d, after %s: found %d events, %v, want %d", round, time.Since(begin).Round(time.Second),
				len(page.Events), err, len(all))
		}
		<-tick.C
	}
	stats, err := log.Stats(t.Context(), person, eventlog.Filter{})
	if err != nil || stats.Total != len(all) {
		t.Errorf("counted %d, %v, want %d", stats.Total, err, len(all))
	}
}

// Whatever is in a filter, Arc finds exactly the events that have it.
func TestLiterals(t *testing.T) {
	log := open(t, newDatabase(), arc.Options{HTTP: &http.Client{Transport: eager{http.DefaultTransport}}, Confirm: 1,
		Settle: 1, FlushInterval: 1, Resend: 1})
	texts := []string{"it's", `\`, `\'`, `'\''`, "''", "' OR 1=1 --", "--", "/* x", ";", "$$", "$a$ b $a$", "E'x'", "ä",
		"𝄞", `"events"`, "read_parquet('x')", "time >= '2031-01-01'", "SELECT 1 FROM events", "DROP TABLE events", "%", "_",
		",", "%2C", "time_bucket('1 hour', time)", "date_trunc('hour', time)", "regexp_replace(a, '^x', '')", "__STR_0__",
		"__IDENT_0__", "`", "\\u0027", "{}", "NULL", "0x27", "REPLACE", "\u200b"}
	var events []*loci.Event
	for _, text := range texts {
		events = append(events, newEvent(time.Now(), text, func(e *loci.Event) {
			e.Actor, e.Tags, e.DedupKey, e.Origin = text, []string{text, "t"}, text, text
		}))
	}
	if _, err := log.Append(t.Context(), person, events, eventlog.Dedup{}); err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		var err error
		if more, err = log.Upkeep(t.Context(), person.OrgID); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range texts {
		for name, f := range map[string]eventlog.Filter{"actor": {Actor: text}, "origin": {Origin: text},
			"tag": {Tags: []string{text}}, "tags": {Tags: []string{"t", text}, AllTags: true}, "text": {Text: text, Actor: text},
			"everything": {Actor: text, Origin: text, Tags: texts[:10], Text: text, IDs: []loci.EventID{events[i].ID}}} {
			if name == "everything" && i >= 10 {
				continue
			}
			page, err := log.Find(t.Context(), person, eventlog.Query{Filter: f, Limit: 100})
			if err != nil || len(page.Events) != 1 || page.Events[0].Content != text {
				t.Errorf("%s %q: %d events, %v", name, text, len(page.Events), err)
				continue
			}
			if got := page.Events[0]; got.Actor != text || !slices.Equal(got.Tags, events[i].Tags) || got.DedupKey != text {
				t.Errorf("%s %q: got %+v", name, text, got)
			}
		}
		none := eventlog.Selection{NotTypes: []string{"general", "set", "call-x", "a--b"}}
		n, err := log.Purge(t.Context(), person.OrgID, none, 9)
		if n != 0 || err != nil {
			t.Fatalf("Purge: %d, %v", n, err)
		}
	}
}
