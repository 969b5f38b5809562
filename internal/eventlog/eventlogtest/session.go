package eventlogtest

import (
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

func (e *env) setSession(s eventlog.Session) {
	e.Helper()
	if err := e.log.SetSession(e.Context(), e.org, s); err != nil {
		e.Fatalf("set session: %v", err)
	}
}

func newSession() loci.SessionID { return loci.SessionID(loci.NewUserID()) }

func testClosedSessions(e *env) {
	s := eventlog.Session{ID: newSession(), Revision: 1, Closed: true, Access: e.event("a").EventAccess}
	try := func(what string, want loci.Code) {
		e.Helper()
		_, err := e.log.Append(e.Context(), e.person, []*loci.Event{e.event(what, inSession(s.ID))},
			eventlog.Dedup{Window: time.Hour})
		e.wantCode(what, err, want)
	}
	e.setSession(s) // before the log has any event
	try("closed from the beginning", loci.Conflict)
	s.Revision, s.Closed = 2, false
	e.setSession(s)
	try("open", "")
	s.Revision, s.Closed = 3, true
	e.setSession(s)
	try("closed", loci.Conflict)
	s.Revision, s.Closed = 5, false
	e.setSession(s)
	try("open again", "")
	e.append(e.event("outside"))
	e.wantContents("stored", e.find(e.person, eventlog.Query{Order: eventlog.Oldest}).Events, "open", "open again",
		"outside")
}

// The session decides who sees its events, those from before as well as new ones.
func testSessionAccess(e *env) {
	other, assistant := loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()}, e.person
	assistant.Vendor = "claude"
	s := eventlog.Session{ID: newSession(), Access: e.event("a").EventAccess}
	s.Access.UserID = other.UserID // that of the session is not that of the events
	with := func(vendors ...loci.Vendor) func(*loci.Event) {
		return func(ev *loci.Event) { ev.SessionID, ev.Reach, ev.AllowedVendors = s.ID, loci.ReachPrivate, vendors }
	}
	e.append(e.event("all", with(loci.AnyVendor)), e.event("claude", with("claude")), e.event("cursor", with("cursor")),
		e.event("without a session", reaching(loci.ReachPrivate)))
	set := func(reach loci.Reach, vendors ...loci.Vendor) {
		e.Helper()
		s.Revision++
		s.Access.Reach, s.Access.AllowedVendors = reach, vendors
		e.setSession(s)
	}
	sees := func(what string, v loci.Viewer, want ...string) {
		e.Helper()
		e.wantContents(what, e.find(v, eventlog.Query{Order: eventlog.Oldest}).Events, want...)
		for i := range want {
			if want[i] == "without a session" {
				want = append(want[:i], want[i+1:]...)
				break
			}
		}
		e.wantContents(what+", in the session",
			e.find(v, eventlog.Query{Order: eventlog.Oldest, Filter: eventlog.Filter{SessionID: s.ID}}).Events, want...)
	}
	sees("another person at first", other)
	e.stages(func(stage string) {
		set(loci.ReachOrg, loci.AnyVendor)
		sees(stage+": another person, shared", other, "all", "claude", "cursor")
		sees(stage+": an assistant, shared", assistant, "all", "claude", "without a session")
		set(loci.ReachOrg, "cursor")
		sees(stage+": another person, for cursor", other, "all", "claude", "cursor")
		sees(stage+": an assistant, for cursor", assistant, "without a session")
		set(loci.ReachPrivate, loci.AnyVendor)
		sees(stage+": another person, private", other)
		sees(stage+": the person, private", e.person, "all", "claude", "cursor", "without a session")
		set(loci.ReachOrg, loci.AnyVendor)
	})
	e.append(e.event("new", with(loci.AnyVendor)))
	sees("new events follow the session", other, "all", "claude", "cursor", "new")
	got := e.find(other, eventlog.Query{Limit: 1, Order: eventlog.Oldest}).Events[0]
	if got.UserID != e.person.UserID || got.Origin != "person" || got.Reach != loci.ReachOrg {
		e.Errorf("the event is of %s (%s) with reach %s, want %s, person and org", got.UserID, got.Origin, got.Reach,
			e.person.UserID)
	}
}

// A revision that is not later than the known one changes nothing.
func testSessionRevisions(e *env) {
	other := loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()}
	s := eventlog.Session{ID: newSession(), Access: e.event("a", reaching(loci.ReachPrivate)).EventAccess}
	e.append(e.event("a", inSession(s.ID), reaching(loci.ReachPrivate)))
	for _, step := range []struct {
		revision int64
		reach    loci.Reach
		want     int
	}{{4, loci.ReachOrg, 1}, {3, loci.ReachPrivate, 1}, {4, loci.ReachPrivate, 1}, {5, loci.ReachPrivate, 0},
		{4, loci.ReachOrg, 0}} {
		s.Revision, s.Access.Reach = step.revision, step.reach
		e.setSession(s)
		if got := len(e.find(other, eventlog.Query{}).Events); got != step.want {
			e.Errorf("revision %d, %s: %d events are visible, want %d", step.revision, step.reach, got, step.want)
		}
	}
}
