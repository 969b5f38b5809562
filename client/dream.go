package client

import (
	"context"

	"github.com/loci-memory/loci"
)

// NewDream asks for a run of the dream-cycle.
type NewDream struct {
	DryRun bool `json:"dry_run,omitempty" doc:"Show what would happen, and write nothing"`
}

// DreamList is a list of receipts, last begun first.
type DreamList struct {
	Runs []*loci.Dream `json:"runs" nullable:"false"`
	More
}

// Dream runs the dream-cycle of the caller's org for at most 20 seconds. If the receipt has More, call it again.
func (c *Client) Dream(ctx context.Context, d NewDream) (*loci.Dream, error) {
	return send[loci.Dream](ctx, c, "/dream", d)
}

// DreamRuns returns one page of the receipts. limit 0 is 50, and at most 500. cursor is NextCursor of the previous
// page.
func (c *Client) DreamRuns(ctx context.Context, limit int, cursor string) (*DreamList, error) {
	return get[DreamList](ctx, c, query("/dream/runs", values("limit", number(limit), "cursor", cursor)))
}

// DreamRun returns the receipt of a run.
func (c *Client) DreamRun(ctx context.Context, id loci.DreamID) (*loci.Dream, error) {
	return get[loci.Dream](ctx, c, "/dream/runs/"+id.String())
}
