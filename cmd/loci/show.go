package main

import (
	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) showCommand() *cobra.Command {
	var vendor string
	cmd := &cobra.Command{
		Use:         "show ID",
		Short:       "Show a memory",
		Args:        cobra.ExactArgs(1),
		Annotations: does(app.MemoryRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				who, err := in.as(cmd.Context(), vendor)
				if err != nil {
					return err
				}
				m, err := in.app.Get(cmd.Context(), who, id)
				if loci.CodeOf(err) == loci.NotFound && vendor != "" {
					return loci.WrapError(loci.NotFound, err, "%s sees no memory %s; `loci show %s` without --as says whether it is there and who may see it", who.Vendor, id, id)
				}
				if err != nil {
					return aboutMemory(id, err)
				}
				if p.json {
					return p.printJSON(m)
				}
				p.printMemory(m)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&vendor, "as", "", "look through the eyes of this vendor")
	return cmd
}
