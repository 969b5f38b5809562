package app

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

var errUnbuilt = errors.New("not built yet")

// What becomes of items, and names of rows. See package store.
type (
	PutEntity   = store.PutEntity
	Observed    = store.Observed
	PutRelation = store.PutRelation
	GraphIDs    = store.GraphIDs
	GraphTrash  = store.GraphTrash
)

// Which names an entity, by its id or else by its name.
type Which struct {
	ID loci.EntityID
	loci.EntityRef
}

// CreateEntities stores entities in a project's graph, all or none; the items of vendors nil are for everybody. One that
// is there already is returned with those of its observations added that are new. Errors of items are a *loci.ItemsError;
// NotFound if there is no such project, Conflict if it is archived. So it is with all methods about a graph.
func (a *App) CreateEntities(ctx context.Context, p loci.Principal, in loci.ProjectID, vendors []loci.Vendor, items []loci.NewEntity) ([]PutEntity, error) {
	if err := a.begin(ctx, p, GraphWrite); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// AddObservations adds observations to entities, all or none. An entity that is not there is refused with the nearest names.
func (a *App) AddObservations(ctx context.Context, p loci.Principal, in loci.ProjectID, vendors []loci.Vendor, items []loci.Contents) ([]Observed, error) {
	if err := a.begin(ctx, p, GraphWrite); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// CreateRelations stores relations, all or none. Both ends must be there.
func (a *App) CreateRelations(ctx context.Context, p loci.Principal, in loci.ProjectID, vendors []loci.Vendor, items []loci.NewRelation) ([]PutRelation, error) {
	if err := a.begin(ctx, p, GraphWrite); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// DeleteEntities moves entities to the graph's trash, with all that hangs on them, and returns how many. Names that are not there are passed over.
func (a *App) DeleteEntities(ctx context.Context, p loci.Principal, in loci.ProjectID, refs []loci.EntityRef) (int, error) {
	if err := a.begin(ctx, p, GraphDelete); err != nil {
		return 0, err
	}
	return 0, errUnbuilt
}

// DeleteObservations moves the observations with these contents to the trash, and returns how many.
func (a *App) DeleteObservations(ctx context.Context, p loci.Principal, in loci.ProjectID, items []loci.Contents) (int, error) {
	if err := a.begin(ctx, p, GraphDelete); err != nil {
		return 0, err
	}
	return 0, errUnbuilt
}

// DeleteRelations moves these relations to the trash, and returns how many.
func (a *App) DeleteRelations(ctx context.Context, p loci.Principal, in loci.ProjectID, items []loci.NewRelation) (int, error) {
	if err := a.begin(ctx, p, GraphDelete); err != nil {
		return 0, err
	}
	return 0, errUnbuilt
}

// RestoreNodes takes rows out of the trash, all or none, and returns how many. See store.Nodes.Restore.
func (a *App) RestoreNodes(ctx context.Context, p loci.Principal, in loci.ProjectID, ids GraphIDs) (int, error) {
	if err := a.begin(ctx, p, GraphRestore); err != nil {
		return 0, err
	}
	return 0, errUnbuilt
}

// MergeEntities makes one entity of two and returns it. See store.Nodes.Merge.
func (a *App) MergeEntities(ctx context.Context, p loci.Principal, in loci.ProjectID, from, into Which) (loci.Entity, error) {
	if err := a.begin(ctx, p, GraphMerge); err != nil {
		return loci.Entity{}, err
	}
	return loci.Entity{}, errUnbuilt
}

// SetGraphVendors says which vendors may read rows that the person wrote, and returns how many it changed. See store.Nodes.SetVendors.
func (a *App) SetGraphVendors(ctx context.Context, p loci.Principal, in loci.ProjectID, ids GraphIDs, vendors []loci.Vendor) (int, error) {
	if err := a.begin(ctx, p, GraphVendors); err != nil {
		return 0, err
	}
	return 0, errUnbuilt
}

// CheckGraph says where what is derived of a graph differs from its rows; rebuild makes it anew. It is the operator's.
func (a *App) CheckGraph(ctx context.Context, p loci.Principal, in loci.ProjectID, rebuild bool) ([]string, error) {
	if err := a.begin(ctx, p, GraphCheck); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}
