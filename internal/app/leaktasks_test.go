package app_test

import (
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/task"
)

func tasksOf(s *strangers) [][16]byte { return s.tasks }

func init() {
	probes = slices.Concat(probes, taskProbes)
	walks["tasks"] = func(c *caller) (any, error) { return c.Task.List(c.ctx, c.p, task.ListRequest{}) }
	walks["open tasks"] = func(c *caller) (any, error) {
		return c.Task.List(c.ctx, c.p, task.ListRequest{State: loci.TaskOpen})
	}
	walks["tasks that are shared"] = func(c *caller) (any, error) {
		return c.Task.List(c.ctx, c.p, task.ListRequest{Project: c.shared.String()})
	}
	walks["new task"] = func(c *caller) (any, error) {
		return c.Task.Create(c.ctx, c.p, task.Draft{Project: c.shared.String(), Title: "the secret plan"})
	}
	walks["start the plan"] = func(c *caller) (any, error) {
		return c.Task.Update(c.ctx, c.p, "the secret plan", 0, task.Patch{State: new(loci.TaskDoing)})
	}
}

var taskProbes = []probe{
	{"task", tasksOf, func(c *caller, id [16]byte) (any, error) { return c.Task.Get(c.ctx, c.p, text(id)) }},
	{"task, shortly", tasksOf, func(c *caller, id [16]byte) (any, error) {
		return c.Task.Get(c.ctx, c.p, text(id)[:loci.ShortID])
	}},
	{"change task", tasksOf, func(c *caller, id [16]byte) (any, error) {
		return c.Task.Update(c.ctx, c.p, text(id), 0, task.Patch{State: new(loci.TaskDone)})
	}},
	{"change an old task", tasksOf, func(c *caller, id [16]byte) (any, error) {
		return c.Task.Update(c.ctx, c.p, text(id), 7, task.Patch{Title: new("x")})
	}},
	{"delete task", tasksOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Task.Delete(c.ctx, c.p, text(id), 0))
	}},
	{"tasks of project", projectsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Task.List(c.ctx, c.p, task.ListRequest{Project: text(id)})
	}},
	{"task for project", projectsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Task.Create(c.ctx, c.p, task.Draft{Project: text(id), Title: "mine"})
	}},
}

// settleTask gives somebody a task of a project.
func (s *stage) settleTask(p loci.Principal, project loci.ProjectID, b *strangers, vendors ...loci.Vendor) {
	s.t.Helper()
	made, err := s.Task.Create(s.t.Context(), p, task.Draft{Project: project.String(), Title: b.mark + " task",
		Notes: "the secret plan of " + b.mark, AllowedVendors: vendors})
	s.must(err)
	b.tasks = append(b.tasks, made.ID)
}
