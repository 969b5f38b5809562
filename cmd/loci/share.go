package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) shareCommand() *cobra.Command {
	return p.poolCommand("share ID…", "Share memories with the team; you stay their owner", "shared",
		(*memory.Service).Share)
}

func (p *program) unshareCommand() *cobra.Command {
	return p.poolCommand("unshare ID…", "Stop sharing memories with the team", "unshared", (*memory.Service).Unshare)
}

func (p *program) poolCommand(use, short, done string,
	do func(*memory.Service, context.Context, loci.Principal, loci.MemoryID) (*loci.Memory, error)) *cobra.Command {
	return p.each(pickPerson, &cobra.Command{
		Use: use, Short: short, Annotations: does(memory.Share),
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		m, err := do(c.app.Memory, ctx, c.who, id)
		if err != nil {
			return err
		}
		if err := p.saved(done, m); err != nil {
			return err
		}
		p.printVisible(ctx, c.instance, m)
		return nil
	})
}
