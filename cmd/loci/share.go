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
	var a actor
	cmd := &cobra.Command{
		Use: use, Short: short, Annotations: does(memory.Share),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.each(cmd, args, func(ctx context.Context, in *instance, id loci.MemoryID) error {
				who, err := a.principal(ctx, in)
				if err != nil {
					return err
				}
				m, err := do(in.app.Memory, ctx, who, id)
				if err != nil {
					return err
				}
				if err := p.saved(done, m); err != nil {
					return err
				}
				p.printVisible(ctx, in, m)
				return nil
			})
		},
	}
	a.add(cmd, pickPerson)
	return cmd
}
