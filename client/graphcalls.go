package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/loci-memory/loci"
)

// Calls about a graph return an Error with the code NotFound if the project doesn't exist, and
// Conflict if it is archived. If the server rejects items of a call, it applies none, and
// Error.Items has the reason for each rejected item.

// CreateEntities stores entities. For entities that already exist, it adds the new observations and returns them.
func (c *Client) CreateEntities(ctx context.Context, in loci.ProjectID, r NewEntities) (*PutEntities, error) {
	return send[PutEntities](ctx, c, graph(in, "/entities"), r)
}

// AddObservations adds observations to entities.
func (c *Client) AddObservations(ctx context.Context, in loci.ProjectID,
	r AddedObservations) (*PutObservations, error) {
	return send[PutObservations](ctx, c, graph(in, "/observations"), r)
}

// CreateRelations stores relations. Both ends must exist.
func (c *Client) CreateRelations(ctx context.Context, in loci.ProjectID, r NewRelations) (*PutRelations, error) {
	return send[PutRelations](ctx, c, graph(in, "/relations"), r)
}

// DeleteEntities moves entities to the trash, with their observations and relations, and returns
// the number of entities. It ignores names that don't exist. An agent only suggests to delete what has another origin.
func (c *Client) DeleteEntities(ctx context.Context, in loci.ProjectID, r EntityNames) (*Deleted, error) {
	return send[Deleted](ctx, c, graph(in, "/entities/delete"), r)
}

// DeleteObservations works like DeleteEntities for observations.
func (c *Client) DeleteObservations(ctx context.Context, in loci.ProjectID, list ...OldObservations) (*Deleted, error) {
	return send[Deleted](ctx, c, graph(in, "/observations/delete"), ObservationDeletions{list})
}

// DeleteRelations works like DeleteEntities for relations.
func (c *Client) DeleteRelations(ctx context.Context, in loci.ProjectID, list ...NewRelation) (*Deleted, error) {
	return send[Deleted](ctx, c, graph(in, "/relations/delete"), RelationDeletions{list})
}

// Graph returns one page of a graph. If limit is 0, it is 100. cursor is "" or the NextCursor of the previous page.
func (c *Client) Graph(ctx context.Context, in loci.ProjectID, limit int, cursor string) (*GraphPage, error) {
	return get[GraphPage](ctx, c, query(graph(in, ""), paging(limit, cursor)))
}

// SearchGraph returns the entities that match, best match first. The syntax is words, AND, OR, NOT,
// "phrases", prefix* and parentheses. If limit is 0, it is 10.
func (c *Client) SearchGraph(ctx context.Context, in loci.ProjectID, q string, limit int,
	cursor string) (*GraphHits, error) {
	v := paging(limit, cursor)
	v.Set("q", q)
	return get[GraphHits](ctx, c, query(graph(in, "/search"), v))
}

// OpenEntities returns the entities with some names. For names that don't exist, it returns the most similar names.
func (c *Client) OpenEntities(ctx context.Context, in loci.ProjectID, r EntityNames) (*FoundEntities, error) {
	return send[FoundEntities](ctx, c, graph(in, "/open"), r)
}

// Entity returns one entity.
func (c *Client) Entity(ctx context.Context, in loci.ProjectID, id loci.EntityID) (*loci.Entity, error) {
	return get[loci.Entity](ctx, c, entity(in, id, ""))
}

// EntityObservations returns one page of the observations of an entity. If limit is 0, it is 100.
func (c *Client) EntityObservations(ctx context.Context, in loci.ProjectID, id loci.EntityID, limit int,
	cursor string) (*ObservationList, error) {
	return get[ObservationList](ctx, c, query(entity(in, id, "/observations"), paging(limit, cursor)))
}

// EntityRelations returns one page of the relations of an entity. If limit is 0, it is 100.
func (c *Client) EntityRelations(ctx context.Context, in loci.ProjectID, id loci.EntityID, limit int,
	cursor string) (*RelationList, error) {
	return get[RelationList](ctx, c, query(entity(in, id, "/relations"), paging(limit, cursor)))
}

// EntityHistory returns the changes of an entity, oldest first, even of a deleted one. If limit is 0, it is 100.
func (c *Client) EntityHistory(ctx context.Context, in loci.ProjectID, id loci.EntityID,
	limit int) (*GraphChangeList, error) {
	return get[GraphChangeList](ctx, c, query(entity(in, id, "/history"), paging(limit, "")))
}

// Neighbours returns an entity and its neighbours within that many hops (0 means 1), nearest first,
// at most limit (0 means 20).
func (c *Client) Neighbours(ctx context.Context, in loci.ProjectID, id loci.EntityID, hops,
	limit int) (*EntityList, error) {
	return get[EntityList](ctx, c,
		query(entity(in, id, "/neighbours"), values("limit", number(limit), "hops", number(hops))))
}

// GraphTrash returns what can be restored, at most limit of each kind (0 means 100).
func (c *Client) GraphTrash(ctx context.Context, in loci.ProjectID, limit int) (*GraphTrash, error) {
	return get[GraphTrash](ctx, c, query(graph(in, "/trash"), paging(limit, "")))
}

// RestoreEntities restores rows from the trash, all or none, and returns their number.
func (c *Client) RestoreEntities(ctx context.Context, in loci.ProjectID, ids GraphIDs) (int, error) {
	out, err := send[Restored](ctx, c, graph(in, "/restore"), ids)
	if err != nil {
		return 0, err
	}
	return out.Restored, nil
}

// MergeEntities merges from into into and returns the merged entity.
func (c *Client) MergeEntities(ctx context.Context, in loci.ProjectID, from, into loci.EntityID) (*MergedEntity,
	error) {
	return send[MergedEntity](ctx, c, graph(in, "/merge"), EntityMerge{From: from, Into: into})
}

// SetGraphVendors sets which vendors may read rows that the person wrote. It returns the number of changed rows.
func (c *Client) SetGraphVendors(ctx context.Context, in loci.ProjectID, ids GraphIDs,
	vendors ...loci.Vendor) (int, error) {
	out, err := call[Changed](ctx, c, http.MethodPut, graph(in, "/vendors"),
		GraphVendors{GraphIDs: ids, AllowedVendors: vendors})
	if err != nil {
		return 0, err
	}
	return out.Changed, nil
}

// The formats of ExportGraph.
const (
	GraphLoci      = "loci"      // everything: ids, times, writers, vendors
	GraphReference = "reference" // the memory.json of the reference "memory" MCP server
)

// ExportGraph writes the live graph as JSON lines to w. An empty format means GraphLoci.
func (c *Client) ExportGraph(ctx context.Context, in loci.ProjectID, format string, w io.Writer) error {
	return c.download(ctx, query(graph(in, "/export"), values("format", format)), w)
}

// DrawGraph writes the compact form of the live graph to w: a loci.GraphChunk on each line.
func (c *Client) DrawGraph(ctx context.Context, in loci.ProjectID, w io.Writer) error {
	return c.download(ctx, graph(in, "/drawing"), w)
}

// GraphImport configures ImportGraph.
type GraphImport struct {
	DryRun         bool
	AllowedVendors []loci.Vendor // for what the import adds; if empty: all
}

// ImportGraph imports the memory.json of the reference "memory" MCP server, at most 16 MiB. It can
// safely be repeated. It stores the valid lines and reports the others.
func (c *Client) ImportGraph(ctx context.Context, in loci.ProjectID, lines io.Reader,
	o GraphImport) (*GraphImported, error) {
	v := url.Values{}
	if o.DryRun {
		v.Set("dry_run", "true")
	}
	for _, vendor := range o.AllowedVendors {
		v.Add("allowed_vendors", string(vendor))
	}
	return send[GraphImported](ctx, c, query(graph(in, "/import"), v), lines)
}

func graph(in loci.ProjectID, rest string) string { return project(in, "/graph"+rest) }

func entity(in loci.ProjectID, id loci.EntityID, rest string) string {
	return graph(in, "/entities/"+id.String()+rest)
}
