package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/store"
)

func (p *program) auditCommand() *cobra.Command {
	var org, user string
	var q store.AuditQuery
	cmd := p.acting(operator, &cobra.Command{
		Use: "audit", Short: "Show the audit trail of an org, last recorded first", Annotations: does(identity.AuditReadAll),
		Long: `Show the audit trail of an org: who did what, and which requests Loci rejected. It has
ids and counts, never the content of memories.

The entry that Loci recorded last comes first. Each project keeps the entries of its graph
until the trail is read, so changes of graphs can come before newer entries. AT is when
something happened, and NUMBER is the order of recording.`,
		Example: `  loci audit --denied --since 7d
  loci audit --org acme --user mara@acme.example --action memory.trash`,
		PreRunE: func(*cobra.Command, []string) error {
			if q.Limit < 1 || q.Limit > maxAudit {
				return loci.FieldErrorf("--limit", "must be from 1 to %d", maxAudit)
			}
			if q.Action == "" {
				return nil
			}
			return checkAction(q.Action)
		},
	}, func(ctx context.Context, c *call) error {
		who, err := c.inOrg(ctx, org)
		if err != nil {
			return err
		}
		if user != "" {
			person, err := c.person(ctx, user)
			if err == nil && org != "" && person.OrgID != who.OrgID {
				err = noSuch("user", user, "loci user list --org "+string(who.OrgID))
			}
			if err == nil {
				who, err = c.auth.LocalAs(ctx, person.OrgID, loci.UserID{})
			}
			if err != nil {
				return err
			}
			q.UserID = person.UserID
		}
		rows, err := c.app.Identity.AuditTrail(ctx, who, q)
		if err != nil {
			return err
		}
		return p.printAudit(ctx, c.instance, who.OrgID, rows, q.Limit)
	})
	flags := cmd.Flags()
	flags.StringVar(&org, "org", "", "id of the org (default: "+string(loci.DefaultOrg)+")")
	flags.StringVar(&user, "user", "", "only of this person, by id or e-mail address")
	flags.StringVar(&q.Action, "action", "", "only this action, such as memory.trash")
	flags.BoolVar(&q.Denied, "denied", false, "only rejected requests")
	timeFlag(cmd, &q.From, "since", "only from then on: 12h, 7d, yesterday, 2026-01-31 or another time", parsePast)
	flags.IntVar(&q.Limit, "limit", 50, "how many at most")
	flags.Int64Var(&q.Before, "before", 0, "continue after the entry of this number")
	return cmd
}

// checkAction rejects an action that does not exist, and lists similar ones.
func checkAction(s string) error {
	known := []string{auth.SessionStarted, auth.SessionProved, oauth.GrantReused}
	for act := range app.Rules() {
		known = append(known, string(act))
	}
	if slices.Contains(known, s) {
		return nil
	}
	slices.Sort(known)
	group, _, _ := strings.Cut(s, ".")
	alike := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return group == "" || !strings.HasPrefix(k, group)
	})
	if len(alike) == 0 {
		alike = known
	}
	return loci.FieldErrorf("--action", "must be an action of Loci, such as %s", strings.Join(alike, ", "))
}

const maxAudit = 10_000

func (p *program) printAudit(ctx context.Context, in *instance, org loci.OrgID, rows []store.AuditRow,
	limit int) error {
	more := len(rows) == limit
	if p.json {
		next := ""
		if more {
			next = strconv.FormatInt(rows[len(rows)-1].Number, 10)
		}
		return p.printJSON(map[string]any{"entries": loci.OrEmpty(rows), "next_cursor": next, "has_more": more})
	}
	if len(rows) == 0 {
		p.note("no entries")
		return nil
	}
	names, table := in.names(), make([][]string, len(rows))
	for i, r := range rows {
		verdict := "allowed"
		if !r.Allowed {
			verdict = "rejected"
		}
		table[i] = []string{strconv.FormatInt(r.Number, 10), r.At.Local().Format(time.DateTime), r.Action, verdict,
			string(r.Kind) + " by " + string(r.Method), string(r.Vendor), names.user(ctx, org, r.UserID), r.Target,
			strconv.Itoa(r.Count)}
	}
	p.printTable([]string{"NUMBER", "AT", "ACTION", "RESULT", "WHO", "VENDOR", "USER", "TARGET", "COUNT"}, table)
	if more {
		p.note("There may be more: --before %d", rows[len(rows)-1].Number)
	}
	return nil
}
