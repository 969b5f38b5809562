package mcpserver

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

// These are the shapes of answers about graphs. They leave out what a model does not need,
// because everything in them goes into its context.

type projectShape struct {
	ID          loci.ProjectID     `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	Status      loci.ProjectStatus `json:"status"`
	People      string             `json:"people"`
	CreatedAt   time.Time          `json:"created_at"`
	UpdatedAt   time.Time          `json:"updated_at"`
	Message     string             `json:"message,omitempty"`
}

func shapeOfProject(c *call, p loci.Project, message string) projectShape {
	return projectShape{ID: p.ID, Name: p.Name, Description: p.Description, Status: p.Status,
		People: p.People(c.principal), CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Message: message}
}

// shapeOr is shapeOfProject for the result of a call of app.
func shapeOr(c *call, p loci.Project, message string, err error) (any, error) {
	return shapeOfProject(c, p, message), err
}

// entityShape is an entity with its texts. With detail: "full", its observations are
// observationShapes instead of strings, and everything has its id and times.
type entityShape struct {
	ID               string          `json:"id,omitempty"`
	Name             string          `json:"name"`
	Type             string          `json:"entity_type"`
	CreatedAt        time.Time       `json:"created_at,omitzero"`
	UpdatedAt        time.Time       `json:"updated_at,omitzero"`
	DeletedAt        time.Time       `json:"deleted_at,omitzero"`
	Origin           string          `json:"origin,omitempty"`
	Observations     []any           `json:"observations,omitzero"`
	Relations        []relationShape `json:"relations,omitempty"`
	ObservationsLeft int             `json:"observations_left,omitempty"`
	RelationsLeft    int             `json:"relations_left,omitempty"`
	More             string          `json:"more,omitempty"` // how to read what is left
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
	ID        string    `json:"id,omitempty"`
	From      string    `json:"from"`
	To        string    `json:"to"`
	Type      string    `json:"relation_type"`
	DeletedAt time.Time `json:"deleted_at,omitzero"`
}

// bareEntity is an entity without its observations and relations.
func bareEntity(c *call, e *loci.Entity) entityShape {
	out := entityShape{Name: e.Name, Type: e.Type, DeletedAt: e.DeletedAt,
		ObservationsLeft: e.ObservationsLeft, RelationsLeft: e.RelationsLeft}
	if c.detail == full {
		out.ID, out.Origin, out.CreatedAt, out.UpdatedAt = e.ID.String(), e.Origin, e.CreatedAt, e.UpdatedAt
	}
	return out
}

func shapeOfRelation(c *call, r *loci.Relation) relationShape {
	out := relationShape{From: r.From, To: r.To, Type: r.Type, DeletedAt: r.DeletedAt}
	if c.detail == full {
		out.ID = r.ID.String()
	}
	return out
}

// entityRoom is what an entity needs at least to be of use, in tokens.
const entityRoom = 60

// shapeOfEntities returns entities with as many of their newest observations and relations as fit
// into room tokens. Each entity gets its share of what those before it left.
func shapeOfEntities(c *call, list []loci.Entity, room int) []entityShape {
	out := make([]entityShape, len(list))
	for i := range list {
		e := &list[i]
		share := max(room/(len(list)-i), entityRoom)
		out[i] = bareEntity(c, e)
		used := cost(out[i]) + marginTokens
		taken := out[i].addObservations(c, e, share-used-min(share/4, relationsCost(c, e)))
		taken += out[i].addRelations(c, e, share-used-taken)
		if out[i].ObservationsLeft+out[i].RelationsLeft > 0 {
			name, _ := json.Marshal(loci.Shorten(e.Name, nameInMore)) // a string is always valid
			out[i].More = fmt.Sprintf("open_nodes names=[%s] offset=%d", name, c.offset+len(out[i].Observations))
		}
		room -= used + taken
	}
	return out
}

// nameInMore is how many characters of a name the hint to read on repeats.
const nameInMore = 100

// cost returns the tokens that a value takes in an answer.
func cost(v any) int {
	body, err := encode(v)
	if err != nil {
		return 0
	}
	return tokens(body) + 1
}

func relationsCost(c *call, e *loci.Entity) (n int) {
	for i := range e.Relations {
		n += cost(shapeOfRelation(c, &e.Relations[i]))
	}
	return n
}

// addObservations adds the newest observations that fit, and returns what they cost. One that is
// too long by itself is cut.
func (e *entityShape) addObservations(c *call, from *loci.Entity, room int) (used int) {
	all := from.Observations[:max(0, len(from.Observations)-c.offset)]
	first := len(all)
	for ; first > 0; first-- {
		n := cost(shapeOfObservation(c, &all[first-1]))
		if used+n > room && first < len(all) {
			break
		}
		used += n
		if used > room {
			used = room // the answer cuts it
			first--
			break
		}
	}
	e.Observations = []any{}
	for i := range all[first:] {
		e.Observations = append(e.Observations, shapeOfObservation(c, &all[first+i]))
	}
	if len(e.Observations) == 1 && used == room {
		e.Observations[0] = cutObservation(e.Observations[0], room)
	}
	e.ObservationsLeft += first
	return max(used, 0)
}

// cutObservation cuts the text of an observation to about room tokens.
func cutObservation(o any, room int) any {
	fit := func(text string) string {
		left := max(room, marginTokens) * 4
		for i, r := range text {
			if left -= shownCost(r); left < 0 {
				return text[:i] + "…"
			}
		}
		return text
	}
	switch o := o.(type) {
	case string:
		return fit(o)
	case observationShape:
		o.Content = fit(o.Content)
		return o
	}
	return o
}

func shapeOfObservation(c *call, o *loci.Observation) any {
	if c.detail != full {
		return o.Content
	}
	return observationShape{ID: o.ID, Content: o.Content, CreatedAt: o.CreatedAt, Origin: o.Origin}
}

// addRelations adds the newest relations that fit, and returns what they cost.
func (e *entityShape) addRelations(c *call, from *loci.Entity, room int) (used int) {
	first := len(from.Relations)
	for ; first > 0; first-- {
		n := cost(shapeOfRelation(c, &from.Relations[first-1]))
		if used+n > room {
			break
		}
		used += n
	}
	e.Relations = []relationShape{}
	for i := range from.Relations[first:] {
		e.Relations = append(e.Relations, shapeOfRelation(c, &from.Relations[first+i]))
	}
	e.RelationsLeft += first
	return used
}

// graphShape is one page of a graph. It lists each relation once, beside the entities instead of in them.
type graphShape struct {
	Entities      []entityShape   `json:"entities"`
	Relations     []relationShape `json:"relations"`
	RelationsLeft int             `json:"relations_left,omitempty"`
	Left          int             `json:"left"`
	NextCursor    string          `json:"next_cursor,omitempty"`
}

// shapeOfGraph gives at most a third of the room to relations.
func shapeOfGraph(c *call, page *graph.Page, room int) graphShape {
	out := graphShape{Left: page.Left, NextCursor: page.NextCursor, Relations: []relationShape{}}
	free := room / 3
	for i := range page.Relations {
		one := shapeOfRelation(c, &page.Relations[i])
		if free -= cost(one); free < 0 {
			out.RelationsLeft = len(page.Relations) - i
			break
		}
		out.Relations = append(out.Relations, one)
	}
	for i := range page.Entities {
		page.Entities[i].Relations, page.Entities[i].RelationsLeft = nil, 0
	}
	out.Entities = shapeOfEntities(c, page.Entities, room-(room/3-max(free, 0)))
	for i := range out.Entities {
		out.Entities[i].Relations = nil
	}
	return out
}

type found struct {
	Entities          []entityShape      `json:"entities"`
	Missing           []graph.NoSuchName `json:"missing,omitempty"`
	Total             *int               `json:"total,omitempty"`
	TotalIsLowerBound bool               `json:"total_is_lower_bound,omitempty"`
	AnyWord           bool               `json:"any_word,omitempty"` // no entity has all the words, so one is enough
	NextCursor        string             `json:"next_cursor,omitempty"`
}

// graphRoom is the part of the budget for entities; the rest is for what stands around them.
func (s *Server) graphRoom() int { return s.budget * 9 / 10 }
