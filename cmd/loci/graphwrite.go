package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
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

func (p *program) graphMergeCommand() *cobra.Command {
	var fromType, intoType string
	cmd := p.graph(pickAny, &cobra.Command{
		Use: "merge FROM INTO", Short: "Merge two entities", Annotations: does(graph.Merge, project.Read),
		Long: `Merge two entities, named by name or id: INTO receives the observations and relations
of FROM, and FROM moves to the trash. You can restore it from there. A relation between
the two goes with FROM and comes back with it.`,
		Example: `  loci graph merge "Ada L." "Ada Lovelace" --project home`,
	}, func(ctx context.Context, g *onGraph) error {
		d, err := g.app.Graph.Merge(ctx, g.who, g.project.ID, which(g.args[0], fromType), which(g.args[1], intoType))
		if err != nil || p.json {
			return p.answer(d.Merged, err, "")
		}
		p.printEntities([]loci.Entity{d.Merged}, false)
		p.noteSuggested(d.Suggestion, nil)
		return nil
	})
	cmd.Flags().StringVar(&fromType, "from-type", "", "type of FROM, if several entities share the name")
	cmd.Flags().StringVar(&intoType, "into-type", "", "type of INTO, if several entities share the name")
	return cmd
}

func (p *program) graphVendorsCommand() *cobra.Command {
	var kind, what string
	var vendors []loci.Vendor
	cmd := p.graph(pickPerson, &cobra.Command{
		Use: "vendors VENDORS NAME|ID…", Short: "Set which vendors may read what you wrote into a graph",
		Annotations: does(graph.Vendors, graph.Read, project.Read),
		Long: `Set which vendors may read entities, observations or relations that you wrote, all
or none. VENDORS is a list such as claude,cursor, or "*" for all. Name an entity by its
name or id; hiding it also hides its observations and relations. Showing it again leaves
those that have fewer vendors as they are; the command names them. Name observations and
relations by their ids, with --kind.`,
		Example: `  loci graph vendors claude "Salary review" --project home
  loci graph vendors '*' 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e --kind observation`,
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			vendors, err = parseVendors("VENDORS", strings.Split(args[0], ","))
			return err
		},
	}, func(ctx context.Context, g *onGraph) error {
		ids, err := g.rows(ctx, g.args[1:], kind, what)
		if err != nil {
			return err
		}
		n, err := g.app.Graph.SetVendors(ctx, g.who, g.project.ID, ids, vendors)
		if err := p.answer(wire.Changed{Changed: n}, err, "changed: %d", n); err != nil {
			return err
		}
		for i, id := range ids.Entities {
			if err := p.noteNarrower(ctx, g, g.args[i+1], id, vendors); err != nil {
				return err
			}
		}
		return nil
	})
	typeFlag(cmd, &kind)
	kindFlag(cmd, &what)
	return cmd
}

// noteNarrower tells which of the person's observations and relations of an entity some of its vendors may not read,
// and how to change that.
func (p *program) noteNarrower(ctx context.Context, g *onGraph, name string, id loci.EntityID,
	vendors []loci.Vendor) error {
	narrower := func(a *loci.GraphAccess) bool {
		return a.UserID == g.who.UserID && !slices.Contains(a.AllowedVendors, loci.AnyVendor) &&
			slices.ContainsFunc(vendors, func(v loci.Vendor) bool { return !slices.Contains(a.AllowedVendors, v) })
	}
	entity, request := graph.Which{ID: id}, graph.ListRequest{Limit: graph.MaxGraphPage}
	observations, err := gate.AllPages(func(cursor string) (gate.Page[loci.Observation], error) {
		request.Cursor = cursor
		return g.app.Graph.EntityObservations(ctx, g.who, g.project.ID, entity, request)
	})
	if err != nil {
		return err
	}
	relations, err := gate.AllPages(func(cursor string) (gate.Page[loci.Relation], error) {
		request.Cursor = cursor
		return g.app.Graph.EntityRelations(ctx, g.who, g.project.ID, entity, request)
	})
	if err != nil {
		return err
	}
	observations = slices.DeleteFunc(observations, func(o loci.Observation) bool { return !narrower(&o.GraphAccess) })
	p.noteFewerVendors(g, name, kindObservation, vendors,
		loci.Mapped(observations, func(o loci.Observation) string { return o.ID.String() }))
	relations = slices.DeleteFunc(relations, func(r loci.Relation) bool { return !narrower(&r.GraphAccess) })
	p.noteFewerVendors(g, name, kindRelation, vendors,
		loci.Mapped(relations, func(r loci.Relation) string { return r.ID.String() }))
	return nil
}

// mostNamed is how many ids a note names.
const mostNamed = 5

func (p *program) noteFewerVendors(g *onGraph, name, kind string, vendors []loci.Vendor, ids []string) {
	if len(ids) == 0 {
		return
	}
	shown, flags := strings.Join(ids[:min(len(ids), mostNamed)], " "), " --project "+quoted(g.project.Name)+g.actor.flags()
	if len(ids) > mostNamed {
		shown += " …"
		p.note("To see all ids, run: loci graph export%s", flags)
	}
	p.note("Still limited to fewer vendors: %s of %s. To change that, run: loci graph vendors %s %s --kind %s%s",
		loci.Plural(len(ids), kind, kind+"s"), cut(name, 60), quoted(joined(vendors)), shown, kind, flags)
}

// rows finds entities by name or id; other kinds have only ids.
func (g *onGraph) rows(ctx context.Context, args []string, kind, what string) (ids graph.IDs, err error) {
	if what != "" && what != kindEntity {
		return graphIDs(args, func(string) string { return what })
	}
	for _, arg := range args {
		e, err := g.app.Graph.Entity(ctx, g.who, g.project.ID, which(arg, kind))
		if err != nil {
			return ids, err
		}
		ids.Entities = append(ids.Entities, e.ID)
	}
	return ids, nil
}
