package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/task"
)

const (
	tasksMax     = 100
	tasksDefault = 20
)

// job is what a model needs of a task.
type job struct {
	ID        loci.TaskID    `json:"id"`
	ProjectID loci.ProjectID `json:"project_id"`
	Title     string         `json:"title"`
	Notes     string         `json:"notes,omitempty"`
	State     loci.TaskState `json:"state"`
	Origin    string         `json:"origin"`
	Hint      string         `json:"hint,omitempty"`
}

func jobOf(t loci.Task, err error) (any, error) {
	return job{t.ID, t.ProjectID, t.Title, t.Notes, t.State, t.Origin, loci.SecretHint(t.Secrets)}, err
}

func taskState(into *loci.TaskState) field { return oneOf("state", into, loci.TaskStates()...) }

func newTaskFields(c *call, in *task.Draft) []field {
	return []field{
		text("title", &in.Title, 1, loci.MaxTitle).about("one line").must(),
		text("notes", &in.Notes, 0, loci.MaxTaskNotes),
		taskState(&in.State).otherwise(`"todo"`),
		inProject(c),
		vendors("allowed_vendors", &in.AllowedVendors).hide(),
	}
}

func (s *Server) createTask(ctx context.Context, c *call, in *task.Draft) (any, error) {
	in.Project = c.project.String()
	return jobOf(s.app.Task.Create(ctx, c.principal, *in))
}

func tasksFields(c *call, in *task.ListRequest) []field {
	return []field{
		text("project", &in.Project, 0, loci.MaxName).or("project_id").about("default: all"),
		oneOf("state", &in.State, append([]loci.TaskState{loci.TaskOpen}, loci.TaskStates()...)...).
			about("open: not done; default: all"),
		limit(c, &in.Limit, tasksMax, tasksDefault), cursor(c, &in.Cursor),
	}
}

func (s *Server) listTasks(ctx context.Context, c *call, in *task.ListRequest) (any, error) {
	page, err := s.app.Task.List(ctx, c.principal, *in)
	list := make([]any, len(page.Items))
	for i, t := range page.Items {
		list[i], _ = jobOf(t, nil)
	}
	return rows("tasks", list, page.NextCursor), err
}

type taskEdit struct {
	named, title, notes string
	state               loci.TaskState
	task.Patch
}

func taskEditFields(_ *call, in *taskEdit) []field {
	return []field{
		text("task_id", &in.named, 1, loci.MaxTitle).about("its id or title").must(),
		text("title", &in.title, 1, loci.MaxTitle).then(func() { in.Title = &in.title }),
		text("notes", &in.notes, 0, loci.MaxTaskNotes).then(func() { in.Notes = &in.notes }),
		taskState(&in.state).then(func() {
			if in.state != "" {
				in.State = &in.state
			}
		}),
	}
}

func (s *Server) updateTask(ctx context.Context, c *call, in *taskEdit) (any, error) {
	return jobOf(s.app.Task.Update(ctx, c.principal, in.named, 0, in.Patch))
}

// sessionAsk asks for a new session, or for a closed one to go on.
type sessionAsk struct {
	agent.SessionDraft
	reopen string
}

func newSessionFields(c *call, in *sessionAsk) []field {
	return []field{
		text("agent", &in.Agent, 0, loci.MaxName).about("your name or id as an agent, such as reviewer").or("agent_id"),
		text("title", &in.Title, 0, loci.MaxSessionTitle),
		namedProject(c, &in.ProjectID),
		oneOf("reach", &in.Reach, loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate).
			about("who sees it besides the person").otherwise(`"org"`),
		word("reopen", &in.reopen).about("instead: a closed session to continue, by id or title"),
	}
}

// work is what a model needs of a session.
type work struct {
	ID        loci.SessionID    `json:"id"`
	AgentID   loci.AgentID      `json:"agent_id,omitzero"`
	ProjectID loci.ProjectID    `json:"project_id,omitzero"`
	Title     string            `json:"title,omitempty"`
	State     loci.SessionState `json:"state"`
	Reach     loci.Reach        `json:"reach"`
	Hint      string            `json:"hint,omitempty"`
}

func workOf(s loci.Session, err error) (any, error) {
	return work{s.ID, s.AgentID, s.ProjectID, s.Title, s.State, s.Reach, s.Hint}, err
}

func (s *Server) createSession(ctx context.Context, c *call, in *sessionAsk) (any, error) {
	if in.reopen != "" {
		return workOf(s.app.Agent.ReopenSession(ctx, c.principal, in.reopen))
	}
	return workOf(s.app.Agent.CreateSession(ctx, c.principal, in.SessionDraft))
}

func closeSessionFields(_ *call, in *string) []field {
	return []field{word("session_id", in).about("its id or title").must()}
}

func (s *Server) closeSession(ctx context.Context, c *call, in *string) (any, error) {
	return workOf(s.app.Agent.CloseSession(ctx, c.principal, *in))
}
