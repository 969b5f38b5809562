package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) historyCommand() *cobra.Command {
	var limit, before int
	var diff bool
	cmd := p.onMemoryID(operator, &cobra.Command{
		Use:   "history ID",
		Short: "Show every version of a memory, newest first",
		Long: `Show every version of a memory, newest first: its time, author and content. With --diff,
show what each version changed.`,
		Annotations: does(memory.History),
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		versions, current, err := c.app.Memory.Versions(ctx, c.who, id, before, limit)
		if err != nil {
			return err
		}
		if p.json {
			out := map[string]any{"current": current, "versions": loci.OrEmpty(versions), "has_more": hasOlder(versions)}
			if diff {
				out["diffs"] = loci.OrEmpty(diffs(current, versions, before == 0))
			}
			return p.printJSON(out)
		}
		if diff {
			p.paged(func() { p.printDiffs(current, versions, before == 0) })
		} else {
			p.printHistory(current, versions, before == 0)
		}
		if hasOlder(versions) {
			p.note("more versions: repeat with --before %d", versions[len(versions)-1].Version)
		}
		return nil
	})
	cmd.Flags().IntVar(&limit, "limit", 0, "how many old versions")
	cmd.Flags().IntVar(&before, "before", 0, "only versions older than this one")
	cmd.Flags().BoolVar(&diff, "diff", false, "show what each version changed")
	return cmd
}

// diffs compares each version on this page with the previous one.
func diffs(current *loci.Memory, versions []*loci.Version, whole bool) (out []*loci.Diff) {
	var newer *loci.Memory
	if whole {
		newer = current
	}
	for _, v := range versions {
		if newer != nil {
			out = append(out, loci.CompareVersions(&v.Memory, newer))
		}
		newer = &v.Memory
	}
	return out
}

func (p *program) printDiffs(current *loci.Memory, versions []*loci.Version, whole bool) {
	for _, d := range diffs(current, versions, whole) {
		p.printDiff(d)
		p.printf("\n")
	}
	oldest := current
	if n := len(versions); n > 0 {
		oldest = &versions[n-1].Memory
	} else if !whole {
		return
	}
	p.printf("version %d (%s by %s, %s): %s\n", oldest.Version, oldest.Change, oldest.Editor, p.showTime(oldest.UpdatedAt),
		cut(oldest.Title, 60))
}

func (p *program) printHistory(current *loci.Memory, versions []*loci.Version, whole bool) {
	var rows [][]string
	row := func(m *loci.Memory) {
		rows = append(rows, []string{strconv.Itoa(m.Version), p.showTime(m.UpdatedAt), string(m.Change), m.Editor,
			readers(m), cut(m.Title, 40), cut(m.Content, 60)})
	}
	if whole {
		row(current)
	}
	for _, v := range versions {
		row(&v.Memory)
	}
	p.printTable([]string{"VERSION", "FROM", "CHANGE", "BY", "VISIBLE TO", "TITLE", "CONTENT"}, rows)
}

func hasOlder(versions []*loci.Version) bool {
	return len(versions) > 0 && versions[len(versions)-1].Version > 1
}

func (p *program) restoreCommand() *cobra.Command {
	var version int
	cmd := p.each(operator, &cobra.Command{
		Use:         "restore ID…",
		Short:       "Restore memories from the trash",
		Annotations: does(memory.Restore),
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		m, err := c.app.Memory.Restore(ctx, c.who, id, version)
		if loci.CodeOf(err) == loci.NotFound {
			return loci.WrapError(loci.NotFound, err, "memory %s is not in the trash; see `loci list --trash`", id)
		}
		if err != nil {
			return err
		}
		if err := p.saved("restored", m); err != nil || p.json {
			return err
		}
		if !m.SupersededBy.IsZero() {
			p.printReplaced([]loci.StillSuperseded{{ID: m.ID, Title: m.Title, SupersededBy: m.SupersededBy}}, nil)
			return nil
		}
		return p.noteSameKey(ctx, c.instance, m)
	})
	ifVersionFlag(cmd, &version)
	return cmd
}

// noteSameKey tells which other memories of the person got the key of a restored one while it was in the trash.
func (p *program) noteSameKey(ctx context.Context, in *instance, m *loci.Memory) error {
	if m.Key == "" {
		return nil
	}
	page, err := in.app.Memory.List(ctx, in.operator, memory.ListRequest{Filter: memory.Filter{Key: m.Key,
		Scope: m.Scope, ProjectID: m.ProjectID, AgentID: m.AgentID}})
	if err != nil {
		return err
	}
	for _, other := range page.Items {
		if other.ID != m.ID && other.UserID == m.UserID {
			p.note("Memory %s (%s) has the same key. Your next save by key updates only the one that changed last. To keep "+
				"one, trash the other.", other.ID, cut(other.Title, 60))
		}
	}
	return nil
}

func (p *program) revertCommand() *cobra.Command {
	var atVersion, to int
	cmd := p.onMemoryID(pickPerson, &cobra.Command{
		Use:   "revert ID VERSION",
		Short: "Revert a memory to an old version",
		Long: `Revert a memory to the content of an old version, as a new version; see "loci history".
Sharing does not change. If the memory is in the trash or has expired, first run
"loci restore".`,
		Annotations: does(memory.Revert),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			to, err = parseVersion(args[1])
			return err
		},
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		began := time.Now()
		m, err := c.app.Memory.Revert(ctx, c.who, id, atVersion, to)
		if err != nil {
			return err
		}
		if err := p.savedSince(began, "reverted", m); err != nil {
			return err
		}
		p.printVisible(ctx, c.instance, m)
		return nil
	})
	ifVersionFlag(cmd, &atVersion)
	return cmd
}

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
