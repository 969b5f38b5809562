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
		return p.printJSON(map[string]any{"memories": loci.OrEmpty(page.Items), "next_cursor": page.NextCursor,
			"has_more": page.NextCursor != "", "total": page.Total, "total_is_lower_bound": page.TotalIsLowerBound})
	}
	if len(page.Items) == 0 {
		p.note("no memories")
		return nil
	}
	var headers []string
	rows := make([][]string, len(page.Items))
	for _, c := range p.memoryColumns(ctx, in) {
		cells := loci.Mapped(page.Items, c.cell)
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

// filterFlags limit a list or a search.
type filterFlags struct {
	memory.Filter
	project, agent string
	writtenIn      string
	limit          int
	cursor, vendor string
	session        string
	trash, expired bool
}

// whenFlags select a time other than the present.
func whenFlags(cmd *cobra.Command, w *loci.When) {
	timeFlag(cmd, &w.AsOf, "as-of", "memories that were true then: a time such as 2026-01-31 or 30d", parsePast)
	timeFlag(cmd, &w.KnownAt, "known-at", "memories as Loci had them then: a time", parsePast)
	cmd.Flags().BoolVar(&w.Superseded, "superseded", false, "also memories that another one replaced")
}

func (f *filterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Tags, "tag", nil, "only with this tag, in the same case; repeat to allow several")
	flags.BoolVar(&f.AllTags, "all-tags", false, "require every --tag instead of any")
	flags.StringVar(&f.Origin, "origin", "", "only written by this vendor, or by api, cli or dashboard")
	flags.StringVar((*string)(&f.Type), "type", "", "only of this type: semantic, episodic or procedural")
	flags.StringVar(&f.Category, "category", "", "only of this category")
	flags.StringVar(&f.project, "project", "", "only of this project, by name or id")
	flags.StringVar(&f.Key, "key", "", "only with this key")
	flags.StringVar((*string)(&f.Scope), "scope", "", "only of this scope: global, project or agent")
	flags.StringVar(&f.agent, "agent", "", "only of this agent; its assistants see its memories only with --session")
	flags.StringVar(&f.writtenIn, "written-in", "", "only written in this session, by id or title")
	flags.BoolVar(&f.Pinned, "pinned", false, "only pinned memories")
	timeFlag(cmd, &f.From, "from", "created at or after this time: 2h, yesterday, 2026-01-31, …", parsePast)
	timeFlag(cmd, &f.To, "to", "created before this time", parsePast)
	flags.IntVar(&f.limit, "limit", 0, "how many on a page")
	flags.StringVar(&f.cursor, "cursor", "", "continue after the previous page")
	flags.StringVar(&f.vendor, "as", "", "see what this vendor sees")
	sessionFlag(cmd, &f.session)
	whenFlags(cmd, &f.When)
}

// addState adds the flags that select what is not live. verb is what the command does with it.
func (f *filterFlags) addState(cmd *cobra.Command, verb, hint string) {
	cmd.Flags().BoolVar(&f.trash, "trash", false, verb+" the trash")
	cmd.Flags().BoolVar(&f.expired, "expired", false, verb+" what has expired"+hint)
	cmd.MarkFlagsMutuallyExclusive("trash", "expired")
}

// viewer returns the principal whose view to take, and puts what the flags name into the filter.
func (f *filterFlags) viewer(ctx context.Context, in *instance) (loci.Principal, error) {
	switch {
	case f.trash:
		f.Lifecycle = loci.TrashOnly
	case f.expired:
		f.Lifecycle = loci.ExpiredOnly
	}
	who, err := in.as(ctx, f.vendor)
	if err == nil {
		who, err = in.during(ctx, who, f.session)
	}
	if err == nil && f.agent != "" {
		f.AgentID, err = in.agentID(ctx, in.operator, f.agent)
	}
	if err == nil && f.writtenIn != "" {
		f.SessionID, err = in.sessionID(ctx, who, f.writtenIn)
	}
	if err == nil {
		f.ProjectID, err = in.projectID(ctx, who, f.project)
	}
	return who, err
}
