package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/org"
)

// arcFlags are the flags that describe an org's Arc.
type arcFlags struct {
	url, database, measurement, key string
}

func (f *arcFlags) add(cmd *cobra.Command, measurement string) {
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "address of the Arc instance or cluster, like https://arc.example.org:8000")
	flags.StringVar(&f.database, "database", "", "database in Arc")
	flags.StringVar(&f.measurement, "measurement", measurement, "measurement in the database")
	flags.StringVar(&f.key, "api-key", "", "API key of Arc; other users of this machine may see it (default: asks for "+
		"it, or reads a line of standard input)")
}

func (p *program) orgAddArcCommand() *cobra.Command {
	var f arcFlags
	cmd := p.inOrgCommand(operator, &cobra.Command{
		Use: "add-arc ORG", Short: "Specify the Arc in which an org's events are", Annotations: does(org.ArcSet),
		Long: `Specify the Arc in which an org's events are. Loci encrypts the API key with the
master key, which must be in LOCI_MASTER_KEY; "loci keygen master" creates one. The
org's events go to Arc after "loci org set ORG events=arc", or if the server has
[events] backend = "arc". A running server uses the new setting at once.`,
		Example: `  loci org add-arc acme --url https://arc.example.org:8000 --database acme < arc-key.txt`,
	}, func(ctx context.Context, c *call) error {
		err := p.settings.Master.Usable()
		if err != nil { // before anybody types the key of Arc
			return err
		}
		key := loci.Secret(f.key)
		if key == "" {
			if key, err = p.askSecret(ctx, "API key of Arc"); err != nil {
				return err
			}
		}
		view, err := c.app.Org.AddArc(ctx, c.who, loci.ArcBinding{URL: f.url, Database: f.database,
			Measurement: f.measurement, Key: key})
		if err == nil && !p.json && !p.inArc(ctx, c.instance, c.who.OrgID) {
			p.note("To keep the org's events there, run: loci org set %s events=arc", c.who.OrgID)
		}
		return p.showArc(view, err)
	})
	f.add(cmd, loci.DefaultMeasurement)
	_ = cmd.MarkFlagRequired("url")
	_ = cmd.MarkFlagRequired("database")
	return cmd
}

func (p *program) orgShowArcCommand() *cobra.Command {
	return p.inOrgCommand(operator, &cobra.Command{
		Use: "show-arc ORG", Short: "Show the Arc of an org, with its key masked", Annotations: does(org.ArcRead),
	}, func(ctx context.Context, c *call) error { return p.showArc(c.app.Org.Arc(ctx, c.who)) })
}

func (p *program) orgUpdateArcCommand() *cobra.Command {
	var f arcFlags
	cmd := p.inOrgCommand(operator, &cobra.Command{
		Use: "update-arc ORG", Short: "Change the address, the database or the key of an org's Arc",
		Annotations: does(org.ArcSet),
		Long: `Change the address, the database or the key of an org's Arc. A running server uses the
new setting at once. Events that the old Arc has not confirmed go to the new one. Loci
does not move the others.`,
		Example: `  loci org update-arc acme --api-key - < new-key.txt`,
	}, func(ctx context.Context, c *call) error {
		change, err := p.arcChange(ctx, &f)
		if err != nil {
			return err
		}
		return p.showArc(c.app.Org.UpdateArc(ctx, c.who, change))
	})
	f.add(cmd, "")
	cmd.Flags().Lookup("api-key").Usage = "API key of Arc; other users of this machine may see it. With -, asks for " +
		"it, or reads a line of standard input"
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if f == (arcFlags{}) {
			return usagef("specify what to change: --url, --database, --measurement or --api-key")
		}
		return nil
	}
	return cmd
}

func (p *program) arcChange(ctx context.Context, f *arcFlags) (c org.ArcChange, err error) {
	given := func(s *string) *string {
		if *s == "" {
			return nil
		}
		return s
	}
	c = org.ArcChange{URL: given(&f.url), Database: given(&f.database), Measurement: given(&f.measurement)}
	if f.key == "" {
		return c, nil
	}
	key := loci.Secret(f.key)
	if key == "-" {
		if key, err = p.askSecret(ctx, "API key of Arc"); err != nil {
			return c, err
		}
	}
	c.Key = &key
	return c, nil
}

func (p *program) orgRemoveArcCommand() *cobra.Command {
	return p.inOrgCommand(operator|asks, &cobra.Command{
		Use: "remove-arc ORG", Short: "Forget the Arc of an org; its events stay there", Annotations: does(org.ArcSet),
		Long: `Forget the Arc of an org. The events in Arc stay there, but Loci does not read them any
more. Loci refuses that while the org's events go to Arc.`,
	}, func(ctx context.Context, c *call) error {
		err := p.sure(ctx, "remove", "the Arc of org", string(c.who.OrgID))
		if err == nil {
			err = c.app.Org.RemoveArc(ctx, c.who, p.keepsInArc)
		}
		return p.answer(map[string]any{"org_id": c.who.OrgID, "removed": true}, err, "removed the Arc of %s", c.who.OrgID)
	})
}

func (p *program) keepsInArc(o loci.Org) bool {
	return cmp.Or(o.Events, p.settings.Events) == loci.EventsInArc
}

// noteNoArc warns if the events of an org go to Arc and the org has none. That state may be wanted for a moment.
func (p *program) noteNoArc(ctx context.Context, c *call) error {
	if !p.inArc(ctx, c.instance, c.who.OrgID) {
		return nil
	}
	_, err := c.app.Org.Arc(ctx, c.who)
	if loci.CodeOf(err) != loci.NotFound {
		return err
	}
	p.note("Warning: %s. To specify it, run: %s", noArc(c.who.OrgID), addArc(c.who.OrgID))
	return nil
}

// noArc tells what is wrong with an org on Arc that has none.
func noArc(id loci.OrgID) string {
	return "the events of org " + string(id) + " go to Arc, but it has none, so requests about its events fail"
}

func addArc(id loci.OrgID) string {
	return "loci org add-arc " + string(id) + " --url ADDRESS --database NAME"
}

func (p *program) inArc(ctx context.Context, in *instance, id loci.OrgID) bool {
	o, err := in.app.Org.Show(ctx, in.operator, id)
	return err == nil && p.keepsInArc(o)
}

func (p *program) showArc(v org.ArcView, err error) error {
	return p.show(v, err, "org", string(v.OrgID), "url", v.URL, "database", v.Database, "measurement", v.Measurement,
		"api key", v.Key, "master key", v.MasterID, "created", p.showTime(v.CreatedAt), "changed", p.showTime(v.UpdatedAt))
}

// askSecret asks for a secret at a terminal without showing it, or reads one line of standard input.
func (p *program) askSecret(ctx context.Context, what string) (loci.Secret, error) {
	var text string
	if f, ok := p.in.(*os.File); ok && isTerminal(p.in) {
		p.note("%s:", what)
		b, err := term.ReadPassword(int(f.Fd()))
		if err != nil {
			return "", fmt.Errorf("cannot read the %s: %w", what, err)
		}
		text = string(b)
	} else {
		line, err := bufio.NewReader(untilDone(ctx, io.LimitReader(p.in, 1<<16))).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		text = line
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", usagef("no %s on standard input", what)
	}
	return loci.Secret(text), nil
}

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
