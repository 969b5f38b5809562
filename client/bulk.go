package client

import (
	"context"

	"github.com/loci-memory/loci"
)

// BulkRequest asks for up to 1,000 changes in one call, carried out in order.
type BulkRequest struct {
	Operations []BulkOperation `json:"operations" nullable:"false" minItems:"1" maxItems:"1000"`
	// Atomic nil is true.
	Atomic *bool `json:"atomic,omitzero" nullable:"false" doc:"All in one transaction, or none (if left out); false: each by itself, and its result says what was refused"`
}

// BulkOperation is one change.
type BulkOperation struct {
	Op      loci.BulkOp   `json:"op" enum:"create,update,trash"`
	Memory  *NewMemory    `json:"memory,omitzero" nullable:"false" doc:"Of create: as in POST /memories"`
	ID      loci.MemoryID `json:"id,omitzero" format:"uuid" doc:"Of update and trash"`
	Version int           `json:"version,omitzero" minimum:"1" doc:"Of update and trash: the version that you saw; refused if the memory has moved on. Left out: any"`
	Changes *Edit         `json:"changes,omitzero" nullable:"false" doc:"Of update: as in PATCH /memories/{id}"`
}

// BulkAnswer says what became of each operation.
type BulkAnswer struct {
	Results   []loci.BulkResult `json:"results" nullable:"false"`
	Succeeded int               `json:"succeeded" example:"1"`
	Failed    int               `json:"failed" example:"0"`
}

// Bulk carries many changes out in one call. If they are atomic and some were refused,
// none was done, and Error.Items says why for each.
func (c *Client) Bulk(ctx context.Context, r BulkRequest) (*BulkAnswer, error) {
	return send[BulkAnswer](ctx, c, "/memories/bulk", r)
}
