package graph

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// transact is ViewProject or UpdateProject of a store.
type transact func(context.Context, loci.OrgID, loci.ProjectID, func(store.GraphTx) error) error

// enter runs fn in a transaction on a project's graph. If p does not belong to the project, the
// error is the same as for one that does not exist, whatever its state.
func (s *Service) enter(ctx context.Context, p loci.Principal, in loci.ProjectID, run transact,
	fn func(store.GraphTx, loci.Viewer) error) error {
	v, entered := p.Viewer(), false
	if !slices.Contains(v.ProjectIDs, in) {
		return loci.NoSuchProject()
	}
	err := run(ctx, p.OrgID, in, func(tx store.GraphTx) error {
		entered = true
		if project := tx.Project(); !v.InProject(&project) {
			return loci.NoSuchProject()
		}
		return fn(tx, v)
	})
	if err == nil || entered {
		return err
	}
	// Only members of the project may learn that it is archived.
	if _, hidden := s.Store.Projects().Get(ctx, v, in); hidden != nil {
		return hidden
	}
	return err
}

// View returns the result of fn, which reads in one transaction. See enter.
func View[T any](ctx context.Context, s *Service, p loci.Principal, in loci.ProjectID,
	fn func(store.GraphTx, loci.Viewer) (T, error)) (T, error) {
	return result(func(fn func(store.GraphTx, loci.Viewer) error) error {
		return s.enter(ctx, p, in, s.Store.ViewProject, fn)
	}, fn)
}

// viewOf is View for an entity, which the caller names in the field "name".
func viewOf[T any](ctx context.Context, s *Service, p loci.Principal, in loci.ProjectID, which Which,
	fn func(store.Graph, loci.Viewer, loci.EntityID) (T, error)) (T, error) {
	return View(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) (out T, err error) {
		id, err := which.id(ctx, tx, v, "name")
		if err != nil {
			return out, err
		}
		return fn(tx.Graph(), v, id)
	})
}

// update returns the result of fn, which writes in one transaction. See enter.
func update[T any](ctx context.Context, s *Service, p loci.Principal, in loci.ProjectID,
	fn func(store.GraphTx, loci.Viewer) (T, error)) (T, error) {
	return result(func(fn func(store.GraphTx, loci.Viewer) error) error {
		return s.enter(ctx, p, in, s.Store.UpdateProject, fn)
	}, fn)
}

// change is update for an action that goes into the audit trail in the same transaction, with the
// number of changed rows. It does not record a change of no rows. Secrets in new rows come into the inbox.
func change[T any](ctx context.Context, s *Service, p loci.Principal, act gate.Action, in loci.ProjectID,
	count func(T) int,
	fn func(store.GraphTx, loci.Viewer) (T, error)) (T, error) {
	var of loci.Project
	out, err := update(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) (out T, err error) {
		of = tx.Project()
		if out, err = fn(tx, v); err != nil {
			return out, err
		}
		e := s.Entry(p, act)
		if e.Count = count(out); e.Count > 0 {
			err = tx.Record(ctx, e)
		}
		return out, err
	})
	if err == nil {
		s.index.Touch(p.OrgID, in, count(out))
		s.Notice(ctx, of, out)
	}
	return out, err
}

// put is change for new rows of items, which these vendors may read. bad is why the items are rejected, or nil.
func put[I, T any](ctx context.Context, s *Service, p loci.Principal, in loci.ProjectID, vendors []loci.Vendor,
	items []I, bad error, fn func(store.Entities, context.Context, loci.Viewer, loci.GraphAccess, []I) ([]T, error),
) ([]T, error) {
	by, err := writer(p, vendors)
	if err = cmp.Or(err, bad); err != nil {
		return nil, err
	}
	return change(ctx, s, p, Write, in, count,
		func(tx store.GraphTx, v loci.Viewer) ([]T, error) { return fn(tx.Entities(), ctx, v, by, items) })
}

func itself(n int) int { return n }

func count[T any](list []T) int { return len(list) }

func result[T any](enter func(func(store.GraphTx, loci.Viewer) error) error,
	fn func(store.GraphTx, loci.Viewer) (T, error)) (T, error) {
	var out T
	err := enter(func(tx store.GraphTx, v loci.Viewer) (err error) {
		out, err = fn(tx, v)
		return err
	})
	return out, err
}

// mayEnter returns the error that enter would return.
func (s *Service) mayEnter(ctx context.Context, p loci.Principal, in loci.ProjectID) error {
	return s.enter(ctx, p, in, s.Store.ViewProject, func(store.GraphTx, loci.Viewer) error { return nil })
}

// recordIn records an action on a graph that p may enter, before the action happens.
func (s *Service) recordIn(ctx context.Context, p loci.Principal, act gate.Action, in loci.ProjectID) error {
	if err := s.mayEnter(ctx, p, in); err != nil {
		return err
	}
	return s.Record(ctx, p, act, in.String())
}

// id returns the id of the entity. field is the caller's name for it. A name that does not exist
// is NotFound, with the nearest names; a name that several types have is a Conflict.
func (w Which) id(ctx context.Context, tx store.GraphTx, v loci.Viewer, field string) (loci.EntityID, error) {
	if !w.ID.IsZero() {
		return w.ID, nil
	}
	if err := checkRef(field, w.EntityRef); err != nil {
		return loci.EntityID{}, err
	}
	return tx.Graph().Resolve(ctx, v, w.EntityRef)
}
