package mcpserver

import (
	"context"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

func newEntitiesFields(c *call, in *[]loci.NewEntity) []field {
	return []field{items("entities", in, loci.MaxGraphItems, newEntityFields), inProject(c)}
}

func newEntityFields(in *loci.NewEntity) []field {
	return []field{
		text("name", &in.Name, 1, loci.MaxEntityName).must(),
		text("entity_type", &in.Type, 1, loci.MaxGraphType).must().or("entityType").
			about("such as person, technology, concept"),
		texts("observations", &in.Observations, loci.MaxObservation),
	}
}

type createdEntity struct {
	entityShape
	Created bool `json:"created"`
	Added   int  `json:"added"`
}

func (s *Server) createEntities(ctx context.Context, c *call, in *[]loci.NewEntity) (any, error) {
	put, err := s.app.Graph.CreateEntities(ctx, c.principal, c.project, nil, *in)
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

func observationsFields(c *call, in *[]loci.Contents) []field {
	return []field{items("observations", in, loci.MaxGraphItems, contentsFields("contents")), inProject(c)}
}

// contentsFields returns the fields of an item with observations of one entity.
// list is the name of the observations.
func contentsFields(list string) func(*loci.Contents) []field {
	return func(in *loci.Contents) []field {
		return []field{
			text("entity_name", &in.Entity.Name, 1, loci.MaxEntityName).must().or("entityName"),
			texts(list, &in.Contents, loci.MaxObservation).must(),
			text("entity_type", &in.Entity.Type, 0, loci.MaxGraphType).or("entityType"),
		}
	}
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

func (s *Server) addObservations(ctx context.Context, c *call, in *[]loci.Contents) (any, error) {
	done, err := s.app.Graph.AddObservations(ctx, c.principal, c.project, nil, *in)
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

func relationsFields(c *call, in *[]loci.NewRelation) []field {
	return []field{items("relations", in, loci.MaxGraphItems, relationFields), inProject(c)}
}

func relationFields(in *loci.NewRelation) []field {
	return []field{
		text("from", &in.From.Name, 1, loci.MaxEntityName).must(),
		text("to", &in.To.Name, 1, loci.MaxEntityName).must(),
		text("relation_type", &in.Type, 1, loci.MaxGraphType).must().or("relationType").
			about("active voice, such as depends_on"),
		text("from_type", &in.From.Type, 0, loci.MaxGraphType).hide(),
		text("to_type", &in.To.Type, 0, loci.MaxGraphType).hide(),
	}
}

// sayTypes replaces the usual hint of an error about several entities with the same name by the
// arguments of this tool that distinguish them.
func sayTypes(err error, names string) error {
	const usual = "specify the type"
	if text := loci.SafeText(err); strings.Contains(text, usual) {
		return loci.Errorf(loci.CodeOf(err), "%s", strings.ReplaceAll(text, usual, "specify "+names))
	}
	return err
}

type createdRelation struct {
	relationShape
	CreatedAt time.Time `json:"created_at"`
	Created   bool      `json:"created"`
}

func (s *Server) createRelations(ctx context.Context, c *call, in *[]loci.NewRelation) (any, error) {
	put, err := s.app.Graph.CreateRelations(ctx, c.principal, c.project, nil, *in)
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
