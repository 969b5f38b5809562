package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) suggestionCommand() *cobra.Command {
	return group("suggestion", "Accept or decline changes that others suggest",
		`Accept or decline changes that others suggest. An agent cannot replace a memory of
another origin; it can suggest to replace it with its own.`,
		p.suggestionListCommand(),
		p.settleCommand("accept", "Accept a suggestion: the new memory replaces the old one in recall",
			(*memory.Service).AcceptSuggestion),
		p.settleCommand("decline", "Decline a suggestion: both memories stay", (*memory.Service).DeclineSuggestion))
}

func (p *program) suggestionListCommand() *cobra.Command {
	var state string
	r := memory.SuggestionsRequest{Limit: gate.MaxPage}
	cmd := p.acting(pickPerson, &cobra.Command{
		Use: "list", Short: "List suggestions, newest first", Annotations: does(memory.SuggestionRead),
		PreRunE: func(*cobra.Command, []string) (err error) {
			r.State, err = parseState("--state", state, loci.SuggestionPending, loci.SuggestionAccepted, loci.SuggestionDeclined)
			return err
		},
	}, func(ctx context.Context, c *call) error {
		list, err := allPages(func(cursor string) (gate.Page[loci.Suggestion], error) {
			r.Cursor = cursor
			return c.app.Memory.Suggestions(ctx, c.who, r)
		})
		title := func(e *loci.Excerpt) string {
			if e == nil {
				return ""
			}
			if text := loci.OneLine(e.Text); !strings.HasPrefix(text, strings.TrimSuffix(e.Title, "…")) {
				return cut(e.Title+": "+text, 60)
			}
			return cut(e.Text, 60) // a memory without a title gets its first line as the title
		}
		return printList(p, "suggestions", list, err, "no suggestions", "MEMORY|WITH|ID|WHAT|STATE|BY|SUGGESTED",
			func(s loci.Suggestion) []string {
				return []string{title(s.Memory), title(s.By), s.ID.String(), string(s.Kind), string(s.State),
					s.Origin, p.showTime(s.CreatedAt)}
			})
	})
	cmd.Flags().StringVar(&state, "state", string(loci.SuggestionPending), "pending, accepted, declined or all")
	return cmd
}

func (p *program) settleCommand(use, short string,
	do func(*memory.Service, context.Context, loci.Principal, loci.SuggestionID) (loci.Suggestion, error)) *cobra.Command {
	return onID(p, pickPerson, "suggestion", "loci suggestion list", resolveSuggestion, &cobra.Command{
		Use: use + " ID", Short: short, Annotations: does(memory.SuggestionSettle),
	}, func(ctx context.Context, c *call, id loci.SuggestionID) error {
		s, err := do(c.app.Memory, ctx, c.who, id)
		err = p.answer(s, err, "%s %s: %s memory %s with %s", s.State, s.ID, s.Kind, s.MemoryID, s.ByID)
		if err == nil && s.State == loci.SuggestionDeclined {
			p.note("both memories stay; if the declined text is wrong: %s",
				"loci trash "+s.ByID.String())
		}
		return err
	})
}
