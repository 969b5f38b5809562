package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// newCandidate returns a candidate of the org's owner, not yet stored.
func (e *env) newCandidate(change ...func(*loci.Candidate)) *loci.Candidate {
	c := &loci.Candidate{ID: loci.CandidateID(loci.NewID[struct{}]()), Kind: loci.CandidateIdea, Title: "t",
		Content: "an idea",
		Reason:  "it says maybe", Confidence: 0.5, SuggestedScope: loci.ScopeGlobal, CreatedAt: e.clock.now(),
		UpdatedAt: e.clock.now(), EventAccess: loci.EventAccess{OrgID: e.org, UserID: e.user, Reach: loci.ReachPrivate,
			Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}}
	for _, f := range change {
		f(c)
	}
	c.SetDefaults()
	return c
}

func (e *env) addCandidate(change ...func(*loci.Candidate)) *loci.Candidate {
	e.Helper()
	c := e.newCandidate(change...)
	if err := e.putCandidate(c); err != nil {
		e.Fatal(explain(err))
	}
	return c
}

func (e *env) putCandidate(c *loci.Candidate) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Candidates().Insert(ctx, c) })
}

func (e *env) replaceCandidate(c *loci.Candidate) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Candidates().Replace(ctx, c) })
}

func (e *env) getCandidate(v loci.Viewer, id loci.CandidateID) (c *loci.Candidate, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { c, err = tx.Candidates().Get(e.Context(), v, id); return err })
	return c, err
}

func (e *env) wantCandidate(what string, want *loci.Candidate) {
	e.Helper()
	got, err := e.getCandidate(e.person(), want.ID)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		e.Errorf("%s: %v (-want +got):\n%s", what, explain(err), diff)
	}
}

func testCandidates(e *env) {
	full := e.addCandidate(func(c *loci.Candidate) {
		c.WorkspaceID, c.ProjectID, c.SessionID = loci.NewWorkspaceID(), loci.NewProjectID(), loci.NewSessionID()
		c.Reach, c.TeamID, c.AllowedVendors = loci.ReachTeam, loci.NewTeamID(), []loci.Vendor{"claude", "cursor"}
		c.Tags, c.Domain, c.Metadata = []string{"a", "b"}, "web", []byte(`{"cue":"maybe"}`)
		c.Findings = []loci.ReflectionFinding{{ID: "f", Kind: loci.FindingDuplicate, Target: "m"}}
		c.Evidence = []loci.Evidence{{Start: 1, End: 5, CharStart: 1, CharEnd: 4, Role: "statement"}}
		c.TaskIDs, c.RelatedTo = []loci.TaskID{loci.NewTaskID()}, []string{"x"}
		c.Review = &loci.Review{Action: "defer", UserID: e.user, Origin: "cli", At: e.clock.now(), Versions: 1}
		c.State, c.DeferredTo = loci.ReviewDeferred, e.clock.now().Add(time.Hour)
	})
	plain := e.addCandidate()
	e.wantCandidate("with every field", full)
	e.wantCandidate("with few fields", plain)
	e.wantCode("the same id", e.putCandidate(full), loci.Conflict)
	e.wantCode("nobody's", e.putCandidate(e.newCandidate(func(c *loci.Candidate) { c.UserID = loci.NewUserID() })),
		loci.NotFound)
	e.wantCode("of another org", e.putCandidate(e.newCandidate(func(c *loci.Candidate) { c.OrgID = "other" })),
		loci.Invalid)
	next := *plain
	next.State, next.Version, next.MemoryID = loci.ReviewPromoted, 2, loci.NewMemoryID()
	if err := e.replaceCandidate(&next); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCandidate("replaced", &next)
	e.wantCode("replaced twice", e.replaceCandidate(&next), loci.Conflict)
	e.wantCode("one that is not there", e.replaceCandidate(e.newCandidate()), loci.NotFound)
	e.view(func(ctx context.Context, tx store.Tx) error {
		old, err := tx.Candidates().Versions(ctx, e.person(), plain.ID)
		if diff := cmp.Diff([]*loci.Candidate{plain}, old); diff != "" || err != nil {
			e.Errorf("versions: %v (-want +got):\n%s", explain(err), diff)
		}
		_, err = tx.Candidates().Versions(ctx, loci.Viewer{OrgID: e.org, UserID: loci.NewUserID()}, plain.ID)
		e.wantCode("versions of what is hidden", err, loci.NotFound)
		return nil
	})
}

// Due lists who waits longest first, those to whom the time has come.
func testCandidatesDue(e *env) {
	now := e.clock.now()
	in := func(d time.Duration, state loci.ReviewState) loci.CandidateID {
		return e.addCandidate(func(c *loci.Candidate) {
			c.State = state
			switch state {
			case loci.ReviewDeferred:
				c.DeferredTo = now.Add(d)
			case loci.ReviewPending:
				c.NextAttempt = now.Add(d)
			}
		}).ID
	}
	second, first := in(2*time.Hour, loci.ReviewPending), in(time.Hour, loci.ReviewDeferred)
	in(4*time.Hour, loci.ReviewPending)
	for _, state := range []loci.ReviewState{loci.ReviewPromoted, loci.ReviewRejected, loci.ReviewArchived} {
		in(0, state)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		list, err := tx.Candidates().Due(ctx, now.Add(3*time.Hour), 10)
		var got []loci.CandidateID
		for _, c := range list {
			got = append(got, c.ID)
		}
		if !slices.Equal(got, []loci.CandidateID{first, second}) || err != nil {
			e.Errorf("due: %v, %v; want %v", got, explain(err), []loci.CandidateID{first, second})
		}
		return nil
	})
}

// Candidates and notes go with their person, leave the team with them, and move into the first workspace.
func testCandidatesGo(e *env) {
	leaver, team := e.addUser(), loci.NewTeamID()
	gone := e.addCandidate(func(c *loci.Candidate) { c.UserID = leaver.ID })
	shared := e.addCandidate(func(c *loci.Candidate) { c.Reach, c.TeamID = loci.ReachTeam, team })
	notes := &loci.Reflection{Title: "t", Text: "some notes", Intent: loci.IntentGeneral, Redacted: []loci.Redacted{},
		TaskIDs: []loci.TaskID{}, EventAccess: shared.EventAccess, CreatedAt: e.clock.now()}
	notes.ID = loci.ReflectionIDOf(&notes.EventAccess, notes.Title, notes.Text)
	for range 2 { // the same notes again
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Reflections().Insert(ctx, notes) })
	}
	mate := loci.Viewer{OrgID: e.org, UserID: loci.NewUserID(), TeamID: team}
	read := func() (n *loci.Reflection, err error) {
		err = e.st.View(e.Context(), e.org,
			func(tx store.Tx) error { n, err = tx.Reflections().Get(e.Context(), mate, notes.ID); return err })
		return n, err
	}
	got, err := read()
	if diff := cmp.Diff(notes, got); diff != "" || err != nil {
		e.Errorf("notes: %v (-want +got):\n%s", explain(err), diff)
	}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Candidates().Release(ctx, e.user, team) })
	_, err = read()
	e.wantCode("the notes of who left the team", err, loci.NotFound)
	_, err = e.getCandidate(mate, shared.ID)
	e.wantCode("the candidate of who left the team", err, loci.NotFound)
	if err := e.st.People().Remove(e.Context(), e.org, leaver.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	_, err = e.getCandidate(loci.Viewer{OrgID: e.org, UserID: leaver.ID}, gone.ID)
	e.wantCode("of who left the org", err, loci.NotFound)
	w := e.addWorkspace("space")
	e.update(func(ctx context.Context, tx store.Tx) error { _, err := tx.Workspaces().Adopt(ctx, w.ID); return err })
	c, err := e.getCandidate(e.person(), shared.ID)
	if err != nil || c.WorkspaceID != w.ID || c.Reach != loci.ReachPrivate {
		e.Errorf("adopted: %+v, %v", c, explain(err))
	}
}

// A change of a session limits who reads its candidates and notes, as new versions, and never gives them more readers.
func testCandidatesOfASession(e *env) {
	team := loci.NewTeamID()
	s := e.addSession(func(s *loci.Session) { s.AllowedVendors = []loci.Vendor{"*"} })
	of := e.addCandidate(func(c *loci.Candidate) { c.SessionID, c.EventAccess = s.ID, s.EventAccess })
	apart := e.addCandidate(func(c *loci.Candidate) { c.EventAccess = s.EventAccess })
	notes := &loci.Reflection{Title: "t", Text: "some notes", Intent: loci.IntentGeneral, Redacted: []loci.Redacted{},
		TaskIDs: []loci.TaskID{}, SessionID: s.ID, EventAccess: s.EventAccess, CreatedAt: e.clock.now()}
	notes.ID = loci.ReflectionIDOf(&notes.EventAccess, notes.Title, notes.Text)
	keep := func() {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Reflections().Insert(ctx, notes) })
	}
	keep()
	want := of.EventAccess
	for i, change := range []func(*loci.Session){
		func(s *loci.Session) {
			s.Reach, s.TeamID = loci.ReachTeam, team
			want.Reach, want.TeamID = s.Reach, s.TeamID
		},
		func(s *loci.Session) {
			s.AllowedVendors = []loci.Vendor{"claude"}
			want.AllowedVendors = s.AllowedVendors
		},
		func(s *loci.Session) { s.AllowedVendors, s.Title = []loci.Vendor{"*"}, "wide again" },
		func(s *loci.Session) {
			s.Reach, s.TeamID = loci.ReachPrivate, loci.TeamID{}
			want.Reach, want.TeamID = s.Reach, s.TeamID
		},
		func(s *loci.Session) { s.Reach = loci.ReachOrg },
	} {
		change(&s)
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Sessions().Update(ctx, &s) })
		keep()
		c, err := e.getCandidate(e.person(), of.ID)
		if err != nil || !c.SameAccess(&want) {
			e.Errorf("change %d: the candidate has %+v, %v; want %+v", i, c.EventAccess, explain(err), want)
		}
		e.view(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Reflections().Get(ctx, e.person(), notes.ID)
			if err != nil || !n.SameAccess(&want) {
				e.Errorf("change %d: the notes have %+v, %v; want %+v", i, n.EventAccess, explain(err), want)
			}
			return nil
		})
	}
	if c, err := e.getCandidate(e.person(), of.ID); err != nil || c.Version != 4 {
		e.Errorf("after three limits: %+v, %v", c, explain(err))
	}
	e.wantCandidate("of no session", apart)
}

// The candidates and notes of a deleted project stay with their person alone.
func testCandidatesOfADeletedProject(e *env) {
	p := e.project("gone")
	access := loci.EventAccess{OrgID: e.org, UserID: e.user, ProjectID: p.ID, Reach: loci.ReachOrg, Origin: "claude",
		AllowedVendors: []loci.Vendor{"claude"}}
	var list []*loci.Candidate
	e.update(func(ctx context.Context, tx store.Tx) error {
		list = nil
		for range 250 { // more than one batch
			list = append(list, e.newCandidate(func(c *loci.Candidate) {
				c.EventAccess, c.SuggestedScope, c.SuggestedScopeKey = access, loci.ScopeProject, new(p.ID.String())
				c.Relations = []loci.RelationshipRecord{{Source: c.ID.String(), Target: p.ID.String(), Type: "BELONGS_TO"}}
			}))
			if err := tx.Candidates().Insert(ctx, list[len(list)-1]); err != nil {
				return err
			}
		}
		return nil
	})
	notes := &loci.Reflection{Title: "t", Text: "some notes", Intent: loci.IntentGeneral, Redacted: []loci.Redacted{},
		TaskIDs: []loci.TaskID{}, EventAccess: access, CreatedAt: e.clock.now()}
	notes.ID = loci.ReflectionIDOf(&notes.EventAccess, notes.Title, notes.Text)
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Reflections().Insert(ctx, notes) })
	if err := e.st.Projects().Delete(e.Context(), e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	member := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID, ProjectIDs: []loci.ProjectID{p.ID}}
	for _, c := range []*loci.Candidate{list[0], list[len(list)-1]} {
		c.LeaveProject()
		c.Version = 2
		e.wantCandidate("of a deleted project", c)
		_, err := e.getCandidate(member, c.ID)
		e.wantCode("seen by who was a member", err, loci.NotFound)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		n, err := tx.Reflections().Get(ctx, e.person(), notes.ID)
		if err != nil || !n.ProjectID.IsZero() || n.Reach != loci.ReachPrivate {
			e.Errorf("the notes are %+v, %v", n, explain(err))
		}
		return nil
	})
}

// testCandidateVisibility draws candidates and viewers and demands that the engine and the rule agree.
func testCandidateVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		var list []*loci.Candidate
		for i := range rapid.IntRange(1, 8).Draw(t, "candidates") {
			c := e.newCandidate(func(c *loci.Candidate) {
				c.Title, c.UserID = fmt.Sprint(i), draw(t, "whose", w.users...)
				c.ProjectID, c.WorkspaceID = oneOf(t, "project", w.projects), oneOf(t, "workspace", w.workspaces)
				c.Reach = draw(t, "reach", loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate)
				if c.Reach == loci.ReachTeam {
					c.TeamID = draw(t, "team", w.teams...)
				}
				c.AllowedVendors = draw(t, "vendors", vendorLists...)
				c.Kind = draw(t, "kind", loci.CandidateIdea, loci.CandidateClaim)
				c.State = draw(t, "state", loci.ReviewPending, loci.ReviewRejected)
			})
			if err := e.putCandidate(c); err != nil {
				t.Fatal(explain(err))
			}
			list = append(list, c)
		}
		for range 3 {
			w.compareCandidates(w.viewer(), list)
		}
	})
}

func (w *world) compareCandidates(v loci.Viewer, list []*loci.Candidate) {
	q := store.CandidateQuery{State: draw(w.t, "with state", "", loci.ReviewPending),
		Kind: draw(w.t, "with kind", "", loci.CandidateIdea), ProjectID: oneOf(w.t, "of project", w.projects),
		Limit: rapid.IntRange(1, 4).Draw(w.t, "limit")}
	mine := map[loci.CandidateID]bool{}
	var want, got []string
	for _, c := range slices.Backward(list) {
		mine[c.ID] = true
		_, err := w.getCandidate(v, c.ID)
		if sees := v.SeesEvent(&c.EventAccess); sees != (err == nil) || err != nil && loci.CodeOf(err) != loci.NotFound {
			w.t.Fatalf("%+v sees %+v: %v, want %v", v, c.EventAccess, err, sees)
		}
		if v.SeesEvent(&c.EventAccess) && (q.State == "" || q.State == c.State) && (q.Kind == "" || q.Kind == c.Kind) &&
			(q.ProjectID.IsZero() || q.ProjectID == c.ProjectID) {
			want = append(want, c.Title)
		}
	}
	err := w.st.View(w.Context(), w.org, func(tx store.Tx) error {
		for first := true; first || q.After != ""; first = false {
			page, next, err := tx.Candidates().List(w.Context(), v, q)
			if err != nil {
				return err
			}
			for _, c := range page {
				if mine[c.ID] { // and not of another world
					got = append(got, c.Title)
				}
			}
			q.After = next
		}
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		w.t.Fatalf("for %+v and %+v, List returns %q, %v; want %q", v, q, got, explain(err), want)
	}
}
