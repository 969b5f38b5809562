package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// newAgent returns an agent of the org's owner, not yet stored.
func (e *env) newAgent(change ...func(*loci.Agent)) loci.Agent {
	a := loci.Agent{ID: loci.NewAgentID(), OrgID: e.org, UserID: e.user, Vendor: "claude", Name: "reviewer",
		CreatedAt: e.clock.now(), UpdatedAt: e.clock.now()}
	for _, c := range change {
		c(&a)
	}
	return a
}

// addAgent stores what newAgent returns.
func (e *env) addAgent(change ...func(*loci.Agent)) loci.Agent {
	e.Helper()
	a := e.newAgent(change...)
	if err := e.putAgent(a); err != nil {
		e.Fatal(explain(err))
	}
	return a
}

func (e *env) putAgent(a loci.Agent) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Agents().Insert(ctx, a) })
}

func (e *env) getAgent(v loci.Viewer, id loci.AgentID) (a loci.Agent, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { a, err = tx.Agents().Get(e.Context(), v, id); return err })
	return a, err
}

func (e *env) listAgents(v loci.Viewer, q store.AgentQuery) (list []loci.Agent, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		list, err = tx.Agents().List(e.Context(), v, q)
		return err
	})
	return list, err
}

func testAgents(e *env) {
	a := e.addAgent(func(a *loci.Agent) {
		a.Config, a.UpdatedAt = json.RawMessage(`{"b": [1, "<é>"],  "a":null}`), a.CreatedAt.Add(time.Microsecond)
		a.Description, a.LastActiveAt = "Reads\nchanges", a.CreatedAt.Add(time.Second)
	})
	plain := e.addAgent(func(a *loci.Agent) { a.Name = "Reviewer" })
	for _, want := range []loci.Agent{a, plain} {
		got, err := e.getAgent(e.agent("cursor"), want.ID)
		if diff := gocmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	for name, tt := range map[string]struct {
		a    loci.Agent
		want loci.Code
	}{
		"the same id":              {e.newAgent(func(b *loci.Agent) { b.ID, b.Name = a.ID, "other" }), loci.Conflict},
		"the same name":            {e.newAgent(), loci.Conflict},
		"nobody's":                 {e.newAgent(func(b *loci.Agent) { b.UserID = loci.NewUserID() }), loci.NotFound},
		"of another org":           {e.newAgent(func(b *loci.Agent) { b.OrgID, b.Name = "other", "other" }), loci.Invalid},
		"another vendor's":         {e.newAgent(func(b *loci.Agent) { b.Vendor = "cursor" }), loci.Conflict},
		"another person's":         {e.newAgent(func(b *loci.Agent) { b.UserID = e.addUser().ID }), loci.Conflict},
		"another name":             {e.newAgent(func(b *loci.Agent) { b.Name = "writer" }), ""},
		"a name, in other letters": {e.newAgent(func(b *loci.Agent) { b.Name = "WRITER" }), ""},
	} {
		if err := e.putAgent(tt.a); loci.CodeOf(err) != tt.want || tt.want == "" && err != nil {
			e.Errorf("%s: %v, want %q", name, explain(err), tt.want)
		}
	}
	_, err := e.listAgents(e.person(), store.AgentQuery{})
	e.wantCode("no limit", err, loci.Invalid)
}

func testAgentChanges(e *env) {
	a, other := e.addAgent(), e.addAgent(func(a *loci.Agent) { a.Name = "writer" })
	update := func(a loci.Agent) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Agents().Update(ctx, a) })
	}
	touch := func(id loci.AgentID, at time.Time) {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Agents().Touch(ctx, id, at) })
	}
	remove := func(id loci.AgentID) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Agents().Delete(ctx, id) })
	}
	want := func(what string, want loci.Agent) {
		e.Helper()
		got, err := e.getAgent(e.person(), want.ID)
		if diff := gocmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
	next := a
	next.Name, next.Description, next.Config = "critic", "Reads", json.RawMessage(`{"a":1}`)
	next.UpdatedAt = a.UpdatedAt.Add(time.Hour)
	if err := update(next); err != nil {
		e.Fatal(explain(err))
	}
	want("changed", next)
	want("another", other)
	same := next
	same.Name = "writer"
	e.wantCode("the name of another", update(same), loci.Conflict)
	e.wantCode("one that is not there", update(e.newAgent()), loci.NotFound)
	e.wantCode("of another org", update(loci.Agent{ID: a.ID, OrgID: "other", Name: "x"}), loci.Invalid)
	next.LastActiveAt = e.clock.now().Add(time.Minute)
	touch(a.ID, next.LastActiveAt)
	touch(a.ID, next.LastActiveAt.Add(-time.Second))
	touch(loci.NewAgentID(), next.LastActiveAt)
	want("active", next)
	s := e.addSession(func(s *loci.Session) { s.AgentID = a.ID })
	if err := remove(a.ID); err != nil {
		e.Fatal(explain(err))
	}
	_, err := e.getAgent(e.person(), a.ID)
	e.wantCode("the deleted one", err, loci.NotFound)
	e.wantCode("deleting it again", remove(a.ID), loci.NotFound)
	if got, err := e.getSession(e.person(), s.ID); err != nil || got.AgentID != a.ID {
		e.Errorf("its session: %+v, %v", got, err)
	}
	want("another", other)
}

// What is left when a person goes: the org's agents, and nothing of the person's.
func testAgentsOfLeavers(e *env) {
	u := e.addUser()
	keep, theirs := e.addAgent(), e.addAgent(func(a *loci.Agent) { a.UserID, a.Name = u.ID, "writer" })
	kept := e.addSession(func(s *loci.Session) { s.AgentID = theirs.ID })
	left := e.addSession(func(s *loci.Session) { s.UserID, s.AgentID, s.Revision = u.ID, keep.ID, 7 })
	if err := e.st.People().Remove(e.Context(), e.org, u.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	_, err := e.getSession(e.person(), left.ID)
	e.wantCode("the leaver's session", err, loci.NotFound)
	theirs.UserID = loci.UserID{}
	for _, a := range []loci.Agent{keep, theirs} {
		if got, err := e.getAgent(e.person(), a.ID); err != nil || gocmp.Diff(a, got) != "" {
			e.Errorf("got %+v, %v; want %+v", got, err, a)
		}
	}
	if _, err := e.getSession(e.person(), kept.ID); err != nil {
		e.Error(explain(err))
	}
	e.wantChanges("what is to be followed", store.SessionChange{ID: left.ID, Revision: 8})
	e.wantCode("an agent for one who has left", e.putAgent(e.newAgent(func(a *loci.Agent) { a.UserID = u.ID })),
		loci.NotFound)
	theirs.Description = "Stays"
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Agents().Update(ctx, theirs) })
}

// work is agents and sessions of a world.
type work struct {
	*world
	list     []loci.Agent
	sessions []loci.Session // in the order of storing
}

func (w *world) newWork() *work {
	k := &work{world: w}
	for range rapid.IntRange(0, 4).Draw(w.t, "agents") {
		id := loci.NewAgentID() // names are of the org, and the worlds of a test share one
		k.list = append(k.list, w.addAgent(func(a *loci.Agent) {
			a.ID, a.Name = id, draw(w.t, "name", "x", "y", "é")+id.String()
			a.UserID, a.Vendor = draw(w.t, "whose agent", w.users...), draw[loci.Vendor](w.t, "agent of vendor", "a", "b")
		}))
	}
	for range rapid.IntRange(0, 8).Draw(w.t, "sessions") {
		s := w.newSession(k.change)
		s.UserID, s.ProjectID = draw(w.t, "whose", w.users...), oneOf(w.t, "project", w.projects)
		if err := w.putSession(s); err != nil {
			w.t.Fatal(explain(err))
		}
		k.sessions = append(k.sessions, s)
	}
	return k
}

// change draws every field of a session that may change.
func (k *work) change(s *loci.Session) {
	t := k.t
	s.WorkspaceID, s.AllowedVendors = oneOf(t, "workspace", k.workspaces), draw(t, "vendors", vendorLists...)
	s.Reach, s.TeamID = draw(t, "reach", loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate), loci.TeamID{}
	if s.Reach == loci.ReachTeam {
		s.TeamID = draw(t, "team", k.teams...)
	}
	s.AgentID, s.Title = oneOf(t, "agent", k.list).ID, draw(t, "title", "", "one", "two")
	if s.State, s.ClosedAt = loci.SessionActive, (time.Time{}); draw(t, "closed", false, true) {
		s.State, s.ClosedAt = loci.SessionClosed, s.CreatedAt.Add(time.Minute)
	}
}

// testWorkVisibility draws agents, sessions and viewers and demands that the
// engine and the rule agree.
func testWorkVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		k := w.newWork()
		for range 3 {
			v := w.viewer()
			k.compareAgents(v)
			k.compareSessions(v)
			k.changeOne()
		}
	})
}

func (k *work) compareAgents(v loci.Viewer) {
	var want, one, paged []loci.Agent
	for _, a := range k.list {
		if v.SeesAgent(&a) {
			want = append(want, a)
		}
		got, err := k.getAgent(v, a.ID)
		if err == nil {
			one = append(one, got)
		} else if loci.CodeOf(err) != loci.NotFound {
			k.t.Fatal(explain(err))
		}
	}
	k.differ("agents", v, want, one)
	slices.SortFunc(want, func(a, b loci.Agent) int { return cmp.Compare(a.Name, b.Name) })
	q := store.AgentQuery{Limit: rapid.IntRange(1, 4).Draw(k.t, "limit")}
	for {
		list, err := k.listAgents(v, q)
		if err != nil {
			k.t.Fatal(explain(err))
		}
		for _, a := range list {
			if slices.ContainsFunc(k.list, func(b loci.Agent) bool { return a.ID == b.ID }) {
				paged = append(paged, a)
			}
		}
		if len(list) < q.Limit {
			break
		}
		q.After = list[len(list)-1].Name
	}
	k.differ("the list of agents", v, want, paged)
	for _, a := range k.list {
		var want []loci.Agent
		if v.SeesAgent(&a) {
			want = []loci.Agent{a}
		}
		for _, q := range []store.AgentQuery{{Name: a.Name, Limit: 2}, {First: a.ID, Last: a.ID, Limit: 2}} {
			got, err := k.listAgents(v, q)
			if err != nil {
				k.t.Fatal(explain(err))
			}
			k.differ("the agent of that name or id", v, want, got)
		}
	}
}

func (k *work) compareSessions(v loci.Viewer) {
	q := store.SessionQuery{State: draw(k.t, "state", "", "", loci.SessionActive, loci.SessionClosed),
		Limit: rapid.IntRange(1, 4).Draw(k.t, "limit"), Title: draw(k.t, "with title", "", "", "one"),
		Reach: draw(k.t, "with reach", "", "", loci.ReachOrg, loci.ReachPrivate)}
	if draw(k.t, "by agent", false, true) {
		q.AgentID = oneOf(k.t, "of agent", k.list).ID
	}
	q.ProjectID = oneOf(k.t, "of project", append([]loci.ProjectID{{}, {}, {}}, k.projects...))
	if s := oneOf(k.t, "of id", k.sessions); draw(k.t, "by id", false, false, true) {
		q.First, q.Last = s.ID, s.ID
	}
	var visible, one, want []loci.Session
	active := 0
	for _, s := range slices.Backward(k.sessions) {
		if v.SeesSession(&s) {
			visible = append(visible, s)
			if sessionPasses(&s, &q) {
				want = append(want, s)
				if s.State == loci.SessionActive {
					active++
				}
			}
		}
		got, err := k.getSession(v, s.ID)
		if err == nil {
			one = append(one, got)
		} else if loci.CodeOf(err) != loci.NotFound {
			k.t.Fatal(explain(err))
		}
	}
	k.differ("sessions", v, visible, one)
	list := slices.DeleteFunc(k.allSessions(v, q), func(s loci.Session) bool { return !k.knows(s.ID) })
	k.differ("the list of sessions", v, want, list)
	if q.AgentID.IsZero() && q.Last.IsZero() {
		return // sessions of other worlds would count, too
	}
	all, open, err := k.countSessions(v, q)
	if err != nil || all != len(want) || open != active {
		k.t.Fatalf("for %+v, Count is %d, %d active, %v; want %d and %d", v, all, open, err, len(want), active)
	}
}

func sessionPasses(s *loci.Session, q *store.SessionQuery) bool {
	return (q.State == "" || s.State == q.State) && (q.AgentID.IsZero() || s.AgentID == q.AgentID) &&
		(q.ProjectID.IsZero() || s.ProjectID == q.ProjectID) && (q.Reach == "" || s.Reach == q.Reach) &&
		(q.Title == "" || s.Title == q.Title) && (q.Last.IsZero() || s.ID == q.First)
}

func (k *work) knows(id loci.SessionID) bool {
	return slices.ContainsFunc(k.sessions, func(s loci.Session) bool { return s.ID == id })
}

// changeOne changes a session.
func (k *work) changeOne() {
	if len(k.sessions) == 0 {
		return
	}
	s := &k.sessions[rapid.IntRange(0, len(k.sessions)-1).Draw(k.t, "changed")]
	before := *s
	k.change(s)
	if err := k.updateSession(s); err != nil {
		k.t.Fatal(explain(err))
	}
	want := before.Revision
	if s.State != before.State || !s.SameAccess(&before.EventAccess) {
		want++
	}
	if s.Revision != want {
		k.t.Fatalf("the revision is %d after %d, want %d", s.Revision, before.Revision, want)
	}
}
