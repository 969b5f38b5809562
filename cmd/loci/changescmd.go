package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// changesPoll is how often `loci changes --follow` looks.
const changesPoll = time.Second

func (p *program) changesCommand() *cobra.Command {
	var since, org, user, vendor string
	var follow bool
	cmd := &cobra.Command{
		Use: "changes", Short: "Show what changes: memories and memory nodes", Args: cobra.NoArgs, Annotations: does(app.ChangesRead),
		Long: `Show what changes: memories and memory nodes that are written, changed, trashed,
restored, erased or hidden, by whatever process. --since goes on behind a POSITION
that an earlier call has printed; without it there is only the position to begin
at. --follow stays until Ctrl-C. What changed is kept for 7 days.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				f := graphFlags{org: org, user: user, vendor: vendor}
				who, err := f.principal(ctx, in)
				if err != nil {
					return err
				}
				feed, err := in.app.Changes(ctx, who, since)
				if loci.FieldOf(err) == "last_event_id" {
					return usagef("--since is no position that `loci changes` has printed")
				}
				if err != nil {
					return err
				}
				return p.showChanges(ctx, feed, who, follow)
			})
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "the position that an earlier call has printed")
	cmd.Flags().BoolVar(&follow, "follow", false, "stay, and show changes as they happen")
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	cmd.Flags().StringVar(&vendor, "as", "", "see what this vendor's assistant sees")
	return cmd
}

// shownChange is a change, or a reset, as a program reads it: one in a line.
type shownChange struct {
	Event    string          `json:"event"` // change, reset or position
	Position string          `json:"position"`
	Change   *loci.FeedEvent `json:"change,omitempty"`
}

// showChanges prints what there is, and with follow what comes, until ctx ends. The position that it ends with is the last
// line, so that a script can go on there.
func (p *program) showChanges(ctx context.Context, feed *app.Changes, who loci.Principal, follow bool) error {
	for {
		written := feed.Written()
		page, err := feed.Read(ctx, who)
		if err != nil {
			return err
		}
		if err := p.printChanges(page); err != nil || p.unwritten != nil {
			return err
		}
		if page.More {
			continue
		}
		if !follow {
			return p.printPosition(page.Position)
		}
		select {
		case <-ctx.Done():
			return p.printPosition(page.Position)
		case <-written:
		case <-time.After(changesPoll):
		}
	}
}

func (p *program) printChanges(page *app.ChangePage) error {
	if page.Reset {
		if err := p.printChange(shownChange{Event: "reset", Position: page.Position}); err != nil {
			return err
		}
	}
	for i := range page.Events {
		e := &page.Events[i]
		if err := p.printChange(shownChange{"change", e.Position, &e.FeedEvent}); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) printChange(c shownChange) error {
	switch {
	case p.json:
		return p.printLine(c)
	case c.Change == nil:
		p.printf("what changed until now is not known; read everything again\n")
	default:
		e := c.Change
		by := ""
		if e.Origin != "" {
			by = " by " + loci.OneLine(e.Origin)
		}
		p.printf("%s  %-11s  %s  %s%s\n", showTime(e.At), e.Kind, e.ID, e.Change, by)
	}
	return nil
}

func (p *program) printPosition(at string) error {
	if p.json {
		return p.printLine(shownChange{Event: "position", Position: at})
	}
	p.printf("position %s\n", at)
	return nil
}

func (p *program) printLine(v any) error {
	return json.NewEncoder(p.out).Encode(v)
}
