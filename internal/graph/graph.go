// Package graph holds the operations on the knowledge graphs of projects, with their import and export.
//
// Every method checks in the transaction whether the principal belongs to the project. If not,
// the error is the same as for a project that does not exist.
package graph

import (
	"cmp"
	"context"
	"fmt"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/store"
)

// PutEntity is the result for a new entity. See store.PutEntity.
type PutEntity = store.PutEntity

// Observed is the result for new observations. See store.Observed.
type Observed = store.Observed

// PutRelation is the result for a new relation. See store.PutRelation.
type PutRelation = store.PutRelation

// IDs names rows of a graph. See store.IDs.
type IDs = store.GraphIDs

// Trashed counts the deleted rows of a graph. See store.Trash.
type Trashed = store.GraphTrash

// Which names an entity, by its id or else by its name.
type Which struct {
	ID loci.EntityID
	loci.EntityRef
}

// CreateEntities stores entities in a project's graph, all or none. If an item's vendors are nil,
// everybody may read it. If an entity exists already, it is returned with its new observations
// added. Errors of items are a *loci.ItemsError. All methods on a graph return NotFound if the
// project does not exist and Conflict if it is archived.
func (s *Service) CreateEntities(ctx context.Context, p loci.Principal, in loci.ProjectID, vendors []loci.Vendor,
	items []loci.NewEntity) ([]PutEntity, error) {
	if err := s.Begin(ctx, p, Write); err != nil {
		return nil, err
	}
	bad := checkItems("entities", items, checkNew)
	return put(ctx, s, p, in, vendors, items, bad, store.Entities.Create)
}

// AddObservations adds observations to entities, all or none. An unknown entity is an error that
// suggests the nearest names.
func (s *Service) AddObservations(ctx context.Context, p loci.Principal, in loci.ProjectID, vendors []loci.Vendor,
	items []loci.Contents) ([]Observed, error) {
	if err := s.Begin(ctx, p, Write); err != nil {
		return nil, err
	}
	bad := checkItems("observations", items, (*loci.Contents).Validate)
	return put(ctx, s, p, in, vendors, items, bad, store.Entities.Observe)
}

// CreateRelations stores relations, all or none. Both ends must exist.
func (s *Service) CreateRelations(ctx context.Context, p loci.Principal, in loci.ProjectID, vendors []loci.Vendor,
	items []loci.NewRelation) ([]PutRelation, error) {
	if err := s.Begin(ctx, p, Write); err != nil {
		return nil, err
	}
	bad := checkItems("relations", items, (*loci.NewRelation).Validate)
	return put(ctx, s, p, in, vendors, items, bad, store.Entities.Relate)
}

// DeleteEntities moves entities to the graph's trash, with their observations and relations. It skips names that do
// not exist. If an agent deletes entities of another origin, or that have visible rows of another origin, this and the
// next two only suggest it.
func (s *Service) DeleteEntities(ctx context.Context, p loci.Principal, in loci.ProjectID, refs []loci.EntityRef) (
	Deleted, error) {
	if err := s.Begin(ctx, p, Delete, checkRefs("names", refs)); err != nil {
		return Deleted{}, err
	}
	return s.remove(ctx, p, Delete, in, func(tx store.GraphTx, v loci.Viewer) (d Deleted, _ loci.EntityID, err error) {
		d.Entities, err = tx.Entities().Delete(ctx, v, access(p), refs)
		d.Count = len(d.Entities)
		return d, loci.EntityID{}, err
	})
}

// DeleteObservations moves the observations with these contents to the trash.
func (s *Service) DeleteObservations(ctx context.Context, p loci.Principal, in loci.ProjectID, items []loci.Contents) (
	Deleted, error) {
	if err := s.Begin(ctx, p, Delete, checkItems("deletions", items, (*loci.Contents).Validate)); err != nil {
		return Deleted{}, err
	}
	return deleteRows(ctx, s, p, in, items, store.Entities.DeleteObservations)
}

// DeleteRelations moves these relations to the trash.
func (s *Service) DeleteRelations(ctx context.Context, p loci.Principal, in loci.ProjectID, items []loci.NewRelation) (
	Deleted, error) {
	if err := s.Begin(ctx, p, Delete, checkItems("relations", items, (*loci.NewRelation).Validate)); err != nil {
		return Deleted{}, err
	}
	return deleteRows(ctx, s, p, in, items, store.Entities.DeleteRelations)
}

func deleteRows[I any](ctx context.Context, s *Service, p loci.Principal, in loci.ProjectID, items []I,
	fn func(store.Entities, context.Context, loci.Viewer, loci.GraphAccess, []I) (int, error)) (Deleted, error) {
	return s.remove(ctx, p, Delete, in, func(tx store.GraphTx, v loci.Viewer) (d Deleted, _ loci.EntityID, err error) {
		d.Count, err = fn(tx.Entities(), ctx, v, access(p), items)
		return d, loci.EntityID{}, err
	})
}

// RestoreEntities takes rows out of the trash, all or none, and returns how many. See store.Entities.Restore.
func (s *Service) RestoreEntities(ctx context.Context, p loci.Principal, in loci.ProjectID, ids IDs) (int, error) {
	if err := s.Begin(ctx, p, Restore, checkIDs(&ids)); err != nil {
		return 0, err
	}
	return change(ctx, s, p, Restore, in, itself, func(tx store.GraphTx, v loci.Viewer) (int, error) {
		return tx.Entities().Restore(ctx, v, access(p), ids)
	})
}

// Merge merges one entity into another. See store.Entities.Merge. If an agent merges an entity that it may not delete,
// Merge only suggests it.
func (s *Service) Merge(ctx context.Context, p loci.Principal, in loci.ProjectID, from, into Which) (Deleted, error) {
	if err := s.Begin(ctx, p, Merge); err != nil {
		return Deleted{}, err
	}
	return s.remove(ctx, p, Merge, in, func(tx store.GraphTx, v loci.Viewer) (
		d Deleted, target loci.EntityID, err error) {
		source, err := from.id(ctx, tx, v, "from")
		if err != nil {
			return d, target, err
		}
		if target, err = into.id(ctx, tx, v, "into"); err != nil {
			return d, target, err
		}
		d.Merged, err = tx.Entities().Merge(ctx, v, access(p), source, target)
		return d, target, err
	})
}

// SetVendors sets which vendors may read rows that the person wrote, and returns how many it
// changed. See store.Entities.SetVendors.
func (s *Service) SetVendors(ctx context.Context, p loci.Principal, in loci.ProjectID, ids IDs, vendors []loci.Vendor) (
	int, error) {
	if err := s.Begin(ctx, p, Vendors); err != nil {
		return 0, err
	}
	vendors = loci.Unique(vendors)
	if err := cmp.Or(loci.CheckVendors(vendors), checkIDs(&ids)); err != nil {
		return 0, err
	}
	if err := s.recordIn(ctx, p, Vendors, in); err != nil {
		return 0, err
	}
	return update(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) (int, error) {
		return tx.Entities().SetVendors(ctx, v, access(p), ids, vendors)
	})
}

// Check returns where a graph's derived data differs from its rows. With rebuild, it rebuilds
// that data. Only the operator may call it.
func (s *Service) Check(ctx context.Context, p loci.Principal, in loci.ProjectID, rebuild bool) ([]string, error) {
	if err := s.Begin(ctx, p, Check); err != nil {
		return nil, err
	}
	return update(ctx, s, p, in, func(tx store.GraphTx, _ loci.Viewer) ([]string, error) {
		problems, err := tx.Check(ctx)
		if err != nil || !rebuild {
			return problems, err
		}
		return problems, tx.Rebuild(ctx)
	})
}

// access returns the author of rows that p writes or deletes.
func access(p loci.Principal) loci.GraphAccess {
	return loci.GraphAccess{UserID: p.UserID, Origin: p.Origin, AllowedVendors: []loci.Vendor{loci.AnyVendor}}
}

// writer returns access limited to these vendors; nil means everybody. As with memories, an agent
// may choose freely who reads what it writes.
func writer(p loci.Principal, vendors []loci.Vendor) (loci.GraphAccess, error) {
	by := access(p)
	if vendors != nil {
		by.AllowedVendors = loci.Unique(vendors)
	}
	return by, loci.CheckVendors(by.AllowedVendors)
}

func countItems(field string, n int) error {
	if n == 0 {
		return loci.FieldErrorf(field, "must have at least one entry")
	}
	if n > loci.MaxGraphItems {
		return loci.FieldErrorf(field, "has %d entries; at most %d are allowed in one call", n, loci.MaxGraphItems)
	}
	return nil
}

// checkItems returns an ItemsError with a reason for each item that check rejects.
func checkItems[T any](field string, items []T, check func(item *T, field string) error) error {
	if err := countItems(field, len(items)); err != nil {
		return err
	}
	var bad []loci.ItemError
	for i := range items {
		if err := check(&items[i], fmt.Sprintf("%s[%d]", field, i)); err != nil {
			bad = append(bad, loci.ItemError{Index: i, Code: loci.CodeOf(err), Text: loci.SafeText(err)})
		}
	}
	if len(bad) > 0 {
		return &loci.ItemsError{Items: bad}
	}
	return nil
}

func checkNew(e *loci.NewEntity, field string) error {
	return cmp.Or(e.Validate(field), loci.CheckNewName(field+".name", e.Name))
}

func checkRefs(field string, refs []loci.EntityRef) error {
	return checkItems(field, refs, func(r *loci.EntityRef, field string) error { return checkRef(field, *r) })
}

func checkRef(field string, r loci.EntityRef) error {
	if err := loci.CheckText(field, r.Name, 1, loci.MaxEntityName); err != nil {
		return err
	}
	return loci.CheckText(field+".entity_type", r.Type, 0, loci.MaxGraphType)
}

func checkIDs(ids *IDs) error {
	return countItems("items", len(ids.Entities)+len(ids.Observations)+len(ids.Relations))
}

// Service provides the operations on graphs. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	index *indexing.Graphs
}

// New returns a Service. index may be nil if nothing is searched or written.
func New(g *gate.Gate, index *indexing.Graphs) *Service { return &Service{g, index} }
