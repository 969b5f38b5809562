package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/task"
)

var taskRoutes = table{"tasks", []served{
	serve("POST /tasks", route{ID: "createTask", Atomic: true, Who: forAny, Action: task.Create,
		Status:  http.StatusCreated,
		Summary: "Create a task",
		Text: "A task belongs to a project, whose members see it. Loci takes the origin from the credential. 409 if " +
			"the project is archived or has " + loci.Thousands(loci.MaxTasks) + " tasks.",
		In: exampleNewTask, Out: exampleTask}, (*server).createTask),
	serve("GET /tasks", route{ID: "listTasks", Who: forAny, Action: task.Read,
		Summary: "List tasks",
		Text:    "Those that you can see, most recently created first.",
		Out:     exampleTasks}, (*server).tasks),
	serve("GET /tasks/{id}", route{ID: "getTask", Who: forAny, Action: task.Read,
		Summary: "Get a task",
		Text: "By its id, the beginning of its id or its title. The title must be that of only one task that you can " +
			"see and that is not done, or of only one done task if all are done.",
		Out: exampleTask}, (*server).task),
	serve("PATCH /tasks/{id}", route{ID: "updateTask", Who: forAny, Action: task.Change, Conditional: true,
		Summary: "Change fields of a task",
		Text: "Whoever sees a task can change its state. People can change its title and notes, too. Agents can do this " +
			"only if their vendor created it for the same person. Only the person who created it can widen " +
			"allowed_vendors. 409 if the project is archived.",
		In: exampleTaskChange, Out: exampleTaskDone, Further: archivedToo}, (*server).updateTask),
	serve("DELETE /tasks/{id}", route{ID: "deleteTask", Who: forPeople, Action: task.Delete, Conditional: true,
		Summary: "Delete a task permanently",
		Text: "Only the person who created it and admins of the org can delete it. Needs step-up unless the org " +
			"deletes by key."}, (*server).deleteTask),
}}

const noTask missing = "task"

// archivedToo is what a conditional change answers, too.
var archivedToo = map[string]*huma.Response{"409": problemResponse("The project is archived")}

// TaskPath is a task in a path, exported as AgentPath is.
type TaskPath struct {
	ID string `path:"id" doc:"Id or title of the task" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// TaskTarget is the task to change.
type TaskTarget struct {
	TaskPath
	IfMatch string `header:"If-Match" maxLength:"100" doc:"The version that you saw; default or *: any" example:"\"1\""`
}

// taskOutput is one task with its version as entity tag.
type taskOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"The version, for If-Match"`
	Body   loci.Task
}

func oneTask(t loci.Task, err error) (*taskOutput, error) {
	if err != nil {
		return nil, err
	}
	return &taskOutput{http.StatusOK, versionTag(t.Version), t}, nil
}

type newTaskInput struct {
	Body    client.NewTask
	RawBody []byte
}

func (s *server) createTask(ctx context.Context, p loci.Principal, in *newTaskInput) (*taskOutput, error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	out, err := oneTask(s.app.Task.Create(ctx, p, in.Body))
	if err == nil {
		out.Status = http.StatusCreated
	}
	return out, err
}

type tasksInput struct {
	Project string         `query:"project" maxLength:"100" doc:"Only tasks of this project, by id or name"`
	State   loci.TaskState `query:"state" enum:"open,todo,doing,done" doc:"open: not done. Default: all"`
	Limit   int            `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor  string         `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same filter"`
}

func (s *server) tasks(ctx context.Context, p loci.Principal, in *tasksInput) (*answer[client.TaskList], error) {
	page, err := s.app.Task.List(ctx, p, task.ListRequest{Project: in.Project, State: in.State, Limit: in.Limit,
		Cursor: in.Cursor})
	return say(client.TaskList{Tasks: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

func (s *server) task(ctx context.Context, p loci.Principal, in *TaskPath) (*taskOutput, error) {
	return oneTask(s.app.Task.Get(ctx, p, in.ID))
}

type taskChangeInput struct {
	TaskTarget
	Body    client.TaskChange
	RawBody []byte
}

func (s *server) updateTask(ctx context.Context, p loci.Principal, in *taskChangeInput) (*taskOutput, error) {
	version, err := ifVersion(in.IfMatch)
	if err == nil {
		err = nullVendors(in.Body.AllowedVendors, in.RawBody)
	}
	if err != nil {
		return nil, err
	}
	return oneTask(s.app.Task.Update(ctx, p, in.ID, version, in.Body))
}

func (s *server) deleteTask(ctx context.Context, p loci.Principal, in *TaskTarget) (*nothing, error) {
	version, err := ifVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	return done(s.app.Task.Delete(ctx, p, in.ID, version))
}

var (
	exampleTask = loci.Task{ID: loci.TaskID(exampleID), Title: "Move the login page to passkeys",
		EventAccess: loci.EventAccess{UserID: exampleUser, ProjectID: loci.ProjectID(exampleID), Reach: loci.ReachOrg,
			Origin: "claude", AllowedVendors: []loci.Vendor{loci.AnyVendor}},
		State: loci.TaskTodo, CreatedAt: exampleTime, UpdatedAt: exampleTime, Version: 1}
	exampleNewTask    = client.NewTask{Project: exampleProject.Name, Title: "Move the login page to passkeys"}
	exampleTaskChange = client.TaskChange{State: new(loci.TaskDone)}
	exampleTasks      = client.TaskList{Tasks: []loci.Task{exampleTask}}
	exampleTaskDone   = doneExample()
)

func doneExample() loci.Task {
	t := exampleTask
	t.SetState(loci.TaskDone, exampleTime)
	t.Version++
	return t
}
