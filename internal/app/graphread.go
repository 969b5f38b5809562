package app

import (
	"context"

	"github.com/loci-memory/loci"
)

// The sizes of a page of a graph.
const (
	DefaultGraphSearch = 20
	MaxGraphSearch     = 100
	DefaultGraphPage   = 100
	MaxGraphPage       = 500
	MaxHops            = 5
	MaxNeighbours      = 100
)

// GraphSearch asks for the entities that fit, the best first.
type GraphSearch struct {
	Query  string // see loci.ParseGraphQuery
	Limit  int    // 0: DefaultGraphSearch
	Cursor string // NextCursor of the page before
}

// GraphHits is one page of what a search found.
type GraphHits struct {
	Entities          []loci.Entity
	Total             int    // on all pages
	TotalIsLowerBound bool   // there are more than Total
	AnyWord           bool   // not all words occur together anywhere; these have some of them
	NextCursor        string // "": no more
}

// NoSuchName is a name that was asked for and is not there.
type NoSuchName struct {
	Name    string   `json:"name"`
	Nearest []string `json:"did_you_mean,omitempty"`
}

// FoundNodes is what OpenNodes found.
type FoundNodes struct {
	Entities []loci.Entity
	Missing  []NoSuchName
}

// GraphList asks for one page.
type GraphList struct {
	Limit  int    // 0: DefaultGraphPage
	Cursor string // NextCursor of the page before
}

// GraphPage is one page of a graph, in the order in which it was stored. Relations are those that begin at its entities.
type GraphPage struct {
	Entities   []loci.Entity
	Relations  []loci.Relation
	Left       int // entities on the pages behind it
	NextCursor string
}

// ObservationPage is one page of an entity's observations, oldest first.
type ObservationPage struct {
	Observations []loci.Observation
	NextCursor   string
}

// RelationPage is one page of an entity's relations, oldest first.
type RelationPage struct {
	Relations  []loci.Relation
	NextCursor string
}

// SearchGraph returns the entities that match in name, type or observations. Invalid for a malformed query, which says what is wrong with it.
func (a *App) SearchGraph(ctx context.Context, p loci.Principal, in loci.ProjectID, r GraphSearch) (*GraphHits, error) {
	if err := a.begin(ctx, p, GraphRead); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// OpenNodes returns the entities of these names, and the nearest names for those that are not there.
func (a *App) OpenNodes(ctx context.Context, p loci.Principal, in loci.ProjectID, refs []loci.EntityRef) (*FoundNodes, error) {
	if err := a.begin(ctx, p, GraphRead); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// ReadGraph returns one page of the whole graph.
func (a *App) ReadGraph(ctx context.Context, p loci.Principal, in loci.ProjectID, r GraphList) (*GraphPage, error) {
	if err := a.begin(ctx, p, GraphRead); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// Entity returns one entity. NotFound, by name with the nearest names; Conflict for a name that several types have.
func (a *App) Entity(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which) (loci.Entity, error) {
	if err := a.begin(ctx, p, GraphRead); err != nil {
		return loci.Entity{}, err
	}
	return loci.Entity{}, errUnbuilt
}

// EntityObservations returns one page of all observations of an entity. Its errors are those of Entity.
func (a *App) EntityObservations(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which, r GraphList) (*ObservationPage, error) {
	if err := a.begin(ctx, p, GraphRead); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// EntityRelations returns one page of all relations of an entity. Its errors are those of Entity.
func (a *App) EntityRelations(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which, r GraphList) (*RelationPage, error) {
	if err := a.begin(ctx, p, GraphRead); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// Neighbours returns an entity and those within hops (0: 1; at most MaxHops), nearest first, at most limit (0: 20; at most MaxNeighbours). Its errors are those of Entity.
func (a *App) Neighbours(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which, hops, limit int) ([]loci.Entity, error) {
	if err := a.begin(ctx, p, GraphRead); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// EntityHistory returns what happened to an entity, also a deleted one by its id, oldest first, at most limit (0: 100; at most 1,000).
func (a *App) EntityHistory(ctx context.Context, p loci.Principal, in loci.ProjectID, which Which, limit int) ([]loci.GraphChange, error) {
	if err := a.begin(ctx, p, GraphHistory); err != nil {
		return nil, err
	}
	return nil, errUnbuilt
}

// GraphTrash returns what can be restored, newest deletion first, at most limit of each kind (0: 100; at most 1,000).
func (a *App) GraphTrash(ctx context.Context, p loci.Principal, in loci.ProjectID, limit int) (GraphTrash, error) {
	if err := a.begin(ctx, p, GraphTrashed); err != nil {
		return GraphTrash{}, err
	}
	return GraphTrash{}, errUnbuilt
}
