package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) showCommand() *cobra.Command {
	var vendor, session string
	var when whenFlags
	var at loci.When
	cmd := onID(p, operator, "memory", "loci list", resolveMemory, &cobra.Command{
		Use:   "show ID",
		Short: "Show a memory, now or at an earlier time",
		Example: `  loci show 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e
  loci show 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e --known-at 2026-03-01`,
		Annotations: does(memory.Read, project.Read, agent.Read),
		PreRunE: func(*cobra.Command, []string) (err error) {
			at, err = when.when()
			return err
		},
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		who, err := c.as(ctx, vendor)
		if err != nil {
			return err
		}
		if who, err = c.during(ctx, who, session); err != nil {
			return err
		}
		m, err := c.app.Memory.GetAt(ctx, who, id, at)
		_, replaced := errors.AsType[*memory.ReplacedError](err)
		switch missing := loci.CodeOf(err) == loci.NotFound && !replaced; {
		case missing && !at.IsZero():
			return loci.WrapError(loci.NotFound, err, "memory %s not found at that time; see `loci history %s`", id, id)
		case missing && vendor != "":
			return notFor(id, who.Vendor, err)
		case err != nil || p.json:
			return p.answer(m, aboutMemory(id, err), "")
		}
		project, agent := c.belongsTo(ctx, m)
		p.paged(func() { p.printMemory(m, project, agent) })
		p.noteDisagreements(m)
		return nil
	})
	cmd.Flags().StringVar(&vendor, "as", "", "see what this vendor sees")
	sessionFlag(cmd, &session)
	when.add(cmd)
	return cmd
}

// belongsTo names the project and the agent of a memory; "": it has none. One that is gone has only its id.
func (in *instance) belongsTo(ctx context.Context, m *loci.Memory) (project, agent string) {
	if project = showID(m.ProjectID); project != "" {
		if x, err := in.app.Project.Get(ctx, in.operator, m.ProjectID); err == nil {
			project = loci.OneLine(x.Name)
		}
	}
	if agent = showID(m.AgentID); agent != "" {
		if a, err := in.app.Agent.Get(ctx, in.operator, m.AgentID); err == nil {
			agent = a.Name
		}
	}
	return project, agent
}
