package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// newSession returns a session of the org's owner, not yet stored. Only claude's agents see it.
func (e *env) newSession(change ...func(*loci.Session)) loci.Session {
	s := loci.Session{ID: loci.NewSessionID(), State: loci.SessionActive, CreatedAt: e.clock.now(),
		UpdatedAt: e.clock.now(), LastActiveAt: e.clock.now(), Revision: 1,
		EventAccess: loci.EventAccess{OrgID: e.org, UserID: e.user, Reach: loci.ReachOrg, Origin: "claude",
			AllowedVendors: []loci.Vendor{"claude"}}}
	for _, c := range change {
		c(&s)
	}
	return s
}

// addSession stores what newSession returns.
func (e *env) addSession(change ...func(*loci.Session)) loci.Session {
	e.Helper()
	s := e.newSession(change...)
	if err := e.putSession(s); err != nil {
		e.Fatal(explain(err))
	}
	return s
}

func (e *env) putSession(s loci.Session) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Sessions().Insert(ctx, s) })
}

func (e *env) getSession(v loci.Viewer, id loci.SessionID) (s loci.Session, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { s, err = tx.Sessions().Get(e.Context(), v, id); return err })
	return s, err
}

func (e *env) updateSession(s *loci.Session) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Sessions().Update(ctx, s) })
}

func (e *env) countSessions(v loci.Viewer, q store.SessionQuery) (all, active int, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		all, active, err = tx.Sessions().Count(e.Context(), v, q)
		return err
	})
	return all, active, err
}

// wantChanges demands that these changes are left, in any order.
func (e *env) wantChanges(what string, want ...store.SessionChange) {
	e.Helper()
	var got []store.SessionChange
	e.view(func(ctx context.Context, tx store.Tx) (err error) {
		got, err = tx.Sessions().Changes(ctx, 100)
		return err
	})
	byID := cmpopts.SortSlices(func(a, b store.SessionChange) bool { return a.ID.String() < b.ID.String() })
	if diff := cmp.Diff(want, got, byID, cmpopts.EquateEmpty()); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (e *env) listSessions(v loci.Viewer, q store.SessionQuery) (list []loci.Session, next store.Position, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		list, next, err = tx.Sessions().List(e.Context(), v, q)
		return err
	})
	return list, next, err
}

// allSessions puts the pages together.
func (e *env) allSessions(v loci.Viewer, q store.SessionQuery) (all []loci.Session) {
	e.Helper()
	for {
		list, next, err := e.listSessions(v, q)
		if err != nil {
			e.Fatal(explain(err))
		}
		if len(list) > q.Limit || next != "" && len(list) < q.Limit {
			e.Fatalf("a page of %d with limit %d and next %q", len(list), q.Limit, next)
		}
		all = append(all, list...)
		if q.After = next; next == "" {
			return all
		}
	}
}

func testSessions(e *env) {
	a := e.addAgent()
	full := e.addSession(func(s *loci.Session) {
		s.WorkspaceID, s.ProjectID, s.AgentID, s.Title = loci.NewWorkspaceID(), loci.NewProjectID(), a.ID, "Releases"
		s.Reach, s.TeamID, s.AllowedVendors = loci.ReachTeam, loci.NewTeamID(), []loci.Vendor{"claude", "cursor"}
		s.Metadata, s.State, s.Expired = []byte(`{"b": [1, "<é>"],  "a":null}`), loci.SessionClosed, true
		s.UpdatedAt, s.LastActiveAt = s.CreatedAt.Add(time.Second), s.CreatedAt.Add(2*time.Second)
		s.ClosedAt, s.ReopenedAt, s.Revision = s.CreatedAt.Add(3*time.Second), s.CreatedAt.Add(4*time.Second), 9
	})
	plain := e.addSession(func(s *loci.Session) { s.AllowedVendors, s.Reach = []loci.Vendor{}, loci.ReachPrivate })
	for _, want := range []loci.Session{full, plain} {
		got, err := e.getSession(e.person(), want.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	for name, tt := range map[string]struct {
		s    loci.Session
		want loci.Code
	}{
		"the same id":         {e.newSession(func(s *loci.Session) { s.ID = full.ID }), loci.Conflict},
		"nobody's":            {e.newSession(func(s *loci.Session) { s.UserID = loci.NewUserID() }), loci.NotFound},
		"of another org":      {e.newSession(func(s *loci.Session) { s.OrgID = "other" }), loci.Invalid},
		"of a deleted agent":  {e.newSession(func(s *loci.Session) { s.AgentID = loci.NewAgentID() }), ""},
		"of another's agent":  {e.newSession(func(s *loci.Session) { s.UserID, s.AgentID = e.addUser().ID, a.ID }), ""},
		"with the same title": {e.newSession(func(s *loci.Session) { s.Title = full.Title }), ""},
	} {
		if err := e.putSession(tt.s); loci.CodeOf(err) != tt.want || tt.want == "" && err != nil {
			e.Errorf("%s: %v, want %q", name, explain(err), tt.want)
		}
	}
	e.wantChanges("nothing changed")
}

// A change of the state or of who sees a session is left for others to follow; other changes are not.
func testSessionChanges(e *env) {
	s := e.addSession()
	other := e.addSession()
	follow := func() store.SessionChange { return store.SessionChange{ID: s.ID, Revision: s.Revision, Session: &s} }
	for _, tt := range []struct {
		name    string
		change  func(*loci.Session)
		follows bool
	}{
		{"nothing", func(*loci.Session) {}, false},
		{"its title", func(s *loci.Session) {
			s.Title, s.Metadata, s.UpdatedAt = "x", []byte(`{"a":1}`), e.clock.now()
		}, false},
		{"its agent", func(s *loci.Session) { s.AgentID, s.LastActiveAt = loci.NewAgentID(), e.clock.now() }, false},
		{"its state", func(s *loci.Session) { s.State, s.ClosedAt = loci.SessionClosed, e.clock.now() }, true},
		{"its state back", func(s *loci.Session) {
			s.State, s.ClosedAt, s.ReopenedAt = loci.SessionActive, time.Time{}, e.clock.now()
		}, true},
		{"its reach", func(s *loci.Session) { s.Reach = loci.ReachPrivate }, true},
		{"its team", func(s *loci.Session) { s.Reach, s.TeamID = loci.ReachTeam, loci.NewTeamID() }, true},
		{"its vendors", func(s *loci.Session) { s.AllowedVendors = []loci.Vendor{"*"} }, true},
		{"its workspace", func(s *loci.Session) { s.WorkspaceID = loci.NewWorkspaceID() }, true},
	} {
		e.clock.move(time.Minute)
		tt.change(&s)
		before := s.Revision
		if err := e.updateSession(&s); err != nil {
			e.Fatalf("%s: %v", tt.name, explain(err))
		}
		if (s.Revision == before+1) != tt.follows || !tt.follows && s.Revision != before {
			e.Errorf("%s: revision %d after %d", tt.name, s.Revision, before)
		}
		if tt.follows {
			old := store.SessionChange{ID: s.ID, Revision: before}
			e.update(func(ctx context.Context, tx store.Tx) error { return tx.Sessions().Applied(ctx, old) })
			e.wantChanges(tt.name+", after an older change was applied", follow())
			e.update(func(ctx context.Context, tx store.Tx) error { return tx.Sessions().Applied(ctx, follow()) })
		}
		e.wantChanges(tt.name)
		if got, err := e.getSession(loci.Viewer{OrgID: e.org, UserID: e.user}, s.ID); err != nil || cmp.Diff(s, got) != "" {
			e.Errorf("%s: got %+v, %v; want %+v", tt.name, got, err, s)
		}
	}
	fixed := s
	fixed.UserID, fixed.ProjectID, fixed.Origin, fixed.CreatedAt = loci.NewUserID(), loci.NewProjectID(), "x", oldest
	if err := e.updateSession(&fixed); err != nil {
		e.Fatal(explain(err))
	}
	if got, err := e.getSession(e.person(), s.ID); err != nil || cmp.Diff(s, got) != "" {
		e.Errorf("what never changes: got %+v, %v; want %+v", got, err, s)
	}
	e.wantCode("one that is not there", e.updateSession(new(e.newSession())), loci.NotFound)
	e.wantCode("of another org", e.updateSession(&loci.Session{ID: s.ID, EventAccess: loci.EventAccess{OrgID: "other"}}),
		loci.Invalid)
	if got, err := e.getSession(e.person(), other.ID); err != nil || cmp.Diff(other, got) != "" {
		e.Errorf("another session: %+v, %v", got, err)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Sessions().Changes(ctx, 0)
		e.wantCode("no limit", err, loci.Invalid)
		return nil
	})
}

var oldest = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// testSessionExpiry closes what nobody used.
func testSessionExpiry(e *env) {
	used, idle, closed := e.addSession(), e.addSession(), e.addSession(func(s *loci.Session) {
		s.State, s.ClosedAt = loci.SessionClosed, s.CreatedAt
	})
	later := e.addSession(func(s *loci.Session) { s.LastActiveAt = s.CreatedAt.Add(time.Second) })
	touch := func(id loci.SessionID, at time.Time) {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Sessions().Touch(ctx, id, at) })
	}
	used.LastActiveAt = e.clock.now().Add(time.Hour)
	touch(used.ID, used.LastActiveAt)
	touch(used.ID, used.LastActiveAt.Add(-time.Minute))
	touch(loci.NewSessionID(), used.LastActiveAt)
	expire := func(then time.Time, limit, want int) {
		e.Helper()
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Sessions().Expire(ctx, then, e.clock.now(), limit)
			if n != want {
				e.Errorf("expired %d, want %d", n, want)
			}
			return err
		})
	}
	expire(e.clock.now(), 10, 0)
	e.clock.move(2 * time.Hour)
	expire(idle.LastActiveAt.Add(time.Minute), 1, 1)
	expire(idle.LastActiveAt.Add(time.Minute), 10, 1)
	expire(idle.LastActiveAt.Add(time.Minute), 10, 0)
	for _, s := range []*loci.Session{&idle, &later} {
		s.State, s.Expired, s.ClosedAt, s.UpdatedAt = loci.SessionClosed, true, e.clock.now(), e.clock.now()
		s.Revision = 2
	}
	for _, want := range []loci.Session{used, idle, closed, later} {
		if got, err := e.getSession(e.person(), want.ID); err != nil || cmp.Diff(want, got) != "" {
			e.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
		}
	}
	e.wantChanges("what expired", store.SessionChange{ID: idle.ID, Revision: 2, Session: &idle},
		store.SessionChange{ID: later.ID, Revision: 2, Session: &later})
}

// testSessionRelease takes the sessions of somebody out of their team.
func testSessionRelease(e *env) {
	team := loci.NewTeamID()
	ofTeam := func(s *loci.Session) { s.Reach, s.TeamID = loci.ReachTeam, team }
	mine, org := e.addSession(ofTeam), e.addSession()
	mates := e.addSession(ofTeam, func(s *loci.Session) { s.UserID = e.addUser().ID })
	before := e.addSession(func(s *loci.Session) { s.Reach, s.TeamID = loci.ReachTeam, loci.NewTeamID() })
	e.clock.move(time.Minute)
	e.update(func(ctx context.Context, tx store.Tx) error {
		return tx.Sessions().Release(ctx, e.user, team, e.clock.now())
	})
	mine.Reach, mine.TeamID, mine.UpdatedAt, mine.Revision = loci.ReachPrivate, loci.TeamID{}, e.clock.now(), 2
	v := e.person()
	v.TeamID = team
	for _, want := range []loci.Session{mine, org, mates, before} {
		if got, err := e.getSession(v, want.ID); err != nil || cmp.Diff(want, got) != "" {
			e.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
		}
	}
	e.wantChanges("what was released", store.SessionChange{ID: mine.ID, Revision: 2, Session: &mine})
}

// Pages put together are the whole, also while sessions begin.
func testSessionPages(e *env) {
	var want []string
	for i := range 7 {
		s := e.addSession(func(s *loci.Session) { s.Title = fmt.Sprint(i) })
		e.addSession(func(s *loci.Session) { s.Title, s.AllowedVendors = "hidden", []loci.Vendor{"cursor"} })
		want = append([]string{s.Title}, want...)
		e.clock.move(-time.Hour) // the one stored last comes first, whatever its clock said
	}
	v, q := e.agent("claude"), store.SessionQuery{Limit: 3}
	var got []string
	for first := true; first || q.After != ""; first = false {
		list, next, err := e.listSessions(v, q)
		if err != nil {
			e.Fatal(explain(err))
		}
		for _, s := range list {
			got = append(got, s.Title)
		}
		q.After = next
		e.addSession(func(s *loci.Session) { s.Title = "new" })
	}
	if !slices.Equal(got, want) {
		e.Errorf("got %q, want %q", got, want)
	}
	e.insert()
	e.insert()
	memories := e.list(e.person(), store.ListQuery{Limit: 1}).Next
	for name, q := range map[string]store.SessionQuery{"no limit": {}, "nonsense": {Limit: 1, After: "x"},
		"another list's": {Limit: 1, After: memories}} {
		_, _, err := e.listSessions(v, q)
		e.wantCode(name, err, loci.Invalid)
	}
	_, next, err := e.listSessions(v, store.SessionQuery{Limit: 1})
	if err != nil || next == "" {
		e.Fatalf("%q, %v", next, err)
	}
	for name, list := range map[string]func(context.Context, store.Tx) error{
		"memories": func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Lists().List(ctx, v, store.ListQuery{Limit: 1, After: next})
			return err
		},
		"nodes": func(ctx context.Context, tx store.Tx) error {
			_, _, err := tx.MemoryNodes().List(ctx, v, store.NodeQuery{Limit: 1, After: next})
			return err
		},
		"suggestions": func(ctx context.Context, tx store.Tx) error {
			_, _, err := tx.Suggestions().List(ctx, v, "", next, 1)
			return err
		},
		"events": func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Feed().After(ctx, v, store.FeedQuery{After: next, Limit: 1})
			return err
		},
	} {
		err := e.st.View(e.Context(), e.org, func(tx store.Tx) error { return list(e.Context(), tx) })
		e.wantCode("a list of "+name+" behind a session", err, loci.Invalid)
	}
}

// Sessions and nodes from before there were workspaces move with the memories.
func testAdoptSessions(e *env) {
	w, s, n := e.addWorkspace("space"), e.addSession(), e.insertNode()
	elsewhere := e.addSession(func(s *loci.Session) { s.WorkspaceID = loci.NewWorkspaceID() })
	v := e.person()
	v.WorkspaceID = w.ID
	_, err := e.getSession(v, s.ID)
	e.wantCode("before", err, loci.NotFound)
	e.update(func(ctx context.Context, tx store.Tx) error { _, err := tx.Workspaces().Adopt(ctx, w.ID); return err })
	if got, err := e.getSession(v, s.ID); err != nil || got.WorkspaceID != w.ID {
		e.Errorf("%+v, %v", got, err)
	}
	if got, err := e.getNode(v, n.ID, loci.LiveOnly); err != nil || got.WorkspaceID != w.ID {
		e.Errorf("%+v, %v", got, err)
	}
	_, err = e.getSession(v, elsewhere.ID)
	e.wantCode("elsewhere", err, loci.NotFound)
	s.WorkspaceID, s.Revision = w.ID, 2
	e.wantChanges("what moved", store.SessionChange{ID: s.ID, Revision: 2, Session: &s})
}
