package eventlogtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

func testGet(e *env) {
	a, b, hidden := e.event("a"), e.event("b"), e.event("hidden", reaching(loci.ReachPrivate))
	other := loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()}
	e.append(a, b, hidden)
	unknown := loci.NewEventID(e.clock.now())
	e.stages(func(stage string) {
		ids := []loci.EventID{b.ID, unknown, hidden.ID, a.ID}
		got, err := e.log.Get(e.Context(), e.person, ids)
		e.wantCode(stage, err, "")
		e.wantEvents(stage+": the person", got, []*loci.Event{b, hidden, a})
		got, err = e.log.Get(e.Context(), other, ids)
		e.wantCode(stage, err, "")
		e.wantEvents(stage+": another person", got, []*loci.Event{b, a})
	})
}

// crowd appends events of few times, so that many have the same.
func (e *env) crowd(n int, change ...func(*loci.Event)) []*loci.Event {
	e.Helper()
	var events []*loci.Event
	begin := e.clock.now()
	for i := range n {
		events = append(events, e.event(numbered(i), append(change, at(begin.Add(time.Duration(i%5)*time.Microsecond)))...))
	}
	return e.append(events...)
}

func testOrders(e *env) {
	events := append(e.crowd(30), e.append(e.event("the day before", at(e.clock.now().Add(-24*time.Hour))))...)
	e.stages(func(stage string) {
		for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest, ""} {
			got := e.find(e.person, eventlog.Query{Order: order}).Events
			e.wantEvents(stage+": "+string(order), got, inTime(events, order))
		}
	})
}

// testBrief asks for events without their texts, which a log may leave out, but nothing else.
func testBrief(e *env) {
	parent := e.event("parent")
	child := e.event("child", func(ev *loci.Event) { ev.Actor, ev.ParentID, ev.Importance = "user", parent.ID, 9 },
		tagged("of child"))
	e.append(parent, child)
	brief := func(list []*loci.Event) []*loci.Event {
		out := make([]*loci.Event, len(list))
		for i, ev := range list {
			c := *ev
			c.Content, c.Metadata, c.Tags, c.DedupKey = "", nil, nil, ""
			out[i] = &c
		}
		return out
	}
	e.stages(func(stage string) {
		want := e.find(e.person, eventlog.Query{}).Events
		got := e.find(e.person, eventlog.Query{Brief: true}).Events
		if diff := cmp.Diff(brief(want), brief(got)); diff != "" || len(got) != 2 {
			e.Errorf("%s (-want +got):\n%s", stage, diff)
		}
		got = e.find(e.person, eventlog.Query{Brief: true, Filter: eventlog.Filter{Tags: []string{"of child"}}}).Events
		if len(got) != 1 || got[0].ID != child.ID {
			e.Errorf("%s: with a tag: %v", stage, got)
		}
	})
}

func testPages(e *env) {
	events := slices.Concat(e.crowd(23, tagged("t")), e.crowd(9))
	e.stages(func(stage string) {
		events = append(events, e.crowd(3)...)
		for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
			for _, limit := range []int{1, 4, 23, 1000} {
				q := eventlog.Query{Order: order, Limit: limit}
				e.wantEvents(stage+": pages of all", e.walk(e.Context(), e.person, q), inTime(events, order))
				q.Tags = []string{"t"}
				e.wantEvents(stage+": pages of a tag", e.walk(e.Context(), e.person, q), inTime(events[:23], order))
			}
		}
	})
}

// A walk returns each event once, and all of those that were there when it began.
func testPagesUnderAppends(e *env) {
	for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
		there := e.crowd(20)
		var got []*loci.Event
		for q := (eventlog.Query{Order: order, Limit: 3}); ; {
			page := e.find(e.person, q)
			got = append(got, page.Events...)
			if q.After = page.Next; q.After == "" {
				break
			}
			if len(got) < 60 {
				e.crowd(2)
				e.append(e.event("late", at(there[0].Time.Add(-time.Hour))))
				e.upkeep()
			}
		}
		seen := map[loci.EventID]bool{}
		for _, ev := range got {
			if seen[ev.ID] {
				e.Errorf("%s: %q came twice", order, ev.Content)
			}
			seen[ev.ID] = true
		}
		for _, ev := range there {
			if !seen[ev.ID] {
				e.Errorf("%s: %q is missing", order, ev.Content)
			}
		}
		if !slices.Equal(idsOf(got), idsOf(inTime(got, order))) {
			e.Errorf("%s: the pages are not in order", order)
		}
	}
}

func testPagePositions(e *env) {
	e.crowd(5)
	next := e.find(e.person, eventlog.Query{Limit: 2}).Next
	bad := map[string]eventlog.Query{
		"of another order": {Order: eventlog.Oldest, After: next, Limit: 2},
		"of nothing":       {After: "x", Limit: 2},
		"cut":              {After: next[:len(next)-2], Limit: 2},
		"longer":           {After: next + "AA", Limit: 2},
		"not ASCII":        {After: "é\x00", Limit: 2},
	}
	for name, q := range bad {
		_, err := e.log.Find(e.Context(), e.person, q)
		e.wantCode(name, err, loci.Invalid)
	}
	if page := e.find(e.person, eventlog.Query{Limit: 5}); page.Next != "" || page.Partial {
		e.Errorf("the last page has next %q, partial %v", page.Next, page.Partial)
	}
}

func testFilters(e *env) {
	s, project, parent := newSession(), loci.NewProjectID(), loci.NewEventID(e.clock.now())
	set := func(fn func(*loci.Event)) func(*loci.Event) { return fn }
	e.person.ProjectIDs = []loci.ProjectID{project}
	events := e.append(
		e.event("in session", inSession(s), tagged("prod", "a b")),
		e.event("of agent", set(func(ev *loci.Event) { ev.AgentID = e.agent }), tagged("products")),
		e.event("decision", set(func(ev *loci.Event) { ev.Class, ev.Importance = loci.EventDecision, 8 })),
		e.event("error", ofType("error"), tagged("prod"), set(func(ev *loci.Event) { ev.Importance = 7 })),
		e.event("in project", set(func(ev *loci.Event) { ev.ProjectID = project })),
		e.event("by claude", set(func(ev *loci.Event) { ev.Origin = "claude" }), ofType("Error")),
		e.event("of an actor", set(func(ev *loci.Event) { ev.Actor = "user \"x\"" })),
		e.event("with parent", set(func(ev *loci.Event) { ev.ParentID = parent }), inSession(s)),
	)
	all := contents(events)
	second, third := events[1].Time, events[2].Time
	tests := map[string]struct {
		f    eventlog.Filter
		want []string
	}{
		"nothing":          {eventlog.Filter{}, all},
		"since":            {eventlog.Filter{Since: second}, all[1:]},
		"since, later":     {eventlog.Filter{Since: second.Add(1)}, all[2:]},
		"until":            {eventlog.Filter{Until: third}, all[:2]},
		"until, later":     {eventlog.Filter{Until: third.Add(1)}, all[:3]},
		"since and until":  {eventlog.Filter{Since: second, Until: third}, all[1:2]},
		"an empty time":    {eventlog.Filter{Since: third, Until: second}, nil},
		"session":          {eventlog.Filter{SessionID: s}, []string{"in session", "with parent"}},
		"unknown session":  {eventlog.Filter{SessionID: newSession()}, nil},
		"agent":            {eventlog.Filter{AgentID: e.agent}, []string{"of agent"}},
		"project":          {eventlog.Filter{ProjectID: project}, []string{"in project"}},
		"class":            {eventlog.Filter{Classes: []loci.EventClass{loci.EventDecision}}, []string{"decision"}},
		"types":            {eventlog.Filter{Types: []string{"error", "x"}}, []string{"error"}},
		"type, other case": {eventlog.Filter{Types: []string{"Error"}}, []string{"by claude"}},
		"a tag":            {eventlog.Filter{Tags: []string{"prod"}}, []string{"in session", "error"}},
		"part of a tag":    {eventlog.Filter{Tags: []string{"a"}}, nil},
		"any tag":          {eventlog.Filter{Tags: []string{"a b", "products"}}, []string{"in session", "of agent"}},
		"all tags":         {eventlog.Filter{Tags: []string{"prod", "a b"}, AllTags: true}, []string{"in session"}},
		"origin":           {eventlog.Filter{Origin: "claude"}, []string{"by claude"}},
		"actor":            {eventlog.Filter{Actor: "user \"x\""}, []string{"of an actor"}},
		"parent":           {eventlog.Filter{ParentID: parent}, []string{"with parent"}},
		"importance":       {eventlog.Filter{MinImportance: 7}, []string{"decision", "error"}},
		"ids": {eventlog.Filter{IDs: []loci.EventID{events[3].ID, events[0].ID, events[3].ID}},
			[]string{"in session", "error"}},
		"ids and tag": {eventlog.Filter{IDs: idsOf(events[:2]), Tags: []string{"products"}}, []string{"of agent"}},
		"no ids":      {eventlog.Filter{IDs: []loci.EventID{}}, nil},
		"several":     {eventlog.Filter{SessionID: s, Tags: []string{"prod"}, Among: among(events)}, []string{"in session"}},
	}
	e.stages(func(stage string) {
		for name, tt := range tests {
			page := e.find(e.person, eventlog.Query{Filter: tt.f, Order: eventlog.Oldest})
			e.wantContents(stage+": "+name, page.Events, tt.want...)
			stats, err := e.log.Stats(e.Context(), e.person, tt.f)
			if err != nil || stats.Total != len(tt.want) {
				e.Errorf("%s: %s: Stats counts %d (%v), want %d", stage, name, stats.Total, err, len(tt.want))
			}
		}
	})
}

// among returns a list of the ids of events, as an index has it. It may have ids of events that are not there.
func among(events []*loci.Event) eventlog.Among {
	for _, ev := range events[:min(len(events), 1)] {
		events = append(slices.Clone(events), &loci.Event{ID: loci.NewEventID(ev.Time)})
	}
	return func(ctx context.Context, o eventlog.Order, after loci.EventID, limit int) ([]loci.EventID, bool, error) {
		var ids []loci.EventID
		for _, ev := range inTime(events, o) {
			if compared := bytes.Compare(ev.ID[:], after[:]); after.IsZero() || o == eventlog.Oldest && compared > 0 ||
				o == eventlog.Newest && compared < 0 {
				ids = append(ids, ev.ID)
			}
		}
		return ids[:min(limit, len(ids))], len(ids) > limit, ctx.Err()
	}
}

// testAmong asks for the events of a list, which has them in parts.
func testAmong(e *env) {
	events := e.crowd(40, tagged("t"))
	theirs := e.append(e.event("private", reaching(loci.ReachPrivate)))
	e.stages(func(stage string) {
		events = append(events, e.crowd(4)...)
		some := slices.DeleteFunc(slices.Clone(events), func(ev *loci.Event) bool { return ev.ID[15]%3 == 0 })
		for _, f := range []eventlog.Filter{{}, {Tags: []string{"t"}}, {Since: events[30].Time, Until: events[33].Time}} {
			want := slices.DeleteFunc(slices.Clone(some), func(ev *loci.Event) bool { return !f.Matches(ev) })
			f.Among = among(append(slices.Clone(some), theirs...))
			for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
				for _, limit := range []int{7, 100} {
					got := e.walk(e.Context(), loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()},
						eventlog.Query{Filter: f, Order: order, Limit: limit})
					e.wantEvents(fmt.Sprintf("%s: %+v, %s by %d", stage, f, order, limit), got, inTime(want, order))
				}
			}
			stats, err := e.log.Stats(e.Context(), e.person, f)
			if mine := len(theirs) * btoi(f.Matches(theirs[0])); err != nil || stats.Total != len(want)+mine {
				e.Errorf("%s: %+v: Stats counts %d (%v), want %d", stage, f, stats.Total, err, len(want)+mine)
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Events of the past are where their time is, also after their month was compressed.
func testLateEvents(e *env) {
	now := e.clock.now()
	old := e.append(e.event("january", at(now.AddDate(0, -2, 0)), tagged("t")), e.event("now", tagged("t")))
	e.clock.move(62 * 24 * time.Hour)
	e.upkeep()
	late := e.append(e.event("late january", at(old[0].Time.Add(time.Hour)), tagged("t")),
		e.event("early january", at(old[0].Time.Add(-time.Hour)), tagged("t")),
		e.event("the same time", at(old[0].Time), tagged("t")),
		e.event("nine years ago", at(now.AddDate(-9, 0, 0)), tagged("t")))
	all := slices.Concat(old, late)
	e.stages(func(stage string) {
		for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
			for _, f := range []eventlog.Filter{{}, {Tags: []string{"t"}}} {
				got := e.walk(e.Context(), e.person, eventlog.Query{Filter: f, Order: order, Limit: 2})
				e.wantEvents(stage+": "+string(order), got, inTime(all, order))
			}
		}
	})
}

// ending is a context that ends by cause after it was asked a number of times whether it has ended.
type ending struct {
	context.Context
	asked *int
	end   func()
}

func (c ending) Err() error {
	if *c.asked--; *c.asked < 0 {
		c.end()
	}
	return c.Context.Err()
}

// EndingAfter returns a context that ends by cause after so many calls of Err.
func EndingAfter(ctx context.Context, asked int, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	return ending{ctx, &asked, func() { cancel(cause) }}
}

// A search that used up its time returns what it found, and its pages go on from there.
func testSpent(e *env) {
	events := append(e.crowd(700, tagged("t")), e.append(e.event("words"))...)
	some := append(slices.Clone(events[:40]), events[680:]...)
	e.stages(func(stage string) {
		for _, f := range []eventlog.Filter{{}, {Tags: []string{"t"}}, {Among: among(some)}} {
			want := slices.DeleteFunc(inTime(events, eventlog.Newest), func(ev *loci.Event) bool {
				return !f.Matches(ev) || f.Among != nil && !slices.Contains(some, ev)
			})
			for asked := range 12 {
				q := eventlog.Query{Filter: f, Limit: 500}
				page, err := e.log.Find(EndingAfter(e.Context(), asked, loci.ErrSpent), e.person, q)
				if err != nil {
					e.Fatalf("%s: ends after %d: %v", stage, asked, err)
				}
				if page.Partial && page.Next == "" {
					e.Errorf("%s: ends after %d: a partial page has no next", stage, asked)
				}
				got := page.Events
				if q.After = page.Next; q.After != "" {
					got = append(got, e.walk(e.Context(), e.person, q)...)
				}
				if !slices.Equal(idsOf(got), idsOf(want)) {
					e.Errorf("%s: ends after %d, then goes on: %d events, want %d", stage, asked, len(got), len(want))
				}
			}
		}
		stats, err := e.log.Stats(EndingAfter(e.Context(), 0, loci.ErrSpent), e.person, eventlog.Filter{})
		if !stats.Partial || err != nil {
			e.Errorf("%s: Stats without time: %+v, %v", stage, stats, err)
		}
		gone := errors.New("the caller has gone")
		_, err = e.log.Find(EndingAfter(e.Context(), 0, gone), e.person, eventlog.Query{Limit: 10})
		if !errors.Is(err, context.Canceled) {
			e.Errorf("%s: a caller who has gone gets %v", stage, err)
		}
	})
}

func testStats(e *env) {
	s, t := newSession(), newSession()
	events := e.append(e.event("a", inSession(s)), e.event("b", inSession(t), ofType("error")),
		e.event("c", inSession(s), ofType("error"), func(ev *loci.Event) { ev.Class = loci.EventDecision }), e.event("d"))
	e.append(e.event("hidden", reaching(loci.ReachPrivate), ofType("secret"), inSession(newSession())))
	other := loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()}
	none, err := e.log.Stats(e.Context(), loci.Viewer{OrgID: "empty", UserID: e.person.UserID}, eventlog.Filter{})
	if err != nil || none.ByType == nil || none.ByClass == nil { // as if all events were hidden
		e.Errorf("an org without events: %+v, %v", none, err)
	}
	var many []*loci.Event
	for i := range eventlog.MaxTypes + 20 {
		for range 1 + i%2 {
			many = append(many, e.event("x", ofType("m"+strings.Repeat("x", i%60)+string(rune('a'+i/60))), tagged("many")))
		}
	}
	e.append(many...)
	e.stages(func(stage string) {
		got, err := e.log.Stats(e.Context(), other, eventlog.Filter{Until: many[0].Time})
		want := eventlog.Stats{Total: 4, ByClass: map[loci.EventClass]int{loci.EventEpisodic: 3, loci.EventDecision: 1},
			ByType: map[string]int{"general": 2, "error": 2}, First: events[0].Time, Last: events[3].Time, Sessions: 2}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("%s: %v (-want +got):\n%s", stage, err, diff)
		}
		got, err = e.log.Stats(e.Context(), other, eventlog.Filter{Tags: []string{"many"}})
		if got.Total != len(many) || len(got.ByType) != eventlog.MaxTypes || err != nil {
			e.Errorf("%s: %d events of %d types (%v), want %d and the most frequent %d", stage, got.Total, len(got.ByType), err,
				len(many), eventlog.MaxTypes)
		}
		for name, n := range got.ByType {
			if n != 2 && len(got.ByType) == eventlog.MaxTypes && countOf(got.ByType, 2) < 35 {
				e.Errorf("%s: %s, which occurs %d times, took the place of a more frequent type", stage, name, n)
			}
		}
	})
}

func countOf(types map[string]int, n int) (count int) {
	for _, m := range types {
		if m == n {
			count++
		}
	}
	return count
}
