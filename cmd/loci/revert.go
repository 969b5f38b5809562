package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) revertCommand() *cobra.Command {
	var atVersion, to int
	cmd := p.onMemoryID(pickPerson, &cobra.Command{
		Use:   "revert ID VERSION",
		Short: "Revert a memory to an old version",
		Long: `Revert a memory to the content of an old version, as a new version; see "loci history".
Sharing does not change. If the memory is in the trash or has expired, first run
"loci restore".`,
		Annotations: does(memory.Revert),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			to, err = parseVersion(args[1])
			return err
		},
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		began := time.Now()
		m, err := c.app.Memory.Revert(ctx, c.who, id, atVersion, to)
		if err != nil {
			return err
		}
		if err := p.savedSince(began, "reverted", m); err != nil {
			return err
		}
		p.printVisible(ctx, c.instance, m)
		return nil
	})
	ifVersionFlag(cmd, &atVersion)
	return cmd
}
