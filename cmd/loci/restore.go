package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) restoreCommand() *cobra.Command {
	var version int
	cmd := &cobra.Command{
		Use:         "restore ID…",
		Short:       "Restore memories from the trash",
		Annotations: does(memory.Restore),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.each(cmd, args, func(ctx context.Context, in *instance, id loci.MemoryID) error {
				m, err := in.app.Memory.Restore(ctx, in.operator, id, version)
				if loci.CodeOf(err) == loci.NotFound {
					return loci.WrapError(loci.NotFound, err, "memory %s is not in the trash; see `loci list --trash`", id)
				}
				if err != nil {
					return err
				}
				if err := p.saved("restored", m); err != nil || p.json || m.SupersededBy.IsZero() {
					return err
				}
				p.printReplaced([]loci.StillSuperseded{{ID: m.ID, Title: m.Title, SupersededBy: m.SupersededBy}}, nil)
				return nil
			})
		},
	}
	ifVersionFlag(cmd, &version)
	return cmd
}
