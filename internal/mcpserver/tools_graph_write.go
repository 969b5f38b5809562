package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (s *Server) addGraphWriting(srv *mcp.Server) {
	addCall(s, srv, &mcp.Tool{
		Name: "create_entities", Title: "Create entities", Annotations: adds(true),
		Description: "Stores things of the project (people, systems, decisions) with facts about them, all or none; returns them with their ids. One of the same name and type is not stored twice: it gets the facts that are new. Use search_nodes first.",
		InputSchema: input(items("entities", required("name", text(1, loci.MaxEntityName)), required("entity_type", described(text(1, loci.MaxGraphType), "like person, technology, concept")),
			property{name: "observations", schema: texts(loci.MaxObservation)}), inProject()),
		OutputSchema: lists("entities", `"id","name","created","added"`),
	}, s.createEntities)
	addCall(s, srv, &mcp.Tool{
		Name: "add_observations", Title: "Add observations", Annotations: adds(true),
		Description: "Adds facts to entities that exist, all or none; returns the new ones, and which were there already. For a new entity use create_entities. entity_type is for a name that several have.",
		InputSchema: input(items("observations", required("entity_name", text(1, loci.MaxEntityName)), required("contents", texts(loci.MaxObservation)),
			property{name: "entity_type", schema: text(0, loci.MaxGraphType)}), inProject()),
		OutputSchema: lists("observations", `"id","entity_name","content"`),
	}, s.addObservations)
	addCall(s, srv, &mcp.Tool{
		Name: "create_relations", Title: "Create relations", Annotations: adds(true),
		Description: "Connects entities that exist, all or none; returns the relations. Not for facts about one entity: use add_observations.",
		InputSchema: input(items("relations", edge()...), inProject()), OutputSchema: lists("relations", `"id","from","to","relation_type","created"`),
	}, s.createRelations)
}

type newEntity struct {
	Name         string   `json:"name"`
	Type         string   `json:"entity_type" alias:"entityType"`
	Observations []string `json:"observations"`
}

type createEntitiesArgs struct {
	Entities []newEntity `json:"entities" need:"yes"`
	Project  string      `json:"project"`
}

type createdEntity struct {
	entityShape
	Created bool `json:"created"`
	Added   int  `json:"added"`
}

func (s *Server) createEntities(ctx context.Context, c caller, in createEntitiesArgs) (any, error) {
	project, err := s.choose(ctx, c, app.GraphWrite, in.Project)
	if err != nil {
		return nil, err
	}
	items := make([]loci.NewEntity, len(in.Entities))
	for i, e := range in.Entities {
		items[i] = loci.NewEntity{EntityRef: loci.EntityRef{Name: e.Name, Type: e.Type}, Observations: e.Observations}
	}
	put, err := s.app.CreateEntities(ctx, c.principal, project, nil, items)
	if err != nil {
		return nil, err
	}
	out, room := make([]createdEntity, len(put)), maxRows
	for i := range put {
		out[i] = createdEntity{shapeOfEntity(&put[i].Entity), put[i].Created, len(put[i].Added)}
		room = out[i].trim(room)
	}
	return struct {
		Entities []createdEntity `json:"entities"`
	}{out}, nil
}

type contents struct {
	Entity   string   `json:"entity_name" alias:"entityName"`
	Contents []string `json:"contents" need:"yes"`
	Type     string   `json:"entity_type" alias:"entityType"`
}

type addObservationsArgs struct {
	Observations []contents `json:"observations" need:"yes"`
	Project      string     `json:"project"`
}

type addedObservation struct {
	ID        loci.ObservationID `json:"id"`
	Entity    string             `json:"entity_name"`
	Content   string             `json:"content"`
	CreatedAt time.Time          `json:"created_at"`
}

type duplicate struct {
	Entity  string `json:"entity_name"`
	Content string `json:"content"`
}

func (s *Server) addObservations(ctx context.Context, c caller, in addObservationsArgs) (any, error) {
	for i, o := range in.Observations {
		if err := checkType(fmt.Sprintf("observations[%d].entity_type", i), o.Type); err != nil {
			return nil, err
		}
	}
	project, err := s.choose(ctx, c, app.GraphWrite, in.Project)
	if err != nil {
		return nil, err
	}
	items := make([]loci.Contents, len(in.Observations))
	for i, o := range in.Observations {
		items[i] = loci.Contents{Entity: loci.EntityRef{Name: o.Entity, Type: o.Type}, Contents: o.Contents}
	}
	done, err := s.app.AddObservations(ctx, c.principal, project, nil, items)
	if err != nil {
		return nil, err
	}
	out := struct {
		Observations []addedObservation `json:"observations"`
		Duplicates   []duplicate        `json:"duplicates,omitempty"`
	}{Observations: []addedObservation{}}
	for _, d := range done {
		for i := range d.Added {
			o := &d.Added[i]
			out.Observations = append(out.Observations, addedObservation{o.ID, d.Entity.Name, o.Content, o.CreatedAt})
		}
		for i := range d.Duplicates {
			out.Duplicates = append(out.Duplicates, duplicate{d.Entity.Name, d.Duplicates[i].Content})
		}
	}
	return out, nil
}

type edgeArgs struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Type     string `json:"relation_type" alias:"relationType"`
	FromType string `json:"from_type"`
	ToType   string `json:"to_type"`
}

type relationsArgs struct {
	Relations []edgeArgs `json:"relations" need:"yes"`
	Project   string     `json:"project"`
}

func (a relationsArgs) items() ([]loci.NewRelation, error) {
	items := make([]loci.NewRelation, len(a.Relations))
	for i, r := range a.Relations {
		place := fmt.Sprintf("relations[%d]", i)
		if err := errors.Join(checkType(place+".from_type", r.FromType), checkType(place+".to_type", r.ToType)); err != nil {
			return nil, err
		}
		items[i] = loci.NewRelation{From: loci.EntityRef{Name: r.From, Type: r.FromType}, To: loci.EntityRef{Name: r.To, Type: r.ToType}, Type: r.Type}
	}
	return items, nil
}

// sayTypes names the arguments that tell entities of one name apart, where
// they have other names than usual.
func sayTypes(err error, names string) error {
	const usual = "say which by its type"
	if text := loci.SafeText(err); strings.Contains(text, usual) {
		return loci.Errorf(loci.CodeOf(err), "%s", strings.ReplaceAll(text, usual, "say which with "+names))
	}
	return err
}

type createdRelation struct {
	relationShape
	CreatedAt time.Time `json:"created_at"`
	Created   bool      `json:"created"`
}

func (s *Server) createRelations(ctx context.Context, c caller, in relationsArgs) (any, error) {
	items, err := in.items()
	if err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphWrite, in.Project)
	if err != nil {
		return nil, err
	}
	put, err := s.app.CreateRelations(ctx, c.principal, project, nil, items)
	if err != nil {
		return nil, sayTypes(err, "from_type or to_type")
	}
	out := make([]createdRelation, len(put))
	for i := range put {
		r := &put[i].Relation
		out[i] = createdRelation{relationShape{ID: r.ID, From: r.From, To: r.To, Type: r.Type}, r.CreatedAt, put[i].Created}
	}
	return struct {
		Relations []createdRelation `json:"relations"`
	}{out}, nil
}
