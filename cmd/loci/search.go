package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// hitJSON is a found memory with why it was found.
type hitJSON struct {
	*loci.Memory
	Score   float64 `json:"score"`
	Snippet string  `json:"snippet"`
}

func (p *program) searchCommand() *cobra.Command {
	var f filterFlags
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Find memories, best first",
		Long: `Find memories, best first. Words need not all occur; "several words" in quotes
must follow each other; word* finds what begins like it.`,
		Example: `  loci search deploy schedule
  loci search '"release notes"' --tag ops --as cursor`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: does(app.MemoryRead, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				who, err := f.viewer(cmd.Context(), in, &filter)
				if err != nil {
					return err
				}
				page, err := in.app.Search(cmd.Context(), who, app.SearchRequest{
					Filter: filter, Query: strings.Join(args, " "), Limit: f.limit, Cursor: f.cursor})
				if err != nil {
					return err
				}
				return p.printHits(page)
			})
		},
	}
	f.add(cmd)
	return cmd
}

func (p *program) printHits(page *app.SearchPage) error {
	if p.json {
		hits := make([]hitJSON, len(page.Hits))
		for i, h := range page.Hits {
			hits[i] = hitJSON{h.Memory, h.Score, h.Snippet}
		}
		return p.printJSON(map[string]any{"memories": hits, "next_cursor": page.NextCursor, "has_more": page.NextCursor != "",
			"total": page.Total, "total_is_lower_bound": page.TotalIsLowerBound, "partial": page.Partial})
	}
	if len(page.Hits) == 0 {
		p.note("nothing found")
		return nil
	}
	if page.Partial {
		p.note("no memory has these words; these have words that begin like them")
	}
	for _, h := range page.Hits {
		p.printf("%s  %s\n", h.Memory.ID, loci.OneLine(h.Memory.Title))
		p.printf("    %s\n", loci.OneLine(h.Snippet))
		p.printf("    %s, %s\n", h.Memory.Origin, details(h.Memory))
	}
	p.more(page.NextCursor)
	return nil
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
