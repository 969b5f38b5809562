package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) graphMergeCommand() *cobra.Command {
	var f graphFlags
	var fromType, intoType string
	cmd := &cobra.Command{
		Use: "merge FROM INTO", Short: "Make one entity of two", Args: cobra.ExactArgs(2), Annotations: does(app.GraphMerge, app.ProjectRead),
		Long: `Make one entity of two: INTO gets what is known of FROM and its relations, and FROM
goes to the trash, from where it can be restored. Both are names or ids.`,
		Example: `  loci graph merge "Ada L." "Ada Lovelace" --project home`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				e, err := g.app.MergeEntities(ctx, g.who, g.project.ID, which(args[0], fromType), which(args[1], intoType))
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(e)
				}
				p.printEntities([]loci.Entity{e}, false)
				return nil
			})
		},
	}
	f.add(cmd, true)
	cmd.Flags().StringVar(&fromType, "from-type", "", "type of FROM, where several entities have that name")
	cmd.Flags().StringVar(&intoType, "into-type", "", "type of INTO, where several entities have that name")
	return cmd
}

func (p *program) graphVendorsCommand() *cobra.Command {
	var f graphFlags
	var kind, what string
	cmd := &cobra.Command{
		Use: "vendors VENDORS NAME|ID…", Short: "Say which vendors may read what you wrote into a graph", Args: cobra.MinimumNArgs(2),
		Annotations: does(app.GraphVendors, app.GraphRead, app.ProjectRead),
		Long: `Say which vendors may read entities, observations or relations that you wrote, all
or none. VENDORS is a list such as claude,cursor, or "*" for all. An entity goes by
its name or id; its observations and relations are read only with it. Others go by
their ids, with --kind.`,
		Example: `  loci graph vendors claude "Salary review" --project home
  loci graph vendors '*' 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e --kind observation`,
		RunE: func(cmd *cobra.Command, args []string) error {
			vendors, err := parseVendors("VENDORS", strings.Split(args[0], ","))
			if err != nil {
				return err
			}
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				ids, err := g.rows(ctx, args[1:], kind, what)
				if err != nil {
					return err
				}
				n, err := g.app.SetGraphVendors(ctx, g.who, g.project.ID, ids, vendors)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(wire.Changed{Changed: n})
				}
				p.printf("changed: %d\n", n)
				return nil
			})
		},
	}
	f.add(cmd, false)
	typeFlag(cmd, &kind)
	kindFlag(cmd, &what)
	return cmd
}

// rows finds entities by name or id; other kinds have only ids.
func (g *onGraph) rows(ctx context.Context, args []string, kind, what string) (ids app.GraphIDs, err error) {
	if what != "" && what != kindEntity {
		return graphIDs(args, func(string) string { return what })
	}
	for _, arg := range args {
		e, err := g.app.Entity(ctx, g.who, g.project.ID, which(arg, kind))
		if err != nil {
			return ids, err
		}
		ids.Entities = append(ids.Entities, e.ID)
	}
	return ids, nil
}
