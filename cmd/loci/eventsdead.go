package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
)

func (p *program) eventsDeadCommand() *cobra.Command {
	var limit int
	cmd := p.acting(pickOrg, &cobra.Command{
		Use: "dead", Short: "List the events that the org's Arc refused", Annotations: does(event.Dead),
		Long: `List the events that the org's Arc refused while it took others, with its reason. They
stay in the data directory, and can be read like all others. After you have removed the
reason, send them again with "loci events replay-dead".`,
	}, func(ctx context.Context, c *call) error {
		list, err := c.app.Event.DeadLetters(ctx, c.who, 0, limit)
		return printList(p, "dead", list, err, "no event was refused", "ID|TIME|REFUSED|REASON",
			func(d eventlog.DeadLetter) []string {
				return []string{d.Event.ID.String(), p.showTime(d.Event.Time), p.showTime(d.BuriedAt), cut(d.Reason, 120)}
			})
	})
	cmd.Flags().IntVar(&limit, "limit", 100, "the maximum number of events, the oldest ones")
	return cmd
}

func (p *program) eventsReplayCommand() *cobra.Command {
	var all bool
	cmd := p.acting(pickOrg, &cobra.Command{
		Use: "replay-dead [EVENT…]", Short: "Send events that the org's Arc refused to it again",
		Annotations: does(event.Replay),
		Long: `Send events that the org's Arc refused to it again: those with the ids EVENT, or with
--all all of them. A running server sends them within seconds.`,
		Example: `  loci events replay-dead --org acme --all`,
		PreRunE: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usagef("specify the ids of events, or --all")
			}
			return nil
		},
	}, func(ctx context.Context, c *call) error {
		var ids []loci.EventID
		for i, arg := range c.args {
			var id loci.EventID
			if err := id.UnmarshalText([]byte(arg)); err != nil || arg == "" {
				return loci.FieldErrorf("EVENT "+strconv.Itoa(i+1), "must be the id of an event; see `loci events dead`")
			}
			ids = append(ids, id)
		}
		n, err := c.app.Event.ReplayDead(ctx, c.who, ids)
		return p.answer(map[string]any{"replayed": n}, err, "%s will be sent again", loci.Plural(n, "event", "events"))
	})
	cmd.Flags().BoolVar(&all, "all", false, "all events that were refused")
	return cmd
}
