package client

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
)

// RevertRequest asks for an old version.
type RevertRequest struct {
	Version int `json:"version" minimum:"1" doc:"The version that it is to say the same as again" example:"1"`
}

// UndoRequest says which changes are to be undone.
type UndoRequest struct {
	loci.UndoSelection
	DryRun bool `json:"dry_run,omitempty" doc:"Change nothing and say what would be done"`
}

// Diff compares two versions of a memory. to 0 is the current one, from 0 the one
// before to. People's keys only.
func (c *Client) Diff(ctx context.Context, id loci.MemoryID, from, to int) (*loci.Diff, error) {
	return get[loci.Diff](ctx, c, query("/memories/"+id.String()+"/diff", values("from", number(from), "to", number(to))))
}

// Revert makes the memory that is at atVersion say again what it said in an old one; 0 is any. People's
// keys only.
func (c *Client) Revert(ctx context.Context, id loci.MemoryID, atVersion, to int) (*loci.Memory, error) {
	return one(ctx, c, http.MethodPost, "/memories/"+id.String()+"/revert", version(atVersion), RevertRequest{Version: to})
}

// Undo puts back what the selection changed. It needs a browser session with a fresh proof, so the
// error for a key has the code Forbidden; `loci undo` does the same at the data directory.
func (c *Client) Undo(ctx context.Context, r UndoRequest) (*loci.UndoReport, error) {
	return send[loci.UndoReport](ctx, c, "/undo", r)
}
