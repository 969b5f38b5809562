package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

func (p *program) graphCommand() *cobra.Command {
	return group("graph", "Read and change the knowledge graph of a project",
		`Read and change the knowledge graph of a project: entities, observations about
them, and relations between them. Specify the project with --project, unless there is
only one active project. Names are exact. Use --type to distinguish entities that
share a name.`,
		p.graphAddCommand(), p.graphObserveCommand(), p.graphRelateCommand(),
		p.graphSearchCommand(), p.graphOpenCommand(), p.graphReadCommand(), p.graphNeighboursCommand(),
		p.graphHistoryCommand(),
		p.graphDeleteCommand(), p.graphForgetCommand(), p.graphUnrelateCommand(), p.graphTrashCommand(),
		p.graphRestoreCommand(),
		p.graphMergeCommand(), p.graphVendorsCommand(),
		p.graphExportCommand(), p.graphImportCommand(), p.graphCheckCommand())
}

// onGraph is a call that works on the graph of a project.
type onGraph struct {
	*call
	project loci.Project
	made    bool // the command created the project
}

// graph completes a command that works on the graph of a project: it adds --project and finds the project.
func (p *program) graph(which picks, cmd *cobra.Command, do func(context.Context, *onGraph) error) *cobra.Command {
	var project string
	projectFlag(cmd, &project)
	return p.acting(which, cmd, func(ctx context.Context, c *call) error {
		x, err := c.chosen(ctx, c.who, project)
		if err != nil {
			return c.onlyHere(ctx, err)
		}
		return do(ctx, &onGraph{call: c, project: x})
	})
}

func projectFlag(cmd *cobra.Command, project *string) {
	cmd.Flags().StringVar(project, "project", "", "name or id of the project (default: the only active one)")
}

// chosen returns the named project, or the only active one.
func (in *instance) chosen(ctx context.Context, who loci.Principal, name string) (loci.Project, error) {
	if name != "" {
		return in.project(ctx, who, name)
	}
	list, err := in.projects(ctx, who, loci.ProjectActive, 2)
	switch {
	case err != nil:
		return loci.Project{}, err
	case len(list) == 0:
		return loci.Project{}, loci.Errorf(loci.NotFound, "no active project; create one with: loci project create NAME%s",
			orgHint(who))
	case len(list) > 1:
		return loci.Project{}, usagef("specify --project: there are several projects, such as %s; see `loci project list%s`",
			quoted(list[0].Name), orgHint(who))
	}
	return list[0], nil
}

// typeFlag distinguishes entities that share a name.
func typeFlag(cmd *cobra.Command, kind *string) {
	cmd.Flags().StringVar(kind, "type", "", "type of the entity, if several share the name")
}

// refs are the entities that a command line names.
func refs(names []string, kind string) []loci.EntityRef {
	return loci.Mapped(names, func(name string) loci.EntityRef { return loci.EntityRef{Name: name, Type: kind} })
}

// which reads the name of an entity, or its id.
func which(s, kind string) graph.Which {
	var id loci.EntityID
	if kind == "" && id.UnmarshalText([]byte(s)) == nil && !id.IsZero() {
		return graph.Which{ID: id}
	}
	return graph.Which{EntityRef: loci.EntityRef{Name: s, Type: kind}}
}

// printEntities writes entities as trees: their observations, then their relations. ids puts the ids before the lines.
func (p *program) printEntities(list []loci.Entity, ids bool) {
	id := func(s string) string {
		if ids {
			return s + "  "
		}
		return ""
	}
	older := func(n int, one, many string) {
		if n > 0 {
			p.printf("  (%s; `%s` has all)\n", loci.Plural(n, "older "+one, "older "+many), p.onSameData("loci graph export"))
		}
	}
	for i := range list {
		e := &list[i]
		p.printf("%s%s (%s)\n", id(e.ID.String()), loci.OneLine(e.Name), loci.OneLine(e.Type))
		older(e.ObservationsLeft, "observation", "observations")
		for _, o := range e.Observations {
			p.printf("  %s- %s\n", id(o.ID.String()), loci.OneLine(o.Content))
		}
		older(e.RelationsLeft, "relation", "relations")
		for _, r := range e.Relations {
			p.printf("  %s%s\n", id(r.ID.String()), seenFrom(e, r))
		}
	}
}

// seenFrom is a relation as a line below one of its ends.
func seenFrom(e *loci.Entity, r loci.Relation) string {
	arrow, other := "→", r.To
	if r.FromID != e.ID {
		arrow, other = "←", r.From
	}
	return strings.Join([]string{arrow, loci.OneLine(r.Type), arrow, loci.OneLine(other)}, " ")
}

func relationText(r loci.Relation) string {
	return loci.OneLine(r.From) + " → " + loci.OneLine(r.Type) + " → " + loci.OneLine(r.To)
}

// idsFlag is the same for all commands that print entities.
func idsFlag(cmd *cobra.Command, ids *bool) {
	cmd.Flags().BoolVar(ids, "ids", false, "print ids, for restore and vendors")
}
