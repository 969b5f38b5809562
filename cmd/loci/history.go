package main

import (
	"context"
	"strconv"
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
			out := map[string]any{"current": current, "versions": notNil(versions), "has_more": hasOlder(versions)}
			if diff {
				out["diffs"] = notNil(diffs(current, versions, before == 0))
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
