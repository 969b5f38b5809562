package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"golang.org/x/term"

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
	if len(list) == 0 && empty != "" {
		p.note("%s", empty)
		return nil
	}
	rows := make([][]string, len(list))
	for i, x := range list {
		rows[i] = row(x)
	}
	p.printTable(strings.Split(columns, "|"), rows)
	return nil
}

// page is how a complete list is printed as JSON.
func page[T any](name string, items []T) map[string]any {
	return map[string]any{name: notNil(items), "next_cursor": "", "has_more": false}
}

// notNil keeps an empty list from being null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// printFields writes pairs of a name and a value, and leaves out those without a value.
func (p *program) printFields(fields ...string) {
	for f := range slices.Chunk(fields, 2) {
		if f[1] != "" && f[1] != "-" {
			p.printf("%-12s  %s\n", f[0], loci.OneLine(f[1]))
		}
	}
}

// printTable writes aligned columns: styled and cut to its width in a terminal, plain and in full anywhere else.
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
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderHeader(false).BorderColumn(false).BorderRow(false).
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

// fit cuts the widest columns so that a row takes one line of the terminal. It never cuts the first: people copy ids
// from there.
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

// narrowest is the smallest width of a column, in characters.
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
