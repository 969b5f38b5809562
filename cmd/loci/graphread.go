package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// pageFlags ask for one page.
type pageFlags struct {
	limit  int
	cursor string
	ids    bool
}

func (f *pageFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.limit, "limit", 0, "how many entities on a page")
	cmd.Flags().StringVar(&f.cursor, "cursor", "", "continue where the page before ended")
	cmd.Flags().BoolVar(&f.ids, "ids", false, idsText)
}

func (p *program) graphSearchCommand() *cobra.Command {
	var f graphFlags
	var at pageFlags
	cmd := &cobra.Command{
		Use: "search QUERY…", Short: "Find entities by their names, types and observations, best first", Args: cobra.MinimumNArgs(1),
		Annotations: does(app.GraphRead, app.ProjectRead),
		Long: `Find entities by their names, types and observations, best first. All words must
occur at an entity, wherever in these; where none has all, those with some of them
are shown. AND, OR and NOT in capitals, "several words" in quotes, word* and
parentheses say more.`,
		Example: `  loci graph search coffee
  loci graph search '"release notes" AND (alpha OR beta*)' --project website`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				hits, err := g.app.SearchGraph(ctx, g.who, g.project.ID, app.GraphSearch{Query: strings.Join(args, " "), Limit: at.limit, Cursor: at.cursor})
				if err != nil {
					return err
				}
				return p.printGraphHits(hits, at.ids)
			})
		},
	}
	f.add(cmd, true)
	at.add(cmd)
	return cmd
}

func moreJSON(cursor string) wire.More {
	return wire.More{NextCursor: cursor, HasMore: cursor != ""}
}

func (p *program) printGraphHits(hits *app.GraphHits, ids bool) error {
	if p.json {
		return p.printJSON(wire.GraphHits{Entities: notNil(hits.Entities), Total: hits.Total, TotalIsLowerBound: hits.TotalIsLowerBound, AnyWord: hits.AnyWord,
			More: moreJSON(hits.NextCursor)})
	}
	if len(hits.Entities) == 0 {
		p.note("nothing found")
		return nil
	}
	if hits.AnyWord {
		p.note("nothing has all these words; these have some of them, or words that begin like them")
	}
	p.printEntities(hits.Entities, ids)
	p.more(hits.NextCursor)
	return nil
}

func (p *program) graphOpenCommand() *cobra.Command {
	var f graphFlags
	var kind string
	var ids bool
	cmd := &cobra.Command{
		Use: "open NAME…", Short: "Show entities by their names, with observations and relations", Args: cobra.MinimumNArgs(1),
		Annotations: does(app.GraphRead, app.ProjectRead),
		Long: `Show entities by their names, with their observations and relations. If one is not
there, the nearest names are said, and the exit code is 3.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			refs := make([]loci.EntityRef, len(args))
			for i, name := range args {
				refs[i] = loci.EntityRef{Name: name, Type: kind}
			}
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				found, err := g.app.OpenNodes(ctx, g.who, g.project.ID, refs)
				if err != nil {
					return err
				}
				return p.printFound(found, ids)
			})
		},
	}
	f.add(cmd, true)
	typeFlag(cmd, &kind)
	cmd.Flags().BoolVar(&ids, "ids", false, idsText)
	return cmd
}

func (p *program) printFound(found *app.FoundNodes, ids bool) error {
	if p.json {
		out := wire.FoundNodes{Entities: notNil(found.Entities), Missing: []wire.NoSuchName{}}
		for _, m := range found.Missing {
			out.Missing = append(out.Missing, wire.NoSuchName(m))
		}
		if err := p.printJSON(out); err != nil {
			return err
		}
	} else {
		p.printEntities(found.Entities, ids)
	}
	if len(found.Missing) == 0 {
		return nil
	}
	texts := make([]string, len(found.Missing))
	for i, m := range found.Missing {
		texts[i] = fmt.Sprintf("no entity %q", cut(m.Name, 100))
		if len(m.Nearest) > 0 {
			texts[i] += "; did you mean " + strings.Join(m.Nearest, ", ") + "?"
		}
	}
	return loci.Errorf(loci.NotFound, "%s", strings.Join(texts, "; "))
}

func (p *program) graphReadCommand() *cobra.Command {
	var f graphFlags
	var at pageFlags
	cmd := &cobra.Command{
		Use: "read", Short: "Show the whole graph, page by page, oldest first", Args: cobra.NoArgs, Annotations: does(app.GraphRead, app.ProjectRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				found, err := g.app.ReadGraph(ctx, g.who, g.project.ID, app.GraphList{Limit: at.limit, Cursor: at.cursor})
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(wire.GraphPage{Entities: notNil(found.Entities), Relations: notNil(found.Relations), Left: found.Left, More: moreJSON(found.NextCursor)})
				}
				if len(found.Entities) == 0 {
					p.note("the graph of %s is empty", cut(g.project.Name, 60))
					return nil
				}
				p.printEntities(found.Entities, at.ids)
				if found.Left > 0 {
					p.note("entities behind this page: %d", found.Left)
				}
				p.more(found.NextCursor)
				return nil
			})
		},
	}
	f.add(cmd, true)
	at.add(cmd)
	return cmd
}

func (p *program) graphNeighboursCommand() *cobra.Command {
	var f graphFlags
	var kind string
	var hops, limit int
	var ids bool
	cmd := &cobra.Command{
		Use: "neighbours NAME", Aliases: []string{"neighbors"}, Short: "Show an entity and those near it, nearest first", Args: cobra.ExactArgs(1),
		Annotations: does(app.GraphRead, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				list, err := g.app.Neighbours(ctx, g.who, g.project.ID, which(args[0], kind), hops, limit)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(wire.EntityList{Entities: notNil(list)})
				}
				p.printEntities(list, ids)
				return nil
			})
		},
	}
	f.add(cmd, true)
	typeFlag(cmd, &kind)
	cmd.Flags().IntVar(&hops, "hops", 1, fmt.Sprintf("how many relations away, at most %d", app.MaxHops))
	cmd.Flags().IntVar(&limit, "limit", 0, fmt.Sprintf("how many entities, at most %d", app.MaxNeighbours))
	cmd.Flags().BoolVar(&ids, "ids", false, idsText)
	return cmd
}

func (p *program) graphHistoryCommand() *cobra.Command {
	var f graphFlags
	var kind string
	var limit int
	cmd := &cobra.Command{
		Use: "history NAME", Short: "Show what happened to an entity, oldest first", Args: cobra.ExactArgs(1), Annotations: does(app.GraphHistory, app.ProjectRead),
		Long: `Show what happened to an entity, to its observations and its relations, oldest
first. NAME is a name or an id; a deleted entity is found by its id.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error {
				list, err := g.app.EntityHistory(ctx, g.who, g.project.ID, which(args[0], kind), limit)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(wire.GraphChangeList{Changes: notNil(list)})
				}
				rows := make([][]string, len(list))
				for i, c := range list {
					rows[i] = []string{showTime(c.At), c.Change, c.Kind, c.Origin, c.Text}
				}
				p.printTable([]string{"AT", "CHANGE", "KIND", "BY", "TEXT"}, rows)
				return nil
			})
		},
	}
	f.add(cmd, true)
	typeFlag(cmd, &kind)
	cmd.Flags().IntVar(&limit, "limit", 0, "how many changes")
	return cmd
}
