package mcpserver

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
)

func newEntitiesFields(c *call, in *[]loci.NewEntity) []field {
	return []field{items("entities", in, loci.MaxGraphItems, newEntityFields), detail(c), inProject(c)}
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
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	Created bool   `json:"created"`
	Added   int    `json:"added"`
}

func (s *Server) createEntities(ctx context.Context, c *call, in *[]loci.NewEntity) (any, error) {
	put, err := s.app.Graph.CreateEntities(ctx, c.principal, c.project, nil, *in)
	if err != nil {
		return nil, err
	}
	out := make([]createdEntity, len(put))
	for i := range put {
		e := &put[i].Entity
		out[i] = createdEntity{Name: e.Name, Created: put[i].Created, Added: len(put[i].Added)}
		if c.detail == full {
			out[i].ID = e.ID.String()
		}
	}
	return struct {
		Entities []createdEntity `json:"entities"`
	}{out}, nil
}

func observationsFields(c *call, in *[]loci.Contents) []field {
	return []field{items("observations", in, loci.MaxGraphItems, contentsFields("contents")), detail(c),
		inProject(c)}
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

// addedTo is what a call did to one entity.
type addedTo struct {
	Entity     string   `json:"entity_name"`
	Added      []any    `json:"added"`
	Duplicates []string `json:"duplicates,omitempty"`
}

func (s *Server) addObservations(ctx context.Context, c *call, in *[]loci.Contents) (any, error) {
	done, err := s.app.Graph.AddObservations(ctx, c.principal, c.project, nil, *in)
	if err != nil {
		return nil, err
	}
	out := make([]addedTo, len(done))
	for i := range done {
		d := &done[i]
		out[i] = addedTo{Entity: d.Entity.Name, Added: []any{}}
		for j := range d.Added {
			out[i].Added = append(out[i].Added, shapeOfObservation(c, &d.Added[j]))
		}
		for j := range d.Duplicates {
			out[i].Duplicates = append(out[i].Duplicates, d.Duplicates[j].Content)
		}
	}
	return struct {
		Results []addedTo `json:"results"`
	}{out}, nil
}

func relationsFields(c *call, in *[]loci.NewRelation) []field {
	return []field{items("relations", in, loci.MaxGraphItems, relationFields), detail(c), inProject(c)}
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
	Created bool `json:"created"`
}

func (s *Server) createRelations(ctx context.Context, c *call, in *[]loci.NewRelation) (any, error) {
	put, err := s.app.Graph.CreateRelations(ctx, c.principal, c.project, nil, *in)
	if err != nil {
		return nil, sayTypes(err, "from_type or to_type")
	}
	out := make([]createdRelation, len(put))
	for i := range put {
		out[i] = createdRelation{shapeOfRelation(c, &put[i].Relation), put[i].Created}
	}
	return struct {
		Relations []createdRelation `json:"relations"`
	}{out}, nil
}
