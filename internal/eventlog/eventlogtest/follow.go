package eventlogtest

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

func testTail(e *env) {
	other := loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()}
	e.append(e.event("before"))
	page, err := e.log.Tail(e.Context(), other, "", 10)
	e.wantCode("begin", err, "")
	e.wantContents("begin", page.Events)
	e.append(e.event("b", at(e.clock.now().Add(-time.Hour))), e.event("a", at(e.clock.now().Add(-2*time.Hour))),
		e.event("hidden", reaching(loci.ReachPrivate)), e.event("c"))
	e.upkeep()
	for _, want := range [][]string{{"b", "a"}, {"c"}, nil, nil} {
		if page, err = e.log.Tail(e.Context(), other, page.Next, 2); err != nil {
			e.Fatal(err)
		}
		e.wantContents("tail, as they were stored", page.Events, want...)
	}
	e.append(e.event("d"))
	page, err = e.log.Tail(e.Context(), other, page.Next, 2)
	e.wantCode("later", err, "")
	e.wantContents("later", page.Events, "d")
}

func testTailPositions(e *env) {
	e.crowd(3)
	begin, err := e.log.Tail(e.Context(), e.person, "", 10)
	e.wantCode("begin", err, "")
	end, err := e.log.End(e.Context(), e.org)
	e.wantCode("end", err, "")
	query := e.find(e.person, eventlog.Query{Limit: 1}).Next
	for _, bad := range []eventlog.Position{"x", "p", query, begin.Next + "AAAA", begin.Next[:3]} {
		_, err := e.log.Tail(e.Context(), e.person, bad, 10)
		e.wantCode(string(bad), err, loci.Invalid)
		if _, err = e.log.Changed(e.Context(), e.org, bad, 10); loci.CodeOf(err) != loci.Invalid {
			e.Errorf("Changed after %q: %v, want an invalid error", bad, err)
		}
	}
	// The events of another log are not those after the position.
	if err := e.log.Drop(e.Context(), e.org); err != nil {
		e.Fatal(err)
	}
	for _, when := range []string{"after the log was dropped", "in the next log"} {
		_, err = e.log.Tail(e.Context(), e.person, begin.Next, 10)
		e.wantCode(when, err, loci.Conflict)
		_, err = e.log.Changed(e.Context(), e.org, end, 10)
		e.wantCode("Changed "+when, err, loci.Conflict)
		e.crowd(10)
	}
}

func testChanged(e *env) {
	ctx := e.Context()
	s := eventlog.Session{ID: newSession(), Revision: 1, Access: e.event("a").EventAccess}
	first := e.append(e.event("one", inSession(s.ID), reaching(loci.ReachPrivate)), e.event("two"))
	at, err := e.log.End(ctx, e.org)
	e.wantCode("end", err, "")
	changed := func(limit int) eventlog.Changes {
		e.Helper()
		got, err := e.log.Changed(ctx, e.org, at, limit)
		if err != nil {
			e.Fatal(err)
		}
		at = got.Next
		return got
	}
	if got := changed(10); len(got.Events)+len(got.Sessions)+len(got.Gone) > 0 || got.More {
		e.Errorf("nothing happened, but: %+v", got)
	}
	e.append(e.event("three", inSession(s.ID), reaching(loci.ReachPrivate)), e.event("four"), e.event("five"))
	e.setSession(s)
	if _, err := e.log.Purge(ctx, e.org, eventlog.Selection{IDs: idsOf(first[1:])}, 10); err != nil {
		e.Fatal(err)
	}
	var events []*loci.Event
	var sessions []loci.SessionID
	var gone []loci.EventID
	for more := true; more; {
		got := changed(2)
		events, sessions, gone = append(events, got.Events...), append(sessions, got.Sessions...), append(gone, got.Gone...)
		more = got.More
	}
	e.wantContents("events", events, "three", "four", "five")
	if events[0].Reach != loci.ReachOrg {
		e.Errorf("an event of the session has reach %s, want that of the session", events[0].Reach)
	}
	if !slices.Contains(sessions, s.ID) {
		e.Errorf("changed sessions: %v, want %s", sessions, s.ID)
	}
	if !slices.Equal(gone, idsOf(first[1:])) {
		e.Errorf("gone: %v, want %v", gone, idsOf(first[1:]))
	}
	// Closing a session changes nothing that a follower has.
	s.Revision, s.Closed = 2, true
	e.setSession(s)
	if got := changed(10); len(got.Events)+len(got.Sessions)+len(got.Gone) > 0 {
		e.Errorf("after closing: %+v", got)
	}
}

func testWalk(e *env) {
	events := append(e.crowd(25), e.append(e.event("private", reaching(loci.ReachPrivate)))...)
	e.stages(func(stage string) {
		events = append(events, e.crowd(4)...)
		for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
			var got []*loci.Event
			var next eventlog.Position
			for {
				page, after, err := e.log.Walk(e.Context(), e.org, order, next, 7)
				if err != nil {
					e.Fatal(err)
				}
				got = append(got, page...)
				if next = after; next == "" {
					break
				}
			}
			e.wantEvents(fmt.Sprint(stage, ", ", order), got, inTime(events, order))
		}
	})
	_, _, err := e.log.Walk(e.Context(), e.org, eventlog.Newest, "x", 7)
	e.wantCode("a bad position", err, loci.Invalid)
}

func testRead(e *env) {
	events := append(e.crowd(7), e.append(e.event("private", reaching(loci.ReachPrivate)))...)
	e.stages(func(stage string) {
		events = append(events, e.crowd(2)...)
		want := events[2:]
		got, err := e.log.Read(e.Context(), e.org, append(idsOf(want), loci.NewEventID(e.clock.now())))
		e.wantCode(stage, err, "")
		slices.SortFunc(got, func(a, b *loci.Event) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		e.wantEvents(stage, got, inTime(want, eventlog.Oldest))
	})
	got, err := e.log.Read(e.Context(), e.org, nil)
	e.wantCode("no ids", err, "")
	e.wantEvents("no ids", got, nil)
}
