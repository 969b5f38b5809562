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
	cmd := p.acting(operator, &cobra.Command{
		Use:   "list",
		Short: "List memories, newest first",
		Example: `  loci list --tag ops --origin claude --limit 20
  loci list --trash
  loci list --expired
  loci list --as cursor --json
  loci list --scope project --as-of 2026-03-01`,
		Annotations: does(memory.Read, memory.ReadTrash, project.Read),
	}, func(ctx context.Context, c *call) error {
		who, err := f.viewer(ctx, c.instance)
		if err != nil {
			return err
		}
		page, err := c.app.Memory.List(ctx, who,
			memory.ListRequest{Filter: f.Filter, Limit: f.limit, Cursor: f.cursor, Total: p.json})
		if err != nil {
			return err
		}
		return p.printPage(ctx, c.instance, page)
	})
	f.add(cmd)
	f.addState(cmd, "list", "; loci restore brings it back")
	return cmd
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
	var headers []string
	rows := make([][]string, len(page.Items))
	for _, c := range p.memoryColumns(ctx, in) {
		cells := mapped(page.Items, c.cell)
		if c.optional && !slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }) {
			continue
		}
		headers = append(headers, c.header)
		for i, cell := range cells {
			rows[i] = append(rows[i], cell)
		}
	}
	p.printTable(headers, rows)
	p.noteDisagreements(page.Items...)
	p.more(page.NextCursor)
	return nil
}

// memoryColumn is a column of a list of memories. An optional one appears if a memory has something in it.
type memoryColumn struct {
	header   string
	optional bool
	cell     func(*loci.Memory) string
}

// memoryColumns returns those of a list, the last to stay in a narrow terminal first.
func (p *program) memoryColumns(ctx context.Context, in *instance) []memoryColumn {
	now, called := time.Now(), in.names()
	date := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return p.showTime(t)
	}
	return []memoryColumn{
		{"TITLE", false, func(m *loci.Memory) string { return m.Title }},
		{"ID", false, func(m *loci.Memory) string { return m.ID.String() }},
		{"CREATED", false, func(m *loci.Memory) string { return p.showTime(m.CreatedAt) }},
		{"ORIGIN", false, func(m *loci.Memory) string { return m.Origin }},
		{"VISIBLE TO", false, readers},
		{"DISPUTED BY", true, func(m *loci.Memory) string { return strings.Join(disputes(&m.Disagreement), ", ") }},
		{"SUPERSEDED BY", true, func(m *loci.Memory) string {
			if m.SupersededBy.IsZero() {
				return ""
			}
			return m.SupersededBy.Short()
		}},
		{"SHARED WITH", true, func(m *loci.Memory) string { return called.sharedWith(ctx, m) }},
		{"NOT TRUE", true, func(m *loci.Memory) string { return p.notTrue(m, now) }},
		{"TRASHED", true, func(m *loci.Memory) string { return date(m.DeletedAt) }},
		{"DELETED FROM", true, func(m *loci.Memory) string {
			if m.DeletedAt.IsZero() {
				return ""
			}
			return p.showTime(m.DeletedAt.AddDate(0, 0, loci.TrashDays))
		}},
		{"EXPIRES", true, func(m *loci.Memory) string { return date(m.ExpiresAt) }},
		{"TAGS", false, func(m *loci.Memory) string { return strings.Join(m.Tags, " ") }},
	}
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
