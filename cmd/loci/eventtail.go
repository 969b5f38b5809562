package main

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

// eventsPoll is how often `loci events tail --follow` looks for events.
const eventsPoll = 500 * time.Millisecond

func (p *program) eventsTailCommand() *cobra.Command {
	var f eventFilterFlags
	var last int
	var follow bool
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "tail", Short: "Show the last events, and follow them",
		Annotations: does(event.Read, agent.Read, agent.SessionRead, project.Read),
		Long: `Show the last events, the newest at the end. --follow waits for more until Ctrl-C,
whichever process logs them. With --json, each line is an event.`,
		Example: `  loci events tail --follow --session "Login page"`,
	}, func(ctx context.Context, c *call) error {
		filter, err := f.filter(ctx, c)
		if err != nil {
			return err
		}
		called, err := c.agentNames(ctx, c.who)
		if err != nil {
			return err
		}
		t := &tail{p: p, c: c, filter: filter, called: called, shown: map[loci.EventID]bool{}}
		return t.run(ctx, last, follow)
	})
	f.add(cmd)
	cmd.Flags().IntVarP(&last, "lines", "n", 10, "how many of the last events, at most 500")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "wait, and show events as they are logged")
	return cmd
}

// tail prints events as they are logged.
type tail struct {
	p      *program
	c      *call
	filter event.Filter
	called func(loci.AgentID) string
	shown  map[loci.EventID]bool // before the first turn
}

// run begins where the log ends, and shows the last events before that.
func (t *tail) run(ctx context.Context, last int, follow bool) error {
	page, err := t.c.app.Event.Tail(ctx, t.c.who, event.TailRequest{Filter: t.filter})
	if err != nil {
		return err
	}
	if last > 0 {
		before, err := t.c.app.Event.Search(ctx, t.c.who, event.SearchRequest{Filter: t.filter, Limit: last})
		if err != nil {
			return err
		}
		slices.Reverse(before.Items)
		if err := t.print(before.Items); err != nil {
			return err
		}
	}
	if !follow {
		return nil
	}
	return t.follow(ctx, page.Cursor)
}

func (t *tail) follow(ctx context.Context, cursor string) error {
	for {
		page, err := t.c.app.Event.Tail(ctx, t.c.who, event.TailRequest{Filter: t.filter, Limit: gate.MaxPage,
			Cursor: cursor})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.print(page.Events); err != nil || t.p.unwritten != nil {
			return err
		}
		if cursor = page.Cursor; page.More {
			continue
		}
		clear(t.shown)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(eventsPoll):
		}
	}
}

// print prints events that were not printed before.
func (t *tail) print(events []*loci.Event) error {
	for _, e := range events {
		if t.shown[e.ID] {
			continue
		}
		t.shown[e.ID] = true
		if t.p.json {
			if err := t.p.printLine(e); err != nil {
				return err
			}
			continue
		}
		t.p.printf("%s  %s  %s: %s\n", e.Time.Local().Format("2006-01-02 15:04:05"), eventKind(e),
			cut(eventBy(e, t.called), 40), cut(e.Content, 500))
	}
	return nil
}

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
