package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/loci-memory/loci"
)

// Create saves a memory. If a memory with its key exists, Create saves a new version of it. It
// works with people's keys only; agents use AgentCreate.
func (c *Client) Create(ctx context.Context, m NewMemory) (*loci.Saved, error) {
	return send[loci.Saved](ctx, c, "/memories", m)
}

// Get returns a memory, even from the trash. It works with people's keys only.
func (c *Client) Get(ctx context.Context, id loci.MemoryID) (*loci.Memory, error) {
	return one(ctx, c, http.MethodGet, "/memories/"+id.String(), nil, nil)
}

// List returns one page of memories. It works with people's keys only.
func (c *Client) List(ctx context.Context, r ListRequest) (*MemoryPage, error) {
	return send[MemoryPage](ctx, c, "/memories/list", r)
}

// Facets counts the memories that pass the conditions by their values. It works with people's keys only.
func (c *Client) Facets(ctx context.Context, conditions url.Values) (*loci.Facets, error) {
	return get[loci.Facets](ctx, c, query("/memories/facets", conditions))
}

// Replaced returns the memories that a memory replaced, oldest first. It works with people's keys only.
func (c *Client) Replaced(ctx context.Context, id loci.MemoryID) (*ReplacedMemories, error) {
	return get[ReplacedMemories](ctx, c, "/memories/"+id.String()+"/replaced")
}

// Readers explains which vendors' assistants get a memory. It works with people's keys only.
func (c *Client) Readers(ctx context.Context, id loci.MemoryID) (*loci.MemoryReaders, error) {
	return get[loci.MemoryReaders](ctx, c, "/memories/"+id.String()+"/readers")
}

// Replace replaces a whole memory. It fails with Precondition unless the memory is at atVersion; 0 means any version.
func (c *Client) Replace(ctx context.Context, id loci.MemoryID, atVersion int, r Replacement) (*loci.Memory, error) {
	return one(ctx, c, http.MethodPut, "/memories/"+id.String(), version(atVersion), r)
}

// Edit changes parts of a memory. It fails unless the memory is at atVersion; 0 means any version.
func (c *Client) Edit(ctx context.Context, id loci.MemoryID, atVersion int, e Edit) (*loci.Memory, error) {
	return one(ctx, c, http.MethodPatch, "/memories/"+id.String(), version(atVersion), e)
}

// Trash moves a memory to the trash. It fails unless the memory is at atVersion; 0 means any version.
func (c *Client) Trash(ctx context.Context, id loci.MemoryID, atVersion int) (*loci.TrashedMemory, error) {
	return callAt[loci.TrashedMemory](ctx, c, http.MethodDelete, "/memories/"+id.String(), version(atVersion), nil)
}

// Restore restores a memory from the trash. It fails unless the memory is at atVersion; 0 means any version.
func (c *Client) Restore(ctx context.Context, id loci.MemoryID, atVersion int) (*loci.Memory, error) {
	return one(ctx, c, http.MethodPost, "/memories/"+id.String()+"/restore", version(atVersion), nil)
}

// Versions returns old versions, newest first. cursor is "" or the NextCursor of the previous page.
// If limit is 0, it is 100.
func (c *Client) Versions(ctx context.Context, id loci.MemoryID, limit int, cursor string) (*History, error) {
	return get[History](ctx, c, query("/memories/"+id.String()+"/versions", paging(limit, cursor)))
}

// AgentCreate saves a memory with an agent's key, or a person's.
func (c *Client) AgentCreate(ctx context.Context, m NewMemory) (*loci.Saved, error) {
	return send[loci.Saved](ctx, c, "/agent/memories", m)
}

// AgentGet returns a memory that the vendor of the key may read.
func (c *Client) AgentGet(ctx context.Context, id loci.MemoryID) (*loci.Memory, error) {
	return one(ctx, c, http.MethodGet, "/agent/memories/"+id.String(), nil, nil)
}

// Latest returns the newest memory with the tag and the origin; "" means any. It fails with
// NotFound if there is none.
func (c *Client) Latest(ctx context.Context, tag, origin string) (*loci.Memory, error) {
	return one(ctx, c, http.MethodGet, query("/agent/memories/latest", values("tag", tag, "origin", origin)), nil, nil)
}

// ByTag returns one page of the memories with some tags.
func (c *Client) ByTag(ctx context.Context, r ByTagRequest) (*MemoryPage, error) {
	return send[MemoryPage](ctx, c, "/agent/memories/by-tag", r)
}

// Browse returns one page of summaries.
func (c *Client) Browse(ctx context.Context, r BrowseRequest) (*SummaryPage, error) {
	return send[SummaryPage](ctx, c, "/agent/memories/browse", r)
}

// Search returns the memories that match a search, best match first.
func (c *Client) Search(ctx context.Context, r SearchRequest) (*SearchPage, error) {
	return send[SearchPage](ctx, c, "/agent/memories/search", r)
}

// Newest returns the newest memories.
func (c *Client) Newest(ctx context.Context, r NewestRequest) (*CountedPage, error) {
	return send[CountedPage](ctx, c, "/agent/memories/list", r)
}

// Query answers a question from the memories.
func (c *Client) Query(ctx context.Context, r QueryRequest) (*QueryAnswer, error) {
	return send[QueryAnswer](ctx, c, "/query", r)
}

// Briefing returns an overview of the available memories.
func (c *Client) Briefing(ctx context.Context) (*loci.Briefing, error) {
	return get[loci.Briefing](ctx, c, "/agent/briefing")
}

// BriefingMarkdown returns the briefing as text for a model.
func (c *Client) BriefingMarkdown(ctx context.Context) (string, error) {
	var b []byte
	err := c.do(ctx, http.MethodGet, "/agent/briefing?format=markdown", nil, nil, &b)
	return string(b), err
}

// WhoAmI returns the identity of the credential.
func (c *Client) WhoAmI(ctx context.Context) (*Identity, error) {
	return get[Identity](ctx, c, "/whoami")
}

// Health returns the state of the server.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	return get[Health](ctx, c, "/health")
}

// Ready returns nil if the server can read and write.
func (c *Client) Ready(ctx context.Context) error {
	_, err := get[Ready](ctx, c, "/ready")
	return err
}

func one(ctx context.Context, c *Client, method, path string, header http.Header, body any) (*loci.Memory, error) {
	return callAt[loci.Memory](ctx, c, method, path, header, body)
}

func get[T any](ctx context.Context, c *Client, path string) (*T, error) {
	return call[T](ctx, c, http.MethodGet, path, nil)
}

func send[T any](ctx context.Context, c *Client, path string, body any) (*T, error) {
	return call[T](ctx, c, http.MethodPost, path, body)
}

// Change is one field of an Edit: left out (the zero value), cleared, or set.
type Change[T any] = loci.Edited[T]

// Set changes a field to v.
func Set[T any](v T) Change[T] { return loci.Set(v) }

// Clear resets a field to its default: empty, or the value in a new memory.
func Clear[T any]() Change[T] { return loci.Clear[T]() }

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
