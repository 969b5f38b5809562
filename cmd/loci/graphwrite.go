package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) graphAddCommand() *cobra.Command {
	var f graphFlags
	var kind string
	var vendors []string
	cmd := &cobra.Command{
		Use: "add NAME [OBSERVATION…] --type TYPE", Short: "Store an entity with its first observations", Args: cobra.MinimumNArgs(1),
		Annotations: does(app.GraphWrite, app.ProjectRead),
		Long: `Store an entity with its first observations. One of that name and type that is
there already is kept; observations that it does not have yet are added.`,
		Example: `  loci graph add Ada "Takes her coffee without milk." --type person --project home`,
		RunE: func(cmd *cobra.Command, args []string) error {
			allowed, err := parseVendors("--allow", vendors)
			if err != nil {
				return err
			}
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				list, err := g.app.CreateEntities(ctx, g.who, g.project.ID, allowed,
					[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: args[0], Type: kind}, Observations: args[1:]}})
				if err != nil {
					return err
				}
				return p.printPutEntities(list)
			})
		},
	}
	f.add(cmd, true)
	vendorsFlag(cmd, &vendors)
	cmd.Flags().StringVar(&kind, "type", "", "what it is: person, technology, concept, …")
	_ = cmd.MarkFlagRequired("type") // fails only for a flag that is not there
	return cmd
}

func (p *program) printPutEntities(list []app.PutEntity) error {
	if p.json {
		out := wire.PutEntities{Entities: []wire.PutEntity{}}
		for _, e := range list {
			out.Entities = append(out.Entities, wire.PutEntity{Entity: e.Entity, Created: e.Created, Added: len(e.Added)})
		}
		return p.printJSON(out)
	}
	for _, e := range list {
		done := "here already"
		if e.Created {
			done = "created"
		}
		p.printf("%s %s: %s (%s), observations added: %d\n", done, e.Entity.ID, loci.OneLine(e.Entity.Name), loci.OneLine(e.Entity.Type), len(e.Added))
	}
	return nil
}

func (p *program) graphObserveCommand() *cobra.Command {
	var f graphFlags
	var kind string
	var vendors []string
	cmd := &cobra.Command{
		Use: "observe NAME OBSERVATION…", Short: "Add observations to an entity", Args: cobra.MinimumNArgs(2),
		Annotations: does(app.GraphWrite, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			allowed, err := parseVendors("--allow", vendors)
			if err != nil {
				return err
			}
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				list, err := g.app.AddObservations(ctx, g.who, g.project.ID, allowed,
					[]loci.Contents{{Entity: loci.EntityRef{Name: args[0], Type: kind}, Contents: args[1:]}})
				if err != nil {
					return err
				}
				return p.printObserved(list)
			})
		},
	}
	f.add(cmd, true)
	typeFlag(cmd, &kind)
	vendorsFlag(cmd, &vendors)
	return cmd
}

func (p *program) printObserved(list []app.Observed) error {
	if p.json {
		out := wire.PutObservations{Observations: []wire.EntityObservation{}, Duplicates: []wire.EntityObservation{}}
		for _, o := range list {
			out.Observations = append(out.Observations, of(o.Entity, o.Added)...)
			out.Duplicates = append(out.Duplicates, of(o.Entity, o.Duplicates)...)
		}
		return p.printJSON(out)
	}
	for _, o := range list {
		p.printf("%s: observations added %d, here already %d\n", loci.OneLine(o.Entity.Name), len(o.Added), len(o.Duplicates))
	}
	return nil
}

func of(e loci.EntityRef, list []loci.Observation) (out []wire.EntityObservation) {
	for _, o := range list {
		out = append(out, wire.EntityObservation{Observation: o, EntityName: e.Name})
	}
	return out
}

// relationFlags tell the ends of a relation apart by type.
type relationFlags struct{ from, to string }

func (r *relationFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.from, "from-type", "", "type of FROM, where several entities have that name")
	cmd.Flags().StringVar(&r.to, "to-type", "", "type of TO, where several entities have that name")
}

// relation reads FROM RELATION TO.
func (r *relationFlags) relation(args []string) []loci.NewRelation {
	return []loci.NewRelation{{From: loci.EntityRef{Name: args[0], Type: r.from}, Type: args[1], To: loci.EntityRef{Name: args[2], Type: r.to}}}
}

func (p *program) graphRelateCommand() *cobra.Command {
	var f graphFlags
	var r relationFlags
	var vendors []string
	cmd := &cobra.Command{
		Use: "relate FROM RELATION TO", Short: "Store a relation between two entities", Args: cobra.ExactArgs(3),
		Annotations: does(app.GraphWrite, app.ProjectRead),
		Example:     `  loci graph relate Ada works_at Acme --project home`,
		RunE: func(cmd *cobra.Command, args []string) error {
			allowed, err := parseVendors("--allow", vendors)
			if err != nil {
				return err
			}
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				list, err := g.app.CreateRelations(ctx, g.who, g.project.ID, allowed, r.relation(args))
				if err != nil {
					return err
				}
				return p.printPutRelations(list)
			})
		},
	}
	f.add(cmd, true)
	r.add(cmd)
	vendorsFlag(cmd, &vendors)
	return cmd
}

func (p *program) printPutRelations(list []app.PutRelation) error {
	if p.json {
		out := wire.PutRelations{Relations: []wire.PutRelation{}}
		for _, r := range list {
			out.Relations = append(out.Relations, wire.PutRelation{Relation: r.Relation, Created: r.Created})
		}
		return p.printJSON(out)
	}
	for _, r := range list {
		done := "here already"
		if r.Created {
			done = "created"
		}
		p.printf("%s %s: %s\n", done, r.Relation.ID, relationText(r.Relation))
	}
	return nil
}
