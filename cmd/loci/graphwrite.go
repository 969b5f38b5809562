package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
)

// graphWrite completes a command that writes into a graph: it adds --allow, which write gets as vendors.
func (p *program) graphWrite(cmd *cobra.Command, write func(context.Context, *onGraph,
	[]loci.Vendor) error) *cobra.Command {
	var allowed []loci.Vendor
	vendorsFlag(cmd, &allowed, mayRead)
	cmd.Annotations = does(graph.Write, project.Read)
	return p.graph(pickAny, cmd, func(ctx context.Context, g *onGraph) error { return write(ctx, g, allowed) })
}

func (p *program) graphAddCommand() *cobra.Command {
	var kind string
	cmd := p.graphWrite(&cobra.Command{
		Use: "add NAME [OBSERVATION…] --type TYPE", Short: "Add an entity with its first observations",
		Long: `Add an entity with its first observations. If an entity of that name and type exists,
add the observations that it does not have yet.`,
		Example: `  loci graph add Ada "Takes her coffee without milk." --type person --project home`,
	}, func(ctx context.Context, g *onGraph, allowed []loci.Vendor) error {
		list, err := g.app.Graph.CreateEntities(ctx, g.who, g.project.ID, allowed,
			[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: g.args[0], Type: kind}, Observations: g.args[1:]}})
		if err != nil {
			return err
		}
		secrets := p.noteSecrets(graph.SecretsIn(list))
		if p.json {
			out := wire.PutEntities{Entities: []wire.PutEntity{}, Secrets: secrets}
			for _, e := range list {
				out.Entities = append(out.Entities, wire.PutEntity{Entity: e.Entity, Created: e.Created, Added: len(e.Added),
					Hint: loci.TwinHint("entity", e.Entity.Name, e.Alike...)})
			}
			return p.printJSON(out)
		}
		for _, e := range list {
			_ = p.answer(e, nil, "%s %s: %s (%s), %s added\n%s", createdOrExisting(e.Created), e.Entity.ID,
				loci.OneLine(e.Entity.Name), loci.OneLine(e.Entity.Type),
				loci.Plural(len(e.Added), "observation", "observations"), loci.TwinHint("entity", e.Entity.Name, e.Alike...))
		}
		return nil
	})
	cmd.Flags().StringVar(&kind, "type", "", "type of the entity: person, technology, concept, … (required)")
	_ = cmd.MarkFlagRequired("type") // fails only for a flag that is not there
	return cmd
}

// noteSecrets tells the person which types of secrets were stored, and returns them.
func (p *program) noteSecrets(types []string) []string {
	if len(types) > 0 {
		p.note("%s", loci.SecretHint(types))
	}
	return types
}

func createdOrExisting(created bool) string {
	if created {
		return "created"
	}
	return "already exists:"
}

func (p *program) graphObserveCommand() *cobra.Command {
	var kind string
	cmd := p.graphWrite(&cobra.Command{
		Use: "observe NAME OBSERVATION…", Short: "Add observations to an entity",
	}, func(ctx context.Context, g *onGraph, allowed []loci.Vendor) error {
		list, err := g.app.Graph.AddObservations(ctx, g.who, g.project.ID, allowed,
			[]loci.Contents{{Entity: loci.EntityRef{Name: g.args[0], Type: kind}, Contents: g.args[1:]}})
		if err != nil {
			return err
		}
		secrets := p.noteSecrets(graph.SecretsIn(list))
		if p.json {
			out := wire.PutObservations{Observations: []wire.EntityObservation{}, Duplicates: []wire.EntityObservation{},
				Secrets: secrets}
			for _, o := range list {
				out.Observations = append(out.Observations, of(o.Entity, o.Added)...)
				out.Duplicates = append(out.Duplicates, of(o.Entity, o.Duplicates)...)
			}
			return p.printJSON(out)
		}
		for _, o := range list {
			p.printf("%s: %s added (%s)\n", loci.OneLine(o.Entity.Name),
				loci.Plural(len(o.Added), "observation", "observations"),
				loci.Plural(len(o.Duplicates), "duplicate", "duplicates"))
		}
		return nil
	})
	typeFlag(cmd, &kind)
	return cmd
}

func of(e loci.EntityRef, list []loci.Observation) (out []wire.EntityObservation) {
	for _, o := range list {
		out = append(out, wire.EntityObservation{Observation: o, EntityName: e.Name})
	}
	return out
}

// relationFlags distinguish the ends of a relation by type.
type relationFlags struct{ from, to string }

func (r *relationFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.from, "from-type", "", "type of FROM, if several entities share the name")
	cmd.Flags().StringVar(&r.to, "to-type", "", "type of TO, if several entities share the name")
}

// relation reads FROM RELATION TO.
func (r *relationFlags) relation(args []string) []loci.NewRelation {
	return []loci.NewRelation{{From: loci.EntityRef{Name: args[0], Type: r.from}, Type: args[1],
		To: loci.EntityRef{Name: args[2], Type: r.to}}}
}

func (p *program) graphRelateCommand() *cobra.Command {
	var r relationFlags
	cmd := p.graphWrite(&cobra.Command{
		Use: "relate FROM RELATION TO", Short: "Add a relation between two entities",
		Example: `  loci graph relate Ada works_at Acme --project home`,
	}, func(ctx context.Context, g *onGraph, allowed []loci.Vendor) error {
		list, err := g.app.Graph.CreateRelations(ctx, g.who, g.project.ID, allowed, r.relation(g.args))
		if err != nil {
			return err
		}
		secrets := p.noteSecrets(graph.SecretsIn(list))
		if p.json {
			out := wire.PutRelations{Relations: []wire.PutRelation{}, Secrets: secrets}
			for _, r := range list {
				out.Relations = append(out.Relations, wire.PutRelation{Relation: r.Relation, Created: r.Created})
			}
			return p.printJSON(out)
		}
		for _, r := range list {
			p.printf("%s %s: %s\n", createdOrExisting(r.Created), r.Relation.ID, relationText(r.Relation))
		}
		return nil
	})
	r.add(cmd)
	return cmd
}
