package loci

import (
	"cmp"
	"slices"
	"time"
)

// Limits of tasks. Texts are limited in characters.
const (
	MaxTaskNotes = 10_000
	MaxTasks     = 10_000 // in one project, of those that the writer sees
)

// TaskState is the state of a task: todo, doing or done.
type TaskState string

// The states of a task. A task may go from each of them to every other.
const (
	TaskTodo  TaskState = "todo"
	TaskDoing TaskState = "doing"
	TaskDone  TaskState = "done"
)

// TaskOpen stands in filters for the states of a task that is not done. No task has this state.
const TaskOpen TaskState = "open"

// TaskStates returns every state of a task.
func TaskStates() []TaskState { return []TaskState{TaskTodo, TaskDoing, TaskDone} }

// Task is a piece of work of a project. The members of the project share it. Its reach is always org,
// so the visibility rule is that of a session about the project.
type Task struct {
	ID    TaskID `json:"id" format:"uuid"`
	Title string `json:"title" doc:"One line" example:"Move the login page to passkeys"`
	Notes string `json:"notes,omitempty" example:"Keep the passwords of people without a device."`
	EventAccess
	Noticed
	State     TaskState `json:"state" enum:"todo,doing,done"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	DoneAt    time.Time `json:"done_at,omitzero" doc:"When it became done; absent in other states"`
	Version   int       `json:"version" doc:"Increases with each change, for If-Match" example:"1"`
}

// SetDefaults sets the fields that the writer left out.
func (t *Task) SetDefaults() {
	t.Reach = cmp.Or(t.Reach, ReachOrg)
	if t.AllowedVendors == nil {
		t.AllowedVendors = []Vendor{AnyVendor}
	}
	t.State = cmp.Or(t.State, TaskTodo)
}

// SetState changes the state, and with it the time when the task became done.
func (t *Task) SetState(state TaskState, now time.Time) {
	switch {
	case state != TaskDone:
		t.DoneAt = time.Time{}
	case t.State != TaskDone || t.DoneAt.IsZero():
		t.DoneAt = now
	}
	t.State = state
}

// Validate checks every limit and returns an Invalid error for the first field that breaks one. It
// only changes AllowedVendors, from which it removes duplicates.
func (t *Task) Validate() error {
	t.AllowedVendors = Unique(t.AllowedVendors)
	return firstError(
		func() error { return CheckText("title", t.Title, 1, MaxTitle) },
		func() error { return checkLine("title", t.Title, MaxTitle) },
		func() error { return CheckText("notes", t.Notes, 0, MaxTaskNotes) },
		func() error { return CheckVendors(t.AllowedVendors) },
		func() error { return CheckTaskState("state", t.State) },
		t.checkPlace,
	)
}

// checkPlace returns an Invalid error unless the members of one project see the task.
func (t *Task) checkPlace() error {
	switch {
	case t.ProjectID.IsZero():
		return FieldErrorf("project", "is required: a task belongs to a project")
	case t.Reach != ReachOrg || !t.TeamID.IsZero():
		return FieldErrorf("reach", "must be org, without a team: the members of its project see a task")
	}
	return nil
}

// CheckTaskState returns an Invalid error unless s is one of TaskStates.
func CheckTaskState(field string, s TaskState) error {
	if slices.Contains(TaskStates(), s) {
		return nil
	}
	return FieldErrorf(field, "must be todo, doing or done")
}
