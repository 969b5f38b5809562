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
	var at loci.When
	cmd := onID(p, operator, "memory", "loci list", resolveMemory, &cobra.Command{
		Use:   "show ID",
		Short: "Show a memory, now or at an earlier time",
		Example: `  loci show 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e
  loci show 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e --known-at 2026-03-01`,
		Annotations: does(memory.Read, memory.AssetRead, project.Read, agent.Read),
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
		around, err := c.around(ctx, who, m)
		if err != nil {
			return err
		}
		p.paged(func() { p.printMemory(m, around) })
		p.noteDisagreements(m)
		return nil
	})
	cmd.Flags().StringVar(&vendor, "as", "", "see what this vendor sees")
	sessionFlag(cmd, &session)
	whenFlags(cmd, &at)
	return cmd
}

// around is what a memory tells only by ids, or not at all.
type around struct{ owner, project, agent, sharedWith, attached string }

// around looks up what people call the owner, if that is not who, the project and the agent of a memory, and what who
// sees attached to it. A project or an agent that is gone has only its id.
func (in *instance) around(ctx context.Context, who loci.Principal, m *loci.Memory) (a around, err error) {
	called := in.names()
	if m.UserID != who.UserID {
		a.owner = called.user(ctx, m.OrgID, m.UserID)
	}
	if !m.ProjectID.IsZero() {
		a.project = loci.OneLine(called.project(ctx, m.OrgID, m.ProjectID))
	}
	if a.agent = showID(m.AgentID); a.agent != "" {
		if x, err := in.app.Agent.Get(ctx, in.operator, m.AgentID.String()); err == nil {
			a.agent = x.Name
		}
	}
	attached, err := in.app.Memory.Attached(ctx, who, m.ID)
	a.sharedWith, a.attached = called.sharedWith(ctx, m), attached.String()
	return a, err
}
