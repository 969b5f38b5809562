package mcpserver

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
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
	Hint    string `json:"hint,omitempty"`
}

func (s *Server) createEntities(ctx context.Context, c *call, in *[]loci.NewEntity) (any, error) {
	put, err := s.app.Graph.CreateEntities(ctx, c.principal, c.project, nil, *in)
	if err != nil {
		return nil, err
	}
	out := make([]createdEntity, len(put))
	for i := range put {
		e := &put[i].Entity
		out[i] = createdEntity{Name: e.Name, Created: put[i].Created, Added: len(put[i].Added),
			Hint: loci.TwinHint("entity", e.Name, put[i].Alike...)}
		if c.detail == full {
			out[i].ID = e.ID.String()
		}
	}
	return struct {
		Entities []createdEntity `json:"entities"`
		Note     string          `json:"note,omitempty"`
	}{out, loci.SecretHint(graph.SecretsIn(put))}, nil
}

func observationsFields(c *call, in *[]loci.Contents) []field {
	return []field{items("observations", in, loci.MaxGraphItems, contentsFields("contents")), detail(c),
		inProject(c)}
}

// contentsFields returns the fields of an item with observations of one entity. list is the name of the observations.
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
		Note    string    `json:"note,omitempty"`
	}{out, loci.SecretHint(graph.SecretsIn(done))}, nil
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
		Note      string            `json:"note,omitempty"`
	}{out, loci.SecretHint(graph.SecretsIn(put))}, nil
}

type deleted struct {
	Deleted   int    `json:"deleted"`
	Suggested int    `json:"suggested,omitempty"`
	Tell      string `json:"tell,omitempty"` // what the model should tell the person
}

func (s *Server) deletedOr(c *call, d graph.Deleted, err error) (any, error) {
	return deleted{d.Count, d.Suggested(), s.tellSuggested(c.principal, &d)}, err
}

// tellSuggested returns what the model should tell the person about rows that were only suggested, or "".
func (s *Server) tellSuggested(p loci.Principal, d *graph.Deleted) string {
	if d.Suggestion == nil {
		return ""
	}
	return "You may take out of the graph only what you wrote yourself, so Loci suggested the rest: " +
		s.whereToDecide(p, []loci.Suggestion{*d.Suggestion})
}

func deletedNamesFields(c *call, in *[]string) []field {
	return []field{texts("names", in, loci.MaxEntityName).must().or("entityNames"), inProject(c)}
}

func (s *Server) deleteEntities(ctx context.Context, c *call, names *[]string) (any, error) {
	d, err := s.app.Graph.DeleteEntities(ctx, c.principal, c.project, refs(*names))
	return s.deletedOr(c, d, err)
}

func deletionsFields(c *call, in *[]loci.Contents) []field {
	of := func(in *loci.Contents) []field {
		fields := contentsFields("observations")(in)
		fields[2] = fields[2].hide()
		return fields
	}
	return []field{items("deletions", in, loci.MaxGraphItems, of), inProject(c)}
}

func (s *Server) deleteObservations(ctx context.Context, c *call, in *[]loci.Contents) (any, error) {
	d, err := s.app.Graph.DeleteObservations(ctx, c.principal, c.project, *in)
	return s.deletedOr(c, d, err)
}

func deletedRelationsFields(c *call, in *[]loci.NewRelation) []field {
	return []field{items("relations", in, loci.MaxGraphItems, relationFields), inProject(c)}
}

func (s *Server) deleteRelations(ctx context.Context, c *call, in *[]loci.NewRelation) (any, error) {
	d, err := s.app.Graph.DeleteRelations(ctx, c.principal, c.project, *in)
	return s.deletedOr(c, d, err)
}

// entityMembers are what every entity in an answer has, in its schema.
var entityMembers = []string{"name", "entity_type", "observations"}

func graphSearchFields(c *call, in *graph.SearchRequest) []field {
	return []field{
		text("query", &in.Query, 1, loci.MaxTerm).must(), limit(c, &in.Limit, graph.MaxGraphSearch, graph.DefaultGraphSearch),
		cursor(c, &in.Cursor), detail(c), inProject(c),
	}
}

func (s *Server) searchEntities(ctx context.Context, c *call, in *graph.SearchRequest) (any, error) {
	hits, err := s.app.Graph.Search(ctx, c.principal, c.project, *in)
	if err != nil {
		return nil, err
	}
	return found{Entities: shapeOfEntities(c, hits.Entities, s.graphRoom()), Total: &hits.Total,
		TotalIsLowerBound: hits.TotalIsLowerBound,
		AnyWord:           hits.AnyWord, NextCursor: hits.NextCursor}, nil
}

func namesFields(c *call, in *[]string) []field {
	return []field{texts("names", in, loci.MaxEntityName).must(), offset(&c.offset),
		detail(c), inProject(c)}
}

func (s *Server) openEntities(ctx context.Context, c *call, names *[]string) (any, error) {
	opened, err := s.app.Graph.OpenEntities(ctx, c.principal, c.project, refs(*names))
	if err != nil {
		return nil, err
	}
	return found{Entities: shapeOfEntities(c, opened.Entities, s.graphRoom()), Missing: opened.Missing}, nil
}

func refs(names []string) []loci.EntityRef {
	return loci.Mapped(names, func(name string) loci.EntityRef { return loci.EntityRef{Name: name} })
}

func graphFields(c *call, in *graph.ListRequest) []field {
	return []field{limit(c, &in.Limit, graph.MaxGraphPage, graph.DefaultGraphPage), cursor(c, &in.Cursor), detail(c),
		inProject(c)}
}

func (s *Server) readGraph(ctx context.Context, c *call, in *graph.ListRequest) (any, error) {
	page, err := s.app.Graph.Read(ctx, c.principal, c.project, *in)
	if err != nil {
		return nil, err
	}
	return shapeOfGraph(c, page, s.graphRoom()), nil
}
