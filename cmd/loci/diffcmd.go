package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) diffCommand() *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use:   "diff ID [FROM [TO]]",
		Short: "Show what differs between two versions of a memory",
		Long: `Show what differs between two versions of a memory: by default the current one and
the one before it; with FROM that one and the current one. Lines begin with - if they
are only in FROM, with + if they are only in TO, and with ~ if they differ in words:
[-old-]{+new+}.`,
		Example:     "  loci diff 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e 2 5",
		Args:        cobra.RangeArgs(1, 3),
		Annotations: does(app.MemoryHistory),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			var sides [2]int
			for i, arg := range args[1:] {
				if sides[i], err = parseVersion(arg); err != nil {
					return err
				}
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				who, err := in.actFor(cmd.Context(), org, user)
				if err != nil {
					return err
				}
				d, err := in.app.Diff(cmd.Context(), who, id, sides[0], sides[1])
				if err != nil {
					return aboutVersion(id, err)
				}
				if p.json {
					return p.printJSON(d)
				}
				p.printDiff(d)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	return cmd
}

func (p *program) revertCommand() *cobra.Command {
	var org, user string
	var atVersion int
	cmd := &cobra.Command{
		Use:   "revert ID VERSION",
		Short: "Make a memory say again what it said in an old version",
		Long: `Make a memory say again what it said in an old version, as a new version: see
"loci history". Whether it is shared stays as it is. What is in the trash or has
expired is restored first: "loci restore".`,
		Args:        cobra.ExactArgs(2),
		Annotations: does(app.MemoryRevert),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			to, err := parseVersion(args[1])
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				who, err := in.actFor(cmd.Context(), org, user)
				if err != nil {
					return err
				}
				m, err := in.app.Revert(cmd.Context(), who, id, atVersion, to)
				if err != nil {
					return aboutVersion(id, err)
				}
				return p.saved("reverted", m)
			})
		},
	}
	cmd.Flags().IntVar(&atVersion, "if-version", 0, "only if it is still at this version")
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	return cmd
}

func parseVersion(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, loci.Errorf(loci.Invalid, "%q is not the number of a version; `loci history ID` shows them", cut(s, 60))
	}
	return n, nil
}

// aboutVersion keeps what is said about a version, and says else what aboutMemory does.
func aboutVersion(id loci.MemoryID, err error) error {
	if loci.CodeOf(err) == loci.NotFound && err.Error() != loci.NoSuchMemory().Error() {
		return err
	}
	return aboutMemory(id, err)
}

// printDiff writes what differs for a person to read.
func (p *program) printDiff(d *loci.Diff) {
	p.printf("version %d (%s by %s, %s) → version %d (%s by %s, %s)\n", d.From.Version, d.From.Change, d.From.Editor, showTime(d.From.At),
		d.To.Version, d.To.Change, d.To.Editor, showTime(d.To.At))
	if len(d.Fields)+len(d.Texts) == 0 {
		p.printf("nothing differs\n")
	}
	for _, f := range d.Fields {
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

// onOneLine makes a line safe to print, with its spaces as they are: they may be what differs.
func onOneLine(s string) string { return strings.ReplaceAll(loci.Printable(s), "\n", "␍") }

// nearWords is how many characters are shown on each side of a change in a long line.
const nearWords = 60

// shorten leaves out what is far from any change: before and after say where there is one.
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
