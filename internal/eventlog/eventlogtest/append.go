package eventlogtest

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

func (e *env) full() *loci.Event {
	return e.event("Ünïcode\r\n\"quoted\"\t'text' \U0001F600", func(ev *loci.Event) {
		ev.Time = ev.RecordedAt.Add(-3*time.Hour - 7*time.Microsecond)
		ev.SessionID, ev.AgentID, ev.Actor = loci.SessionID(loci.NewUserID()), e.agent, "assistant"
		ev.Class, ev.Type, ev.Importance = loci.EventDecision, "plan.v2", 9
		ev.Metadata = json.RawMessage("{ \"b\": 1,\n\"a\":[1.0, 1e3] }")
		ev.Tags = []string{"z", "a,b", "\"", "ä b"}
		ev.ParentID = loci.NewEventID(ev.RecordedAt.Add(-time.Hour))
		ev.DedupKey = "key"
		ev.WorkspaceID, ev.ProjectID = loci.NewWorkspaceID(), loci.NewProjectID()
		ev.Reach, ev.TeamID, ev.Origin = loci.ReachTeam, loci.NewTeamID(), "claude"
		ev.AllowedVendors = []loci.Vendor{"cursor", "claude"}
	})
}

func testKeepsEveryField(e *env) {
	full, bare := e.full(), e.event("b")
	bare.Metadata, bare.Actor = nil, ""
	before := *full
	end, err := e.log.End(e.Context(), e.org)
	if err != nil {
		e.Fatal(err)
	}
	outcomes := e.appendOf(e.person, time.Hour, full, bare)
	if want := []eventlog.Outcome{{ID: full.ID}, {ID: bare.ID}}; !slices.Equal(outcomes, want) {
		e.Errorf("outcomes %v, want %v", outcomes, want)
	}
	want := []*loci.Event{&before, bare}
	changed, err := e.log.Changed(e.Context(), e.org, end, 10)
	if err != nil {
		e.Fatal(err)
	}
	e.wantEvents("Changed", changed.Events, want)
	e.stages(func(stage string) {
		e.wantEvents(stage+": Find", e.find(e.person, eventlog.Query{Order: eventlog.Oldest}).Events, want)
		got, err := e.log.Get(e.Context(), e.person, []loci.EventID{full.ID, bare.ID})
		if err != nil {
			e.Fatal(err)
		}
		e.wantEvents(stage+": Get", got, want)
	})
}

func testEmptyLog(e *env) {
	ctx := e.Context()
	page := e.find(e.person, eventlog.Query{Filter: eventlog.Filter{Among: among(nil)}})
	if len(page.Events) > 0 || page.Next != "" || page.Partial {
		e.Errorf("find: %+v", page)
	}
	got, err := e.log.Get(ctx, e.person, []loci.EventID{loci.NewEventID(e.clock.now())})
	if len(got) > 0 || err != nil {
		e.Errorf("get: %v, %v", got, err)
	}
	stats, err := e.log.Stats(ctx, e.person, eventlog.Filter{})
	if stats.Total != 0 || !stats.First.IsZero() || err != nil {
		e.Errorf("stats: %+v, %v", stats, err)
	}
	events, next, err := e.log.Walk(ctx, e.org, eventlog.Newest, "", 10)
	if len(events) > 0 || next != "" || err != nil {
		e.Errorf("walk: %v, %q, %v", events, next, err)
	}
	if n, err := e.log.Purge(ctx, e.org, eventlog.Selection{Type: "general"}, 10); n != 0 || err != nil {
		e.Errorf("purge: %d, %v", n, err)
	}
	tail, err := e.log.Tail(ctx, e.person, "", 10)
	if len(tail.Events) > 0 || tail.Next == "" || err != nil {
		e.Errorf("tail: %+v, %v", tail, err)
	}
	e.upkeep()
	e.wantCode("drop", e.log.Drop(ctx, e.org), "")
	// A position of the empty log sees what comes.
	e.append(e.event("first"))
	tail, err = e.log.Tail(ctx, e.person, tail.Next, 10)
	e.wantCode("tail", err, "")
	e.wantContents("tail", tail.Events, "first")
}

func testAppendErrors(e *env) {
	good := e.append(e.event("good"))[0]
	otherTime, otherOrg, taken := e.event("a"), e.event("a"), e.event("a")
	otherTime.Time = otherTime.Time.Add(time.Microsecond)
	otherOrg.OrgID = "umbrella"
	taken.Time, taken.ID = good.Time, good.ID
	for name, tt := range map[string]struct {
		events []*loci.Event
		window time.Duration
		want   loci.Code
	}{
		"nothing":               {nil, 0, ""},
		"an id of another time": {[]*loci.Event{otherTime}, 0, loci.Invalid},
		"another org":           {[]*loci.Event{otherOrg}, 0, loci.Invalid},
		"a taken id":            {[]*loci.Event{taken}, 0, loci.Conflict},
		"too many":              {slices.Repeat([]*loci.Event{good}, loci.MaxEvents+1), 0, loci.Invalid},
		"too long a window":     {[]*loci.Event{e.event("a")}, eventlog.MaxWindow + 1, loci.Invalid},
	} {
		_, err := e.log.Append(e.Context(), e.person, tt.events, eventlog.Dedup{Window: tt.window})
		e.wantCode(name, err, tt.want)
	}
	e.wantEvents("afterwards", e.find(e.person, eventlog.Query{}).Events, []*loci.Event{good})
}

func testAppendIsAllOrNothing(e *env) {
	closed := loci.SessionID(loci.NewUserID())
	e.setSession(eventlog.Session{ID: closed, Revision: 1, Closed: true, Access: e.event("a").EventAccess})
	_, err := e.log.Append(e.Context(), e.person,
		[]*loci.Event{e.event("one"), e.event("two", inSession(closed)), e.event("three")}, eventlog.Dedup{})
	e.wantCode("append", err, loci.Conflict)
	if got := e.find(e.person, eventlog.Query{}).Events; len(got) > 0 {
		e.Errorf("%d events are there", len(got))
	}
}

// A duplicate has the agent, the type and the beginning of the content, or the writer's key.
func testDuplicates(e *env) {
	long := strings.Repeat("ö", loci.DedupPrefix)
	withKey := func(key string) func(*loci.Event) { return func(ev *loci.Event) { ev.DedupKey = key } }
	ofAgent := func(ev *loci.Event) { ev.AgentID = e.agent }
	first := e.append(e.event(long+"a"), e.event("keyed", withKey("k")), e.event("of the agent", ofAgent))
	check := func(stage string) {
		e.Helper()
		for name, tt := range map[string]struct {
			ev *loci.Event
			of *loci.Event // nil: none
		}{
			"same beginning": {e.event(long + "b"), first[0]},
			"tags and class": {e.event(long+"a", tagged("t"), func(ev *loci.Event) { ev.Class = loci.EventEntity }), first[0]},
			"same key":       {e.event("other "+stage, withKey("k")), first[1]},
			"same agent":     {e.event("of the agent", ofAgent), first[2]},
			"another start":  {e.event(stage + long), nil},
			"another type":   {e.event(long+"a", ofType("t"+stage[:4])), nil},
			"another key":    {e.event("keyed", withKey(stage)), nil},
			"another agent":  {e.event("of the agent", func(ev *loci.Event) { ev.AgentID = loci.NewAgentID() }), nil},
		} {
			want := eventlog.Outcome{ID: tt.ev.ID}
			if tt.of != nil {
				want = eventlog.Outcome{ID: tt.of.ID, Duplicate: true}
			}
			if got := e.appendOf(e.person, 24*time.Hour, tt.ev)[0]; got != want {
				e.Errorf("%s: %s: %v, want %v", stage, name, got, want)
			}
		}
	}
	check("fresh")
	e.upkeep()
	e.clock.move(time.Hour)
	check("indexed")
	if got := len(e.find(e.person, eventlog.Query{}).Events); got != 3+2*4 {
		e.Errorf("%d events are stored, want %d", got, 3+2*4)
	}
}

func testDuplicatesInOneCall(e *env) {
	a, b, c := e.event("same"), e.event("same"), e.event("other")
	got := e.appendOf(e.person, time.Hour, a, b, c, e.event("same"))
	want := []eventlog.Outcome{{ID: a.ID}, {ID: a.ID, Duplicate: true}, {ID: c.ID}, {ID: a.ID, Duplicate: true}}
	if !slices.Equal(got, want) {
		e.Errorf("outcomes %v, want %v", got, want)
	}
	e.wantEvents("stored", e.find(e.person, eventlog.Query{Order: eventlog.Oldest}).Events, []*loci.Event{a, c})
}

// The window goes back from when the event was recorded, whatever its own time, also into the month
// before.
func testDuplicatesInWindow(e *env) {
	const window = 24 * time.Hour
	e.clock.move(time.Date(2026, 3, 31, 22, 0, 0, 0, time.UTC).Sub(e.clock.now()))
	first := e.append(e.event("same", func(ev *loci.Event) { ev.Time = ev.RecordedAt.AddDate(0, -2, 0) }))[0]
	again := func(after time.Duration) eventlog.Outcome {
		e.Helper()
		e.upkeep()
		ev := e.event("same", func(ev *loci.Event) { ev.RecordedAt = first.RecordedAt.Add(after) })
		return e.appendOf(e.person, window, ev)[0]
	}
	for _, after := range []time.Duration{0, 3 * time.Hour, window} {
		e.clock.move(first.RecordedAt.Add(after).Sub(e.clock.now()))
		if got := again(after); !got.Duplicate || got.ID != first.ID {
			e.Errorf("%s later: %v, want a duplicate of %s", after, got, first.ID)
		}
	}
	later := again(window + time.Microsecond)
	if later.Duplicate {
		e.Errorf("after the window: a duplicate of %s", later.ID)
	}
	if got := again(window + 2*time.Microsecond); !got.Duplicate || got.ID != later.ID {
		e.Errorf("the second time after the window: %v, want a duplicate of %s", got, later.ID)
	}
}

// Who doesn't see the earlier event must not learn of it.
func testDuplicatesOfVisible(e *env) {
	other := loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()}
	assistant := e.person
	assistant.Vendor = "claude"
	hidden := func(ev *loci.Event) { ev.AllowedVendors = []loci.Vendor{"cursor"} }
	mine := e.append(e.event("private", reaching(loci.ReachPrivate)), e.event("for cursor", hidden))
	for name, tt := range map[string]struct {
		v       loci.Viewer
		content string
		of      *loci.Event
	}{
		"the person":             {e.person, "private", mine[0]},
		"another person":         {other, "private", nil},
		"the person about all":   {e.person, "for cursor", mine[1]},
		"an assistant":           {assistant, "for cursor", nil},
		"an assistant otherwise": {assistant, "private", mine[0]},
	} {
		ev := e.eventOf(tt.v, tt.content, reaching(loci.ReachPrivate))
		want := eventlog.Outcome{ID: ev.ID}
		if tt.of != nil {
			want = eventlog.Outcome{ID: tt.of.ID, Duplicate: true}
		}
		if got := e.appendOf(tt.v, time.Hour, ev)[0]; got != want {
			e.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func testDuplicatesConcurrently(e *env) {
	const writers, texts = 8, 20
	var mu sync.Mutex
	stored := map[string]int{}
	var wg sync.WaitGroup
	for range writers {
		var events []*loci.Event
		for i := range texts {
			events = append(events, e.event(numbered(i)))
		}
		wg.Go(func() {
			for half := range slices.Chunk(events, texts/2) {
				got, err := e.log.Append(e.Context(), e.person, half, eventlog.Dedup{Window: time.Hour})
				if err != nil {
					e.Error(err)
					return
				}
				mu.Lock()
				for i, o := range got {
					if !o.Duplicate {
						stored[half[i].Content]++
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for i := range texts {
		if n := stored[numbered(i)]; n != 1 {
			e.Errorf("%q was stored %d times", numbered(i), n)
		}
	}
	if got := len(e.find(e.person, eventlog.Query{}).Events); got != texts {
		e.Errorf("%d events are stored, want %d", got, texts)
	}
}

// Many events don't hide older ones.
func testDuplicatesOfMany(e *env) {
	const calls, each = 10, 5000
	first := map[int]loci.EventID{}
	for call := range calls {
		var events []*loci.Event
		for i := range each {
			events = append(events, e.event(numbered(call*each+i)))
		}
		for i, o := range e.appendOf(e.person, 24*time.Hour, events...) {
			if o.Duplicate {
				e.Fatalf("event %d is a duplicate", call*each+i)
			}
			first[call*each+i] = o.ID
		}
	}
	var again []*loci.Event
	for i := 0; i < calls*each; i += 97 {
		again = append(again, e.event(numbered(i)))
	}
	for i, o := range e.appendOf(e.person, 24*time.Hour, again...) {
		if want := (eventlog.Outcome{ID: first[97*i], Duplicate: true}); o != want {
			e.Fatalf("event %d: %v, want %v", 97*i, o, want)
		}
	}
}
