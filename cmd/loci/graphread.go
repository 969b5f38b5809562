package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
)

type pageFlags struct {
	limit  int
	cursor string
	ids    bool
}

func (f *pageFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.limit, "limit", 0, "how many entities on a page")
	cmd.Flags().StringVar(&f.cursor, "cursor", "", "continue after the previous page")
	idsFlag(cmd, &f.ids)
}

func (p *program) graphSearchCommand() *cobra.Command {
	var at pageFlags
	cmd := p.graph(pickAny, &cobra.Command{
		Use: "search QUERY…", Short: "Find entities by name, type and observations, best first",
		Annotations: does(graph.Read, project.Read),
		Long: `Find entities by name, type and observations, best first. An entity matches if it has
all the words in any of these. If none has all, Loci shows those with some of them. You
can use AND, OR and NOT in capitals, "quoted phrases", prefix* and parentheses. These
hold for each text: for a name with its type, or for one observation.`,
		Example: `  loci graph search coffee
  loci graph search '"release notes" AND (alpha OR beta*)' --project website`,
	}, func(ctx context.Context, g *onGraph) error {
		hits, err := g.app.Graph.Search(ctx, g.who, g.project.ID,
			graph.SearchRequest{Query: strings.Join(g.args, " "), Limit: at.limit, Cursor: at.cursor})
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(wire.GraphHits{Entities: loci.OrEmpty(hits.Entities), Total: hits.Total,
				TotalIsLowerBound: hits.TotalIsLowerBound, AnyWord: hits.AnyWord, More: moreJSON(hits.NextCursor)})
		}
		if len(hits.Entities) == 0 {
			p.note("no matches")
			return nil
		}
		if hits.AnyWord {
			p.note("no entity has all these words; these have some of them, or words that are like them")
		}
		p.printEntities(hits.Entities, at.ids)
		p.more(hits.NextCursor)
		return nil
	})
	at.add(cmd)
	return cmd
}

func (p *program) graphOpenCommand() *cobra.Command {
	var kind string
	var ids bool
	cmd := p.graph(pickAny, &cobra.Command{
		Use: "open NAME…", Short: "Show entities by name, with observations and relations",
		Annotations: does(graph.Read, project.Read),
		Long: `Show entities by name, with their observations and relations. If a name is missing,
Loci suggests the nearest names, and the exit code is 3.`,
	}, func(ctx context.Context, g *onGraph) error {
		found, err := g.app.Graph.OpenEntities(ctx, g.who, g.project.ID, refs(g.args, kind))
		if err != nil {
			return err
		}
		out := wire.FoundEntities{Entities: loci.OrEmpty(found.Entities), Missing: []wire.NoSuchName{}}
		var texts []string
		for _, m := range found.Missing {
			text := fmt.Sprintf("entity %q not found", cut(m.Name, 100))
			if len(m.Nearest) > 0 {
				text += "; did you mean " + strings.Join(m.Nearest, ", ") + "?"
			}
			out.Missing, texts = append(out.Missing, wire.NoSuchName(m)), append(texts, text)
		}
		if p.json {
			err = p.printJSON(out)
		} else {
			p.printEntities(found.Entities, ids)
		}
		if err != nil || len(texts) == 0 {
			return err
		}
		return loci.Errorf(loci.NotFound, "%s", strings.Join(texts, "; "))
	})
	typeFlag(cmd, &kind)
	idsFlag(cmd, &ids)
	return cmd
}

func (p *program) graphReadCommand() *cobra.Command {
	var at pageFlags
	cmd := p.graph(pickAny, &cobra.Command{
		Use: "read", Short: "Show the whole graph, page by page, oldest first", Annotations: does(graph.Read, project.Read),
	}, func(ctx context.Context, g *onGraph) error {
		found, err := g.app.Graph.Read(ctx, g.who, g.project.ID, graph.ListRequest{Limit: at.limit, Cursor: at.cursor})
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(wire.GraphPage{Entities: loci.OrEmpty(found.Entities), Relations: loci.OrEmpty(found.Relations),
				Left: found.Left, More: moreJSON(found.NextCursor)})
		}
		if len(found.Entities) == 0 {
			p.note("the graph of %s is empty", cut(g.project.Name, 60))
			return nil
		}
		p.printEntities(found.Entities, at.ids)
		if found.Left > 0 {
			p.note("%s on later pages", loci.Plural(found.Left, "entity", "entities"))
		}
		p.more(found.NextCursor)
		return nil
	})
	at.add(cmd)
	return cmd
}

func (p *program) graphNeighboursCommand() *cobra.Command {
	var kind string
	var hops, limit int
	var ids bool
	cmd := p.graph(pickAny, &cobra.Command{
		Use: "neighbours NAME", Aliases: []string{"neighbors"}, Short: "Show an entity and its neighbours, nearest first",
		Annotations: does(graph.Read, project.Read),
	}, func(ctx context.Context, g *onGraph) error {
		list, err := g.app.Graph.Neighbours(ctx, g.who, g.project.ID, which(g.args[0], kind), hops, limit)
		if err != nil || p.json {
			return p.answer(wire.EntityList{Entities: loci.OrEmpty(list)}, err, "")
		}
		p.printEntities(list, ids)
		return nil
	})
	typeFlag(cmd, &kind)
	cmd.Flags().IntVar(&hops, "hops", 1, fmt.Sprintf("how many relations away, at most %d", graph.MaxHops))
	cmd.Flags().IntVar(&limit, "limit", 0, fmt.Sprintf("how many entities, at most %d", graph.MaxNeighbours))
	idsFlag(cmd, &ids)
	return cmd
}

func (p *program) graphHistoryCommand() *cobra.Command {
	var kind string
	var limit int
	cmd := p.graph(pickAny, &cobra.Command{
		Use: "history NAME", Short: "Show the changes to an entity, oldest first",
		Annotations: does(graph.History, project.Read),
		Long: `Show the changes to an entity, its observations and its relations, oldest first. NAME
is a name or an id. Use the id for a deleted entity.`,
	}, func(ctx context.Context, g *onGraph) error {
		list, err := g.app.Graph.EntityHistory(ctx, g.who, g.project.ID, which(g.args[0], kind), limit)
		if err != nil || p.json {
			return p.answer(wire.GraphChangeList{Changes: loci.OrEmpty(list)}, err, "")
		}
		return printList(p, "changes", list, nil, "", "AT|CHANGE|KIND|BY|TEXT", func(x loci.GraphChange) []string {
			return []string{p.showTime(x.At), x.Change, x.Kind, x.Origin, x.Text}
		})
	})
	typeFlag(cmd, &kind)
	cmd.Flags().IntVar(&limit, "limit", 0, "how many changes")
	return cmd
}
