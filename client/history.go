package client

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
)

// RevertRequest names the old version to revert to.
type RevertRequest struct {
	Version int `json:"version" minimum:"1" doc:"The version whose content to restore" example:"1"`
}

// UndoRequest selects the changes to undo.
type UndoRequest struct {
	loci.UndoSelection
	DryRun bool `json:"dry_run,omitempty" doc:"True to only report what would be undone"`
}

// Diff compares two versions of a memory. If to is 0, it is the current version; if from is 0, it
// is the version before to. It works with people's keys only.
func (c *Client) Diff(ctx context.Context, id loci.MemoryID, from, to int) (*loci.Diff, error) {
	return get[loci.Diff](ctx, c, query("/memories/"+id.String()+"/diff", values("from", number(from), "to", number(to))))
}

// Revert gives a memory the content of an old version. It fails unless the memory is at atVersion;
// 0 means any version. It works with people's keys only.
func (c *Client) Revert(ctx context.Context, id loci.MemoryID, atVersion, to int) (*loci.Memory, error) {
	return one(ctx, c, http.MethodPost, "/memories/"+id.String()+"/revert", version(atVersion), RevertRequest{Version: to})
}

// Undo undoes the selected changes. It requires a browser sign-in with a fresh proof, so with a key
// it fails with Forbidden. `loci undo` does the same at the data directory.
func (c *Client) Undo(ctx context.Context, r UndoRequest) (*loci.UndoReport, error) {
	return send[loci.UndoReport](ctx, c, "/undo", r)
}
