package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/task"
)

func (d *desk) plan(p loci.Principal, draft task.Draft) loci.Task {
	d.t.Helper()
	if draft.Project == "" {
		draft.Project = "wombat"
	}
	t, err := d.Task.Create(d.t.Context(), p, draft)
	d.must(err)
	return t
}

func TestTasksAreCreated(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	one := d.plan(d.claude, task.Draft{Title: "a task", Notes: "two\nlines"})
	want := loci.Task{ID: one.ID, Title: "a task", Notes: "two\nlines", State: loci.TaskTodo, CreatedAt: one.CreatedAt,
		UpdatedAt: one.CreatedAt, Version: 1, EventAccess: loci.EventAccess{OrgID: "acme", UserID: d.mara.UserID,
			ProjectID: d.project, Reach: loci.ReachOrg, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}}
	got, err := d.Task.Get(ctx, d.tom, one.ID.String())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	done := d.plan(d.limited, task.Draft{Project: d.project.String(), Title: "a done one", State: loci.TaskDone,
		AllowedVendors: []loci.Vendor{"claude"}})
	if done.State != loci.TaskDone || done.DoneAt != done.CreatedAt ||
		!slices.Equal(done.AllowedVendors, []loci.Vendor{"claude"}) {
		t.Errorf("got %+v", done)
	}
	for _, tt := range []struct {
		name  string
		draft task.Draft
		code  loci.Code
		text  string
	}{
		{"in no project", task.Draft{Title: "x"}, loci.Invalid, "project is required"},
		{"in a project that is none", task.Draft{Project: "wombatt", Title: "x"}, loci.Invalid,
			`project must be a project that you belong to: there is no project "wombatt"; did you mean "wombat"`},
		{"in an unknown id", task.Draft{Project: loci.NewProjectID().String(), Title: "x"}, loci.Invalid,
			"project must be a project that you belong to: no such project"},
		{"in an archived project", task.Draft{Project: "wombat too", Title: "x"}, loci.Conflict, "is archived"},
		{"without a title", task.Draft{Project: "wombat"}, loci.Invalid, "title must not be empty"},
		{"with two lines", task.Draft{Project: "wombat", Title: "a\nb"}, loci.Invalid, "title must be one line"},
		{"with a long title", task.Draft{Project: "wombat", Title: strings.Repeat("x", 501)}, loci.Invalid,
			"title is longer than 500 characters"},
		{"with long notes", task.Draft{Project: "wombat", Title: "x", Notes: strings.Repeat("日", 10_001)}, loci.Invalid,
			"notes is longer than 10000 characters"},
		{"in another state", task.Draft{Project: "wombat", Title: "x", State: "open"}, loci.Invalid,
			"state must be todo, doing or done"},
		{"for no vendor", task.Draft{Project: "wombat", Title: "x", AllowedVendors: []loci.Vendor{}}, loci.Invalid,
			"allowed_vendors must name at least one vendor"},
	} {
		refused(t, tt.name, second(d.Task.Create(ctx, d.claude, tt.draft)), tt.code, tt.text)
	}
}

func TestTasksChange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	change := func(p loci.Principal, t loci.Task, c task.Patch) (loci.Task, error) {
		return d.Task.Update(ctx, p, t.ID.String(), 0, c)
	}
	one := d.plan(d.claude, task.Draft{Title: "a task"})
	for _, state := range []loci.TaskState{loci.TaskDoing, loci.TaskDone, loci.TaskTodo, loci.TaskDone, loci.TaskDoing} {
		for _, p := range []loci.Principal{d.cursor, d.tom} { // the second changes nothing
			got, err := change(p, one, task.Patch{State: &state})
			d.must(err)
			if p.Vendor != "" {
				one.Version++
			}
			if got.State != state || got.DoneAt.IsZero() == (state == loci.TaskDone) || got.Version != one.Version {
				t.Errorf("%s: got %+v", state, got)
			}
			one = got
		}
	}
	yes := func(name string, p loci.Principal, c task.Patch) {
		t.Helper()
		if _, err := change(p, one, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	yes("its agent writes", d.claude, task.Patch{Title: new("another"), Notes: new("notes")})
	yes("its agent hides it", d.claude, task.Patch{AllowedVendors: []loci.Vendor{"claude", "cursor"}})
	yes("another member writes", d.tom, task.Patch{Title: new("toms"), Notes: new("")})
	for name, tt := range map[string]struct {
		who  loci.Principal
		c    task.Patch
		text string
	}{
		"another agent writes": {d.cursor, task.Patch{Title: new("x")},
			"an agent may change title and notes only of tasks"},
		"another agent hides it": {d.cursor, task.Patch{AllowedVendors: []loci.Vendor{"cursor"}},
			"may change allowed_vendors"},
		"another member hides it": {d.tom, task.Patch{AllowedVendors: []loci.Vendor{"cursor"}},
			"may change allowed_vendors"},
		"its agent shows it to others": {d.claude, task.Patch{AllowedVendors: []loci.Vendor{"*"}},
			"only a person may let more vendors"},
	} {
		refused(t, name, second(change(tt.who, one, tt.c)), loci.Forbidden, tt.text)
	}
	yes("its person shows it to others", d.mara, task.Patch{AllowedVendors: []loci.Vendor{"*"}})
	refused(t, "a bad state", second(change(d.tom, one, task.Patch{State: new(loci.TaskOpen)})), loci.Invalid,
		"state must be")
	refused(t, "an old version", second(d.Task.Update(ctx, d.tom, one.ID.String(), 1, task.Patch{Title: new("x")})),
		loci.Precondition, "the task is at version")
	_, err := d.Project.Archive(ctx, d.mara, d.project)
	d.must(err)
	refused(t, "in an archived project", second(change(d.tom, one, task.Patch{State: new(loci.TaskDone)})), loci.Conflict,
		"project wombat is archived; restore it first")
	if _, err := d.Task.Get(ctx, d.tom, one.ID.String()); err != nil {
		t.Error(err)
	}
}

func TestTasksAreSeen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	secret := d.stage.project(d.mara, "tapir", false)
	d.mara.ProjectIDs = append(d.mara.ProjectIDs, secret.ID)
	hers := d.plan(d.mara, task.Draft{Project: "tapir", Title: "hers"})
	forCursor := d.plan(d.mara, task.Draft{Title: "for cursor", AllowedVendors: []loci.Vendor{"cursor"}})
	all := d.plan(d.mara, task.Draft{Title: "for all", State: loci.TaskDoing})
	for name, tt := range map[string]struct {
		who  loci.Principal
		want []loci.TaskID
	}{
		"mara":    {d.mara, []loci.TaskID{all.ID, forCursor.ID, hers.ID, d.task}},
		"tom":     {d.tom, []loci.TaskID{all.ID, forCursor.ID, d.task}},
		"claude":  {d.claude, []loci.TaskID{all.ID, hers.ID, d.task}},
		"limited": {d.limited, []loci.TaskID{all.ID, d.task}},
	} {
		page, err := d.Task.List(ctx, tt.who, task.ListRequest{})
		d.must(err)
		var got []loci.TaskID
		for _, x := range page.Items {
			got = append(got, x.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s sees %v, want %v", name, got, tt.want)
		}
		never := second(d.Task.Get(ctx, tt.who, loci.NewTaskID().String()))
		for _, x := range []loci.Task{hers, forCursor, all} {
			for _, text := range []string{x.ID.String(), x.ID.Short(), x.Title} {
				_, err := d.Task.Get(ctx, tt.who, text)
				if sees := slices.Contains(tt.want, x.ID); sees != (err == nil) || !sees && err.Error() != never.Error() {
					t.Errorf("%s, %s: %v", name, text, err)
				}
			}
		}
	}
	for state, want := range map[loci.TaskState]int{"": 3, loci.TaskOpen: 3, loci.TaskDoing: 1, loci.TaskTodo: 2,
		loci.TaskDone: 0} {
		page, err := d.Task.List(ctx, d.tom, task.ListRequest{State: state, Project: "wombat"})
		if len(page.Items) != want || err != nil {
			t.Errorf("%q: %d tasks, %v; want %d", state, len(page.Items), err, want)
		}
	}
	refused(t, "a list of a state that is none", second(d.Task.List(ctx, d.tom, task.ListRequest{State: "gone"})),
		loci.Invalid, "state must be one of: open, todo, doing, done")
	page, err := d.Task.List(ctx, d.tom, task.ListRequest{Limit: 1})
	d.must(err)
	refused(t, "a cursor of another list",
		second(d.Task.List(ctx, d.tom, task.ListRequest{State: loci.TaskTodo, Cursor: page.NextCursor})), loci.Invalid,
		"cursor")
}

func TestTasksAreDeleted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	one, two := d.plan(d.claude, task.Draft{Title: "one"}), d.plan(d.mara, task.Draft{Title: "two"})
	refused(t, "by an agent", d.Task.Delete(ctx, d.claude, one.ID.String(), 0), loci.Forbidden,
		"for people, not for agents")
	refused(t, "by another member", d.Task.Delete(ctx, d.tom, one.ID.String(), 0), loci.Forbidden,
		"only the person who created the task")
	refused(t, "at an old version", d.Task.Delete(ctx, d.mara, one.ID.String(), 7), loci.Precondition,
		"at version 1, not 7")
	d.must(d.Task.Delete(ctx, d.mara, one.ID.String(), 1))
	d.owner.ProjectIDs = d.mara.ProjectIDs
	d.must(d.Task.Delete(ctx, d.owner, two.ID.String(), 0))
	refused(t, "once more", d.Task.Delete(ctx, d.mara, one.ID.String(), 0), loci.NotFound, "no such task")
}

// The tasks that a writer does not see leave the limit as it is.
func TestTasksOfAProjectAreLimited(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	fill := func(n int, vendors ...loci.Vendor) {
		d.must(d.st.Update(ctx, "acme", func(tx store.Tx) error { return insertTasks(ctx, tx, d, n, vendors) }))
	}
	fill(loci.MaxTasks-2, "cursor") // mara has one
	d.plan(d.mara, task.Draft{Title: "the last"})
	refused(t, "one too many", second(d.Task.Create(ctx, d.mara, task.Draft{Project: "wombat", Title: "x"})),
		loci.Conflict, "the project has 10,000 tasks, which is the most; delete some that are done")
	d.plan(d.claude, task.Draft{Title: "of one who sees two"})
}

func insertTasks(ctx context.Context, tx store.Tx, d *desk, n int, vendors []loci.Vendor) error {
	for range n {
		t := loci.Task{ID: loci.NewTaskID(), Title: "x", State: loci.TaskTodo, Version: 1, CreatedAt: time.Now(),
			UpdatedAt: time.Now(), EventAccess: loci.EventAccess{OrgID: "acme", UserID: d.mara.UserID, ProjectID: d.project,
				Reach: loci.ReachOrg, Origin: "cursor", AllowedVendors: vendors}}
		if err := tx.Tasks().Insert(ctx, t); err != nil {
			return err
		}
	}
	return nil
}
