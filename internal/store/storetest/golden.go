package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// newGolden returns a golden question of the org's owner, not yet stored.
func (e *env) newGolden(change ...func(*loci.GoldenQuestion)) loci.GoldenQuestion {
	q := loci.GoldenQuestion{ID: loci.NewGoldenID(), OrgID: e.org, UserID: e.user, Question: "when do we deploy?",
		Expected:  []loci.GoldenMemory{{ID: loci.NewMemoryID()}, {ID: loci.NewMemoryID()}},
		CreatedAt: e.clock.now(), UpdatedAt: e.clock.now()}
	for _, c := range change {
		c(&q)
	}
	return q
}

func (e *env) newGoldenRun(change ...func(*loci.GoldenRun)) *loci.GoldenRun {
	r := &loci.GoldenRun{ID: loci.NewGoldenRunID(), OrgID: e.org, UserID: e.user, At: e.clock.now(), Origin: "cli",
		Meaning: "ready", Questions: 1, R1: 0.25, R5: 0.5, R10: 1, MRR: 0.3, Spent: 1,
		Places: []loci.GoldenPlace{{ID: loci.NewGoldenID(), Rank: 4}}}
	for _, c := range change {
		c(r)
	}
	return r
}

// golden runs fn on the golden questions in one transaction.
func (e *env) golden(fn func(context.Context, store.Golden) error) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return fn(ctx, tx.Golden()) })
}

func (e *env) putGolden(q loci.GoldenQuestion) error {
	return e.golden(func(ctx context.Context, g store.Golden) error { return g.Insert(ctx, q) })
}

func (e *env) putGoldenRun(r *loci.GoldenRun) error {
	return e.golden(func(ctx context.Context, g store.Golden) error { return g.InsertRun(ctx, r) })
}

func (e *env) listGolden(v loci.Viewer) (list []loci.GoldenQuestion) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) (err error) {
		list, err = tx.Golden().List(ctx, v, 100)
		return err
	})
	return list
}

func testGolden(e *env) {
	one, two := e.newGolden(), e.newGolden(func(q *loci.GoldenQuestion) {
		q.Question, q.WorkspaceID, q.UpdatedAt = "<b> 日本 \"?\"", loci.NewWorkspaceID(), q.CreatedAt.Add(time.Second)
	})
	for _, q := range []loci.GoldenQuestion{one, two} {
		if err := e.putGolden(q); err != nil {
			e.Fatal(explain(err))
		}
	}
	if diff := cmp.Diff([]loci.GoldenQuestion{one, two}, e.listGolden(e.person())); diff != "" {
		e.Errorf("List (-want +got):\n%s", diff)
	}
	one.Question, one.Expected, one.UpdatedAt = "another", []loci.GoldenMemory{two.Expected[1]}, e.clock.now()
	err := e.golden(func(ctx context.Context, g store.Golden) error {
		if err := g.Update(ctx, one); err != nil {
			return err
		}
		got, err := g.Get(ctx, e.person(), one.ID)
		if diff := cmp.Diff(one, got); diff != "" {
			e.Errorf("after Update (-want +got):\n%s", diff)
		}
		if list, err := g.List(ctx, e.person(), 1); len(list) != 1 || err != nil {
			e.Errorf("with a limit: %d, %v", len(list), err)
		}
		return errors.Join(err, g.Delete(ctx, two.ID))
	})
	if err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("the same id", e.putGolden(one), loci.Conflict)
	e.wantCode("nobody's", e.putGolden(e.newGolden(func(q *loci.GoldenQuestion) { q.UserID = loci.NewUserID() })),
		loci.NotFound)
	e.wantCode("of another org", e.putGolden(e.newGolden(func(q *loci.GoldenQuestion) { q.OrgID = "other" })),
		loci.Invalid)
	for what, fn := range map[string]func(context.Context, store.Golden) error{
		"Get of none": func(ctx context.Context, g store.Golden) error {
			_, err := g.Get(ctx, e.person(), two.ID)
			return err
		},
		"Update of none": func(ctx context.Context, g store.Golden) error { return g.Update(ctx, two) },
		"Delete of none": func(ctx context.Context, g store.Golden) error { return g.Delete(ctx, two.ID) },
		"Run of none": func(ctx context.Context, g store.Golden) error {
			_, err := g.Run(ctx, e.person(), loci.NewGoldenRunID())
			return err
		},
	} {
		e.wantCode(what, e.golden(fn), loci.NotFound)
	}
}

func testGoldenRuns(e *env) {
	var want []*loci.GoldenRun
	for i := range 5 {
		r := e.newGoldenRun(func(r *loci.GoldenRun) { r.R1 = float64(i) / 10 })
		if err := e.putGoldenRun(r); err != nil {
			e.Fatal(explain(err))
		}
		want = append([]*loci.GoldenRun{r}, want...)
	}
	e.wantCode("the same id", e.putGoldenRun(want[0]), loci.Conflict)
	e.wantCode("nobody's", e.putGoldenRun(e.newGoldenRun(func(r *loci.GoldenRun) { r.UserID = loci.NewUserID() })),
		loci.NotFound)
	e.view(func(ctx context.Context, tx store.Tx) error {
		var got []*loci.GoldenRun
		for after, n := store.Position(""), 0; n == 0 || after != ""; n++ {
			page, next, err := tx.Golden().Runs(ctx, e.person(), 2, after)
			if err != nil || len(page) > 2 {
				return fmt.Errorf("a page of %d, %w", len(page), err)
			}
			got, after = append(got, page...), next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			e.Errorf("Runs (-want +got):\n%s", diff)
		}
		one, err := tx.Golden().Run(ctx, e.person(), want[3].ID)
		if diff := cmp.Diff(want[3], one); diff != "" {
			e.Errorf("Run (-want +got):\n%s", diff)
		}
		_, _, bad := tx.Golden().Runs(ctx, e.person(), 2, "x")
		e.wantCode("a bad position", bad, loci.Invalid)
		_, _, bad = tx.Golden().Runs(ctx, e.person(), 0, "")
		e.wantCode("no limit", bad, loci.Invalid)
		return err
	})
}

// testGoldenRunsAreForgotten stores more runs than Loci keeps, with those of somebody else between them.
func testGoldenRunsAreForgotten(e *env) {
	other := e.addUser()
	theirs := e.newGoldenRun(func(r *loci.GoldenRun) { r.UserID = other.ID })
	first := e.newGoldenRun()
	e.update(func(ctx context.Context, tx store.Tx) error {
		err := errors.Join(tx.Golden().InsertRun(ctx, first), tx.Golden().InsertRun(ctx, theirs))
		for range loci.MaxGoldenRuns {
			err = errors.Join(err, tx.Golden().InsertRun(ctx, e.newGoldenRun()))
		}
		return err
	})
	e.view(func(ctx context.Context, tx store.Tx) error {
		list, next, err := tx.Golden().Runs(ctx, e.person(), loci.MaxGoldenRuns, "")
		if len(list) != loci.MaxGoldenRuns || next != "" {
			e.Errorf("%d runs and %q after them, want %d", len(list), next, loci.MaxGoldenRuns)
		}
		_, gone := tx.Golden().Run(ctx, e.person(), first.ID)
		e.wantCode("the oldest", gone, loci.NotFound)
		v := e.person()
		v.UserID = other.ID
		if _, kept := tx.Golden().Run(ctx, v, theirs.ID); kept != nil {
			e.Errorf("somebody else's: %v", explain(kept))
		}
		return err
	})
}

// testGoldenGoes removes a person and a workspace, and moves what is in no workspace into one.
func testGoldenGoes(e *env) {
	leaver, gone, space := e.addUser(), e.addWorkspace("gone"), e.addWorkspace("space")
	mine := e.newGolden()
	of := func(user loci.UserID, in loci.WorkspaceID) func(*loci.GoldenQuestion) {
		return func(q *loci.GoldenQuestion) { q.UserID, q.WorkspaceID = user, in }
	}
	e.update(func(ctx context.Context, tx store.Tx) error {
		g := tx.Golden()
		return errors.Join(g.Insert(ctx, mine), g.Insert(ctx, e.newGolden(of(leaver.ID, loci.WorkspaceID{}))),
			g.Insert(ctx, e.newGolden(of(e.user, gone.ID))), g.InsertRun(ctx, e.newGoldenRun()),
			g.InsertRun(ctx, e.newGoldenRun(func(r *loci.GoldenRun) { r.UserID = leaver.ID })),
			g.InsertRun(ctx, e.newGoldenRun(func(r *loci.GoldenRun) { r.WorkspaceID = gone.ID })))
	})
	if err := e.st.People().Remove(e.Context(), e.org, leaver.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	e.update(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Workspaces().Adopt(ctx, space.ID)
		return errors.Join(err, tx.Workspaces().Delete(ctx, gone.ID))
	})
	mine.WorkspaceID = space.ID
	if diff := cmp.Diff([]loci.GoldenQuestion{mine}, e.listGolden(e.person())); diff != "" {
		e.Errorf("what is left (-want +got):\n%s", diff)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		list, _, err := tx.Golden().Runs(ctx, e.person(), 10, "")
		if len(list) != 1 || list[0].WorkspaceID != space.ID {
			e.Errorf("got %+v, want one run in the workspace", list)
		}
		return err
	})
}

// testGoldenVisibility draws questions, runs and viewers, and demands that the engine and the rule agree.
func testGoldenVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		v := w.viewer()
		var want []loci.GoldenID
		for range rapid.IntRange(1, 6).Draw(t, "questions") {
			q := e.newGolden(func(q *loci.GoldenQuestion) {
				q.UserID = draw(t, "whose", w.users...)
				q.WorkspaceID = draw(t, "where", append(w.workspaces, loci.WorkspaceID{})...)
			})
			r := e.newGoldenRun(func(r *loci.GoldenRun) { r.UserID, r.WorkspaceID = q.UserID, q.WorkspaceID })
			if err := errors.Join(e.putGolden(q), e.putGoldenRun(r)); err != nil {
				t.Fatal(explain(err))
			}
			sees := v.SeesGolden(q.OrgID, q.UserID, q.WorkspaceID)
			if sees {
				want = append(want, q.ID)
			}
			e.view(func(ctx context.Context, tx store.Tx) error {
				_, err := tx.Golden().Get(ctx, v, q.ID)
				_, of := tx.Golden().Run(ctx, v, r.ID)
				if got := err == nil; got != sees || (of == nil) != sees {
					t.Errorf("%+v: the question %v, the run %v, want %v of %+v", v, err, of, sees, q)
				}
				return nil
			})
		}
		e.view(func(ctx context.Context, tx store.Tx) error {
			list, err := tx.Golden().List(ctx, v, 1000)
			runs, _, failed := tx.Golden().Runs(ctx, v, 1000, "")
			here := 0
			for _, q := range list {
				if v.SeesGolden(q.OrgID, q.UserID, q.WorkspaceID) {
					here++
				}
			}
			if here != len(list) || len(list) < len(want) || len(runs) != len(list) {
				t.Errorf("%+v: %d questions of which %d may be seen, and %d runs; want %d", v, len(list), here, len(runs),
					len(want))
			}
			return errors.Join(err, failed)
		})
	})
}
