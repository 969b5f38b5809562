package embedded

import (
	"path/filepath"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// What another process tells its log of a session counts for the very next event.
func TestSessionsThatChangeElsewhere(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	l, other := open(t, dir, c.now), open(t, dir, c.now)
	session := eventlog.Session{ID: loci.SessionID{15: 7}, Access: loci.EventAccess{OrgID: acme, UserID: person.UserID,
		Reach: loci.ReachOrg, AllowedVendors: []loci.Vendor{loci.AnyVendor}}}
	set := func(change func(*eventlog.Session)) {
		session.Revision++
		change(&session)
		if err := other.SetSession(t.Context(), acme, session); err != nil {
			t.Fatal(err)
		}
	}
	in := func(content string) *loci.Event {
		return newEvent(c, content, func(e *loci.Event) { e.SessionID = session.ID })
	}
	colleague := loci.Viewer{OrgID: acme, UserID: loci.UserID{15: 2}}
	for i, name := range []string{"a", "b", "c"} {
		set(func(s *eventlog.Session) { s.Closed, s.Access.Reach = false, loci.ReachOrg })
		put(t, l, day, in(name+" 1"))
		put(t, l, day, in(name+" 2"))
		if got, err := l.Find(t.Context(), colleague, eventlog.Query{Limit: 100}); err != nil || len(got.Events) != 3*i+2 {
			t.Fatalf("%s: a colleague sees %d events, %v; want %d", name, len(got.Events), err, 3*i+2)
		}
		set(func(s *eventlog.Session) { s.Access.Reach = loci.ReachPrivate })
		put(t, l, day, in(name+" 3"))
		if got, err := l.Find(t.Context(), colleague, eventlog.Query{Limit: 100}); err != nil || len(got.Events) > 0 {
			t.Errorf("%s: a colleague sees %d events of a private session, %v", name, len(got.Events), err)
		}
		set(func(s *eventlog.Session) { s.Closed = true })
		if _, err := l.Append(t.Context(), person, []*loci.Event{in(name + " 4")}, day); loci.CodeOf(err) != loci.Conflict {
			t.Errorf("%s: an event in a closed session: %v, want a conflict", name, err)
		}
	}
}

// A log that another process has deleted and begun again is another one.
func TestLogBegunElsewhere(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	l, other := open(t, dir, c.now), open(t, dir, c.now)
	for range 3 {
		for range 2 {
			put(t, l, day, newEvent(c, "a"))
		}
		if err := other.Drop(t.Context(), acme); err != nil {
			t.Fatal(err)
		}
		if o := put(t, other, day, newEvent(c, "b"))[0]; o.Duplicate {
			t.Error("an event is a duplicate of one of a deleted log")
		}
		if o := put(t, l, day, newEvent(c, "a"))[0]; o.Duplicate {
			t.Error("an event is a duplicate of one of a deleted log")
		}
		if o := put(t, l, day, newEvent(c, "b"))[0]; !o.Duplicate {
			t.Error("an event of another process is no duplicate")
		}
		sound(t, l)
	}
}
