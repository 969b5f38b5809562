package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) graphDeleteCommand() *cobra.Command {
	var f graphFlags
	var kind string
	cmd := &cobra.Command{
		Use: "delete NAME…", Short: "Move entities to the graph's trash, with all that hangs on them", Args: cobra.MinimumNArgs(1),
		Annotations: does(app.GraphDelete, app.ProjectRead),
		Long: `Move entities to the graph's trash, with their observations and relations. Names
that are not there are passed over. Back with: loci graph restore ID.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			refs := make([]loci.EntityRef, len(args))
			for i, name := range args {
				refs[i] = loci.EntityRef{Name: name, Type: kind}
			}
			return p.deleteInGraph(cmd, &f, "entities", func(ctx context.Context, g *onGraph) (int, error) {
				return g.app.DeleteEntities(ctx, g.who, g.project.ID, refs)
			})
		},
	}
	f.add(cmd, true)
	typeFlag(cmd, &kind)
	return cmd
}

func (p *program) graphForgetCommand() *cobra.Command {
	var f graphFlags
	var kind string
	cmd := &cobra.Command{
		Use: "forget NAME OBSERVATION…", Short: "Move observations of an entity to the graph's trash", Args: cobra.MinimumNArgs(2),
		Annotations: does(app.GraphDelete, app.ProjectRead),
		Long: `Move observations of an entity to the graph's trash, by their exact texts. What is
not there is passed over.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.deleteInGraph(cmd, &f, "observations", func(ctx context.Context, g *onGraph) (int, error) {
				return g.app.DeleteObservations(ctx, g.who, g.project.ID, []loci.Contents{{Entity: loci.EntityRef{Name: args[0], Type: kind}, Contents: args[1:]}})
			})
		},
	}
	f.add(cmd, true)
	typeFlag(cmd, &kind)
	return cmd
}

func (p *program) graphUnrelateCommand() *cobra.Command {
	var f graphFlags
	var r relationFlags
	cmd := &cobra.Command{
		Use: "unrelate FROM RELATION TO", Short: "Move a relation to the graph's trash", Args: cobra.ExactArgs(3),
		Annotations: does(app.GraphDelete, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.deleteInGraph(cmd, &f, "relations", func(ctx context.Context, g *onGraph) (int, error) {
				return g.app.DeleteRelations(ctx, g.who, g.project.ID, r.relation(args))
			})
		},
	}
	f.add(cmd, true)
	r.add(cmd)
	return cmd
}

func (p *program) deleteInGraph(cmd *cobra.Command, f *graphFlags, what string, do func(context.Context, *onGraph) (int, error)) error {
	return p.graph(cmd, f, func(ctx context.Context, g *onGraph) error {
		n, err := do(ctx, g)
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(wire.Deleted{Deleted: n})
		}
		p.printf("%s deleted: %d\n", what, n)
		return nil
	})
}

func (p *program) graphTrashCommand() *cobra.Command {
	var f graphFlags
	var limit int
	cmd := &cobra.Command{
		Use: "trash", Short: "List what was deleted and can be restored, newest first", Args: cobra.NoArgs, Annotations: does(app.GraphTrashed, app.ProjectRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				trash, err := g.app.GraphTrash(ctx, g.who, g.project.ID, limit)
				if err != nil {
					return err
				}
				return p.printGraphTrash(trash)
			})
		},
	}
	f.add(cmd, true)
	cmd.Flags().IntVar(&limit, "limit", 0, "how many of each kind")
	return cmd
}

func (p *program) printGraphTrash(trash app.GraphTrash) error {
	if p.json {
		return p.printJSON(wire.GraphTrash{Entities: notNil(trash.Entities), Observations: notNil(trash.Observations), Relations: notNil(trash.Relations)})
	}
	var rows [][]string
	for _, e := range trash.Entities {
		rows = append(rows, []string{e.ID.String(), kindEntity, showTime(e.DeletedAt), e.Origin, e.Name + " (" + e.Type + ")"})
	}
	for _, o := range trash.Observations {
		rows = append(rows, []string{o.ID.String(), kindObservation, showTime(o.DeletedAt), o.Origin, o.Content})
	}
	for _, r := range trash.Relations {
		rows = append(rows, []string{r.ID.String(), kindRelation, showTime(r.DeletedAt), r.Origin, relationText(r)})
	}
	if len(rows) == 0 {
		p.note("nothing is in the trash of this graph")
		return nil
	}
	p.printTable([]string{"ID", "KIND", "DELETED", "WRITTEN BY", "TEXT"}, rows)
	return nil
}

// The kinds of rows of a graph, on the command line.
const (
	kindEntity      = "entity"
	kindObservation = "observation"
	kindRelation    = "relation"
)

func (p *program) graphRestoreCommand() *cobra.Command {
	var f graphFlags
	var kind string
	cmd := &cobra.Command{
		Use: "restore ID…", Short: "Take entities, observations and relations out of the trash", Args: cobra.MinimumNArgs(1),
		Annotations: does(app.GraphRestore, app.GraphTrashed, app.ProjectRead),
		Long: `Take entities, observations and relations out of the graph's trash, all or none.
An entity comes back with what was deleted along with it. "loci graph trash" shows
ids; without --kind it is looked up there what they are.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				kinds := func(string) string { return kind }
				if kind == "" {
					trash, err := g.app.GraphTrash(ctx, g.who, g.project.ID, mostTrash)
					if err != nil {
						return err
					}
					kinds = kindsIn(trash)
				}
				ids, err := graphIDs(args, kinds)
				if err != nil {
					return err
				}
				n, err := g.app.RestoreNodes(ctx, g.who, g.project.ID, ids)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(wire.Restored{Restored: n})
				}
				p.printf("restored: %d\n", n)
				return nil
			})
		},
	}
	f.add(cmd, true)
	kindFlag(cmd, &kind)
	return cmd
}

// mostTrash is how much of each kind is looked through for an id.
const mostTrash = 1000

func kindFlag(cmd *cobra.Command, kind *string) {
	cmd.Flags().StringVar(kind, "kind", "", "what the ids are of: entity, observation or relation")
}

// kindsIn says of what is in the trash which kind it is; of others that they
// are entities, which is what they will be missed as.
func kindsIn(trash app.GraphTrash) func(string) string {
	kinds := map[string]string{}
	for _, o := range trash.Observations {
		kinds[o.ID.String()] = kindObservation
	}
	for _, r := range trash.Relations {
		kinds[r.ID.String()] = kindRelation
	}
	return func(id string) string {
		if kind, ok := kinds[id]; ok {
			return kind
		}
		return kindEntity
	}
}

// graphIDs sorts ids of the command line by what they are of.
func graphIDs(args []string, kindOf func(id string) string) (ids app.GraphIDs, err error) {
	for _, arg := range args {
		id, err := parseID[loci.EntityID](arg, "row of a graph", "loci graph trash")
		if err != nil {
			return ids, err
		}
		switch kind := kindOf(id.String()); kind {
		case kindEntity:
			ids.Entities = append(ids.Entities, id)
		case kindObservation:
			ids.Observations = append(ids.Observations, loci.ObservationID(id))
		case kindRelation:
			ids.Relations = append(ids.Relations, loci.RelationID(id))
		default:
			return ids, loci.FieldErrorf("--kind", "must be entity, observation or relation, and is %q", cut(kind, 60))
		}
	}
	return ids, nil
}
