package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
)

// deleteInGraph completes a command that moves rows of a graph to its trash.
func (p *program) deleteInGraph(one, many string, cmd *cobra.Command, do func(context.Context, *onGraph) (graph.Deleted,
	error)) *cobra.Command {
	cmd.Annotations = does(graph.Delete, project.Read)
	return p.graph(pickAny, cmd, func(ctx context.Context, g *onGraph) error {
		d, err := do(ctx, g)
		out := wire.Deleted{Deleted: d.Count, Suggested: d.Suggested()}
		if d.Suggestion != nil {
			out.Suggestion = d.Suggestion.ID
		}
		err = p.answer(out, err, "deleted %s", loci.Plural(d.Count, one, many))
		p.noteSuggested(d.Suggestion, err)
		return err
	})
}

// noteSuggested names the way to what was only suggested.
func (p *program) noteSuggested(s *loci.Suggestion, err error) {
	if s != nil && err == nil {
		p.note("Others wrote %s, so Loci only suggested the change. To make it: loci suggestion accept %s",
			loci.Plural(s.Graph.Len(), "row, or a part of it", "rows, or parts of them"), s.ID)
	}
}

// noteDeleted names the entities if there were more than names: of several types, or for several vendors.
func (p *program) noteDeleted(list []loci.Entity, names []string) {
	if len(list) <= len(names) || p.json {
		return
	}
	for _, e := range list {
		p.note("Deleted %s: %s (%s)", e.ID, cut(e.Name, 60), cut(e.Type, 60))
	}
}

func (p *program) graphDeleteCommand() *cobra.Command {
	var kind string
	cmd := p.deleteInGraph("entity", "entities", &cobra.Command{
		Use: "delete NAME…", Short: "Move entities to the graph's trash",
		Long: `Move entities to the graph's trash, with their observations and relations. Loci
ignores missing names. If several entities have a name, it moves all of them, and names
them. To restore an entity, run: loci graph restore ID.`,
	}, func(ctx context.Context, g *onGraph) (graph.Deleted, error) {
		d, err := g.app.Graph.DeleteEntities(ctx, g.who, g.project.ID, refs(g.args, kind))
		p.noteDeleted(d.Entities, g.args)
		return d, err
	})
	typeFlag(cmd, &kind)
	return cmd
}

func (p *program) graphForgetCommand() *cobra.Command {
	var kind string
	cmd := p.deleteInGraph("observation", "observations", &cobra.Command{
		Use: "forget NAME OBSERVATION…", Short: "Move observations of an entity to the graph's trash",
		Long: `Move observations of an entity to the graph's trash, by their exact texts. Loci
ignores missing ones.`,
	}, func(ctx context.Context, g *onGraph) (graph.Deleted, error) {
		return g.app.Graph.DeleteObservations(ctx, g.who, g.project.ID,
			[]loci.Contents{{Entity: loci.EntityRef{Name: g.args[0], Type: kind}, Contents: g.args[1:]}})
	})
	typeFlag(cmd, &kind)
	return cmd
}

func (p *program) graphUnrelateCommand() *cobra.Command {
	var r relationFlags
	cmd := p.deleteInGraph("relation", "relations", &cobra.Command{
		Use: "unrelate FROM RELATION TO", Short: "Move a relation to the graph's trash",
	}, func(ctx context.Context, g *onGraph) (graph.Deleted, error) {
		return g.app.Graph.DeleteRelations(ctx, g.who, g.project.ID, r.relation(g.args))
	})
	r.add(cmd)
	return cmd
}

func (p *program) graphTrashCommand() *cobra.Command {
	var limit int
	cmd := p.graph(pickAny, &cobra.Command{
		Use: "trash", Short: "List the graph's trash, newest first", Annotations: does(graph.ReadTrash, project.Read),
	}, func(ctx context.Context, g *onGraph) error {
		trash, err := g.app.Graph.Trash(ctx, g.who, g.project.ID, limit)
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(wire.GraphTrash{Entities: loci.OrEmpty(trash.Entities),
				Observations: loci.OrEmpty(trash.Observations), Relations: loci.OrEmpty(trash.Relations)})
		}
		var rows [][]string
		add := func(text, id, kind string, at time.Time, origin string) {
			rows = append(rows, []string{text, id, kind, p.showTime(at), origin})
		}
		for _, e := range trash.Entities {
			add(e.Name+" ("+e.Type+")", e.ID.String(), kindEntity, e.DeletedAt, e.Origin)
		}
		for _, o := range trash.Observations {
			add(o.Content, o.ID.String(), kindObservation, o.DeletedAt, o.Origin)
		}
		for _, r := range trash.Relations {
			add(relationText(r), r.ID.String(), kindRelation, r.DeletedAt, r.Origin)
		}
		return printList(p, "trash", rows, nil, "the trash of this graph is empty", "TEXT|ID|KIND|DELETED|WRITTEN BY",
			func(row []string) []string { return row })
	})
	cmd.Flags().IntVar(&limit, "limit", 0, "how many of each kind")
	return cmd
}

// These are the kinds of rows of a graph, on the command line.
const (
	kindEntity      = "entity"
	kindObservation = "observation"
	kindRelation    = "relation"
)

func (p *program) graphRestoreCommand() *cobra.Command {
	var kind string
	cmd := p.graph(pickAny, &cobra.Command{
		Use: "restore ID…", Short: "Restore entities, observations and relations from the trash",
		Annotations: does(graph.Restore, graph.ReadTrash, project.Read),
		Long: `Restore entities, observations and relations from the graph's trash, all or none. An
entity returns with what was deleted along with it. "loci graph trash" shows ids.
Without --kind, Loci looks up there what the ids are.`,
	}, func(ctx context.Context, g *onGraph) error {
		trash, err := g.app.Graph.Trash(ctx, g.who, g.project.ID, mostTrash)
		if err != nil {
			return err
		}
		kinds := kindsIn(trash)
		if kind != "" {
			kinds = func(string) string { return kind }
		}
		args, err := wholeIDs(trash, g.args)
		if err != nil {
			return err
		}
		ids, err := graphIDs(args, kinds)
		if err != nil {
			return err
		}
		n, err := g.app.Graph.RestoreEntities(ctx, g.who, g.project.ID, ids)
		return p.answer(wire.Restored{Restored: n}, err, "restored: %d", n)
	})
	kindFlag(cmd, &kind)
	return cmd
}

// mostTrash is how many rows of each kind restore looks through for an id.
const mostTrash = 1000

func kindFlag(cmd *cobra.Command, kind *string) {
	cmd.Flags().StringVar(kind, "kind", "", "kind of the ids: entity, observation or relation")
}

// kindsIn returns the kinds of the rows in the trash. It treats any other id as an entity's.
func kindsIn(trash graph.Trashed) func(string) string {
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

// wholeIDs completes the beginnings of ids in the trash.
func wholeIDs(trash graph.Trashed, args []string) ([]string, error) {
	all := slices.Concat(
		loci.Mapped(trash.Entities, func(e loci.Entity) [16]byte { return e.ID }),
		loci.Mapped(trash.Observations, func(o loci.Observation) [16]byte { return o.ID }),
		loci.Mapped(trash.Relations, func(r loci.Relation) [16]byte { return r.ID }))
	whole := slices.Clone(args)
	for i, arg := range args {
		if len(arg) == len(loci.EntityID{}.String()) || checkID(arg, "", "") != nil {
			continue // whole, or for graphIDs to reject
		}
		id, err := beginning(all, arg, "graph", "loci graph trash")
		if err != nil {
			return nil, err
		}
		whole[i] = loci.EntityID(id).String()
	}
	return whole, nil
}

// graphIDs sorts ids of the command line by kind.
func graphIDs(args []string, kindOf func(id string) string) (ids graph.IDs, err error) {
	for _, arg := range args {
		var id loci.EntityID
		if id.UnmarshalText([]byte(arg)) != nil {
			return ids, loci.Errorf(loci.Invalid, "%q is not a valid graph id; see `loci graph trash`", cut(arg, 60))
		}
		switch kind := kindOf(id.String()); kind {
		case kindEntity:
			ids.Entities = append(ids.Entities, id)
		case kindObservation:
			ids.Observations = append(ids.Observations, loci.ObservationID(id))
		case kindRelation:
			ids.Relations = append(ids.Relations, loci.RelationID(id))
		default:
			return ids, loci.FieldErrorf("--kind", "must be entity, observation or relation, not %q", cut(kind, 60))
		}
	}
	return ids, nil
}
