package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"golang.org/x/term"

	"github.com/loci-memory/loci"
)

// printJSON writes v for a program to read. Text stays as it is: no <.
func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printf writes for a person to read.
func (p *program) printf(format string, args ...any) {
	_, err := fmt.Fprintf(p.out, format, args...)
	p.wrote(err)
}

// wrote keeps the first error of standard output, so that no command ends well
// whose result nobody got.
func (p *program) wrote(err error) {
	if p.unwritten == nil {
		p.unwritten = err
	}
}

// note tells the person something that is not the result, on standard error.
func (p *program) note(format string, args ...any) { fmt.Fprintf(p.err, format+"\n", args...) }

// printTable writes aligned columns: with style in a terminal, cut to its
// width; plain and in full anywhere else.
func (p *program) printTable(headers []string, rows [][]string) {
	_, err := fmt.Fprint(p.out, renderTable(p.out, headers, rows))
	p.wrote(err)
}

func renderTable(w io.Writer, headers []string, rows [][]string) string {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = loci.OneLine(cell)
		}
	}
	styled := isTerminal(w)
	if styled {
		fit(headers, rows, terminalWidth(w))
	}
	last := len(headers) - 1
	t := table.New().Headers(headers...).Rows(rows...).Wrap(false).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderHeader(false).BorderColumn(false).BorderRow(false).
		StyleFunc(func(row, col int) lipgloss.Style {
			style := lipgloss.NewStyle()
			if col < last {
				style = style.PaddingRight(2)
			}
			return style.Bold(styled && row == table.HeaderRow)
		})
	var b strings.Builder
	for line := range strings.Lines(t.Render()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// fit cuts the widest columns so that a row takes one line of the terminal. The
// first is never cut: ids are there to be copied.
func fit(headers []string, rows [][]string, width int) {
	widths := make([]int, len(headers))
	over := 2*(len(headers)-1) - width
	for i, h := range headers {
		widths[i] = lipgloss.Width(h)
		for _, row := range rows {
			widths[i] = max(widths[i], lipgloss.Width(row[i]))
		}
		over += widths[i]
	}
	for width > 0 && over > 0 {
		widest := 1
		for i := range widths {
			if i > 0 && widths[i] > widths[widest] {
				widest = i
			}
		}
		to := max(widths[widest]-over, narrowest)
		if widths[widest] <= narrowest {
			return
		}
		for _, row := range rows {
			row[widest] = cut(row[widest], to)
		}
		over -= widths[widest] - to
		widths[widest] = to
	}
}

// narrowest is how narrow a column may become, in characters.
const narrowest = 12

func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

func cut(s string, most int) string {
	s = loci.OneLine(s)
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

func showTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func joinVendors(vendors []loci.Vendor) string {
	names := make([]string, len(vendors))
	for i, v := range vendors {
		names[i] = string(v)
	}
	return strings.Join(names, ",")
}

// printMemory writes a whole memory: attributes, then the content as it is.
func (p *program) printMemory(m *loci.Memory) {
	p.printf("%s\n\n", loci.OneLine(m.Title))
	importance := strconv.Itoa(m.Importance)
	if m.Pinned {
		importance += ", pinned"
	}
	rows := [][2]string{{"id", m.ID.String()}, {"origin", m.Origin}, {"visible to", joinVendors(m.AllowedVendors)}, {"tags", strings.Join(m.Tags, ", ")},
		{"type", string(m.Type) + ", " + m.Category}, {"importance", importance}, {"key", m.Key}, {"summary", m.Summary},
		{"version", fmt.Sprintf("%d, %s by %s", m.Version, m.Change, m.Editor)},
		{"created", showTime(m.CreatedAt)}, {"updated", showTime(m.UpdatedAt)}}
	if m.Scope != loci.ScopeGlobal {
		rows = append(rows, [2]string{"scope", string(m.Scope)})
	}
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"true from", m.ValidFrom}, {"true until", m.ValidTo}} {
		if !t.at.IsZero() {
			rows = append(rows, [2]string{t.name, showTime(t.at)})
		}
	}
	if !m.SupersededBy.IsZero() {
		rows = append(rows, [2]string{"superseded", "by " + m.SupersededBy.String()})
	}
	if !m.ExpiresAt.IsZero() {
		rows = append(rows, [2]string{"expires", showTime(m.ExpiresAt)})
	}
	if !m.DeletedAt.IsZero() {
		rows = append(rows, [2]string{"in the trash", "since " + showTime(m.DeletedAt)})
	}
	for _, r := range rows {
		if r[1] != "" {
			p.printf("%-12s  %s\n", r[0], loci.OneLine(r[1]))
		}
	}
	p.printf("\n%s\n", strings.TrimRight(loci.Printable(m.Content), "\n"))
}

// saved says what became of a memory, or prints it as JSON.
func (p *program) saved(what string, m *loci.Memory) error {
	if p.json {
		return p.printJSON(m)
	}
	p.printf("%s %s (version %d): %s\n", what, m.ID, m.Version, cut(m.Title, 60))
	return nil
}

// allPages reads a list page by page to its end.
func allPages[T any](read func(cursor string) (rows []T, next string, err error)) (all []T, err error) {
	for cursor := ""; ; {
		rows, next, err := read(cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
		if cursor = next; cursor == "" {
			return all, nil
		}
	}
}
