package loci_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
)

// TestTaskStates draws changes of the state: a task has a time when it became done exactly while it is done.
func TestTaskStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task, now := loci.Task{State: loci.TaskTodo}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		var since time.Time
		for range rapid.IntRange(1, 10).Draw(t, "changes") {
			now = now.Add(time.Minute)
			state := rapid.SampledFrom(loci.TaskStates()).Draw(t, "state")
			if state == loci.TaskDone && task.State != loci.TaskDone {
				since = now
			} else if state != loci.TaskDone {
				since = time.Time{}
			}
			if task.SetState(state, now); task.State != state || !task.DoneAt.Equal(since) {
				t.Fatalf("got %s since %s, want %s since %s", task.State, task.DoneAt, state, since)
			}
		}
	})
}

func TestTaskValidate(t *testing.T) {
	task := func(change func(*loci.Task)) error {
		x := loci.Task{Title: "a task", EventAccess: loci.EventAccess{ProjectID: loci.NewProjectID()}}
		x.SetDefaults()
		change(&x)
		return x.Validate()
	}
	long := func(n int) string { return strings.Repeat("日", n) }
	for name, tt := range map[string]struct {
		change func(*loci.Task)
		field  string
	}{
		"plain":              {func(*loci.Task) {}, ""},
		"longest":            {func(t *loci.Task) { t.Title, t.Notes = long(500), long(10_000) }, ""},
		"no title":           {func(t *loci.Task) { t.Title = " " }, "title"},
		"a title of two":     {func(t *loci.Task) { t.Title = "a\nb" }, "title"},
		"a title in red":     {func(t *loci.Task) { t.Title = "\x1b[31ma" }, "title"},
		"long notes":         {func(t *loci.Task) { t.Notes = strings.Repeat("x", 10_001) }, "notes"},
		"no project":         {func(t *loci.Task) { t.ProjectID = loci.ProjectID{} }, "project"},
		"for its person":     {func(t *loci.Task) { t.Reach = loci.ReachPrivate }, "reach"},
		"for a team":         {func(t *loci.Task) { t.TeamID = loci.NewTeamID() }, "reach"},
		"for nobody":         {func(t *loci.Task) { t.AllowedVendors = []loci.Vendor{} }, "allowed_vendors"},
		"a state of filters": {func(t *loci.Task) { t.State = loci.TaskOpen }, "state"},
	} {
		if err := task(tt.change); loci.FieldOf(err) != tt.field || (err == nil) != (tt.field == "") {
			t.Errorf("%s: got %v, want an error about %q", name, err, tt.field)
		}
	}
}
