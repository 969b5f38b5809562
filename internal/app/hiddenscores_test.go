package app_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/memory"
)

// hiding is how rows are hidden from the assistant claude of mara.
type hiding struct {
	name    string
	session string // "": none
	events  bool
	who     func(*desk) loci.Principal
	vendors []loci.Vendor
}

var waysToHide = []hiding{
	{"events for another vendor in the session", "work 1", true, marasOwn, []loci.Vendor{"cursor"}},
	{"events for another vendor in another session", "work 2", true, marasOwn, []loci.Vendor{"cursor"}},
	{"events for another vendor without a session", "", true, marasOwn, []loci.Vendor{"cursor"}},
	{"private events of another person", "", true, func(d *desk) loci.Principal { return d.tom }, nil},
	{"memories for another vendor in the session", "work 1", false, marasOwn, []loci.Vendor{"cursor"}},
	{"memories for another vendor without a session", "", false, marasOwn, []loci.Vendor{"cursor"}},
	{"memories of another person", "", false, func(d *desk) loci.Principal { return d.tom }, nil},
}

func marasOwn(d *desk) loci.Principal { return d.mara }

// put saves texts as events or memories.
func (d *desk) put(h *hiding, texts ...string) {
	d.t.Helper()
	if len(texts) == 0 {
		return
	}
	var items []memory.BulkItem
	var drafts []event.Draft
	for _, text := range texts {
		items = append(items, memory.BulkItem{Op: loci.BulkCreate, Draft: memory.Draft{Title: "t", Content: text,
			AllowedVendors: h.vendors, Dedupe: memory.DedupeCreate, NotCompared: true}})
		draft := event.Draft{Session: h.session, Content: text, AllowedVendors: h.vendors}
		if h.session == "" {
			draft.Reach = loci.ReachPrivate
		}
		drafts = append(drafts, draft)
	}
	if p := h.who(d); h.events {
		d.must(second(d.Event.Append(d.t.Context(), p, drafts)))
	} else {
		p.SessionID = d.sessions[h.session]
		d.must(second(d.Memory.Bulk(d.t.Context(), p, items, true)))
	}
}

// ranking is what claude recalls, with scores.
func ranking(t *testing.T, a *app.App, who loci.Principal) string {
	t.Helper()
	page, err := a.Memory.Recall(t.Context(), who, memory.SearchRequest{Query: "alpha login", Limit: memory.MaxRecall,
		Explain: true})
	if err != nil || page.Partial() || page.EventsPartial {
		t.Fatal(page, err)
	}
	lines := make([]string, page.Total)
	for _, m := range page.Items {
		lines[m.Rank-1] = fmt.Sprintf("memory %.9f %s %+v", m.Score, m.Content, *m.Why.Signals)
	}
	for _, e := range page.Events {
		lines[e.Rank-1] = fmt.Sprintf("event %.9f %s %+v", e.Score, e.Content, *e.Why.Signals)
	}
	return strings.Join(lines, "\n")
}

// step is a text that claude sees, and what is hidden after it.
type step struct {
	text   string
	event  bool
	hidden *hiding
	n      int
	ask    bool // afterwards, so that the index grows in steps
}

// rankings runs steps in a store and returns what claude recalls then, in an index that has grown, one that is read
// from its files, and one that is built at once.
func rankings(t *testing.T, steps []step, hide bool) [3]string {
	t.Helper()
	d := newDesk(t)
	d.sessions = map[string]loci.SessionID{
		"work 1": d.open(d.mara, agent.SessionDraft{Title: "work 1"}).ID,
		"work 2": d.open(d.mara, agent.SessionDraft{Title: "work 2", AllowedVendors: []loci.Vendor{"cursor"}}).ID}
	open := func() *app.App {
		return app.New(app.Options{Store: d.st, Now: d.clock, Patience: time.Hour, IndexDir: filepath.Join(d.dir, "index"),
			Events: event.Options{Logs: eventlogtest.One{Log: d.events}, IndexDir: filepath.Join(d.dir, "index-events")}})
	}
	grown := open()
	for i, s := range steps {
		d.put(&hiding{session: "work 1", events: s.event, who: marasOwn}, s.text)
		if hide {
			var texts []string
			for n := range s.n {
				texts = append(texts, fmt.Sprintf("hidden %d of step %d, about login", n, i))
			}
			d.put(s.hidden, texts...)
		}
		if s.ask {
			ranking(t, grown, d.claude)
		}
	}
	out := [3]string{ranking(t, grown, d.claude)}
	for _, x := range []interface{ Flush(context.Context) }{grown.Index, grown.Event.Index()} {
		x.Flush(t.Context())
	}
	read := open()
	out[1] = ranking(t, read, d.claude)
	d.must(read.Index.Rebuild(t.Context(), d.claude.OrgID))
	d.must(read.Event.Index().Rebuild(t.Context(), d.claude.OrgID))
	out[2] = ranking(t, open(), d.claude)
	return out
}

// TestHiddenRowsChangeNoScore requires hundreds of hidden rows in and beside a session to change neither scores nor
// order nor hits: these are those in a store that never had them, also in an index that is read again or built again.
func TestHiddenRowsChangeNoScore(t *testing.T) {
	drawFewer(t, 5)
	words := []string{"alpha", "login", "customer", "schema", "port", "coffee", "tuesday", "invoice"}
	rapid.Check(t, func(rt *rapid.T) {
		steps := make([]step, rapid.IntRange(3, 12).Draw(rt, "steps"))
		for i := range steps {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 2, 7).Draw(rt, "text"), " ")
			steps[i] = step{
				fmt.Sprint(text, " ", i),
				rapid.Bool().Draw(rt, "event"),
				&waysToHide[rapid.IntRange(0, len(waysToHide)-1).Draw(rt, "hidden")],
				rapid.SampledFrom([]int{0, 1, 70, 200}).Draw(rt, "n"),
				rapid.Bool().Draw(rt, "ask"),
			}
		}
		var want, with [3]string
		t.Run("draw", func(t *testing.T) { // which closes its files at its end
			want, with = rankings(t, steps, false), rankings(t, steps, true)
		})
		for i, got := range with {
			if got != want[0] || want[i] != want[0] {
				rt.Fatalf("index %d: claude recalls\n%s\nand without hidden rows\n%s\nand at first\n%s", i, got, want[i], want[0])
			}
		}
	})
}
