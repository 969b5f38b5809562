package main

import (
	"context"
	"strconv"
	"strings"

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
func keptText(r loci.EventRetention) string {
	text := daysText(r.Days)
	for _, t := range r.Types {
		text += "," + t.Type + "=" + daysText(t.Days)
	}
	return text
}
