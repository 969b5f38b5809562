package gate

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// ErrNoWorkspace is the error for a workspace that doesn't exist in the org.
func ErrNoWorkspace() error { return loci.Errorf(loci.NotFound, "no such workspace") }

// Workspace returns a workspace of the org and the number of its workspaces, or NotFound.
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
