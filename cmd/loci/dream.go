package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/review"
)

// dreams runs the dream-cycle of each org every night, until ctx ends.
func (p *program) dreams(ctx context.Context, in *instance) {
	ticks := time.NewTicker(time.Minute)
	defer ticks.Stop()
	maintain.Nightly(ctx, ticks.C, maintain.NightlyOptions{Name: "dream", Store: in.store, Log: p.log, Now: time.Now,
		At: func(ctx context.Context) (time.Duration, bool) { d := in.settings(ctx).Dream; return d.At, !d.Off },
		Run: func(ctx context.Context, id loci.OrgID, since time.Time) error {
			d, err := in.app.Review.DreamNightly(ctx, id, since)
			if d != nil {
				p.log.InfoContext(ctx, "the dream-cycle has run", "org", string(id), "run", d.ID.String(), "state",
					string(d.State), "proposed", d.Proposed, "promoted", d.Promoted, "archived", d.Archived, "left", d.Left)
			}
			return err
		}})
}

type orgDream struct {
	Org loci.OrgID `json:"org"`
	*loci.Dream
}

func (p *program) dreamCommand() *cobra.Command {
	var r review.DreamRequest
	cmd := p.acting(onlyOrg, &cobra.Command{
		Use: "dream", Short: "Make candidates of new events, and decide about those that wait",
		Annotations: does(review.Dream, org.List),
		Long: `Run the dream-cycle now. Loci makes candidates of new events and notes. It promotes
candidates that are certain enough, and archives exact duplicates. Others wait for a
person, with the reason: see "loci review list". A running server does this every night
at 03:30 (setting dream.at). With --dry-run, Loci writes nothing.`,
		Example: `  loci dream --dry-run
  loci dream --org acme`,
	}, func(ctx context.Context, c *call) error {
		var list []orgDream
		r.Time = review.NightlyTime
		err := p.follow(ctx, func(ctx context.Context) error {
			return c.inOrgs(ctx, c.actor.org, func(who loci.Principal) error {
				d, err := c.app.Review.Dream(ctx, who, r)
				if d != nil {
					list = append(list, orgDream{who.OrgID, d})
				}
				return err
			})
		})
		return errors.Join(p.printDreams(list, nil, ""), err)
	})
	cmd.Flags().BoolVar(&r.DryRun, "dry-run", false, "show what would happen, and write nothing")
	cmd.AddCommand(p.dreamListCommand(), p.dreamShowCommand())
	return cmd
}

func (p *program) printDreams(list []orgDream, err error, empty string) error {
	return printList(p, "runs", list, err, empty,
		"STARTED|ORG|STATE|BY|EVENTS|PROPOSED|PROMOTED|ARCHIVED|LEFT|FAILED|ID", func(d orgDream) []string {
			promoted, archived := d.Promoted+d.WouldPromote, d.Archived+d.WouldArchive
			state := string(d.State)
			if d.DryRun {
				state = "dry run"
			}
			row := []string{p.showTime(d.StartedAt), string(d.Org), state, d.RequestedBy}
			for _, n := range []int{d.Events, d.Proposed, promoted, archived, d.Left, d.Failed} {
				row = append(row, strconv.Itoa(n))
			}
			return append(row, d.ID.String())
		})
}

func (p *program) dreamListCommand() *cobra.Command {
	return p.acting(onlyOrg, &cobra.Command{
		Use: "list", Short: "List the runs of the dream-cycle, newest first", Annotations: does(review.DreamRead, org.List),
	}, func(ctx context.Context, c *call) error {
		var list []orgDream
		err := c.inOrgs(ctx, c.actor.org, func(who loci.Principal) error {
			all, err := gate.AllPages(func(cursor string) (gate.Page[*loci.Dream], error) {
				return c.app.Review.Dreams(ctx, who, gate.MaxPage, cursor)
			})
			for _, d := range all {
				list = append(list, orgDream{who.OrgID, d})
			}
			return err
		})
		return p.printDreams(list, err, "the dream-cycle has not run; run it with: loci dream")
	})
}

func (p *program) dreamShowCommand() *cobra.Command {
	return p.acting(onlyOrg, &cobra.Command{
		Use: "show RUN", Short: "Show the receipt of a run", Annotations: does(review.DreamRead, org.List),
	}, func(ctx context.Context, c *call) error {
		id, err := loci.ParseID[struct{}](c.args[0])
		if err != nil {
			return usagef("%q is no id of a run; see: loci dream list", cut(c.args[0], 60))
		}
		var d *orgDream
		err = c.inOrgs(ctx, c.actor.org, func(who loci.Principal) error {
			run, err := c.app.Review.DreamRun(ctx, who, loci.DreamID(id))
			if loci.CodeOf(err) == loci.NotFound {
				return nil
			}
			if err == nil {
				d = &orgDream{who.OrgID, run}
			}
			return err
		})
		if err != nil {
			return err
		}
		if d == nil {
			return noSuch("run", c.args[0], "loci dream list")
		}
		return p.show(d, nil, "id", d.ID.String(), "org", string(d.Org), "state", string(d.State), "requested by",
			d.RequestedBy, "started", p.showTime(d.StartedAt), "finished", p.showTime(d.FinishedAt), "took",
			(time.Duration(d.LatencyMS) * time.Millisecond).String(), "resumed", strconv.Itoa(d.Resumed),
			"events read", strconv.Itoa(d.Events), "notes read", strconv.Itoa(d.Notes), "proposed",
			strconv.Itoa(d.Proposed), "scanned", strconv.Itoa(d.Scanned), "promoted", strconv.Itoa(d.Promoted),
			"archived", strconv.Itoa(d.Archived), "left", strconv.Itoa(d.Left), "left by", countsOf(d.LeftBy),
			"failed", strconv.Itoa(d.Failed), "more", onOff(d.More), "error", d.Error)
	})
}

// countsOf lists counts by their names.
func countsOf[Name cmp.Ordered](counts map[Name]int) string {
	names := slices.Sorted(maps.Keys(counts))
	return strings.Join(loci.Mapped(names, func(n Name) string { return fmt.Sprintf("%v %d", n, counts[n]) }), ", ")
}
