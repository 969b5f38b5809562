package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) sourceCommand() *cobra.Command {
	return group("source", "Say where memories come from", `Say where memories come from: a message, a session, an event, an address or the raw
text, with the part that says it. Every search result shows it.`,
		p.sourceAddCommand(), p.sourceListCommand(), p.sourceDeleteCommand())
}

func (p *program) sourceAddCommand() *cobra.Command {
	var on onMemory
	var s loci.Source
	var kind string
	var allow []string
	cmd := &cobra.Command{
		Use: "add MEMORY", Short: "Say where a memory comes from", Args: cobra.ExactArgs(1), Annotations: does(app.SourceAdd),
		Example: `  loci source add MEMORY --kind url --ref https://wiki.example.org/deploys --quote "never on Fridays"
  loci source add MEMORY --kind message --ref msg-4711 --text "We deploy on Tuesdays." --quote Tuesdays`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			if s.AllowedVendors, err = parseVendors("--allow", allow); err != nil {
				return err
			}
			s.Kind = loci.SourceKind(kind)
			return on.run(cmd.Context(), p, func(in *instance, who loci.Principal) error {
				list, _, err := in.app.AddSources(cmd.Context(), who, id, []loci.Source{s})
				if err != nil {
					return aboutMemory(id, err)
				}
				if p.json {
					return p.printJSON(page("sources", list))
				}
				p.printf("added %s %s\n", list[0].ID, cut(cmp.Or(list[0].Ref, list[0].Text), 60))
				return nil
			})
		},
	}
	on.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&kind, "kind", "", "message, session, event, url or text (required)")
	flags.StringVar(&s.Ref, "ref", "", "an id or an address")
	flags.StringVar(&s.Text, "text", "", "the raw text")
	flags.StringVar(&s.Quote, "quote", "", "the part that says it")
	flags.IntVar(&s.Start, "start", 0, "where the quote begins in the text, in characters")
	flags.IntVar(&s.End, "end", 0, "where it ends")
	flags.StringSliceVar(&allow, "allow", nil, "vendors that may read it, of those that may read the memory (default: all of them)")
	_ = cmd.MarkFlagRequired("kind")
	return cmd
}

func (p *program) sourceListCommand() *cobra.Command {
	var on onMemory
	cmd := &cobra.Command{
		Use: "list MEMORY", Short: "List where a memory comes from", Args: cobra.ExactArgs(1), Annotations: does(app.SourceRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			return on.run(cmd.Context(), p, func(in *instance, who loci.Principal) error {
				list, err := in.app.Sources(cmd.Context(), who, id)
				if err != nil {
					return aboutMemory(id, err)
				}
				return p.printSources(list)
			})
		},
	}
	on.add(cmd)
	return cmd
}

func (p *program) printSources(list []loci.Source) error {
	if p.json {
		return p.printJSON(page("sources", notNil(list)))
	}
	if len(list) == 0 {
		p.note("nobody said where it comes from; say it with: loci source add MEMORY --kind KIND")
		return nil
	}
	rows := make([][]string, len(list))
	for i, s := range list {
		rows[i] = []string{s.ID.String(), string(s.Kind), cut(cmp.Or(s.Ref, s.Text), 60), cut(s.Quote, 60), s.Origin, joinVendors(s.AllowedVendors), showTime(s.CreatedAt)}
	}
	p.printTable([]string{"ID", "KIND", "REF", "QUOTE", "ORIGIN", "VISIBLE TO", "CREATED"}, rows)
	return nil
}

func (p *program) sourceDeleteCommand() *cobra.Command {
	var on onMemory
	var yes bool
	cmd := &cobra.Command{
		Use: "delete ID", Short: "Delete a source for good", Args: cobra.ExactArgs(1), Annotations: does(app.SourceDelete),
		RunE: func(cmd *cobra.Command, args []string) error {
			var id loci.SourceID
			if err := id.UnmarshalText([]byte(args[0])); err != nil {
				return loci.Errorf(loci.Invalid, "%q is not an id: %s; `loci source list MEMORY` shows ids", cut(args[0], 60), err)
			}
			if err := p.sure(yes, "Delete the source "+id.String()+" for good?"); err != nil {
				return err
			}
			return on.run(cmd.Context(), p, func(in *instance, who loci.Principal) error {
				err := in.app.DeleteSource(cmd.Context(), who, id)
				if loci.CodeOf(err) == loci.NotFound {
					err = loci.WrapError(loci.NotFound, err, "no source %s here; `loci source list MEMORY` shows those of a memory", id)
				}
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(map[string]any{"deleted": id})
				}
				p.printf("deleted %s\n", id)
				return nil
			})
		},
	}
	on.add(cmd)
	yesFlag(cmd, &yes)
	return cmd
}
