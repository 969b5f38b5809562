package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// The sizes of the extra tools' answers.
const (
	trashDefault, trashMax         = 100, 1000
	historyDefault, historyMax     = 100, 1000
	neighbourDefault, neighbourMax = 20, app.MaxNeighbours
)

// addExtraTools registers those of the graph that few need.
func (s *Server) addExtraTools(srv *mcp.Server) {
	ids := `{"type":"array","items":{"type":"string"}}`
	addCall(s, srv, &mcp.Tool{
		Name: "restore_nodes", Title: "Restore what was deleted", Annotations: sets(),
		Description:  "Brings back what was deleted by mistake, all or none, by the ids that list_deleted_nodes gives; an entity comes with what was deleted along with it. Returns how many.",
		InputSchema:  input(property{name: "entities", schema: ids}, property{name: "observations", schema: ids}, property{name: "relations", schema: ids}, inProject()),
		OutputSchema: json.RawMessage(`{"type":"object","required":["restored"]}`),
	}, s.restoreNodes)
	addCall(s, srv, &mcp.Tool{
		Name: "list_deleted_nodes", Title: "List what was deleted", Annotations: reads(),
		Description: "What restore_nodes can bring back, newest deletion first, limit of each kind. Not for what is in the graph: use read_graph.",
		InputSchema: input(limit(trashMax, trashDefault), inProject()), OutputSchema: json.RawMessage(`{"type":"object","required":["entities","observations","relations"]}`),
	}, s.listDeletedNodes)
	addCall(s, srv, &mcp.Tool{
		Name: "get_entity_history", Title: "History of an entity", Annotations: reads(),
		Description: "What happened to an entity, its observations and relations, and who did it, oldest first. Use it when asked how something came about; a deleted entity is found by id only.",
		InputSchema: input(append(which(), limit(historyMax, historyDefault), inProject())...), OutputSchema: lists("changes", `"at","change","kind"`),
	}, s.getEntityHistory)
	addCall(s, srv, &mcp.Tool{
		Name: "get_neighbors", Title: "Neighbours of an entity", Annotations: reads(),
		Description: "An entity and those that relations connect it with in so many hops, nearest first. Use it to see what something touches; for words use search_nodes.",
		InputSchema: input(append(which(), property{name: "hops", schema: integer(1, app.MaxHops, 1)}, limit(neighbourMax, neighbourDefault), inProject())...), OutputSchema: lists("entities", inGraph),
	}, s.getNeighbors)
	addCall(s, srv, &mcp.Tool{
		Name: "merge_entities", Title: "Merge two entities", Annotations: removes(),
		Description: "Moves the observations and relations of one entity to another that means the same, deletes the first and returns the second. Only when sure.",
		InputSchema: input(required("from", text(1, loci.MaxEntityName)), required("into", text(1, loci.MaxEntityName)),
			property{name: "from_type", schema: text(0, loci.MaxGraphType)}, property{name: "into_type", schema: text(0, loci.MaxGraphType)}, inProject()),
		OutputSchema: json.RawMessage(`{"type":"object","required":["id","name"]}`),
	}, s.mergeEntities)
}

type restoreNodesArgs struct {
	Entities     []string `json:"entities"`
	Observations []string `json:"observations"`
	Relations    []string `json:"relations"`
	Project      string   `json:"project"`
}

func (s *Server) restoreNodes(ctx context.Context, c caller, in restoreNodesArgs) (any, error) {
	var ids app.GraphIDs
	err := errors.Join(parseIDs("entities", in.Entities, &ids.Entities), parseIDs("observations", in.Observations, &ids.Observations),
		parseIDs("relations", in.Relations, &ids.Relations))
	if err != nil {
		return nil, err
	}
	if len(ids.Entities)+len(ids.Observations)+len(ids.Relations) == 0 {
		return nil, loci.FieldErrorf("entities", "or observations or relations must name what to restore; list_deleted_nodes has the ids")
	}
	project, err := s.choose(ctx, c, app.GraphRestore, in.Project)
	if err != nil {
		return nil, err
	}
	n, err := s.app.RestoreNodes(ctx, c.principal, project, ids)
	if err != nil {
		return nil, err
	}
	return struct {
		Restored int `json:"restored"`
	}{n}, nil
}

func parseIDs[Kind any](field string, list []string, into *[]loci.ID[Kind]) error {
	for i, text := range list {
		id, err := loci.ParseID[Kind](text)
		if err != nil {
			return loci.FieldErrorf(fmt.Sprintf("%s[%d]", field, i), "is not an id: %s", err)
		}
		*into = append(*into, id)
	}
	return nil
}

type trashArgs struct {
	Limit   *count `json:"limit"`
	Project string `json:"project"`
}

func (s *Server) listDeletedNodes(ctx context.Context, c caller, in trashArgs) (any, error) {
	limit, err := in.Limit.within("limit", 1, trashMax, trashDefault)
	if err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphTrashed, in.Project)
	if err != nil {
		return nil, err
	}
	trash, err := s.app.GraphTrash(ctx, c.principal, project, limit)
	if err != nil {
		return nil, err
	}
	out := struct {
		Entities     []entityShape      `json:"entities"`
		Observations []observationShape `json:"observations"`
		Relations    []relationShape    `json:"relations"`
	}{make([]entityShape, len(trash.Entities)), make([]observationShape, len(trash.Observations)), shapeOfRelations(trash.Relations)}
	for i := range trash.Entities {
		out.Entities[i] = bareEntity(&trash.Entities[i])
	}
	for i := range trash.Observations {
		o := &trash.Observations[i]
		out.Observations[i] = observationShape{ID: o.ID, EntityID: o.EntityID, Content: o.Content, CreatedAt: o.CreatedAt, DeletedAt: o.DeletedAt, Origin: o.Origin}
	}
	return out, nil
}

// whichArgs name one entity.
type whichArgs struct {
	Name string `json:"name"`
	Type string `json:"entity_type" alias:"entityType"`
	ID   string `json:"id"`
}

func (a whichArgs) which() (app.Which, error) {
	w := app.Which{EntityRef: loci.EntityRef{Name: a.Name, Type: a.Type}}
	if a.ID == "" {
		return w, checkRef(w.EntityRef, "name", "entity_type")
	}
	var id []loci.EntityID
	if err := parseIDs("id", []string{a.ID}, &id); err != nil {
		return w, err
	}
	w.ID = id[0]
	return w, nil
}

type historyArgs struct {
	whichArgs
	Limit   *count `json:"limit"`
	Project string `json:"project"`
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

func (s *Server) getEntityHistory(ctx context.Context, c caller, in historyArgs) (any, error) {
	limit, err := in.Limit.within("limit", 1, historyMax, historyDefault)
	if err != nil {
		return nil, err
	}
	which, err := in.which()
	if err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphHistory, in.Project)
	if err != nil {
		return nil, err
	}
	list, err := s.app.EntityHistory(ctx, c.principal, project, which, limit)
	if err != nil {
		return nil, err
	}
	out := make([]change, len(list))
	for i, one := range list {
		out[i] = change{one.At, one.Change, one.Kind, one.ID, one.Origin, one.Text}
	}
	return struct {
		Changes []change `json:"changes"`
	}{out}, nil
}

type neighborsArgs struct {
	whichArgs
	Hops    *count `json:"hops"`
	Limit   *count `json:"limit"`
	Project string `json:"project"`
}

func (s *Server) getNeighbors(ctx context.Context, c caller, in neighborsArgs) (any, error) {
	hops, err := in.Hops.within("hops", 1, app.MaxHops, 1)
	if err != nil {
		return nil, err
	}
	limit, err := in.Limit.within("limit", 1, neighbourMax, neighbourDefault)
	if err != nil {
		return nil, err
	}
	which, err := in.which()
	if err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphRead, in.Project)
	if err != nil {
		return nil, err
	}
	list, err := s.app.Neighbours(ctx, c.principal, project, which, hops, limit)
	if err != nil {
		return nil, err
	}
	return found{Entities: shapeOfEntities(list)}, nil
}

type mergeArgs struct {
	From     string `json:"from"`
	Into     string `json:"into"`
	FromType string `json:"from_type"`
	IntoType string `json:"into_type"`
	Project  string `json:"project"`
}

func (s *Server) mergeEntities(ctx context.Context, c caller, in mergeArgs) (any, error) {
	from, into := loci.EntityRef{Name: in.From, Type: in.FromType}, loci.EntityRef{Name: in.Into, Type: in.IntoType}
	if err := errors.Join(checkRef(from, "from", "from_type"), checkRef(into, "into", "into_type")); err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphMerge, in.Project)
	if err != nil {
		return nil, err
	}
	e, err := s.app.MergeEntities(ctx, c.principal, project, app.Which{EntityRef: from}, app.Which{EntityRef: into})
	if err != nil {
		return nil, sayTypes(err, "from_type or into_type")
	}
	return shapeOfEntity(&e), nil
}
