package main

import (
	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) recallCommand() *cobra.Command {
	var f questionFlags
	cmd := &cobra.Command{
		Use:   "recall QUERY…",
		Short: "Find the few best memories, with reasons and sources",
		Long: `Find the few best memories: 5 by default, at most 50 with --limit. It finds the same
memories as search and those beside them in their session. It shows why each one matches
and what it was derived from.`,
		Example: `  loci recall when do we deploy
  loci recall office --known-at 2026-03-01 --json
  loci recall what did we decide yesterday --asked-at 2026-03-01 --explain`,
		Annotations: does(memory.Read, project.Read),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.find(cmd.Context(), &f, args, func(in *instance, who loci.Principal, r memory.SearchRequest) error {
				page, err := in.app.Memory.Recall(cmd.Context(), who, r)
				if err != nil {
					return err
				}
				return p.printRecalled(page)
			})
		},
	}
	f.add(cmd)
	return cmd
}

func (p *program) printRecalled(page *memory.SearchPage[loci.Recalled]) error {
	if p.json {
		return p.printJSON(map[string]any{"memories": page.Items, "next_cursor": page.NextCursor,
			"has_more": page.NextCursor != "", "total": page.Total, "total_is_lower_bound": page.TotalIsLowerBound,
			"partial": page.Partial, "stopped_by": page.StoppedBy, "graph": append([]loci.RecalledEntity{}, page.Graph...)})
	}
	p.noteStopped(page.StoppedBy, len(page.Items))
	if len(page.Items) == 0 {
		if p.printFacts(page.Graph); len(page.Graph) == 0 && page.StoppedBy == memory.StoppedByNothing {
			p.note("no matches")
		}
		return nil
	}
	p.noteFallback(page.Items[0].Why)
	length := shortLength(idsOf(page.Items, func(m loci.Recalled) *loci.Memory { return &m.Memory }))
	p.paged(func() {
		for i := range page.Items {
			m := &page.Items[i]
			p.printHit(&m.Memory, m.Snippet, length)
			p.printDisagreement(&m.Disagreement)
			p.printWhy(m.Score, m.Why)
			for _, s := range m.Sources {
				p.printf("    from %s\n", showSource(s))
			}
		}
		p.printFacts(page.Graph)
	})
	p.noteDisagreements(idsIn(page.Items, func(m loci.Recalled) *loci.Memory { return &m.Memory })...)
	p.more(page.NextCursor)
	return nil
}

// printFacts prints what the graphs of projects have about a question.
func (p *program) printFacts(list []loci.RecalledEntity) {
	for i := range list {
		e := &list[i]
		p.printf("%s  in the graph of %s\n", p.bold(loci.OneLine(e.Name)+" ("+loci.OneLine(e.Type)+")"),
			loci.OneLine(e.Project))
		for _, o := range e.Observations {
			p.printf("    - %s\n", cut(o.Content, 300))
		}
		for _, r := range e.Relations {
			p.printf("    %s\n", seenFrom(&e.Entity, r))
		}
	}
}

// showSource is one line about where a memory comes from.
func showSource(s loci.Source) string {
	text := string(s.Kind)
	if s.Ref != "" {
		text += " " + loci.OneLine(s.Ref)
	}
	if s.Quote != "" {
		text += ": “" + cut(s.Quote, 120) + "”"
	}
	return text
}
