package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

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
