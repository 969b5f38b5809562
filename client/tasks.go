package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/loci-memory/loci"
)

// NewTask is loci.NewTask.
type NewTask = loci.NewTask

// TaskChange is loci.TaskChange.
type TaskChange = loci.TaskChange

// TaskList is a list of tasks, newest first.
type TaskList struct {
	Tasks []loci.Task `json:"tasks" nullable:"false"`
	More
}

// TaskQuery filters a list of tasks. Zero fields match everything.
type TaskQuery struct {
	Project string         // an id or a name
	State   loci.TaskState // also loci.TaskOpen
	Limit   int            // 0: 50; at most 500
	Cursor  string         // NextCursor of the previous page
}

// CreateTask creates a task of a project.
func (c *Client) CreateTask(ctx context.Context, t NewTask) (*loci.Task, error) {
	return send[loci.Task](ctx, c, "/tasks", t)
}

// Tasks returns one page of the tasks that the caller can see.
func (c *Client) Tasks(ctx context.Context, q TaskQuery) (*TaskList, error) {
	return get[TaskList](ctx, c, query("/tasks", values("project", q.Project, "state", string(q.State),
		"limit", number(q.Limit), "cursor", q.Cursor)))
}

// Task returns a task by its id, the beginning of its id or its title. The other methods about one
// task take the same.
func (c *Client) Task(ctx context.Context, task string) (*loci.Task, error) {
	return get[loci.Task](ctx, c, taskPath(task))
}

// UpdateTask changes fields of a task. ifVersion is the version that the caller saw. If the task is
// at another version, UpdateTask fails with Precondition. 0 means any version.
func (c *Client) UpdateTask(ctx context.Context, task string, ifVersion int, change TaskChange) (*loci.Task, error) {
	var t loci.Task
	if err := c.do(ctx, http.MethodPatch, taskPath(task), version(ifVersion), change, &t); err != nil {
		return nil, err
	}
	return &t, nil
}

// DeleteTask permanently deletes a task. It requires a sign-in with a fresh proof, unless the org
// lets keys delete. ifVersion is as for UpdateTask.
func (c *Client) DeleteTask(ctx context.Context, task string, ifVersion int) error {
	return c.do(ctx, http.MethodDelete, taskPath(task), version(ifVersion), nil, nil)
}

func taskPath(task string) string { return "/tasks/" + url.PathEscape(task) }
