package mcpserver

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

const (
	trashDefault, trashMax     = 100, 1000
	historyDefault, historyMax = 100, 1000
	neighbourDefault           = 20
)

func restoreFields(c *call, in *graph.IDs) []field {
	return []field{
		ids("entities", &in.Entities, loci.MaxGraphItems), ids("observations", &in.Observations, loci.MaxGraphItems),
		ids("relations", &in.Relations, loci.MaxGraphItems), inProject(c),
	}
}

func (s *Server) restoreEntities(ctx context.Context, c *call, in *graph.IDs) (any, error) {
	if len(in.Entities)+len(in.Observations)+len(in.Relations) == 0 {
		return nil, loci.Errorf(loci.Invalid,
			"entities, observations and relations are empty; send ids from list_deleted_nodes in one of them")
	}
	n, err := s.app.Graph.RestoreEntities(ctx, c.principal, c.project, *in)
	return struct {
		Restored int `json:"restored"`
	}{n}, err
}

func trashFields(c *call, in *int) []field {
	return []field{limit(c, in, trashMax, trashDefault), inProject(c)}
}

// withIDs is for answers whose ids another tool takes.
var withIDs = &call{detail: full}

func (s *Server) listDeletedEntities(ctx context.Context, c *call, most *int) (any, error) {
	trash, err := s.app.Graph.Trash(ctx, c.principal, c.project, *most)
	out := struct {
		Entities     []entityShape      `json:"entities"`
		Observations []observationShape `json:"observations"`
		Relations    []relationShape    `json:"relations"`
	}{
		make([]entityShape, len(trash.Entities)), make([]observationShape, len(trash.Observations)),
		make([]relationShape, len(trash.Relations)),
	}
	for i := range trash.Entities {
		out.Entities[i] = bareEntity(withIDs, &trash.Entities[i])
	}
	for i := range trash.Relations {
		out.Relations[i] = shapeOfRelation(withIDs, &trash.Relations[i])
	}
	for i := range trash.Observations {
		o := &trash.Observations[i]
		out.Observations[i] = observationShape{ID: o.ID, EntityID: o.EntityID, Content: o.Content,
			CreatedAt: o.CreatedAt, DeletedAt: o.DeletedAt, Origin: o.Origin}
	}
	return out, err
}

type entityQuestion struct {
	graph.Which
	hops, limit int
}

func whichFields(w *graph.Which) []field {
	return []field{
		text("name", &w.Name, 0, loci.MaxEntityName),
		text("entity_type", &w.Type, 0, loci.MaxGraphType).or("entityType"),
		optionalID("id", &w.ID),
	}
}

// check rejects a question that names no entity.
func (q *entityQuestion) check() error {
	if q.ID.IsZero() {
		return loci.CheckText("name", q.Name, 1, loci.MaxEntityName)
	}
	return nil
}

func historyFields(c *call, in *entityQuestion) []field {
	return append(whichFields(&in.Which), limit(c, &in.limit, historyMax, historyDefault), inProject(c))
}

// change is a loci.GraphChange without the ids of people.
type change struct {
	At     time.Time `json:"at"`
	Change string    `json:"change"`
	Kind   string    `json:"kind"`
	ID     string    `json:"id"`
	Origin string    `json:"origin"`
	Text   string    `json:"text"`
}

func (s *Server) getEntityHistory(ctx context.Context, c *call, in *entityQuestion) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	list, err := s.app.Graph.EntityHistory(ctx, c.principal, c.project, in.Which, in.limit)
	return struct {
		Changes []change `json:"changes"`
	}{loci.Mapped(list, func(one loci.GraphChange) change {
		return change{one.At, one.Change, one.Kind, one.ID, one.Origin, one.Text}
	})}, err
}

func neighborsFields(c *call, in *entityQuestion) []field {
	return append(whichFields(&in.Which), whole("hops", &in.hops, 1, graph.MaxHops, 1),
		limit(c, &in.limit, graph.MaxNeighbours, neighbourDefault), detail(c), inProject(c))
}

func (s *Server) getNeighbors(ctx context.Context, c *call, in *entityQuestion) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	list, err := s.app.Graph.Neighbours(ctx, c.principal, c.project, in.Which, in.hops, in.limit)
	return found{Entities: shapeOfEntities(c, list, s.graphRoom())}, err
}

type merge struct{ from, into graph.Which }

func mergeFields(c *call, in *merge) []field {
	return []field{
		text("from", &in.from.Name, 1, loci.MaxEntityName).must(),
		text("into", &in.into.Name, 1, loci.MaxEntityName).must(),
		text("from_type", &in.from.Type, 0, loci.MaxGraphType),
		text("into_type", &in.into.Type, 0, loci.MaxGraphType), detail(c).hide(), inProject(c),
	}
}

func (s *Server) mergeEntities(ctx context.Context, c *call, in *merge) (any, error) {
	d, err := s.app.Graph.Merge(ctx, c.principal, c.project, in.from, in.into)
	if err != nil {
		return nil, sayTypes(err, "from_type or into_type")
	}
	return struct {
		entityShape
		Tell string `json:"tell,omitempty"`
	}{shapeOfEntities(c, []loci.Entity{d.Merged}, s.graphRoom())[0], s.tellSuggested(c.principal, &d)}, nil
}
