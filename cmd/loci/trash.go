package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) trashCommand() *cobra.Command {
	var version int
	cmd := &cobra.Command{
		Use:         "trash ID…",
		Short:       "Move memories to the trash, where they stay for 30 days",
		Args:        cobra.MinimumNArgs(1),
		Annotations: does(app.MemoryTrash),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.each(cmd, args, "trashed", func(ctx context.Context, in *instance, id loci.MemoryID) (*loci.Memory, error) {
				m, err := in.app.Trash(ctx, in.operator, id, version)
				return m, aboutMemory(id, err)
			})
		},
	}
	cmd.Flags().IntVar(&version, "if-version", 0, "only if it is still at this version")
	return cmd
}

// each does one thing to every id on the command line and fails at the end if
// any of them failed. All ids are read before anything is changed.
func (p *program) each(cmd *cobra.Command, args []string, done string, do func(context.Context, *instance, loci.MemoryID) (*loci.Memory, error)) error {
	var ids []loci.MemoryID
	for _, arg := range args {
		id, err := parseMemoryID(arg)
		if err != nil {
			return err
		}
		if !slices.Contains(ids, id) { // named twice, done once
			ids = append(ids, id)
		}
	}
	return p.with(cmd.Context(), refuse, func(in *instance) error {
		var failed error
		for _, id := range ids {
			m, err := do(cmd.Context(), in, id)
			if err == nil {
				err = p.saved(done, m)
			}
			if err != nil {
				failed = errors.Join(failed, err)
			}
		}
		return failed
	})
}

// aboutMemory adds the id to an error that does not name it.
func aboutMemory(id loci.MemoryID, err error) error {
	switch loci.CodeOf(err) {
	case loci.NotFound:
		return loci.WrapError(loci.NotFound, err, "no memory %s here; it may be in the trash (`loci list --trash`) or purged", id)
	case loci.Forbidden, loci.Precondition:
		return loci.WrapError(loci.CodeOf(err), err, "memory %s: %s", id, err)
	}
	return err
}
