package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) suggestionCommand() *cobra.Command {
	return group("suggestion", "Accept or decline changes that others suggest",
		`Accept or decline changes that others suggest. An agent cannot replace a memory of
another origin; it can suggest to replace it with its own. It cannot delete or merge what
others wrote in a graph; it can suggest that. If a memory, an event or a row of a graph
has a secret, Loci itself suggests to remove it: accept removes it from the row and its old
versions, and decline keeps it.`,
		p.suggestionListCommand(),
		p.suggestionAcceptCommand(),
		p.settleCommand("decline", "Decline a suggestion: everything stays as it is", (*memory.Service).DeclineSuggestion))
}

func (p *program) suggestionAcceptCommand() *cobra.Command {
	var share bool
	cmd := p.settleCommand("accept", "Accept a suggestion: a memory replaces another, or rows or secrets are removed",
		func(s *memory.Service, ctx context.Context, who loci.Principal, id loci.SuggestionID) (loci.Suggestion, error) {
			if sg, err := s.Suggestion(ctx, who, id); err == nil && sg.Kind == loci.SuggestSecret {
				name := "what you saved"
				if sg.Memory != nil {
					name = quoted(sg.Memory.Title)
				}
				what := "the secrets of " + name + ", also from old versions and sources, for good"
				if err := p.agreed(ctx, "Remove "+what+"?", "remove "+what, "--yes"); err != nil {
					return sg, err
				}
			}
			return s.AcceptSuggestion(ctx, who, id, share)
		})
	p.yesFlag(cmd)
	cmd.Flags().BoolVar(&share, "share", false,
		"also share the new memory with the team and project that can read the old one")
	return cmd
}

func (p *program) suggestionListCommand() *cobra.Command {
	r := memory.SuggestionsRequest{Limit: gate.MaxPage}
	cmd := p.acting(pickPerson, &cobra.Command{
		Use: "list", Short: "List suggestions, newest first", Annotations: does(memory.SuggestionRead),
	}, func(ctx context.Context, c *call) error {
		list, err := gate.AllPages(func(cursor string) (gate.Page[loci.Suggestion], error) {
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
		err = printList(p, "suggestions", list, err, "no suggestions", "MEMORY|WITH|ID|WHAT|STATE|BY|SUGGESTED|SHARED WITH",
			func(s loci.Suggestion) []string {
				shared := ""
				if s.Memory != nil {
					shared = s.Memory.SharedWith
				}
				if s.Graph != nil {
					with := ""
					if s.Kind == loci.SuggestSecret {
						with = strings.Join(s.Graph.Rows[0].Secrets, ", ")
					} else if n := len(s.Graph.Rows) - 1 + s.Graph.More; n > 0 {
						with = "and " + loci.Plural(n, "more row", "more rows")
					}
					return []string{cut(loci.OneLine(s.Graph.Rows[0].Text), 60), with, s.ID.String(), string(s.Kind), string(s.State),
						s.Origin, p.showTime(s.CreatedAt), ""}
				}
				of, with := s.Memory, title(s.By)
				if s.Row != nil {
					of = s.Row.Excerpt
				}
				if s.Kind == loci.SuggestSecret && of != nil {
					with = strings.Join(of.Secrets, ", ")
				}
				return []string{title(of), with, s.ID.String(), string(s.Kind), string(s.State),
					s.Origin, p.showTime(s.CreatedAt), shared}
			})
		if !p.json && slices.ContainsFunc(list, func(s loci.Suggestion) bool { return s.NoLongerShared != "" }) {
			p.note("A new memory is not shared when you accept it. To share it with those who read the old one, pass --share.")
		}
		return err
	})
	readFlag(cmd, &r.State, "state", string(loci.SuggestionPending), "pending, accepted, declined or all",
		oneOf(loci.SuggestionPending, loci.SuggestionAccepted, loci.SuggestionDeclined))
	return cmd
}

// settledGraph prints what a suggestion about a graph took out of it, and how to take that back.
func (p *program) settledGraph(s *loci.Suggestion) error {
	err := p.answer(s, nil, "%s %s: %s %s", s.State, s.ID, s.Kind,
		loci.Plural(len(s.Graph.Rows)+s.Graph.More, "row", "rows"))
	if err != nil || p.json || s.State != loci.SuggestionAccepted {
		return err
	}
	for _, row := range s.Graph.Rows {
		p.note("%s: %s (written by %s)", row.Kind, cut(loci.OneLine(row.Text), 80), row.Origin)
	}
	if s.Graph.More > 0 {
		p.note("and %s more", loci.Plural(s.Graph.More, "row", "rows"))
	}
	p.note("It is in the trash of the graph. To take it back, see: loci graph trash --project %s", s.Graph.ProjectID)
	return nil
}

func (p *program) settleCommand(use, short string,
	do func(*memory.Service, context.Context, loci.Principal, loci.SuggestionID) (loci.Suggestion, error)) *cobra.Command {
	return onID(p, pickPerson, "suggestion", "loci suggestion list", resolveSuggestion, &cobra.Command{
		Use: use + " ID", Short: short, Annotations: does(memory.SuggestionSettle),
	}, func(ctx context.Context, c *call, id loci.SuggestionID) error {
		s, err := do(c.app.Memory, ctx, c.who, id)
		if err == nil && s.Graph != nil && s.Kind != loci.SuggestSecret {
			return p.settledGraph(&s)
		}
		if err == nil && s.Kind == loci.SuggestSecret {
			did, of := "kept", "memory "+s.MemoryID.String()
			if s.Row != nil {
				of = strings.ReplaceAll(s.Row.Kind, "_", " ") + " " + s.Row.ID.String()
			} else if s.Graph != nil {
				of = "the graph of project " + s.Graph.ProjectID.String()
			}
			if s.State == loci.SuggestionAccepted {
				did = "removed"
				p.note("%s", s.Hint)
			}
			return p.answer(s, nil, "%s %s: %s the secrets of %s", s.State, s.ID, did, of)
		}
		err = p.answer(s, err, "%s %s: %s memory %s with %s", s.State, s.ID, s.Kind, s.MemoryID, s.ByID)
		if err == nil && s.NoLongerShared != "" {
			flags := ""
			if c.actor.org+c.actor.user != "" {
				flags = orgHint(c.who) + " --user " + c.who.UserID.String()
			}
			p.note("%s can read the old memory, but not the new one%s", s.NoLongerShared,
				toShare(s.NoLongerShared, s.ByID, flags))
		}
		if err == nil && s.State == loci.SuggestionDeclined {
			p.note("both memories stay; if the declined text is wrong: %s",
				"loci trash "+s.ByID.String())
		}
		return err
	})
}
