package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/loci-memory/loci"
)

// printList writes a list: as JSON under a name, as a table, or as a note if it is empty. It returns err if the list
// could not be read. columns are separated by "|".
func printList[T any](p *program, name string, list []T, err error, empty, columns string,
	row func(T) []string) error {
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(page(name, list))
	}
	if len(list) == 0 {
		p.note("%s", cmp.Or(empty, "no "+strings.ReplaceAll(name, "_", " ")))
		return nil
	}
	printRows(p, columns, list, row)
	return nil
}

// printRows writes a list as a table. columns are separated by "|".
func printRows[T any](p *program, columns string, list []T, row func(T) []string) {
	p.printTable(strings.Split(columns, "|"), loci.Mapped(list, row))
}

// page is how a complete list is printed as JSON.
func page[T any](name string, items []T) map[string]any {
	return map[string]any{name: loci.OrEmpty(items), "next_cursor": "", "has_more": false}
}

// printFields writes pairs of a name and a value, and leaves out those without a value.
func (p *program) printFields(fields ...string) {
	for f := range slices.Chunk(fields, 2) {
		if f[1] != "" && f[1] != "-" {
			p.printf("%-12s  %s\n", f[0], loci.OneLine(f[1]))
		}
	}
}

// printTable writes aligned columns: cut to its width in a terminal, plain and in full anywhere else.
func (p *program) printTable(headers []string, rows [][]string) {
	text, hidden := renderTable(p.screen, headers, rows)
	p.paged(func() { p.printf("%s", text) })
	if len(hidden) > 0 {
		p.note("The terminal is too narrow for %s: %s. Widen it, or pass --json.",
			loci.Plural(len(hidden), "column", "columns"), strings.Join(hidden, ", "))
	}
}

// renderTable also returns the headers of the columns for which a terminal is too narrow.
func renderTable(s screen, headers []string, rows [][]string) (text string, hidden []string) {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = loci.OneLine(cell)
		}
	}
	if s.terminal {
		shortenIDs(headers, rows)
		var shown columns
		shown, hidden = fit(withValues(headers, rows), s.width)
		headers, rows = shown.headers, shown.rows
	}
	last := len(headers) - 1
	t := table.New().Headers(headers...).Rows(rows...).Wrap(false).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderHeader(false).BorderColumn(false).BorderRow(false).
		StyleFunc(func(row, col int) lipgloss.Style {
			style := lipgloss.NewStyle()
			if col < last {
				style = style.PaddingRight(2)
			}
			return style.Bold(s.styled && row == table.HeaderRow)
		})
	var b strings.Builder
	for line := range strings.Lines(t.Render()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String(), hidden
}

// idColumn is the header of ids that a command finds by their beginning.
const idColumn = "ID"

// shortenIDs cuts ids to the length that tells those of the table apart.
func shortenIDs(headers []string, rows [][]string) {
	at := slices.Index(headers, idColumn)
	if at < 0 {
		return
	}
	var ids []string
	for _, row := range rows {
		if _, err := loci.ParseID[struct{}](row[at]); err == nil {
			ids = append(ids, row[at])
		}
	}
	length := shortLength(ids)
	for _, row := range rows {
		if slices.Contains(ids, row[at]) {
			row[at] = row[at][:length]
		}
	}
}

// columns are the headers and rows of a table.
type columns struct {
	headers []string
	rows    [][]string
}

// first returns the leftmost columns.
func (c columns) first(n int) columns {
	out := columns{headers: c.headers[:n]}
	for _, row := range c.rows {
		out.rows = append(out.rows, row[:n])
	}
	return out
}

// withValues leaves out the columns without any value.
func withValues(headers []string, rows [][]string) (out columns) {
	out.rows = make([][]string, len(rows))
	for col, header := range headers {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[col] != "" && row[col] != "-" }) {
			continue
		}
		out.headers = append(out.headers, header)
		for i, row := range rows {
			out.rows[i] = append(out.rows[i], row[col])
		}
	}
	return out
}

const (
	gap       = 2  // between columns
	uncut     = 16 // columns up to this width are never cut, such as times and short ids
	leastText = 12 // wider columns keep this much
	goodFirst = 20 // the first column takes this much of the others, which then become shorter than uncut
	leastFit  = 2  // at least this many columns stay
)

// fit makes each row take one line of the terminal, and returns the headers of the columns that it had to leave out.
// The first column has the names by which people recognise things. fit cuts the long cells of the other columns, then
// those of the first, then both further. Only then does it leave out the last columns. A width of 0 is unknown.
func fit(c columns, width int) (_ columns, hidden []string) {
	for width > 0 && len(c.headers) > 0 {
		widths := c.widths()
		kept, needed := uncut, c.needed(widths, uncut)
		if needed+min(widths[0], goodFirst) > width {
			kept, needed = leastText, c.needed(widths, leastText)
		}
		if needed+min(widths[0], leastText) > width && len(widths) > leastFit {
			last := len(widths) - 1
			hidden = slices.Insert(hidden, 0, c.headers[last])
			c = c.first(last)
			continue
		}
		c.cut(widths, kept, width-needed)
		break
	}
	return c, hidden
}

// least is the width that a column keeps, if the wide ones may be cut to kept.
func least(w, kept int) int {
	if w > uncut {
		return kept
	}
	return w
}

// needed is the least width of all columns but the first, with the gaps.
func (c columns) needed(widths []int, kept int) (sum int) {
	for _, w := range widths[1:] {
		sum += gap + least(w, kept)
	}
	return sum
}

// cut shortens the cells. The columns share spare from the left.
func (c columns) cut(widths []int, kept, spare int) {
	for i, w := range widths {
		floor := least(w, kept)
		if i == 0 {
			floor = 0
		}
		to := max(min(w, floor+spare), floor, 1)
		spare -= to - floor
		for _, row := range c.rows {
			row[i] = cut(row[i], to)
		}
	}
}

func (c columns) widths() []int {
	widths := make([]int, len(c.headers))
	for i, h := range c.headers {
		widths[i] = lipgloss.Width(h)
		for _, row := range c.rows {
			widths[i] = max(widths[i], lipgloss.Width(row[i]))
		}
	}
	return widths
}

// names looks up what people call users, teams and projects, for tables. If it cannot find a name, it returns the id.
type names struct {
	in       *instance
	users    map[loci.UserID]string
	teams    map[loci.OrgID][]loci.Team
	locals   map[loci.OrgID]loci.Principal
	projects map[loci.ProjectID]string
}

func (in *instance) names() *names {
	return &names{in: in, users: map[loci.UserID]string{}, teams: map[loci.OrgID][]loci.Team{},
		locals: map[loci.OrgID]loci.Principal{}, projects: map[loci.ProjectID]string{}}
}

// user returns somebody's e-mail address or else their name.
func (n *names) user(ctx context.Context, org loci.OrgID, id loci.UserID) string {
	if id.IsZero() {
		return "-"
	}
	if _, ok := n.users[id]; !ok {
		n.users[id] = id.String()
		if person, err := n.in.store.People().ByID(ctx, id); err == nil && person.Email != "" {
			n.users[id] = person.Email
		} else if who, err := n.in.auth.LocalAs(ctx, org, id); err == nil {
			if me, err := n.in.app.Identity.WhoAmI(ctx, who); err == nil && me.User.Name != "" {
				n.users[id] = me.User.Name
			}
		}
	}
	return n.users[id]
}

// owner is user, without the id of somebody who has neither, such as the owner of a laptop.
func (n *names) owner(ctx context.Context, org loci.OrgID, id loci.UserID) string {
	if name := n.user(ctx, org, id); name != id.String() {
		return name
	}
	return ""
}

// team returns the name of a person's team, "" for none.
func (n *names) team(ctx context.Context, u loci.User) string {
	if u.TeamID.IsZero() {
		return ""
	}
	if _, ok := n.teams[u.OrgID]; !ok {
		n.teams[u.OrgID] = nil
		if who, err := n.in.auth.LocalAs(ctx, u.OrgID, loci.UserID{}); err == nil {
			n.teams[u.OrgID], _ = n.in.app.Org.Teams(ctx, who) // without them, tables show the id
		}
	}
	i := slices.IndexFunc(n.teams[u.OrgID], func(t loci.Team) bool { return t.ID == u.TeamID })
	if i < 0 {
		return u.TeamID.String()
	}
	return n.teams[u.OrgID][i].Name
}

func (n *names) projectList(ctx context.Context, org loci.OrgID, ids []loci.ProjectID) string {
	return strings.Join(loci.Mapped(ids, func(id loci.ProjectID) string { return n.project(ctx, org, id) }), ",")
}

// sharedWith tells which other people may read a memory. After an import, its project may be missing.
func (n *names) sharedWith(ctx context.Context, m *loci.Memory) string {
	if m.Scope == loci.ScopeProject && n.project(ctx, m.OrgID, m.ProjectID) == m.ProjectID.String() {
		return m.SharedWith("a project that is not here")
	}
	return m.SharedWith("the project")
}

func (n *names) project(ctx context.Context, org loci.OrgID, id loci.ProjectID) string {
	if name, ok := n.projects[id]; ok {
		return name
	}
	n.projects[id] = id.String()
	who, ok := n.locals[org]
	if !ok {
		var err error
		if who, err = n.in.auth.LocalAs(ctx, org, loci.UserID{}); err != nil {
			return n.projects[id]
		}
		n.locals[org] = who
	}
	if x, err := n.in.app.Project.Get(ctx, who, id); err == nil {
		n.projects[id] = x.Name
	}
	return n.projects[id]
}
