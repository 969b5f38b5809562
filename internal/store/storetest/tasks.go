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

// newTask returns a task of the org's owner, not yet stored.
func (e *env) newTask(change ...func(*loci.Task)) loci.Task {
	t := loci.Task{ID: loci.NewTaskID(), Title: "a task", State: loci.TaskTodo, Version: 1, CreatedAt: e.clock.now(),
		UpdatedAt: e.clock.now(), EventAccess: loci.EventAccess{OrgID: e.org, UserID: e.user,
			ProjectID: loci.NewProjectID(), Reach: loci.ReachOrg, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}}
	for _, c := range change {
		c(&t)
	}
	return t
}

// addTask stores what newTask returns.
func (e *env) addTask(change ...func(*loci.Task)) loci.Task {
	e.Helper()
	t := e.newTask(change...)
	if err := e.putTask(t); err != nil {
		e.Fatal(explain(err))
	}
	return t
}

func (e *env) putTask(t loci.Task) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Tasks().Insert(ctx, t) })
}

func (e *env) updateTask(t loci.Task) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Tasks().Update(ctx, t) })
}

func (e *env) deleteTask(id loci.TaskID) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Tasks().Delete(ctx, id) })
}

func (e *env) getTask(v loci.Viewer, id loci.TaskID) (t loci.Task, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { t, err = tx.Tasks().Get(e.Context(), v, id); return err })
	return t, err
}

func (e *env) listTasks(v loci.Viewer, q store.TaskQuery) (list []loci.Task, next store.Position, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		list, next, err = tx.Tasks().List(e.Context(), v, q)
		return err
	})
	return list, next, err
}

func (e *env) countTasks(v loci.Viewer, q store.TaskQuery) (n int, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { n, err = tx.Tasks().Count(e.Context(), v, q); return err })
	return n, err
}

// wantTask demands that the owner sees exactly this task.
func (e *env) wantTask(what string, want loci.Task) {
	e.Helper()
	got, err := e.getTask(e.person(), want.ID)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		e.Errorf("%s: %v (-want +got):\n%s", what, explain(err), diff)
	}
}

// wantNoTask demands that a task is gone, also for somebody of its project.
func (e *env) wantNoTask(what string, t loci.Task) {
	e.Helper()
	for _, v := range []loci.Viewer{{OrgID: e.org, UserID: t.UserID},
		{OrgID: e.org, UserID: loci.NewUserID(), ProjectIDs: []loci.ProjectID{t.ProjectID}}} {
		_, err := e.getTask(v, t.ID)
		e.wantCode(what, err, loci.NotFound)
	}
}

func testTasks(e *env) {
	full := e.addTask(func(t *loci.Task) {
		t.WorkspaceID, t.Notes, t.AllowedVendors = loci.NewWorkspaceID(), "two\nlines", []loci.Vendor{"claude", "cursor"}
		t.UpdatedAt, t.Version = t.CreatedAt.Add(time.Second), 9
		t.SetState(loci.TaskDone, t.CreatedAt.Add(2*time.Second))
	})
	plain := e.addTask()
	e.wantTask("with every field", full)
	e.wantTask("with few fields", plain)
	for name, tt := range map[string]struct {
		t    loci.Task
		want loci.Code
	}{
		"the same id":         {e.newTask(func(t *loci.Task) { t.ID = full.ID }), loci.Conflict},
		"nobody's":            {e.newTask(func(t *loci.Task) { t.UserID = loci.NewUserID() }), loci.NotFound},
		"of another org":      {e.newTask(func(t *loci.Task) { t.OrgID = "other" }), loci.Invalid},
		"with the same title": {e.newTask(func(t *loci.Task) { t.Title = full.Title }), ""},
	} {
		if err := e.putTask(tt.t); loci.CodeOf(err) != tt.want || tt.want == "" && err != nil {
			e.Errorf("%s: %v, want %q", name, explain(err), tt.want)
		}
	}
}

func testTaskChanges(e *env) {
	task, other := e.addTask(), e.addTask()
	for _, change := range []func(*loci.Task){
		func(t *loci.Task) { t.Title, t.Notes = "another title", "notes" },
		func(t *loci.Task) { t.SetState(loci.TaskDoing, e.clock.now()) },
		func(t *loci.Task) { t.SetState(loci.TaskDone, e.clock.now()) },
		func(t *loci.Task) { t.SetState(loci.TaskTodo, e.clock.now()) },
		func(t *loci.Task) { t.AllowedVendors, t.WorkspaceID = []loci.Vendor{"cursor"}, loci.NewWorkspaceID() },
	} {
		e.clock.move(time.Minute)
		change(&task)
		task.Version, task.UpdatedAt = task.Version+1, e.clock.now()
		if err := e.updateTask(task); err != nil {
			e.Fatal(explain(err))
		}
		e.wantTask("changed", task)
	}
	stale := task
	stale.Title = "of a writer who saw an old version"
	e.wantCode("the same version", e.updateTask(stale), loci.Conflict)
	stale.Version += 2
	e.wantCode("a later version", e.updateTask(stale), loci.Conflict)
	fixed := task
	fixed.UserID, fixed.ProjectID, fixed.Origin, fixed.CreatedAt = loci.NewUserID(), loci.NewProjectID(), "x", oldest
	fixed.Version++
	task.Version++
	if err := e.updateTask(fixed); err != nil {
		e.Fatal(explain(err))
	}
	e.wantTask("what never changes", task)
	e.wantCode("one that is not there", e.updateTask(e.newTask()), loci.NotFound)
	e.wantCode("of another org", e.updateTask(loci.Task{ID: task.ID, EventAccess: loci.EventAccess{OrgID: "other"}}),
		loci.Invalid)
	if err := e.deleteTask(task.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantNoTask("deleted", task)
	e.wantCode("deleted before", e.deleteTask(task.ID), loci.NotFound)
	e.wantCode("a change of a deleted one", e.updateTask(task), loci.NotFound)
	e.wantTask("another task", other)
}

// Pages put together are the whole, also while tasks are added.
func testTaskPages(e *env) {
	var want []string
	for i := range 7 {
		t := e.addTask(func(t *loci.Task) { t.Title = fmt.Sprint(i) })
		e.addTask(func(t *loci.Task) { t.Title, t.AllowedVendors = "hidden", []loci.Vendor{"cursor"} })
		want = append([]string{t.Title}, want...)
		e.clock.move(-time.Hour) // the one stored last comes first, whatever its clock said
	}
	v, q := e.agent("claude"), store.TaskQuery{Limit: 3}
	var got []string
	for first := true; first || q.After != ""; first = false {
		list, next, err := e.listTasks(v, q)
		if err != nil {
			e.Fatal(explain(err))
		}
		for _, t := range list {
			got = append(got, t.Title)
		}
		q.After = next
		e.addTask(func(t *loci.Task) { t.Title = "new" })
	}
	if !slices.Equal(got, want) {
		e.Errorf("got %q, want %q", got, want)
	}
	e.addSession()
	e.addSession()
	_, sessions, err := e.listSessions(v, store.SessionQuery{Limit: 1})
	if err != nil || sessions == "" {
		e.Fatalf("%q, %v", sessions, err)
	}
	for name, q := range map[string]store.TaskQuery{"no limit": {}, "nonsense": {Limit: 1, After: "x"},
		"another list's": {Limit: 1, After: sessions}} {
		_, _, err := e.listTasks(v, q)
		e.wantCode(name, err, loci.Invalid)
	}
	_, err = e.countTasks(v, store.TaskQuery{})
	e.wantCode("a count without a limit", err, loci.Invalid)
	_, next, err := e.listTasks(v, store.TaskQuery{Limit: 1})
	if err != nil || next == "" {
		e.Fatalf("%q, %v", next, err)
	}
	_, _, err = e.listSessions(v, store.SessionQuery{Limit: 1, After: next})
	e.wantCode("a list of sessions behind a task", err, loci.Invalid)
}

// A task in progress is one only if the viewer sees no other.
func testTaskInProgress(e *env) {
	project := loci.NewProjectID()
	in := func(vendors ...loci.Vendor) func(*loci.Task) {
		return func(t *loci.Task) { t.ProjectID, t.State, t.AllowedVendors = project, loci.TaskDoing, vendors }
	}
	want := func(what string, v loci.Viewer, want *loci.Task) {
		e.Helper()
		e.view(func(ctx context.Context, tx store.Tx) error {
			got, err := store.TaskInProgress(ctx, tx, v, project)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				e.Errorf("%s: %v (-want +got):\n%s", what, explain(err), diff)
			}
			return nil
		})
	}
	e.addTask(func(t *loci.Task) { t.ProjectID = project })
	e.addTask(func(t *loci.Task) { t.State = loci.TaskDoing })
	want("none", e.person(), nil)
	one := e.addTask(in("*"))
	want("one", e.person(), &one)
	e.addTask(in("cursor"))
	want("two", e.person(), nil)
	want("two, of which claude sees one", e.agent("claude"), &one)
	want("somebody outside the project", loci.Viewer{OrgID: e.org, UserID: e.addUser().ID}, nil)
}

// Tasks go with their project and with their person, and move into the first workspace.
func testTasksGo(e *env) {
	p, leaver := e.project("gone"), e.addUser()
	mine := e.addTask()
	gone := []loci.Task{e.addTask(func(t *loci.Task) { t.UserID = leaver.ID })}
	e.update(func(ctx context.Context, tx store.Tx) error {
		for range 450 { // more than one batch
			t := e.newTask(func(t *loci.Task) { t.ProjectID = p.ID })
			if err := tx.Tasks().Insert(ctx, t); err != nil {
				return err
			}
			gone = append(gone[:min(len(gone), 3)], t)
		}
		return nil
	})
	if err := e.st.Projects().Delete(e.Context(), e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	if err := e.st.People().Remove(e.Context(), e.org, leaver.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	for _, t := range gone {
		e.wantNoTask("of a deleted project or person", t)
	}
	if n, err := e.countTasks(e.person(), store.TaskQuery{Limit: 1000}); n != 1 || err != nil {
		e.Errorf("%d tasks are left, %v; want 1", n, explain(err))
	}
	w := e.addWorkspace("space")
	e.update(func(ctx context.Context, tx store.Tx) error { _, err := tx.Workspaces().Adopt(ctx, w.ID); return err })
	mine.WorkspaceID = w.ID
	e.wantTask("adopted", mine)
}

// testTaskVisibility draws tasks and viewers and demands that the engine and the rule agree.
func testTaskVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		k := tasked{world: e.newWorld(t)}
		for range rapid.IntRange(1, 8).Draw(t, "tasks") {
			task := k.newTask(k.change, func(task *loci.Task) {
				task.UserID, task.ProjectID = draw(t, "whose", k.users...), draw(t, "project", k.projects...)
			})
			if err := k.putTask(task); err != nil {
				t.Fatal(explain(err))
			}
			k.list = append(k.list, task)
		}
		for range 3 {
			k.compare(k.viewer())
			task := &k.list[rapid.IntRange(0, len(k.list)-1).Draw(t, "changed")]
			k.change(task)
			task.Version++
			if err := k.updateTask(*task); err != nil {
				t.Fatal(explain(err))
			}
		}
	})
}

// tasked is the tasks of a world, in the order of storing.
type tasked struct {
	*world
	list []loci.Task
}

// change draws every field of a task that may change.
func (k *tasked) change(task *loci.Task) {
	t := k.t
	task.WorkspaceID, task.AllowedVendors = oneOf(t, "workspace", k.workspaces), draw(t, "vendors", vendorLists...)
	task.Title, task.Notes = draw(t, "title", "one", "two"), draw(t, "notes", "", "three")
	task.SetState(draw(t, "state", loci.TaskStates()...), k.clock.now())
}

func (k *tasked) compare(v loci.Viewer) {
	q := store.TaskQuery{State: draw(k.t, "with state", append(loci.TaskStates(), "", "")...),
		ProjectID: oneOf(k.t, "of project", k.projects), Open: draw(k.t, "open", false, false, true),
		Title: draw(k.t, "with title", "", "", "one"), Limit: rapid.IntRange(1, 4).Draw(k.t, "limit")}
	if task := oneOf(k.t, "of id", k.list); draw(k.t, "by id", false, false, true) {
		q.First, q.Last = task.ID, task.ID
	}
	var visible, one, want []loci.Task
	for _, task := range slices.Backward(k.list) {
		if v.SeesEvent(&task.EventAccess) {
			if visible = append(visible, task); taskPasses(&task, &q) {
				want = append(want, task)
			}
		}
		got, err := k.getTask(v, task.ID)
		if err == nil {
			one = append(one, got)
		} else if loci.CodeOf(err) != loci.NotFound {
			k.t.Fatal(explain(err))
		}
	}
	k.differ("tasks", v, visible, one)
	k.differ("the list of tasks", v, want, k.all(v, q))
	if q.ProjectID.IsZero() && q.Last.IsZero() {
		return // tasks of other worlds would count, too
	}
	if n, err := k.countTasks(v, q); err != nil || n != min(len(want), q.Limit) {
		k.t.Fatalf("for %+v, Count up to %d is %d, %v; want %d", v, q.Limit, n, err, len(want))
	}
}

func taskPasses(t *loci.Task, q *store.TaskQuery) bool {
	return (q.State == "" || t.State == q.State) && (!q.Open || t.State != loci.TaskDone) &&
		(q.ProjectID.IsZero() || t.ProjectID == q.ProjectID) && (q.Title == "" || t.Title == q.Title) &&
		(q.Last.IsZero() || t.ID == q.First)
}

// all puts the pages together, without the tasks of other worlds.
func (k *tasked) all(v loci.Viewer, q store.TaskQuery) (all []loci.Task) {
	for {
		list, next, err := k.listTasks(v, q)
		if err != nil {
			k.t.Fatal(explain(err))
		}
		for _, t := range list {
			if slices.ContainsFunc(k.list, func(known loci.Task) bool { return known.ID == t.ID }) {
				all = append(all, t)
			}
		}
		if q.After = next; next == "" {
			return all
		}
	}
}
