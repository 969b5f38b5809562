package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) diffCommand() *cobra.Command {
	var sides [2]int
	return p.onMemoryID(pickPerson, &cobra.Command{
		Use:   "diff ID [FROM [TO]]",
		Short: "Compare two versions of a memory",
		Long: `Compare two versions of a memory: by default the current one with the previous one,
or with FROM. Lines that begin with - are only in FROM, and lines with + only in TO. Lines
with ~ differ in words: [-old-]{+new+}.`,
		Example:     "  loci diff 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e 2 5",
		Annotations: does(memory.History),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			for i, arg := range args[1:] {
				if sides[i], err = parseVersion(arg); err != nil {
					return err
				}
			}
			return nil
		},
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		d, err := c.app.Memory.Diff(ctx, c.who, id, sides[0], sides[1])
		if err != nil || p.json {
			return p.answer(d, err, "")
		}
		p.paged(func() { p.printDiff(d) })
		return nil
	})
}

func parseVersion(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, loci.Errorf(loci.Invalid, "%q is not a version number; see `loci history ID`", cut(s, 60))
	}
	return n, nil
}

// printDiff prints differences for a person to read.
func (p *program) printDiff(d *loci.Diff) {
	p.printf("version %d (%s by %s, %s) → version %d (%s by %s, %s)\n", d.From.Version, d.From.Change, d.From.Editor,
		p.showTime(d.From.At), d.To.Version, d.To.Change, d.To.Editor, p.showTime(d.To.At))
	if len(d.Fields)+len(d.Texts) == 0 {
		p.printf("no differences\n")
	}
	for _, f := range d.Fields {
		if f.Field == "deleted_at" { // people know the trash by its name
			p.printf("%s\n", map[bool]string{true: "trashed", false: "restored from the trash"}[string(f.Old) == "null"])
			continue
		}
		p.printf("%s: %s → %s\n", f.Field, loci.OneLine(string(f.Old)), loci.OneLine(string(f.New)))
	}
	for _, t := range d.Texts {
		p.printf("%s:\n", t.Field)
		for _, h := range t.Hunks {
			p.printf("@@ line %d → %d @@\n", h.OldLine, h.NewLine)
			for i := range h.Lines {
				p.printf("%s\n", showDiffLine(&h.Lines[i]))
			}
		}
	}
}

func showDiffLine(line *loci.DiffLine) string {
	switch line.Op {
	case loci.DiffRemoved:
		return "- " + onOneLine(line.Text)
	case loci.DiffAdded:
		return "+ " + onOneLine(line.Text)
	case loci.DiffChanged:
		var b strings.Builder
		b.WriteString("~ ")
		for i, w := range line.Words {
			switch text := onOneLine(w.Text); w.Op {
			case loci.DiffRemoved:
				b.WriteString("[-" + text + "-]")
			case loci.DiffAdded:
				b.WriteString("{+" + text + "+}")
			default:
				b.WriteString(shorten(text, i > 0, i < len(line.Words)-1))
			}
		}
		return b.String()
	default:
		return "  " + onOneLine(line.Text)
	}
}

// onOneLine makes a line safe to print. It keeps the spaces, because they may differ.
func onOneLine(s string) string { return strings.ReplaceAll(loci.Legible(s), "\n", "␍") }

// nearWords is how many characters appear on each side of a change in a long line.
const nearWords = 60

// shorten omits text far from any change. before and after report on which side there is a change.
func shorten(s string, before, after bool) string {
	runes := []rune(s)
	keep := 0
	if before {
		keep += nearWords
	}
	if after {
		keep += nearWords
	}
	if len(runes) <= keep+nearWords {
		return s
	}
	out := " … "
	if before {
		out = string(runes[:nearWords]) + out
	}
	if after {
		out += string(runes[len(runes)-nearWords:])
	}
	return out
}
