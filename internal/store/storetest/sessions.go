package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// newSession returns a session of the org's owner, not yet stored.
func (e *env) newSession(change ...func(*loci.Session)) loci.Session {
	s := loci.Session{ID: loci.NewSessionID(), OrgID: e.org, UserID: e.user, Vendor: "claude", State: loci.SessionActive,
		CreatedAt: e.clock.now()}
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

func (e *env) closeSession(v loci.Viewer, id loci.SessionID) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.Sessions().Close(ctx, v, id, e.clock.now())
	})
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
	})
	plain := e.addSession(func(s *loci.Session) { s.Vendor = "" })
	for _, want := range []loci.Session{full, plain} {
		got, err := e.getSession(e.person(), want.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	theirs := e.addAgent(func(b *loci.Agent) { b.UserID = e.addUser().ID })
	cursors := e.addAgent(func(b *loci.Agent) { b.Vendor = "cursor" })
	for name, tt := range map[string]struct {
		s    loci.Session
		want loci.Code
	}{
		"the same id": {e.newSession(func(s *loci.Session) { s.ID = full.ID }), loci.Conflict},
		"nobody's": {e.newSession(func(s *loci.Session) { s.UserID = loci.NewUserID() }),
			loci.NotFound},
		"of another org": {e.newSession(func(s *loci.Session) { s.OrgID = "other" }), loci.Invalid},
		"of no agent": {e.newSession(func(s *loci.Session) { s.AgentID = loci.NewAgentID() }),
			loci.NotFound},
		"of another person's agent": {e.newSession(func(s *loci.Session) { s.AgentID = theirs.ID }), loci.NotFound},
		"of another person's, the person's": {e.newSession(func(s *loci.Session) { s.AgentID, s.Vendor = theirs.ID, "" }),
			loci.NotFound},
		"of another vendor's agent": {e.newSession(func(s *loci.Session) { s.AgentID = cursors.ID }), loci.NotFound},
		"of a vendor's agent, the person's": {e.newSession(func(s *loci.Session) { s.AgentID, s.Vendor = cursors.ID, "" }),
			""},
		"of a vendor's agent, that vendor's": {
			e.newSession(func(s *loci.Session) { s.AgentID, s.Vendor = cursors.ID, "cursor" }), ""},
	} {
		if err := e.putSession(tt.s); loci.CodeOf(err) != tt.want || tt.want == "" && err != nil {
			e.Errorf("%s: %v, want %q", name, explain(err), tt.want)
		}
	}
	e.clock.move(time.Minute)
	e.wantCode("closing another vendor's", e.closeSession(e.agent("cursor"), full.ID), loci.NotFound)
	if err := e.closeSession(e.agent("claude"), full.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("closing it again", e.closeSession(e.agent("claude"), full.ID), loci.Conflict)
	full.State, full.ClosedAt = loci.SessionClosed, e.clock.now()
	if got, err := e.getSession(e.person(), full.ID); err != nil || got != full {
		e.Errorf("closed: %+v, %v", got, err)
	}
}

// Pages put together are the whole, also while sessions begin.
func testSessionPages(e *env) {
	var want []string
	for i := range 7 {
		s := e.addSession(func(s *loci.Session) { s.Title = fmt.Sprint(i) })
		e.addSession(func(s *loci.Session) { s.Title, s.Vendor = "hidden", "cursor" })
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
		"events": func(ctx context.Context, tx store.Tx) error { _, err := tx.Feed().After(ctx, v, next, 1); return err },
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
}
