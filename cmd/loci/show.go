package main

import (
	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) showCommand() *cobra.Command {
	var vendor, session string
	var when whenFlags
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a memory, now or at an earlier time",
		Example: `  loci show 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e
  loci show 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e --known-at 2026-03-01`,
		Annotations: does(memory.Read),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			at, err := when.when()
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				who, err := in.as(cmd.Context(), vendor)
				if err != nil {
					return err
				}
				if who, err = in.during(cmd.Context(), who, session); err != nil {
					return err
				}
				m, err := in.app.Memory.GetAt(cmd.Context(), who, id, at)
				if loci.CodeOf(err) == loci.NotFound && !at.IsZero() {
					return loci.WrapError(loci.NotFound, err, "memory %s not found at that time; see `loci history %s`", id, id)
				}
				if loci.CodeOf(err) == loci.NotFound && vendor != "" {
					return loci.WrapError(loci.NotFound, err, "memory %s not found for %s; see `loci show %s`, without --as", id,
						who.Vendor, id)
				}
				if loci.CodeOf(err) == loci.NotFound {
					return loci.WrapError(loci.NotFound, err, "memory %s not found; it may be in the trash (`loci list --trash`), "+
						"replaced (`loci show %s --superseded`) or permanently deleted", id, id)
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
	cmd.Flags().StringVar(&vendor, "as", "", "see what this vendor sees")
	sessionFlag(cmd, &session)
	when.add(cmd)
	return cmd
}
