package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/memory"
)

// changesPoll is how often `loci changes --follow` looks for changes of other processes.
const changesPoll = time.Second

func (p *program) changesCommand() *cobra.Command {
	var since string
	var kinds []string
	var follow bool
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "changes", Short: "Show changes to memories and other rows", Annotations: does(memory.ChangesRead),
		Long: `Show changes to memories and memory nodes, whichever process made them: created,
changed, trashed, restored, erased or hidden. --since continues after a POSITION that
an earlier call printed. Without it, the command prints only the current position.
--kinds shows changes to other rows, such as candidate,session or all. --follow waits
for more until Ctrl-C. Loci keeps changes for 7 days.`,
	}, func(ctx context.Context, c *call) error {
		feed, err := c.app.Memory.Changes(ctx, c.who, lastPosition(since), kinds...)
		if loci.FieldOf(err) == "last_event_id" {
			return usagef("--since must be a position that `loci changes` printed")
		}
		if loci.FieldOf(err) == "kinds" {
			return usagef("--%s", err)
		}
		if err != nil {
			return err
		}
		return p.showChanges(ctx, feed, c.who, follow)
	})
	cmd.Flags().StringVar(&since, "since", "", "position that an earlier call printed, or all that it printed")
	cmd.Flags().StringSliceVar(&kinds, "kinds", nil, "kinds of rows (default memory,memory_node; all: every kind)")
	cmd.Flags().BoolVar(&follow, "follow", false, "wait, and show changes as they happen")
	return cmd
}

// positionMark begins the last line of the output, which has the position.
const positionMark = "position "

// lastPosition returns the position in what the command printed, or else text itself.
func lastPosition(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimPrefix(lines[len(lines)-1], positionMark)
}

// shownChange is a change or a reset as a program reads it, one per line.
type shownChange struct {
	Event    string          `json:"event"` // change, reset or position
	Position string          `json:"position"`
	Change   *loci.FeedEvent `json:"change,omitempty"`
}

// showChanges prints changes, with follow until ctx ends. The last line is the position, so that a script can continue
// there.
func (p *program) showChanges(ctx context.Context, feed *memory.Changes, who loci.Principal, follow bool) error {
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

func (p *program) printChanges(page *memory.ChangePage) error {
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
		p.printf("earlier changes are unknown; reload everything\n")
	default:
		e := c.Change
		by := ""
		if e.Origin != "" {
			by = " by " + loci.OneLine(e.Origin)
		}
		p.printf("%s  %-11s  %s  %s%s\n", p.showTime(e.At), e.Kind, e.ID, e.Change, by)
	}
	return nil
}

func (p *program) printPosition(at string) error {
	if p.json {
		return p.printLine(shownChange{Event: "position", Position: at})
	}
	p.printf(positionMark+"%s\n", at)
	return nil
}

func (p *program) printLine(v any) error {
	return jsonlines.Write(p.out, v)
}
