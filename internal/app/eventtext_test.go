package app_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
)

// byText returns the contents that a search finds by a text, the earliest first, and requires that the counts, the tail
// and the pages of one event say the same.
func (d *desk) byText(text string) string {
	d.t.Helper()
	f := event.Filter{Text: text}
	got := d.contents(d.mara, event.SearchRequest{Filter: f, Order: eventlog.Oldest})
	var pages []string
	for r := (event.SearchRequest{Filter: f, Order: eventlog.Oldest, Limit: 1}); ; {
		page, err := d.Event.Search(d.t.Context(), d.mara, r)
		d.must(err)
		for _, e := range page.Items {
			pages = append(pages, e.Content)
		}
		if r.Cursor = page.NextCursor; r.Cursor == "" {
			break
		}
	}
	if all := strings.Join(pages, " "); all != got {
		d.t.Errorf("%q: pages of one event have %.200q, and one page %.200q", text, all, got)
	}
	stats, err := d.Event.Stats(d.t.Context(), d.mara, f)
	if err != nil || stats.Total != len(pages) {
		d.t.Errorf("%q: %d events are counted, %v, want %d", text, stats.Total, err, len(pages))
	}
	return got
}

// TestTextOfEvents finds events by the words of their content, in any order and form, by phrases and by beginnings.
func TestTextOfEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	all := []string{"The deployment FAILED: connexion réfusée on host db-1.example.com",
		"Deployments are failing again, and again", "nothing to see", strings.Repeat("long text ", 9000) + "needle"}
	cursors := map[string]string{}
	tests := map[string][]int{
		"failed": {0, 1}, "deploying FAIL": {0, 1}, "again deployments": {1}, "refusee": {0}, "example": {0}, "db-1": {0},
		"deployment nothing": nil, "needle": {3}, `"nothing" OR see *`: nil, "deployment -host": {0}, "to (see) nothing": {2},
		"fail AND again": {1}, strings.Repeat("again ", 40): {1}, "tagged": nil, "nothing failed": nil, "nothing again": nil,
		`"nothing to see"`: {2}, `"see nothing"`: nil, `"deployments are" again`: {1}, "needl*": {3}, "depl* host": {0},
		`"again and"`: {1}, `"nothing to failed"`: nil, "...": {0, 1, 2, 3},
	}
	for text := range tests {
		tail, err := d.Event.Tail(t.Context(), d.mara, event.TailRequest{Filter: event.Filter{Text: text}})
		d.must(err)
		cursors[text] = tail.Cursor
	}
	for i, content := range all {
		draft := event.Draft{Content: content}
		if i == 2 {
			draft.Tags, draft.Type, draft.Class = []string{"failed", "tagged"}, "failed", loci.EventDecision
			draft.Metadata = json.RawMessage(`{"reasoning":"deployments again"}`)
		}
		d.log(d.mara, draft)
	}
	for text, want := range tests {
		var contents []string
		for _, i := range want {
			contents = append(contents, all[i])
		}
		if got := d.byText(text); got != strings.Join(contents, " ") {
			t.Errorf("%q finds %.200q, want %d events: %.200q", text, got, len(want), contents)
		}
		page, err := d.Event.Tail(t.Context(), d.mara, event.TailRequest{Filter: event.Filter{Text: text},
			Cursor: cursors[text]})
		if err != nil || len(page.Events) != len(want) {
			t.Errorf("%q: the tail has %d events, %v, want %d", text, len(page.Events), err, len(want))
		}
	}
}

// TestTextOfEventsInAllLanguages finds an event by another form of its words, in twelve languages.
func TestTextOfEventsInAllLanguages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	list := map[string]string{
		"Die Häuser der Nachbarn wurden gestern alle verkauft.":     "haus verkaufte",
		"Les pommes que nous avons achetées hier sont mauvaises.":   "pomme acheter",
		"Las reuniones del equipo son siempre los lunes.":           "reunión equipos",
		"As entregas acontecem às segundas-feiras.":                 "entrega acontecer",
		"Мы обсуждали новые договоры с поставщиками вчера вечером.": "договор поставщик",
		"Toplantılarımız her pazartesi sabahı yapılıyor.":           "sabah pazartesi",
		"The teams discussed the contracts yesterday.":              "team contract",
		"हमारी बैठकें हर सोमवार को सुबह होती हैं।":                  "सुबह सोमवार",
		"اجتماعات الفريق تعقد كل يوم اثنين في الصباح":               "اجتماع",
		"会議は毎週月曜日の朝に行われます。":                                         "会議",
		"我们每周一早上开会讨论合同。":                                            "合同",
		"회의는 매주 월요일 아침에 열립니다.":                                      "아침",
	}
	for content := range list {
		d.log(d.mara, event.Draft{Content: content})
	}
	for content, text := range list {
		if got := d.byText(text); got != content {
			t.Errorf("%q finds %q, want %q", text, got, content)
		}
	}
}

// slowLog is a log of which no index can read what changes, in the time that it has.
type slowLog struct{ eventlog.Engine }

func (slowLog) Changed(ctx context.Context, _ loci.OrgID, _ eventlog.Position, _ int) (eventlog.Changes, error) {
	<-ctx.Done()
	return eventlog.Changes{}, ctx.Err()
}

// TestEventsWithoutAnIndex requires that a search for a text says that it has not found everything, if the index is
// behind, and that other searches find all.
func TestEventsWithoutAnIndex(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	log := embedded.Open(embedded.Options{Dir: filepath.Join(t.TempDir(), "events"), Now: d.clock})
	t.Cleanup(func() { d.must(log.Close()) })
	open := func(log eventlog.Engine) {
		d.App = app.New(app.Options{Store: d.st, Now: d.clock, Events: event.Options{Logs: eventlogtest.One{Log: log},
			Patience: 20 * time.Millisecond}})
	}
	open(slowLog{log})
	for _, content := range []string{"zebra", "another zebra", "quagga"} {
		d.log(d.mara, event.Draft{Content: content, Tags: []string{"animal"}})
	}
	text, tag := event.SearchRequest{Filter: event.Filter{Text: "zebra"}}, event.Filter{Tags: []string{"animal"}}
	page, err := d.Event.Search(t.Context(), d.mara, text)
	if err != nil || !page.Partial || len(page.Items) > 0 || page.NextCursor == "" {
		t.Errorf("a text: %+v, %v", page, err)
	}
	if stats, err := d.Event.Stats(t.Context(), d.mara, text.Filter); err != nil || !stats.Partial || stats.Total > 0 {
		t.Errorf("counts by a text: %+v, %v", stats, err)
	}
	told, err := d.Event.OrgContext(t.Context(), d.mara, event.ContextRequest{Topic: "zebra"})
	if err != nil || !strings.Contains(told.Context, "events may be missing") {
		t.Errorf("a context of a topic: %+v, %v", told, err)
	}
	if got := d.contents(d.mara, event.SearchRequest{Filter: tag}); got != "quagga another zebra zebra" {
		t.Errorf("by a tag: %q", got)
	}
	open(log)
	text.Cursor = page.NextCursor
	if got := d.contents(d.mara, text); got != "another zebra zebra" {
		t.Errorf("the next page, with an index: %q", got)
	}
}
