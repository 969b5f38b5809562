package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) listCommand() *cobra.Command {
	var f filterFlags
	var trash, expired bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List memories, newest first",
		Example: `  loci list --tag ops --origin claude --limit 20
  loci list --trash
  loci list --expired
  loci list --as cursor --json
  loci list --scope project --as-of 2026-03-01`,
		Annotations: does(memory.Read, memory.ReadTrash, project.Read),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			filter.Lifecycle = otherState(trash, expired)
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				who, err := f.viewer(cmd.Context(), in, &filter)
				if err != nil {
					return err
				}
				page, err := in.app.Memory.List(cmd.Context(), who,
					memory.ListRequest{Filter: filter, Limit: f.limit, Cursor: f.cursor, Total: p.json})
				if err != nil {
					return err
				}
				return p.printPage(cmd.Context(), in, page)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&trash, "trash", false, "list the trash")
	cmd.Flags().BoolVar(&expired, "expired", false, "list what has expired; loci restore brings it back")
	cmd.MarkFlagsMutuallyExclusive("trash", "expired")
	return cmd
}

// otherState returns the memories that --trash and --expired select.
func otherState(trash, expired bool) loci.Lifecycle {
	switch {
	case trash:
		return loci.TrashOnly
	case expired:
		return loci.ExpiredOnly
	}
	return loci.LiveOnly
}

func (p *program) printPage(ctx context.Context, in *instance, page memory.ListPage) error {
	if p.json {
		return p.printJSON(map[string]any{"memories": notNil(page.Items), "next_cursor": page.NextCursor,
			"has_more": page.NextCursor != "", "total": page.Total, "total_is_lower_bound": page.TotalIsLowerBound})
	}
	if len(page.Items) == 0 {
		p.note("no memories")
		return nil
	}
	headers := []string{"TITLE", "ID", "CREATED", "ORIGIN", "VISIBLE TO"}
	disputed := slices.ContainsFunc(page.Items, func(m *loci.Memory) bool { return m.Disputed() })
	if disputed {
		headers = append(headers, "DISPUTED BY")
	}
	superseded := slices.ContainsFunc(page.Items, func(m *loci.Memory) bool { return !m.SupersededBy.IsZero() })
	if superseded {
		headers = append(headers, "SUPERSEDED BY")
	}
	called := in.names()
	shared := slices.ContainsFunc(page.Items, func(m *loci.Memory) bool { return called.sharedWith(ctx, m) != "" })
	if shared {
		headers = append(headers, "SHARED WITH")
	}
	now := time.Now()
	untrue := slices.ContainsFunc(page.Items, func(m *loci.Memory) bool { return p.notTrue(m, now) != "" })
	if untrue {
		headers = append(headers, "NOT TRUE")
	}
	trashed := slices.ContainsFunc(page.Items, func(m *loci.Memory) bool { return !m.DeletedAt.IsZero() })
	if trashed {
		headers = append(headers, "TRASHED", "DELETED FROM")
	}
	expiring := slices.ContainsFunc(page.Items, func(m *loci.Memory) bool { return !m.ExpiresAt.IsZero() })
	if expiring {
		headers = append(headers, "EXPIRES")
	}
	headers = append(headers, "TAGS") // the first to go in a narrow terminal
	rows := make([][]string, len(page.Items))
	for i, m := range page.Items {
		rows[i] = []string{m.Title, m.ID.String(), p.showTime(m.CreatedAt), m.Origin, readers(m)}
		if disputed {
			rows[i] = append(rows[i], strings.Join(disputes(&m.Disagreement), ", "))
		}
		if superseded && m.SupersededBy.IsZero() {
			rows[i] = append(rows[i], "")
		} else if superseded {
			rows[i] = append(rows[i], m.SupersededBy.Short())
		}
		if shared {
			rows[i] = append(rows[i], called.sharedWith(ctx, m))
		}
		if untrue {
			rows[i] = append(rows[i], p.notTrue(m, now))
		}
		if trashed {
			rows[i] = append(rows[i], p.showTime(m.DeletedAt), p.showTime(m.DeletedAt.AddDate(0, 0, loci.TrashDays)))
		}
		if expiring {
			rows[i] = append(rows[i], p.showTime(m.ExpiresAt))
		}
		rows[i] = append(rows[i], strings.Join(m.Tags, " "))
	}
	p.printTable(headers, rows)
	p.noteDisagreements(page.Items...)
	p.more(page.NextCursor)
	return nil
}

// notTrue tells since or until when a fact is not true; "": it is true now.
func (p *program) notTrue(m *loci.Memory, now time.Time) string {
	switch since, until := m.NotTrue(now); {
	case !since.IsZero():
		return "since " + p.showTime(since)
	case !until.IsZero():
		return "until " + p.showTime(until)
	}
	return ""
}

// disputes says who disagrees with a memory, and what is suggested in its place, for a list.
func disputes(d *loci.Disagreement) (all []string) {
	for _, other := range d.DisputedBy {
		all = append(all, other.Origin+" in "+other.ID.Short())
	}
	if !d.PendingSupersede.IsZero() {
		all = append(all, "suggestion "+d.PendingSupersede.Short())
	}
	return all
}
