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
	"github.com/loci-memory/loci/internal/store"
)

func (p *program) auditCommand() *cobra.Command {
	var org, user, since string
	var q store.AuditQuery
	cmd := &cobra.Command{
		Use: "audit", Short: "Show who did what in an org, or was refused, newest first", Args: cobra.NoArgs, Annotations: does(app.AuditRead),
		Long: `Show who did what in an org, or was refused, newest first: ids and counts, never
what a memory says.`,
		Example: `  loci audit --denied --since 7d
  loci audit --org acme --user mara@acme.example --action memory.trash`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if q.Limit < 1 || q.Limit > maxAudit {
				return loci.FieldErrorf("--limit", "must be from 1 to %d", maxAudit)
			}
			if q.Action != "" {
				if err := checkAction(q.Action); err != nil {
					return err
				}
			}
			if q.From, err = parseSince(since, time.Now()); err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, org)
				if err != nil {
					return err
				}
				if user != "" {
					person, err := in.person(ctx, user)
					if err != nil {
						return err
					}
					if org != "" && person.OrgID != who.OrgID {
						return loci.Errorf(loci.NotFound, "no user %s in org %s", cut(user, 100), who.OrgID)
					}
					if who, err = in.auth.LocalAs(ctx, person.OrgID, loci.UserID{}); err != nil {
						return err
					}
					q.UserID = person.UserID
				}
				rows, err := in.app.AuditTrail(ctx, who, q)
				if err != nil {
					return err
				}
				return p.printAudit(ctx, in, who.OrgID, rows, q.Limit)
			})
		},
	}
	flags := cmd.Flags()
	orgFlag(cmd, &org)
	flags.StringVar(&user, "user", "", "only of this person, by id or e-mail")
	flags.StringVar(&q.Action, "action", "", "only this action, such as memory.trash")
	flags.BoolVar(&q.Denied, "denied", false, "only what was refused")
	flags.StringVar(&since, "since", "", "only from then on: 7d, 12h, 2026-01-31 or a time")
	flags.IntVar(&q.Limit, "limit", 50, "how many at most")
	flags.Int64Var(&q.Before, "before", 0, "continue after the entry of this number")
	return cmd
}

// checkAction refuses what no entry can be of, and says what can.
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
	alike := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return group == "" || !strings.HasPrefix(k, group) })
	if len(alike) == 0 {
		alike = known
	}
	return loci.FieldErrorf("--action", "is none that Loci has; there are %s", strings.Join(alike, ", "))
}

const maxAudit = 10_000

// parseSince reads a span before now, a day or a moment.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := parseSpan(s); err == nil {
		return now.Add(-d), nil
	}
	t, err := parseTime("--since", s)
	if err != nil {
		return t, loci.FieldErrorf("--since", "must be a span like 7d or 12h, a day like 2026-01-31 or a time like 2026-01-31T15:04:05Z")
	}
	return t, nil
}

func (p *program) printAudit(ctx context.Context, in *instance, org loci.OrgID, rows []store.AuditRow, limit int) error {
	more := len(rows) == limit
	if p.json {
		next := ""
		if more {
			next = strconv.FormatInt(rows[len(rows)-1].Number, 10)
		}
		return p.printJSON(map[string]any{"entries": notNil(rows), "next_cursor": next, "has_more": more})
	}
	if len(rows) == 0 {
		p.note("no entries")
		return nil
	}
	names, table := in.names(), make([][]string, len(rows))
	for i, r := range rows {
		user, err := names.user(ctx, org, r.UserID)
		if err != nil {
			return err
		}
		verdict := "allowed"
		if !r.Allowed {
			verdict = "refused"
		}
		table[i] = []string{strconv.FormatInt(r.Number, 10), r.At.UTC().Format(time.RFC3339), r.Action, verdict, string(r.Kind) + " by " + string(r.Method),
			string(r.Vendor), user, r.Target, strconv.Itoa(r.Count)}
	}
	p.printTable([]string{"NUMBER", "AT", "ACTION", "", "WHO", "VENDOR", "USER", "TARGET", "COUNT"}, table)
	if more {
		p.note("There may be more: --before %d", rows[len(rows)-1].Number)
	}
	return nil
}
