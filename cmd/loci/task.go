package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/task"
)

const seeTasks = "loci task list --state all"

func (p *program) taskCommand() *cobra.Command {
	return group("task", "Create, list and finish the tasks of projects",
		`Create, list, change and finish tasks. A task belongs to a project, whose members see it. It is
todo, doing or done. TASK is an id, the beginning of an id, or a title. A task that is not done
comes before done ones of its title.`,
		p.taskAddCommand(), p.taskListCommand(), p.taskShowCommand(),
		p.taskStateCommand("start", "Begin a task: its state becomes doing", loci.TaskDoing),
		p.taskStateCommand("done", "Finish a task: its state becomes done", loci.TaskDone),
		p.taskStateCommand("todo", "Put a task back: its state becomes todo", loci.TaskTodo),
		p.taskEditCommand(), p.taskDeleteCommand())
}

func (p *program) taskAddCommand() *cobra.Command {
	var draft task.Draft
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "add TITLE", Short: "Create a task and print its id", Annotations: does(task.Create, project.Read),
		Example: `  loci task add "Move the login page to passkeys" --project website
  loci task list --project website`,
	}, func(ctx context.Context, c *call) error {
		draft.Title = c.args[0]
		in, err := c.project(ctx, c.who, draft.Project)
		if err != nil {
			return err
		}
		draft.Project = in.ID.String()
		t, err := c.app.Task.Create(ctx, c.who, draft)
		p.noteSecrets(t.Secrets)
		return p.created(t, err, t.ID, t.Title)
	})
	cmd.Flags().StringVar(&draft.Project, "project", "", "project that it belongs to, by name or id (required)")
	cmd.Flags().StringVar(&draft.Notes, "notes", "", "what else there is to know about it")
	cmd.Flags().StringVar((*string)(&draft.State), "state", "", "todo, doing or done (default: todo)")
	vendorsFlag(cmd, &draft.AllowedVendors, maySee+" (default: all)")
	_ = cmd.MarkFlagRequired("project")
	return cmd
}

func (p *program) taskListCommand() *cobra.Command {
	var projectName string
	var r task.ListRequest
	var counts bool // the done tasks that the list leaves out by default
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "list", Short: "List tasks, newest first", Annotations: does(task.Read, project.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			counts = !p.json && !cmd.Flags().Changed("state")
			return nil
		},
	}, func(ctx context.Context, c *call) error {
		id, err := c.projectID(ctx, c.who, projectName)
		if err != nil {
			return err
		}
		r.Project = showID(id)
		called := c.names()
		if r.Limit = gate.MaxPage; counts {
			r.State = ""
		}
		list, err := gate.AllPages(func(cursor string) (gate.Page[loci.Task], error) {
			r.Cursor = cursor
			return c.app.Task.List(ctx, c.who, r)
		})
		all := len(list)
		if counts {
			list = slices.DeleteFunc(list, func(t loci.Task) bool { return t.State == loci.TaskDone })
		}
		if hidden := all - len(list); hidden > 0 {
			defer p.note("%s not shown; to see all, run: loci task list --state all%s",
				loci.Plural(hidden, "done task", "done tasks"), c.actor.flags())
		}
		return printList(p, "tasks", list, err, "no tasks; create one with: loci task add TITLE --project PROJECT",
			"STATE|TITLE|ID|PROJECT|BY|CHANGED", func(t loci.Task) []string {
				return []string{string(t.State), t.Title, t.ID.String(), called.project(ctx, t.OrgID, t.ProjectID), t.Origin,
					p.showTime(t.UpdatedAt)}
			})
	})
	cmd.Flags().StringVar(&projectName, "project", "", "only tasks of this project, by name or id")
	readFlag(cmd, &r.State, "state", string(loci.TaskOpen), "open (not done), todo, doing, done or all",
		oneOf(append([]loci.TaskState{loci.TaskOpen}, loci.TaskStates()...)...))
	return cmd
}

func (p *program) taskShowCommand() *cobra.Command {
	return p.acting(pickAny, &cobra.Command{
		Use: "show TASK", Short: "Show a task with its notes", Annotations: does(task.Read),
	}, onNamed((*instance).task, func(_ context.Context, _ *call, t loci.Task) error { return p.showTask(t, nil) }))
}

func (p *program) showTask(t loci.Task, err error) error {
	p.noteSecrets(t.Secrets)
	err = p.show(t, err, "id", t.ID.String(), "title", t.Title, "state", string(t.State), "project", showID(t.ProjectID),
		"vendors", showVendors(t.AllowedVendors), "created by", t.Origin, "created", p.showTime(t.CreatedAt),
		"changed", p.showTime(t.UpdatedAt), "done", p.showTime(t.DoneAt))
	if err == nil && !p.json && t.Notes != "" {
		p.printf("\n%s\n", loci.Legible(t.Notes))
	}
	return err
}

func (p *program) taskStateCommand(use, short string, state loci.TaskState) *cobra.Command {
	return p.acting(pickAny, &cobra.Command{
		Use: use + " TASK", Short: short, Annotations: does(task.Change, task.Read),
	}, onNamed((*instance).task, func(ctx context.Context, c *call, t loci.Task) error {
		t, err := c.app.Task.Update(ctx, c.who, t.ID.String(), 0, task.Patch{State: &state})
		return p.answer(t, err, "%s %s: %s", t.State, t.ID, loci.OneLine(t.Title))
	}))
}

func (p *program) taskEditCommand() *cobra.Command {
	var title, notes string
	var patch task.Patch
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "edit TASK", Short: "Change the title, notes or readers of a task", Annotations: does(task.Change, task.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			patch.Title, patch.Notes = given(cmd, "title", &title), given(cmd, "notes", &notes)
			if patch.Title == nil && patch.Notes == nil && patch.AllowedVendors == nil {
				return usagef("specify what to change: --title, --notes or --allow")
			}
			return nil
		},
	}, onNamed((*instance).task, func(ctx context.Context, c *call, t loci.Task) error {
		return p.showTask(c.app.Task.Update(ctx, c.who, t.ID.String(), 0, patch))
	}))
	cmd.Flags().StringVar(&title, "title", "", "the new title")
	cmd.Flags().StringVar(&notes, "notes", "", "the new notes; \"\" removes them")
	vendorsFlag(cmd, &patch.AllowedVendors, maySee)
	return cmd
}

func (p *program) taskDeleteCommand() *cobra.Command {
	return p.acting(pickPerson|asks, &cobra.Command{
		Use: "delete TASK", Short: "Permanently delete a task", Annotations: does(task.Delete, task.Read),
	}, onNamed((*instance).task, func(ctx context.Context, c *call, t loci.Task) error {
		return p.erase(ctx, "task", t.Title, t.ID, func() error { return c.app.Task.Delete(ctx, c.who, t.ID.String(), 0) })
	}))
}

// task finds a task by its id, the beginning of its id, or its title.
func (in *instance) task(ctx context.Context, who loci.Principal, s string) (loci.Task, error) {
	found, err := in.app.Task.Get(ctx, who, s)
	return found, orNoSuch(err, "task", s, seeTasks)
}
