package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) sourceCommand() *cobra.Command {
	return group("source", "Record where memories come from",
		`Record where memories come from: a message, a session, an event, an address or the
raw text, with the quote that supports the memory. Every search result shows it.`,
		p.sourceAddCommand(), p.sourceListCommand(), p.sourceDeleteCommand())
}

// onMemoryID completes a command about the memory in its first argument.
func (p *program) onMemoryID(which picks, cmd *cobra.Command,
	do func(context.Context, *call, loci.MemoryID) error) *cobra.Command {
	return onID(p, which, "memory", "loci list", resolveMemory, cmd,
		func(ctx context.Context, c *call, id loci.MemoryID) error {
			err := do(ctx, c, id)
			if c.actor.vendor != "" && loci.IsNoSuchMemory(err) {
				return notFor(id, c.who.Vendor, err)
			}
			return aboutMemory(id, err)
		})
}

func (p *program) sourceAddCommand() *cobra.Command {
	var s loci.Source
	cmd := p.onMemoryID(pickAny, &cobra.Command{
		Use: "add MEMORY", Short: "Record where a memory comes from", Annotations: does(memory.SourceAdd),
		Example: `  loci source add MEMORY --kind url --ref https://wiki.example.org/deploys --quote "never on Fridays"
  loci source add MEMORY --kind message --ref msg-4711 --text "We deploy on Tuesdays." --quote Tuesdays`,
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		list, _, err := c.app.Memory.AddSources(ctx, c.who, id, []loci.Source{s})
		p.noteSecrets(gate.SecretsOf(list...))
		if err != nil || p.json {
			return p.answer(page("sources", list), err, "")
		}
		p.printf("added %s %s\n", list[0].ID, titleOf(cmp.Or(list[0].Ref, list[0].Text), false))
		return nil
	})
	flags := cmd.Flags()
	flags.StringVar((*string)(&s.Kind), "kind", "", "message, session, event, url or text (required)")
	flags.StringVar(&s.Ref, "ref", "", "an id or an address")
	flags.StringVar(&s.Text, "text", "", "the raw text")
	flags.StringVar(&s.Quote, "quote", "", "the part that supports the memory")
	flags.IntVar(&s.Start, "start", 0, "where the quote begins in the text, in characters")
	flags.IntVar(&s.End, "end", 0, "where the quote ends in the text")
	vendorsFlag(cmd, &s.AllowedVendors, "vendors that may read it, among those of the memory (default: all of them)")
	_ = cmd.MarkFlagRequired("kind")
	return cmd
}

func (p *program) sourceListCommand() *cobra.Command {
	return p.onMemoryID(pickAny, &cobra.Command{
		Use: "list MEMORY", Short: "List where a memory comes from", Annotations: does(memory.SourceRead),
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		list, err := c.app.Memory.Sources(ctx, c.who, id)
		return printList(p, "sources", list, err, "no sources; record one with: loci source add MEMORY --kind KIND",
			"REF|ID|KIND|QUOTE|ORIGIN|VISIBLE TO|CREATED", func(s loci.Source) []string {
				return []string{titleOf(cmp.Or(s.Ref, s.Text), false), s.ID.String(), string(s.Kind),
					titleOf(s.Quote, false), s.Origin, joined(s.AllowedVendors), p.showTime(s.CreatedAt)}
			})
	})
}

func (p *program) sourceDeleteCommand() *cobra.Command {
	const see = "loci source list MEMORY"
	find := func(ctx context.Context, c *call, s string) (loci.SourceID, error) {
		id, err := c.app.Memory.ResolveSource(ctx, c.who, s)
		return id, orNoSuch(err, "source", s, see)
	}
	return onID(p, pickAny|asks, "source", see, find, &cobra.Command{
		Use: "delete ID", Short: "Permanently delete a source", Annotations: does(memory.SourceDelete),
	}, func(ctx context.Context, c *call, id loci.SourceID) error {
		err := p.sure(ctx, "delete", "source", id.String())
		if err == nil {
			err = orNoSuch(c.app.Memory.DeleteSource(ctx, c.who, id), "source", id.String(), see)
		}
		return p.answer(map[string]any{"deleted": id}, err, "deleted %s", id)
	})
}
