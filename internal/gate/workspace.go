package gate

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// ErrNoWorkspace is the answer for a workspace that the org does not have.
func ErrNoWorkspace() error { return loci.Errorf(loci.NotFound, "no such workspace") }

// Workspace returns one of the org's and how many there are, or NotFound.
func Workspace(ctx context.Context, tx store.Tx, id loci.WorkspaceID) (loci.Workspace, int, error) {
	list, err := tx.Workspaces().List(ctx)
	if err != nil {
		return loci.Workspace{}, 0, err
	}
	n := slices.IndexFunc(list, func(w loci.Workspace) bool { return w.ID == id })
	if n < 0 {
		return loci.Workspace{}, 0, ErrNoWorkspace()
	}
	return list[n], len(list), nil
}
