package graph

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// These are the sizes of a page of a graph.
const (
	DefaultGraphSearch = 10
	MaxGraphSearch     = 100
	DefaultGraphPage   = 100
	MaxGraphPage       = 500
	MaxHops            = 5
	MaxNeighbours      = 100
)

// NoSuchName is a requested name that does not exist.
type NoSuchName struct {
	Name    string   `json:"name"`
	Nearest []string `json:"did_you_mean,omitempty"`
}

// FoundEntities is the result of OpenEntities.
type FoundEntities struct {
	Entities []loci.Entity
	Missing  []NoSuchName
}

// ListRequest asks for one page.
type ListRequest struct {
	Limit  int    // 0: DefaultGraphPage
	Cursor string // NextCursor of the previous page
}

// Page is one page of a graph, in the order in which it was stored. Relations has the relations
// that begin at its entities.
type Page struct {
	Entities   []loci.Entity
	Relations  []loci.Relation
	Left       int // entities on later pages
	NextCursor string
}

// nearestNames is how many names are suggested for a name that does not exist.
const nearestNames = 3

// OpenEntities returns the entities with these names or ids, and the nearest names for those that do not exist.
func (s *Service) OpenEntities(ctx context.Context, p loci.Principal, in loci.ProjectID, refs []loci.EntityRef) (
	*FoundEntities, error) {
	if err := s.Begin(ctx, p, Read, checkRefs("names", refs)); err != nil {
		return nil, err
	}
	return View(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) (*FoundEntities, error) {
		found, err := tx.Graph().Find(ctx, v, refs)
		if err != nil {
			return nil, err
		}
		missing, err := missingOf(ctx, tx, v, refs, found)
		if err != nil {
			return nil, err
		}
		return addByID(ctx, tx, v, &FoundEntities{Entities: found, Missing: missing})
	})
}

// addByID adds the entities whose ids were sent instead of names.
func addByID(ctx context.Context, tx store.GraphTx, v loci.Viewer, out *FoundEntities) (*FoundEntities, error) {
	var ids []loci.EntityID
	for _, m := range out.Missing {
		var id loci.EntityID
		if id.UnmarshalText([]byte(m.Name)) == nil {
			ids = append(ids, id)
		}
	}
	list, err := tx.Graph().Get(ctx, v, ids...)
	for _, e := range list {
		isID := func(m NoSuchName) bool { return strings.EqualFold(m.Name, e.ID.String()) }
		out.Missing = slices.DeleteFunc(out.Missing, isID)
		if !slices.ContainsFunc(out.Entities, func(o loci.Entity) bool { return o.ID == e.ID }) {
			out.Entities = append(out.Entities, e)
		}
	}
	return out, err
}

func missingOf(ctx context.Context, tx store.GraphTx, v loci.Viewer, refs []loci.EntityRef, found []loci.Entity) (
	missing []NoSuchName, err error) {
	there := make(map[loci.EntityRef]bool, 2*len(found))
	for _, e := range found {
		there[loci.EntityRef{Name: e.Name}], there[loci.EntityRef{Name: e.Name, Type: e.Type}] = true, true
	}
	for _, ref := range loci.Unique(refs) {
		if there[ref] {
			continue
		}
		gone := NoSuchName{Name: ref.Name}
		if len(missing) < store.MaxSuggested {
			if gone.Nearest, err = tx.Graph().Suggest(ctx, v, ref.Name, nearestNames); err != nil {
				return nil, err
			}
		}
		missing = append(missing, gone)
	}
	return missing, nil
}

// Read returns one page of the whole graph.
func (s *Service) Read(ctx context.Context, p loci.Principal, in loci.ProjectID, r ListRequest) (*Page, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	bound := cursorOf{Project: in}
	q, err := bound.page(p, "graph", r)
	if err != nil {
		return nil, err
	}
	return View(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) (*Page, error) {
		page, err := tx.Graph().Read(ctx, v, q)
		if err != nil {
			return nil, err
		}
		return &Page{Entities: page.Entities, Relations: page.Relations, Left: page.Left,
			NextCursor: bound.next(p, "graph", page.Next)}, nil
	})
}

// Entity returns one entity. A name that does not exist is NotFound, with the nearest names; a
// name that several types have is a Conflict.
func (s *Service) Entity(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which) (loci.Entity, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return loci.Entity{}, err
	}
	return viewOf(ctx, s, p, in, which, func(g store.Graph, v loci.Viewer, id loci.EntityID) (loci.Entity, error) {
		found, err := g.Get(ctx, v, id)
		if err == nil && len(found) == 0 {
			err = loci.NoSuchEntity()
		}
		if err != nil {
			return loci.Entity{}, err
		}
		return found[0], nil
	})
}

// EntityObservations returns one page of all observations of an entity, oldest first. Its errors are those of Entity.
func (s *Service) EntityObservations(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which,
	r ListRequest) (gate.Page[loci.Observation], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return gate.Page[loci.Observation]{}, err
	}
	return rowsOf(ctx, s, p, cursorOf{Project: in, Which: which}, "observations", r,
		func(g store.Graph, v loci.Viewer, id loci.EntityID, q store.GraphQuery) ([]loci.Observation, store.Position, error) {
			page, err := g.Observations(ctx, v, id, q)
			return page.Observations, page.Next, err
		})
}

// EntityRelations returns one page of all relations of an entity, oldest first. Its errors are those of Entity.
func (s *Service) EntityRelations(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which,
	r ListRequest) (gate.Page[loci.Relation], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return gate.Page[loci.Relation]{}, err
	}
	return rowsOf(ctx, s, p, cursorOf{Project: in, Which: which}, "relations", r,
		func(g store.Graph, v loci.Viewer, id loci.EntityID, q store.GraphQuery) ([]loci.Relation, store.Position, error) {
			page, err := g.Relations(ctx, v, id, q)
			return page.Relations, page.Next, err
		})
}

// rowsOf returns one page of what list reads of an entity.
func rowsOf[T any](ctx context.Context, s *Service, p loci.Principal, c cursorOf, kind string, r ListRequest,
	list func(store.Graph, loci.Viewer, loci.EntityID, store.GraphQuery) ([]T, store.Position, error),
) (gate.Page[T], error) {
	q, err := c.page(p, kind, r)
	if err != nil {
		return gate.Page[T]{}, err
	}
	return viewOf(ctx, s, p, c.Project, c.Which,
		func(g store.Graph, v loci.Viewer, id loci.EntityID) (page gate.Page[T], err error) {
			rows, next, err := list(g, v, id, q)
			return gate.Page[T]{Items: rows, NextCursor: c.next(p, kind, next)}, err
		})
}

// Neighbours returns an entity and those within hops (0: 1; at most MaxHops), nearest first, at
// most limit (0: 20; at most MaxNeighbours). Its errors are those of Entity.
func (s *Service) Neighbours(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which, hops, limit int) (
	[]loci.Entity, error) {
	err := s.Begin(ctx, p, Read, gate.SetSize("hops", &hops, 1, MaxHops),
		gate.SetSize("limit", &limit, 20, MaxNeighbours))
	if err != nil {
		return nil, err
	}
	return viewOf(ctx, s, p, in, which, func(g store.Graph, v loci.Viewer, id loci.EntityID) ([]loci.Entity, error) {
		return g.Neighbours(ctx, v, id, hops, limit)
	})
}

// EntityHistory returns the changes of an entity, oldest first, at most limit (0: 100; at most
// 1,000). A deleted entity is found by its id only.
func (s *Service) EntityHistory(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which, limit int) (
	[]loci.GraphChange, error) {
	if err := s.Begin(ctx, p, History, gate.SetSize("limit", &limit, 100, 1000)); err != nil {
		return nil, err
	}
	return viewOf(ctx, s, p, in, which, func(g store.Graph, v loci.Viewer, id loci.EntityID) ([]loci.GraphChange, error) {
		return g.History(ctx, v, id, limit)
	})
}

// Trash returns what can be restored, most recently deleted first, at most limit of each kind (0:
// 100; at most 1,000).
func (s *Service) Trash(ctx context.Context, p loci.Principal, in loci.ProjectID, limit int) (Trashed, error) {
	if err := s.Begin(ctx, p, ReadTrash, gate.SetSize("limit", &limit, 100, 1000)); err != nil {
		return Trashed{}, err
	}
	return View(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) (Trashed, error) {
		return tx.Graph().Trash(ctx, v, limit)
	})
}

// cursorOf is what a cursor for a graph is bound to, besides its kind.
type cursorOf struct {
	Project loci.ProjectID
	Which   Which
	Query   string
}

func (c cursorOf) page(p loci.Principal, kind string, r ListRequest) (q store.GraphQuery, err error) {
	q.Limit = r.Limit
	if err = gate.SetSize("limit", &q.Limit, DefaultGraphPage, MaxGraphPage); err != nil || r.Cursor == "" {
		return q, err
	}
	at, err := gate.OpenCursor(p, c, kind, r.Cursor)
	if q.After = store.Position(at); err == nil && at == "" {
		err = loci.FieldErrorf("cursor", "is damaged; leave it out to begin at the first page")
	}
	return q, err
}

func (c cursorOf) next(p loci.Principal, kind string, at store.Position) string {
	if at == "" {
		return ""
	}
	return gate.SealCursor(p, c, kind, string(at))
}

func (c cursorOf) skip(p loci.Principal, cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	at, err := gate.OpenCursor(p, c, "graph search", cursor)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(at)
	if err != nil || n < 1 || n > 2*maxTexts {
		return 0, loci.FieldErrorf("cursor", "is damaged; leave it out to begin at the first page")
	}
	return n, nil
}

// Known returns the visible entities of the graph that have one of these ids, as a part of another use case, which has
// begun. Text that is no id names none.
func (s *Service) Known(ctx context.Context, p loci.Principal, in loci.ProjectID, ids []string) ([]loci.Entity, error) {
	var list []loci.EntityID
	for _, text := range ids {
		if id, err := loci.ParseID[struct{}](text); err == nil {
			list = append(list, loci.EntityID(id))
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return View(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) ([]loci.Entity, error) {
		return tx.Graph().Get(ctx, v, list...)
	})
}
