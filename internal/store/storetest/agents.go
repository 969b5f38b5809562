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

func (e *env) listAgents(v loci.Viewer, after loci.AgentID, limit int) (list []loci.Agent, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		list, err = tx.Agents().List(e.Context(), v, after, limit)
		return err
	})
	return list, err
}

func testAgents(e *env) {
	a := e.addAgent(func(a *loci.Agent) {
		a.Config, a.UpdatedAt = json.RawMessage(`{"b": [1, "<é>"],  "a":null}`), a.CreatedAt.Add(time.Microsecond)
	})
	plain := e.addAgent(func(a *loci.Agent) { a.Name = "Reviewer" })
	for _, want := range []loci.Agent{a, plain} {
		got, err := e.getAgent(e.agent("claude"), want.ID)
		if diff := gocmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	for name, tt := range map[string]struct {
		a    loci.Agent
		want loci.Code
	}{
		"the same id":               {e.newAgent(func(b *loci.Agent) { b.ID, b.Name = a.ID, "other" }), loci.Conflict},
		"the same name":             {e.newAgent(), loci.Conflict},
		"nobody's":                  {e.newAgent(func(b *loci.Agent) { b.UserID = loci.NewUserID() }), loci.NotFound},
		"of another org":            {e.newAgent(func(b *loci.Agent) { b.OrgID, b.Name = "other", "other" }), loci.Invalid},
		"another vendor's":          {e.newAgent(func(b *loci.Agent) { b.Vendor = "cursor" }), ""},
		"another person's, so made": {e.newAgent(func(b *loci.Agent) { b.UserID = e.addUser().ID }), ""},
	} {
		if err := e.putAgent(tt.a); loci.CodeOf(err) != tt.want || tt.want == "" && err != nil {
			e.Errorf("%s: %v, want %q", name, explain(err), tt.want)
		}
	}
	_, err := e.listAgents(e.person(), loci.AgentID{}, 0)
	e.wantCode("no limit", err, loci.Invalid)
	_, err = e.listAgents(e.agent("cursor"), a.ID, 1)
	e.wantCode("behind one that it does not see", err, loci.NotFound)
	_, err = e.listAgents(e.agent("cursor"), loci.NewAgentID(), 1)
	e.wantCode("behind one that is not there", err, loci.NotFound)
}

// What is left when a person goes: nothing of theirs, all of the others'.
func testAgentsOfLeavers(e *env) {
	u := e.addUser()
	keep, gone := e.addAgent(), e.addAgent(func(a *loci.Agent) { a.UserID = u.ID })
	kept := e.addSession(func(s *loci.Session) { s.AgentID = keep.ID })
	left := e.addSession(func(s *loci.Session) { s.UserID, s.AgentID = u.ID, gone.ID })
	if err := e.st.People().Remove(e.Context(), e.org, u.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	leaver := loci.Viewer{OrgID: e.org, UserID: u.ID}
	_, err := e.getAgent(leaver, gone.ID)
	e.wantCode("the leaver's agent", err, loci.NotFound)
	_, err = e.getSession(leaver, left.ID)
	e.wantCode("the leaver's session", err, loci.NotFound)
	if _, err := e.getAgent(e.person(), keep.ID); err != nil {
		e.Error(explain(err))
	}
	if _, err := e.getSession(e.person(), kept.ID); err != nil {
		e.Error(explain(err))
	}
	e.wantCode("an agent for one who has left", e.putAgent(e.newAgent(func(a *loci.Agent) { a.UserID = u.ID })),
		loci.NotFound)
}

// work is agents and sessions of a world.
type work struct {
	*world
	list     []loci.Agent
	sessions []loci.Session // in the order of storing
}

var workVendors = []loci.Vendor{"a", "b", "d"}

func (w *world) newWork() *work {
	k := &work{world: w}
	for _, u := range w.users {
		for _, vendor := range workVendors[:2] {
			for _, name := range []string{"x", "y", "é"} {
				if draw(w.t, "agent", true, false) {
					k.list = append(k.list, w.addAgent(func(a *loci.Agent) { a.UserID, a.Vendor, a.Name = u, vendor, name }))
				}
			}
		}
	}
	for range rapid.IntRange(0, 8).Draw(w.t, "sessions") {
		k.addOne()
	}
	return k
}

func (k *work) addOne() {
	t := k.t
	s := k.newSession(func(s *loci.Session) {
		s.UserID, s.WorkspaceID = draw(t, "whose", k.users...), oneOf(t, "workspace", k.workspaces)
		s.ProjectID, s.Vendor = oneOf(t, "project", k.projects), oneOf(t, "vendor", workVendors)
		if a := oneOf(t, "agent", k.list); a.UserID == s.UserID {
			s.AgentID, s.Vendor = a.ID, draw(t, "as vendor", a.Vendor, "")
		}
		if draw(t, "closed", false, true) {
			s.State, s.ClosedAt = loci.SessionClosed, s.CreatedAt.Add(time.Minute)
		}
	})
	if err := k.putSession(s); err != nil {
		k.t.Fatal(explain(err))
	}
	k.sessions = append(k.sessions, s)
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
			k.closeOne(v)
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
	slices.SortFunc(want, func(a, b loci.Agent) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Vendor, b.Vendor))
	})
	limit := rapid.IntRange(1, 4).Draw(k.t, "limit")
	for after := (loci.AgentID{}); ; {
		list, err := k.listAgents(v, after, limit)
		if err != nil || len(paged) > len(k.list) {
			k.t.Fatalf("%d agents of %d, %v", len(paged), len(k.list), explain(err))
		}
		if paged = append(paged, list...); len(list) < limit {
			break
		}
		after = list[len(list)-1].ID
	}
	k.differ("the list of agents", v, want, paged)
}

func (k *work) compareSessions(v loci.Viewer) {
	q := store.SessionQuery{State: draw(k.t, "state", "", "", loci.SessionActive, loci.SessionClosed),
		Limit: rapid.IntRange(1, 4).Draw(k.t, "limit")}
	if draw(k.t, "by agent", false, true) {
		q.AgentID = oneOf(k.t, "of agent", k.list).ID
	}
	var visible, one, want []loci.Session
	for _, s := range slices.Backward(k.sessions) {
		if v.SeesSession(&s) {
			visible = append(visible, s)
			if (q.State == "" || s.State == q.State) && (q.AgentID.IsZero() || s.AgentID == q.AgentID) {
				want = append(want, s)
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
	k.differ("the list of sessions", v, want, k.allSessions(v, q))
}

// closeOne ends a session as v, if it may.
func (k *work) closeOne(v loci.Viewer) {
	if len(k.sessions) == 0 {
		return
	}
	s := &k.sessions[rapid.IntRange(0, len(k.sessions)-1).Draw(k.t, "closed")]
	var want loci.Code
	switch {
	case !v.SeesSession(s):
		want = loci.NotFound
	case s.State == loci.SessionClosed:
		want = loci.Conflict
	default:
		s.State, s.ClosedAt = loci.SessionClosed, k.clock.now()
	}
	if err := k.closeSession(v, s.ID); loci.CodeOf(err) != want || want == "" && err != nil {
		k.t.Fatalf("Close for %+v: %v, want %q", v, explain(err), want)
	}
}
