package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) shareCommand() *cobra.Command {
	return p.poolCommand("share ID…", "Put memories into the pool of the team; they stay their owner's", "shared",
		func(ctx context.Context, in *instance, who loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
			return in.app.ShareMemory(ctx, who, id)
		})
}

func (p *program) unshareCommand() *cobra.Command {
	return p.poolCommand("unshare ID…", "Take memories back out of the pool of the team", "taken back",
		func(ctx context.Context, in *instance, who loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
			return in.app.UnshareMemory(ctx, who, id)
		})
}

func (p *program) poolCommand(use, short, done string, do func(context.Context, *instance, loci.Principal, loci.MemoryID) (*loci.Memory, error)) *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.MinimumNArgs(1), Annotations: does(app.MemoryShare),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.each(cmd, args, done, func(ctx context.Context, in *instance, id loci.MemoryID) (*loci.Memory, error) {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return nil, err
				}
				m, err := do(ctx, in, who, id)
				return m, aboutMemory(id, err)
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	return cmd
}
