package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/vectors"
)

func (p *program) recallCommand() *cobra.Command {
	var f questionFlags
	var kinds []string
	var least float64
	cmd := p.find(&f, &cobra.Command{
		Use:   "recall QUERY…",
		Short: "Find the few best memories and events, with reasons and sources",
		Long: `Find the few best memories and events: 5 by default, at most 50 with --limit. It finds the
same memories as search and those beside them in their session. It shows why each one
matches and what a memory was derived from. Filters that only memories have leave events
out, and so do --as-of and --known-at.`,
		Example: `  loci recall when do we deploy
  loci recall why did the tests fail --kind event
  loci recall office --known-at 2026-03-01 --json
  loci recall what did we decide yesterday --asked-at 2026-03-01 --explain`,
		Annotations: does(memory.Read, project.Read),
	}, func(ctx context.Context, c *call, r memory.SearchRequest) error {
		for _, k := range kinds {
			r.Kinds = append(r.Kinds, memory.Kind(k))
		}
		r.MinConfidence = &least
		page, err := c.app.Memory.Recall(ctx, c.who, r)
		if err != nil {
			return err
		}
		return p.printRecalled(page)
	})
	confidenceFlag(cmd, &least)
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "find only this kind: memory or event (repeatable; default: both)")
	return cmd
}

// confidenceFlag adds the flag for the least confidence of what is found.
func confidenceFlag(cmd *cobra.Command, into *float64) {
	cmd.Flags().Float64Var(into, "min-confidence", recall.DefaultConfidence,
		"leave out what answers with less confidence, from 0 (everything) to 1")
}

func (p *program) printRecalled(page *memory.SearchPage[loci.Recalled]) error {
	if p.json {
		return p.printJSON(map[string]any{"memories": page.Items, "events": loci.OrEmpty(page.Events),
			"events_partial": page.EventsPartial, "next_cursor": page.NextCursor,
			"has_more": page.NextCursor != "", "total": page.Total, "total_is_lower_bound": page.TotalIsLowerBound,
			"partial": page.Partial(), "stopped_by": page.StoppedBy, "graph": append([]loci.RecalledEntity{}, page.Graph...),
			"meaning": page.Meaning, "nothing_fits": page.NothingFits})
	}
	p.noteStopped(page.StoppedBy, len(page.Items))
	switch page.Meaning {
	case vectors.Building:
		if len(p.processes()) > 0 {
			p.note("some memories are not ready for a search by meaning yet; ask again")
		} else {
			p.note("some memories are not ready for a search by meaning; a server (loci serve) or loci index rebuild does that")
		}
	case vectors.Partial:
		p.note("the model in use was not ready; found by words and by the built-in model")
	case vectors.Unavailable:
		p.note("the model of embeddings did not answer; found by words only")
	}
	if page.EventsPartial {
		p.note("events may be missing: their index did not get ready in time; ask again")
	}
	if len(page.Items)+len(page.Events) == 0 {
		switch p.printFacts(page.Graph); {
		case page.NothingFits:
			p.note("nothing fits: what was found hardly has to do with this; to get it, add --min-confidence 0")
		case len(page.Graph) == 0 && page.StoppedBy == memory.StoppedByNothing:
			p.note("no matches")
		}
		return nil
	}
	p.noteFallback(firstWhy(page))
	found := loci.Mapped(page.Items, func(m loci.Recalled) *loci.Memory { return &m.Memory })
	length := shortLength(idsOf(found))
	p.paged(func() {
		events := page.Events
		for i := range page.Items {
			m := &page.Items[i]
			for len(events) > 0 && events[0].Rank < m.Rank {
				p.printEventHit(&events[0])
				events = events[1:]
			}
			p.printHit(&m.Memory, m.Snippet, length)
			p.printDisagreement(&m.Disagreement)
			p.printWhy(m.Score, m.Confidence, m.Why)
			for _, s := range m.Sources {
				p.printf("    from %s\n", showSource(s))
			}
		}
		for i := range events {
			p.printEventHit(&events[i])
		}
		p.printFacts(page.Graph)
	})
	p.noteDisagreements(found...)
	p.more(page.NextCursor)
	return nil
}

// firstWhy returns why the best hit was found.
func firstWhy(page *memory.SearchPage[loci.Recalled]) loci.Why {
	if len(page.Items) == 0 || len(page.Events) > 0 && page.Events[0].Rank < page.Items[0].Rank {
		return page.Events[0].Why
	}
	return page.Items[0].Why
}

func (p *program) printEventHit(e *loci.RecalledEvent) {
	p.printf("%s  %s\n    %s\n    %s, %s\n", p.bold("event: "+eventKind(&e.Event)), e.ID, p.snippetText(e.Snippet),
		eventBy(&e.Event, func(loci.AgentID) string { return e.Origin }), p.showTime(e.Time))
	if why := e.Reasoning(); e.Class == loci.EventDecision && why != "" {
		p.printf("    %s\n", cut(why, 300))
	}
	if e.Alike > 0 {
		p.printf("    and %s the same but for numbers and ids\n", loci.Plural(e.Alike, "event that says", "events that say"))
	}
	p.printWhy(e.Score, e.Confidence, e.Why)
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
