package mcpserver

import (
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

// These are the shapes of answers about graphs. They leave out what a model does not need,
// because everything in them goes into its context.

type projectShape struct {
	ID          loci.ProjectID     `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Status      loci.ProjectStatus `json:"status"`
	CreatedAt   time.Time          `json:"created_at"`
	UpdatedAt   time.Time          `json:"updated_at"`
	Message     string             `json:"message,omitempty"`
}

func shapeOfProject(p loci.Project, message string) projectShape {
	return projectShape{ID: p.ID, Name: p.Name, Description: p.Description, Status: p.Status,
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Message: message}
}

// shapeOr is shapeOfProject for the result of a call of app.
func shapeOr(p loci.Project, message string, err error) (any, error) {
	return shapeOfProject(p, message), err
}

type entityShape struct {
	ID               loci.EntityID      `json:"id"`
	Name             string             `json:"name"`
	Type             string             `json:"entity_type"`
	CreatedAt        time.Time          `json:"created_at"`
	UpdatedAt        time.Time          `json:"updated_at"`
	DeletedAt        time.Time          `json:"deleted_at,omitzero"`
	Origin           string             `json:"origin"`
	Observations     []observationShape `json:"observations,omitzero"`
	Relations        []relationShape    `json:"relations,omitzero"`
	ObservationsLeft int                `json:"observations_left,omitempty"`
	RelationsLeft    int                `json:"relations_left,omitempty"`
}

type observationShape struct {
	ID        loci.ObservationID `json:"id"`
	EntityID  loci.EntityID      `json:"entity_id,omitzero"`
	Content   string             `json:"content"`
	CreatedAt time.Time          `json:"created_at"`
	DeletedAt time.Time          `json:"deleted_at,omitzero"`
	Origin    string             `json:"origin"`
}

type relationShape struct {
	ID        loci.RelationID `json:"id"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Type      string          `json:"relation_type"`
	DeletedAt time.Time       `json:"deleted_at,omitzero"`
}

// shapeOfEntity includes the observations and relations of e, as [] if it has
// none.
func shapeOfEntity(e *loci.Entity) entityShape {
	out := bareEntity(e)
	out.Observations, out.Relations = make([]observationShape, len(e.Observations)), shapeOfRelations(e.Relations)
	for i := range e.Observations {
		o := &e.Observations[i]
		out.Observations[i] = observationShape{ID: o.ID, Content: o.Content, CreatedAt: o.CreatedAt, Origin: o.Origin}
	}
	return out
}

func bareEntity(e *loci.Entity) entityShape {
	return entityShape{ID: e.ID, Name: e.Name, Type: e.Type, Origin: e.Origin,
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, DeletedAt: e.DeletedAt,
		ObservationsLeft: e.ObservationsLeft, RelationsLeft: e.RelationsLeft}
}

// maxRows limits the observations and the relations in one answer. The store
// limits their text; this limits the JSON around it.
const maxRows = 4_000

func shapeOfEntities(list []loci.Entity) []entityShape {
	out, room := make([]entityShape, len(list)), maxRows
	for i := range list {
		out[i] = shapeOfEntity(&list[i])
		room = out[i].trim(room)
	}
	return out
}

// trim keeps the newest rows that fit into room, and returns the room that is
// left.
func (e *entityShape) trim(room int) int {
	cut := max(0, len(e.Observations)-room)
	e.Observations, e.ObservationsLeft = e.Observations[cut:], e.ObservationsLeft+cut
	room -= len(e.Observations)
	cut = max(0, len(e.Relations)-room)
	e.Relations, e.RelationsLeft = e.Relations[cut:], e.RelationsLeft+cut
	return room - len(e.Relations)
}

func shapeOfRelations(list []loci.Relation) []relationShape {
	out := make([]relationShape, len(list))
	for i := range list {
		r := &list[i]
		out[i] = relationShape{ID: r.ID, From: r.From, To: r.To, Type: r.Type, DeletedAt: r.DeletedAt}
	}
	return out
}

// graphShape is one page of a graph. It lists each relation once, beside the
// entities instead of in them.
type graphShape struct {
	Entities      []entityShape   `json:"entities"`
	Relations     []relationShape `json:"relations"`
	RelationsLeft int             `json:"relations_left,omitempty"`
	Left          int             `json:"left"`
	NextCursor    string          `json:"next_cursor,omitempty"`
}

func shapeOfGraph(page *graph.Page) graphShape {
	out := graphShape{Entities: make([]entityShape, len(page.Entities)), Relations: shapeOfRelations(page.Relations),
		Left: page.Left, NextCursor: page.NextCursor}
	room := maxRows
	for i := range page.Entities {
		out.Entities[i] = shapeOfEntity(&page.Entities[i])
		out.Entities[i].Relations = nil
		room = out.Entities[i].trim(room)
	}
	cut := max(0, len(out.Relations)-maxRows)
	out.Relations, out.RelationsLeft = out.Relations[:len(out.Relations)-cut], cut
	return out
}

// found is a list of entities.
type found struct {
	Entities          []entityShape      `json:"entities"`
	Missing           []graph.NoSuchName `json:"missing,omitempty"`
	Total             *int               `json:"total,omitempty"`
	TotalIsLowerBound bool               `json:"total_is_lower_bound,omitempty"`
	AnyWord           bool               `json:"any_word,omitempty"` // no entity has all the words, so one is enough
	NextCursor        string             `json:"next_cursor,omitempty"`
}
