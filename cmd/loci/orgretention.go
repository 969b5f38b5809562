package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/org"
)

func (p *program) orgHoldCommand() *cobra.Command {
	var on bool
	cmd := p.oneOrgCommand("hold ORG on|off", "Put an org under legal hold: nothing may delete its events", org.Hold,
		func(ctx context.Context, c *call) error {
			_, err := c.app.Org.Hold(ctx, c.who, on)
			return err
		})
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		on, err = parseOnOff("hold", args[1])
		return err
	}
	cmd.Example = "  loci org hold acme on"
	cmd.Long = `Put an org under legal hold, or end that. While it lasts, Loci deletes no event of the org:
neither because it is old, nor with its person or the org. The audit trail records both.`
	return cmd
}

// parseRetention reads rules such as 365d,tool_call=30d. The first one without a type is for all other types.
func parseRetention(value string) (*loci.EventRetention, error) {
	r := &loci.EventRetention{}
	if isDefault(value) {
		return r, nil
	}
	all := false
	for rule := range strings.SplitSeq(value, ",") {
		kind, text, typed := strings.Cut(strings.TrimSpace(rule), "=")
		if !typed {
			text = kind
		}
		days, ok := parseDays(text)
		if !ok || !typed && all {
			return nil, loci.FieldErrorf("events_retention", "must be rules like 365d or tool_call=30d with commas between "+
				"them, and at most one without a type; to keep events, use forever")
		}
		if typed {
			r.Types = append(r.Types, loci.TypeRetention{Type: kind, Days: days})
		} else {
			r.Days, all = days, true
		}
	}
	return r, nil
}

// parseDays reads a number of days, or forever as 0.
func parseDays(text string) (int, bool) {
	if text == "forever" {
		return 0, true
	}
	number, ok := strings.CutSuffix(text, "d")
	days, err := strconv.Atoi(number)
	return days, ok && err == nil && days > 0
}

func daysText(days int) string {
	if days == 0 {
		return "forever"
	}
	return strconv.Itoa(days) + "d"
}

// keptText tells how long events are kept, as parseRetention reads it.
func (p *program) keptText(o loci.Org) string {
	text := daysText(o.Retention.Days)
	for _, t := range o.Retention.Types {
		text += "," + t.Type + "=" + daysText(t.Days)
	}
	if !o.Retention.Keeps() && o.RetentionFrom.After(time.Now()) {
		text += " (deletes nothing before " + p.showTime(o.RetentionFrom) + ")"
	}
	return text
}

// agreedToShorten asks before an org keeps events for a shorter time.
func (p *program) agreedToShorten(ctx context.Context, c *call, rules *loci.EventRetention) error {
	if rules == nil {
		return nil
	}
	o, err := c.app.Org.Show(ctx, c.operator, c.who.OrgID)
	if err != nil {
		return err
	}
	shorter := rules.Shortens(&o.Retention)
	if len(shorter) == 0 {
		return nil
	}
	p.note("In an hour, Loci begins to permanently delete these events of org %s, wherever they are:", o.ID)
	for _, t := range shorter {
		kind := "type " + t.Type
		if t.Type == "" {
			kind = "all types without a rule"
		}
		p.note("  %s: those from before %s", kind, p.showTime(loci.Oldest(time.Now(), t.Days)))
	}
	if o.Hold {
		p.note("The org is under legal hold, so this waits until somebody ends it: loci org hold %s off", o.ID)
	}
	what := "keep the events of org " + string(o.ID) + " for a shorter time"
	return p.agreed(ctx, strings.ToUpper(what[:1])+what[1:]+"?", what, "--yes")
}
