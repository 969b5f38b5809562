package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// hitJSON is a found memory with why it was found.
type hitJSON struct {
	*loci.Memory
	Score   float64  `json:"score"`
	Snippet string   `json:"snippet"`
	Why     loci.Why `json:"why"`
}

func (p *program) searchCommand() *cobra.Command {
	var f filterFlags
	var why bool
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Find memories, best first",
		Long: `Find memories, best first. Words need not all occur; "several words" in quotes
must follow each other; word* finds what begins like it. If nothing has the words, words
that begin like them are taken, then text that contains them.`,
		Example: `  loci search deploy schedule
  loci search '"release notes"' --tag ops --as cursor
  loci search deploy --as-of 2026-03-01 --why`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: does(app.MemoryRead, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.find(cmd.Context(), &f, args, func(in *instance, who loci.Principal, r app.SearchRequest) error {
				page, err := in.app.Search(cmd.Context(), who, r)
				if err != nil {
					return err
				}
				return p.printHits(page, why)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&why, "why", false, "say why each was found")
	return cmd
}

// find runs do with what the words and the flags ask for, and who asks.
func (p *program) find(ctx context.Context, f *filterFlags, words []string, do func(*instance, loci.Principal, app.SearchRequest) error) error {
	filter, err := f.filter()
	if err != nil {
		return err
	}
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := f.viewer(ctx, in, &filter)
		if err != nil {
			return err
		}
		return do(in, who, app.SearchRequest{Filter: filter, Query: strings.Join(words, " "), Limit: f.limit, Cursor: f.cursor})
	})
}

func (p *program) printHits(page *app.SearchPage, why bool) error {
	if p.json {
		hits := make([]hitJSON, len(page.Hits))
		for i, h := range page.Hits {
			hits[i] = hitJSON{h.Memory, h.Score, h.Snippet, h.Why}
		}
		return p.printJSON(map[string]any{"memories": hits, "next_cursor": page.NextCursor, "has_more": page.NextCursor != "",
			"total": page.Total, "total_is_lower_bound": page.TotalIsLowerBound, "partial": page.Partial})
	}
	if len(page.Hits) == 0 {
		p.note("nothing found")
		return nil
	}
	p.noteFallback(page.Hits[0].Why)
	for _, h := range page.Hits {
		p.printHit(h.Memory, h.Snippet)
		if why {
			p.printf("    %s\n", showWhy(h.Score, h.Why))
		}
	}
	p.more(page.NextCursor)
	return nil
}

// noteFallback says what was taken instead of the words.
func (p *program) noteFallback(why loci.Why) {
	switch why.Fallback {
	case "prefix":
		p.note("no memory has these words; these have words that begin like them")
	case "substring":
		p.note("no memory has these words; these have text that contains them")
	}
}

func (p *program) printHit(m *loci.Memory, snippet string) {
	p.printf("%s  %s\n", m.ID, loci.OneLine(m.Title))
	p.printf("    %s\n", loci.OneLine(snippet))
	p.printf("    %s, %s\n", m.Origin, details(m))
}

// showWhy is why a memory was found, in one line.
func showWhy(score float64, why loci.Why) string {
	parts := make([]string, len(why.Terms))
	for i, t := range why.Terms {
		parts[i] = fmt.Sprintf("%s in %s %.2f", loci.OneLine(t.Term), strings.Join(t.Fields, "+"), t.Score)
	}
	text := fmt.Sprintf("score %.2f: %s", score, strings.Join(parts, ", "))
	if len(why.Boosts) > 0 {
		text += "; before others of that score by " + strings.Join(why.Boosts, ", ")
	}
	return text
}

func details(m *loci.Memory) string {
	text := showTime(m.CreatedAt)
	if len(m.Tags) > 0 {
		text += ", " + loci.OneLine(strings.Join(m.Tags, " "))
	}
	return text
}

// more says how to see the next page.
func (p *program) more(cursor string) {
	if cursor != "" {
		p.note("there is more: repeat with --cursor %s", cursor)
	}
}
