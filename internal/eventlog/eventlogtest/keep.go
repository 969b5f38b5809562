package eventlogtest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

func testPurge(e *env) {
	ctx := e.Context()
	_, err := e.log.Purge(ctx, e.org, eventlog.Selection{}, 10)
	e.wantCode("an empty selection", err, loci.Invalid)
	other := loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()}
	s := newSession()
	e.stages(func(stage string) {
		old := e.append(e.event("old "+stage, tagged("t")), e.event("old decision", ofType("decision")))
		begin := e.event("begin").Time
		session := e.crowd(3, inSession(s))
		theirs := e.eventOf(other, "theirs")
		e.appendOf(other, 0, theirs)
		rest := e.append(e.event("picked"), e.event("kept"))
		if stage == "after upkeep" {
			e.upkeep()
		}
		if stage == "after two months" {
			e.clock.move(62 * 24 * time.Hour)
			e.upkeep()
		}
		for _, tt := range []struct {
			sel  eventlog.Selection
			want []*loci.Event
		}{
			{eventlog.Selection{Before: begin, NotTypes: []string{"decision"}}, old[:1]},
			{eventlog.Selection{Type: "decision"}, old[1:]},
			{eventlog.Selection{SessionID: s}, session},
			{eventlog.Selection{UserID: other.UserID}, []*loci.Event{theirs}},
			{eventlog.Selection{IDs: []loci.EventID{rest[0].ID, loci.NewEventID(begin)}}, rest[:1]},
		} {
			e.purge(stage, tt.sel, len(tt.want))
			if got, _ := e.log.Get(ctx, e.person, idsOf(tt.want)); len(got) > 0 {
				e.Errorf("%s: %+v: %d events are still there", stage, tt.sel, len(got))
			}
		}
		if got := e.find(e.person, eventlog.Query{Filter: eventlog.Filter{Among: among(session)}}).Events; len(got) > 0 {
			e.Errorf("%s: a search finds %d deleted events", stage, len(got))
		}
		e.wantContents(stage, e.find(e.person, eventlog.Query{Filter: eventlog.Filter{Since: old[0].Time}}).Events, "kept")
		e.clock.move(2 * time.Hour)
		e.upkeep()
		e.wantContents(stage+", later", e.find(e.person, eventlog.Query{Filter: eventlog.Filter{Since: old[0].Time}}).Events,
			"kept")
		e.purge(stage, eventlog.Selection{IDs: idsOf(rest)}, 1)
	})
	if got := e.find(e.person, eventlog.Query{}).Events; len(got) > 0 {
		e.Errorf("%q are left", contents(got))
	}
}

// purge deletes one event after another.
func (e *env) purge(stage string, sel eventlog.Selection, want int) {
	e.Helper()
	for n := range want + 1 {
		got, err := e.log.Purge(e.Context(), e.org, sel, 1)
		if err != nil || got != min(1, want-n) {
			e.Fatalf("%s: purge %+v for the %d. time: %d, %v", stage, sel, n+1, got, err)
		}
	}
}

func testDrop(e *env) {
	e.stages(func(stage string) {
		e.crowd(5)
		e.upkeep()
		for range 2 {
			if err := e.log.Drop(e.Context(), e.org); err != nil {
				e.Fatal(err)
			}
		}
		if got := e.find(e.person, eventlog.Query{}).Events; len(got) > 0 {
			e.Errorf("%s: %d events are left", stage, len(got))
		}
		e.append(e.event("new"))
		e.wantContents(stage, e.find(e.person, eventlog.Query{}).Events, "new")
	})
}

// What one org has doesn't exist for another.
func testTenancy(e *env) {
	mine := e.crowd(3, tagged("t"))
	stranger := e.person // the same person would be in another org
	stranger.OrgID = "umbrella"
	theirs := e.eventOf(stranger, "event 0", tagged("t"))
	if got := e.appendOf(stranger, time.Hour, theirs)[0]; got.Duplicate {
		e.Errorf("an event is a duplicate of another org's %s", got.ID)
	}
	e.stages(func(stage string) {
		for _, q := range []eventlog.Query{{}, {Filter: eventlog.Filter{Tags: []string{"t"}}},
			{Filter: eventlog.Filter{IDs: append(idsOf(mine), theirs.ID)}}} {
			e.wantEvents(stage+": one org", e.find(e.person, q).Events, inTime(mine, eventlog.Newest))
			e.wantEvents(stage+": the other org", e.find(stranger, q).Events, []*loci.Event{theirs})
		}
		got, err := e.log.Get(e.Context(), stranger, idsOf(mine))
		if len(got) > 0 || err != nil {
			e.Errorf("%s: get of another org's: %v, %v", stage, got, err)
		}
	})
	if err := e.log.Drop(e.Context(), "umbrella"); err != nil {
		e.Fatal(err)
	}
	e.wantEvents("after the other was dropped", e.find(e.person, eventlog.Query{}).Events, inTime(mine, eventlog.Newest))
	nobody := loci.Viewer{UserID: e.person.UserID}
	if _, err := e.log.Find(e.Context(), nobody, eventlog.Query{Limit: 1}); err == nil {
		e.Error("a viewer without an org can search")
	}
}

// Writers see what they wrote, whatever others and the upkeep do meanwhile.
func testConcurrent(e *env) {
	const writers, calls = 6, 15
	ctx, stop := context.WithCancel(e.Context())
	upkeep := make(chan error, 1)
	go func() {
		for i := 0; ctx.Err() == nil && i < writers*calls; i++ { // each makes the next one more work
			e.clock.move(24 * time.Hour)
			if _, err := e.log.Upkeep(ctx, e.org); err != nil && ctx.Err() == nil {
				upkeep <- err
				return
			}
		}
		upkeep <- nil
	}()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { e.write(numbered(w), calls) })
	}
	wg.Wait()
	stop()
	if err := <-upkeep; err != nil {
		e.Errorf("upkeep: %v", err)
	}
	e.upkeep()
	if got := len(e.find(e.person, eventlog.Query{}).Events); got != writers*calls {
		e.Errorf("%d events are there, want %d", got, writers*calls)
	}
}

func (e *env) write(tag string, calls int) {
	var mine []*loci.Event
	for range calls {
		ev := e.event("x", tagged(tag))
		if _, err := e.log.Append(e.Context(), e.person, []*loci.Event{ev}, eventlog.Dedup{}); err != nil {
			e.Error(err)
			return
		}
		mine = append(mine, ev)
		q := eventlog.Query{Filter: eventlog.Filter{Tags: []string{tag}}, Limit: 100}
		page, err := e.log.Find(e.Context(), e.person, q)
		if err != nil || !slices.Equal(idsOf(page.Events), idsOf(inTime(mine, eventlog.Newest))) {
			e.Errorf("a writer of %d events finds %d of them (%v)", len(mine), len(page.Events), err)
		}
		got, err := e.log.Get(e.Context(), e.person, idsOf(mine))
		if err != nil || len(got) != len(mine) {
			e.Errorf("a writer of %d events gets %d of them (%v)", len(mine), len(got), err)
		}
	}
}

func testReady(e *env) {
	e.wantCode("an empty log", e.log.Ready(e.Context(), e.org), "")
	e.crowd(1)
	for range 2 {
		e.wantCode("a log with events", e.log.Ready(e.Context(), e.org), "")
	}
	if err := e.log.Close(); err != nil {
		e.Fatal(err)
	}
	_, err := e.log.Append(e.Context(), e.person, []*loci.Event{e.event("a")}, eventlog.Dedup{})
	e.wantCode("append after close", err, loci.Unavailable)
	_, err = e.log.Find(e.Context(), e.person, eventlog.Query{Limit: 1})
	e.wantCode("find after close", err, loci.Unavailable)
	e.wantCode("ready after close", e.log.Ready(e.Context(), e.org), loci.Unavailable)
	if err := e.log.Close(); err != nil && !errors.Is(err, context.Canceled) {
		e.Errorf("close again: %v", err)
	}
}
