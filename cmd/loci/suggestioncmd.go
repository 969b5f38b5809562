package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) suggestionCommands() []*cobra.Command {
	return []*cobra.Command{group("suggestion", "Decide what others suggest about your memories", `Decide what others suggest about your memories. An agent cannot hide what another
origin wrote: it suggests that its own memory takes the place.`,
		p.suggestionListCommand(),
		p.settleCommand("accept", "Accept a suggestion: the memory is hidden from recall, the other takes its place", (*app.App).AcceptSuggestion),
		p.settleCommand("decline", "Decline a suggestion: the memory stays as it is", (*app.App).DeclineSuggestion))}
}

func (p *program) suggestionListCommand() *cobra.Command {
	var org, user, state string
	cmd := &cobra.Command{
		Use: "list", Short: "List suggestions, the newest first", Args: cobra.NoArgs, Annotations: does(app.SuggestionRead, app.MemoryRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := app.SuggestionsRequest{State: loci.SuggestionState(state), Limit: app.MaxPage}
			switch r.State {
			case "all":
				r.State = ""
			case loci.SuggestionPending, loci.SuggestionAccepted, loci.SuggestionDeclined:
			default:
				return loci.FieldErrorf("--state", "must be pending, accepted, declined or all, and is %q", cut(state, 60))
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				list, err := in.suggestions(ctx, who, r)
				if err != nil {
					return err
				}
				return p.printSuggestions(ctx, in, who, list)
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	cmd.Flags().StringVar(&state, "state", string(loci.SuggestionPending), "pending, accepted, declined or all")
	return cmd
}

// suggestions reads all pages.
func (in *instance) suggestions(ctx context.Context, who loci.Principal, r app.SuggestionsRequest) ([]loci.Suggestion, error) {
	return allPages(func(cursor string) ([]loci.Suggestion, string, error) {
		r.Cursor = cursor
		page, err := in.app.Suggestions(ctx, who, r)
		if err != nil {
			return nil, "", err
		}
		return page.Suggestions, page.NextCursor, nil
	})
}

func (p *program) printSuggestions(ctx context.Context, in *instance, who loci.Principal, list []loci.Suggestion) error {
	if p.json {
		return p.printJSON(page("suggestions", notNil(list)))
	}
	if len(list) == 0 {
		p.note("no suggestions")
		return nil
	}
	called := func(id loci.MemoryID) (string, error) {
		found, err := in.app.ByIDs(ctx, who, []loci.MemoryID{id}, loci.When{Superseded: true})
		if err != nil || len(found) == 0 {
			return id.String(), err // it is not live any more
		}
		return cut(found[0].Title, 40), nil
	}
	rows := make([][]string, len(list))
	for i, s := range list {
		memory, err := called(s.MemoryID)
		if err != nil {
			return err
		}
		by, err := called(s.ByID)
		if err != nil {
			return err
		}
		rows[i] = []string{s.ID.String(), showTime(s.CreatedAt), s.Origin, string(s.Kind), memory, by, string(s.State)}
	}
	p.printTable([]string{"ID", "SUGGESTED", "BY", "WHAT", "MEMORY", "WITH", "STATE"}, rows)
	return nil
}

func (p *program) settleCommand(use, short string, do func(*app.App, context.Context, loci.Principal, loci.SuggestionID) (loci.Suggestion, error)) *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: use + " ID", Short: short, Args: cobra.ExactArgs(1), Annotations: does(app.SuggestionSettle),
		RunE: func(cmd *cobra.Command, args []string) error {
			var id loci.SuggestionID
			if id.UnmarshalText([]byte(args[0])) != nil {
				return loci.Errorf(loci.Invalid, "%q is not an id of a suggestion; `loci suggestion list` shows them", cut(args[0], 60))
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				s, err := do(in.app, ctx, who, id)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(s)
				}
				p.printf("%s %s: %s memory %s with %s\n", s.State, s.ID, s.Kind, s.MemoryID, s.ByID)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	return cmd
}
