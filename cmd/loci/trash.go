package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// trashTime is how long the trash keeps things, as help prints it.
var trashTime = loci.Plural(loci.TrashDays, "day", "days")

func (p *program) trashCommand() *cobra.Command {
	var version int
	cmd := p.each(operator, &cobra.Command{
		Use:         "trash ID…",
		Short:       "Move memories to the trash for " + trashTime,
		Annotations: does(memory.Trash),
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		m, err := c.app.Memory.Trash(ctx, c.who, id, version)
		if loci.CodeOf(err) == loci.Conflict {
			err = loci.WrapError(loci.Conflict, err,
				"memory %s is already in the trash; to get it back, run: loci restore %s", id, id)
		}
		if err != nil {
			return err
		}
		if err := p.answer(m, nil, "%s", savedLine("trashed", &m.Memory)); err != nil || p.json {
			return err
		}
		p.printReplaced(m.StillSuperseded, nil)
		return nil
	})
	ifVersionFlag(cmd, &version)
	return cmd
}

func ifVersionFlag(cmd *cobra.Command, version *int) {
	cmd.Flags().IntVar(version, "if-version", 0, "fail unless the memory is at this version")
}

// each completes a command that does one thing to every id in its arguments, and fails at the end if any of them
// failed. It reads all ids before it changes anything.
func (p *program) each(which picks, cmd *cobra.Command,
	do func(context.Context, *call, loci.MemoryID) error) *cobra.Command {
	cmd.PreRunE = func(_ *cobra.Command, args []string) error { return checkMemoryIDs(args) }
	return p.acting(which, cmd, func(ctx context.Context, c *call) error {
		ids, err := c.memoryIDs(ctx, c.who, c.args)
		if err != nil {
			return c.onlyHere(ctx, err)
		}
		var failed error
		for i, id := range ids {
			if slices.Contains(ids[:i], id) { // named twice, done once
				continue
			}
			failed = errors.Join(failed, c.onlyHere(ctx, aboutMemory(id, do(ctx, c, id))))
		}
		return failed
	})
}

// notFor says that a vendor's assistant does not see a memory, which a person may see.
func notFor(id loci.MemoryID, vendor loci.Vendor, err error) error {
	return loci.WrapError(loci.NotFound, err, "memory %s not found for %s; see `loci show %s`, without --as", id, vendor,
		id)
}

// aboutMemory names the memory in an error about it.
func aboutMemory(id loci.MemoryID, err error) error {
	switch code := loci.CodeOf(err); {
	case loci.IsNoSuchMemory(err):
		return loci.WrapError(code, err,
			"memory %s not found; it may be in the trash (`loci list --trash`), expired (`loci restore %s`) or permanently "+
				"deleted", id, id)
	case code == loci.Forbidden || code == loci.Precondition:
		return loci.WrapError(code, err, "memory %s: %s", id, err)
	}
	return err
}
