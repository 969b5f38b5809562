package client

import (
	"context"

	"github.com/loci-memory/loci"
)

// BulkRequest asks for up to 1,000 changes in one call. The server applies them in order.
type BulkRequest struct {
	Operations []BulkOperation `json:"operations" nullable:"false" minItems:"1" maxItems:"1000"`
	// If Atomic is nil, it is true.
	Atomic *bool `json:"atomic,omitzero" nullable:"false" doc:"True: apply all operations or none. False: apply each on its own; its result shows whether it failed. Default: true"`
}

// BulkOperation is one change.
type BulkOperation struct {
	Op      loci.BulkOp   `json:"op" enum:"create,update,trash"`
	Memory  *NewMemory    `json:"memory,omitzero" nullable:"false" doc:"For create: as in POST /memories"`
	ID      loci.MemoryID `json:"id,omitzero" format:"uuid" doc:"For update and trash"`
	Version int           `json:"version,omitzero" minimum:"1" doc:"For update and trash: reject the operation unless the memory is at this version. Default: any version"`
	Changes *Edit         `json:"changes,omitzero" nullable:"false" doc:"For update: as in PATCH /memories/{id}"`
}

// BulkAnswer has the result of each operation.
type BulkAnswer struct {
	Results   []loci.BulkResult `json:"results" nullable:"false"`
	Succeeded int               `json:"succeeded" example:"1"`
	Failed    int               `json:"failed" example:"0"`
}

// Bulk makes many changes in one call. If the request is atomic and any operation fails, none is
// applied, and Error.Items has the reason for each failure.
func (c *Client) Bulk(ctx context.Context, r BulkRequest) (*BulkAnswer, error) {
	return send[BulkAnswer](ctx, c, "/memories/bulk", r)
}
