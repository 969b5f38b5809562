package rest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/jsonlines"
)

var graphReadRoutes = table{"graph", []served{
	serve("GET /projects/{id}/graph", route{ID: "readGraph", Who: forAny, Action: graph.Read,
		Summary: "Read a graph",
		Text: "In the order in which it was stored. entities_left counts the entities on later pages. A page " +
			"ends early if it is large.",
		Out: exampleGraphPage}, (*server).graph),
	serve("GET /projects/{id}/graph/search", route{ID: "searchGraph", Who: forAny, Action: graph.Read,
		Summary: "Search a graph",
		Text: "Searches names, types and observations, best match first. Returns each entity with its " +
			"observations and relations. 400 if the query is malformed.",
		Out: exampleGraphHits}, (*server).searchGraph),
	serve("POST /projects/{id}/graph/open", route{ID: "openEntities", Reads: true, Who: forAny, Action: graph.Read,
		Summary: "Get entities by name",
		Text:    "missing lists names that do not exist, each with the most similar ones.",
		In:      exampleNames, Out: exampleFoundEntities}, (*server).openEntities),
	serve("GET /projects/{id}/graph/entities/{entity}", route{ID: "getEntity", Who: forAny, Action: graph.Read,
		Summary: "Get an entity",
		Text: "With its newest 1,000 observations and relations. observations_left and relations_left count " +
			"the older ones.",
		Out: exampleEntity}, (*server).entity),
	serve("GET /projects/{id}/graph/entities/{entity}/observations", route{ID: "listEntityObservations",
		Who: forAny, Action: graph.Read,
		Summary: "List the observations of an entity",
		Text:    "Oldest first.",
		Out:     client.ObservationList{Observations: exampleEntity.Observations}}, (*server).entityObservations),
	serve("GET /projects/{id}/graph/entities/{entity}/relations", route{ID: "listEntityRelations", Who: forAny,
		Action:  graph.Read,
		Summary: "List the relations of an entity",
		Text:    "Relations from or to it, oldest first.",
		Out:     client.RelationList{Relations: exampleEntity.Relations}}, (*server).entityRelations),
	serve("GET /projects/{id}/graph/entities/{entity}/history", route{ID: "getEntityHistory", Who: forAny,
		Action:  graph.History,
		Summary: "List the changes of an entity",
		Text:    "Oldest first. Works for a deleted entity too.",
		Out:     exampleChanges}, (*server).entityHistory),
	serve("GET /projects/{id}/graph/entities/{entity}/neighbours", route{ID: "listNeighbours", Who: forAny,
		Action:  graph.Read,
		Summary: "List the neighbours of an entity",
		Text: "Entities within the given number of hops in either direction, nearest first, after the entity " +
			"itself.",
		Out: client.EntityList{Entities: exampleGraphPage.Entities}}, (*server).neighbours),
	serve("GET /projects/{id}/graph/drawing", route{ID: "drawGraph", Who: forAny, Action: graph.Read, Limit: drawings,
		Summary: "Read a graph in a compact form",
		Text: "JSON lines with entities, or with relations as numbers of entities: from 0, over all lines. A line lists " +
			"types that are new, which are numbered alike. The last line has the counts. gzip if you accept it. 413 above " +
			loci.Thousands(loci.MaxDrawing) + " entities.",
		Alternatives: map[string]*huma.MediaType{jsonLines: {Schema: &huma.Schema{Type: huma.TypeString},
			Example: exampleDrawing}}}, (*server).drawGraph),
	serve("GET /projects/{id}/graph/export", route{ID: "exportGraph", Who: forPeople, Action: graph.Export,
		Limit:   exports,
		Summary: "Export a graph",
		Text:    "Everything in it that you may read, as JSON lines. `loci graph export` writes the same bytes.",
		Alternatives: map[string]*huma.MediaType{jsonLines: {Schema: &huma.Schema{Type: huma.TypeString},
			Example: exampleGraphLines}}}, (*server).exportGraph),
}}

func (p Page100) list() graph.ListRequest {
	return graph.ListRequest{Limit: p.Limit, Cursor: p.Cursor}
}

type graphInput struct {
	ProjectPath
	Page100
}

func (s *server) graph(ctx context.Context, p loci.Principal, in *graphInput) (*answer[client.GraphPage], error) {
	page, err := s.app.Graph.Read(ctx, p, in.project(), in.list())
	if err != nil {
		return nil, err
	}
	return say(client.GraphPage{Entities: allWhole(page.Entities), Relations: loci.OrEmpty(page.Relations),
		Left: page.Left, More: moreAt(page.NextCursor)}, nil)
}

type graphSearchInput struct {
	ProjectPath
	Q      string `query:"q" required:"true" minLength:"1" maxLength:"500" doc:"Words, AND, OR, NOT" example:"gateway"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" doc:"Default: 10"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same q"`
}

func (s *server) searchGraph(ctx context.Context, p loci.Principal,
	in *graphSearchInput) (*answer[client.GraphHits], error) {
	hits, err := s.app.Graph.Search(ctx, p, in.project(), graph.SearchRequest{Query: in.Q, Limit: in.Limit,
		Cursor: in.Cursor})
	if loci.FieldOf(err) == "query" { // here it is called q
		err = loci.AtField(err, "q")
	}
	if err != nil {
		return nil, err
	}
	return say(client.GraphHits{Entities: allWhole(hits.Entities), Total: hits.Total,
		TotalIsLowerBound: hits.TotalIsLowerBound,
		AnyWord:           hits.AnyWord, More: moreAt(hits.NextCursor)}, nil)
}

func (s *server) openEntities(ctx context.Context, p loci.Principal,
	in *entityNamesInput) (*answer[client.FoundEntities], error) {
	refs, err := in.refs()
	if err != nil {
		return nil, err
	}
	found, err := s.app.Graph.OpenEntities(ctx, p, in.project(), refs)
	if err != nil {
		return nil, err
	}
	missing := loci.Mapped(found.Missing, func(m graph.NoSuchName) client.NoSuchName { return client.NoSuchName(m) })
	return say(client.FoundEntities{Entities: allWhole(found.Entities), Missing: missing}, nil)
}

// EntityPath is an entity in a path, exported as Page100 is.
type EntityPath struct {
	ProjectPath
	Entity string `path:"entity" doc:"Id of the entity, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (e EntityPath) which() graph.Which { return graph.Which{ID: idOf[loci.EntityID](e.Entity)} }

func (s *server) entity(ctx context.Context, p loci.Principal, in *EntityPath) (*answer[loci.Entity], error) {
	e, err := s.app.Graph.Entity(ctx, p, in.project(), in.which())
	return say(whole(e), err)
}

type entityPageInput struct {
	EntityPath
	Page100
}

func (s *server) entityObservations(ctx context.Context, p loci.Principal,
	in *entityPageInput) (*answer[client.ObservationList], error) {
	page, err := s.app.Graph.EntityObservations(ctx, p, in.project(), in.which(), in.list())
	return say(client.ObservationList{Observations: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

func (s *server) entityRelations(ctx context.Context, p loci.Principal,
	in *entityPageInput) (*answer[client.RelationList], error) {
	page, err := s.app.Graph.EntityRelations(ctx, p, in.project(), in.which(), in.list())
	return say(client.RelationList{Relations: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

type entityHistoryInput struct {
	EntityPath
	Limit int `query:"limit" minimum:"1" maximum:"1000" doc:"Default: 100"`
}

// These are the limits of lists without pages: the default of the request, and the most that the capability returns.
const (
	defaultGraphList  = 100
	maxGraphList      = 1000
	defaultNeighbours = 20
)

// oneMore is the limit to request in order to know whether more than limit exist.
func oneMore(limit, most int) int { return min(limit+1, most) }

// atMost cuts a list that was requested with oneMore.
func atMost[T any](list []T, limit, most int) ([]T, bool) {
	if len(list) > limit {
		return list[:limit], true
	}
	return loci.OrEmpty(list), len(list) == most
}

func (s *server) entityHistory(ctx context.Context, p loci.Principal,
	in *entityHistoryInput) (*answer[client.GraphChangeList], error) {
	limit := cmp.Or(in.Limit, defaultGraphList)
	list, err := s.app.Graph.EntityHistory(ctx, p, in.project(), in.which(), oneMore(limit, maxGraphList))
	var out client.GraphChangeList
	out.Changes, out.HasMore = atMost(list, limit, maxGraphList)
	return say(out, err)
}

type neighboursInput struct {
	EntityPath
	Hops  int `query:"hops" minimum:"1" maximum:"5" doc:"Default: 1"`
	Limit int `query:"limit" minimum:"1" maximum:"100" doc:"Of entities; default: 20"`
}

func (s *server) neighbours(ctx context.Context, p loci.Principal,
	in *neighboursInput) (*answer[client.EntityList], error) {
	limit := cmp.Or(in.Limit, defaultNeighbours)
	list, err := s.app.Graph.Neighbours(ctx, p, in.project(), in.which(), in.Hops, oneMore(limit, graph.MaxNeighbours))
	var out client.EntityList
	out.Entities, out.HasMore = atMost(allWhole(list), limit, graph.MaxNeighbours)
	return say(out, err)
}

type graphTrashInput struct {
	ProjectPath
	Limit int `query:"limit" minimum:"1" maximum:"1000" doc:"Of each kind; default: 100"`
}

func (s *server) graphTrash(ctx context.Context, p loci.Principal,
	in *graphTrashInput) (*answer[client.GraphTrash], error) {
	limit := cmp.Or(in.Limit, defaultGraphList)
	t, err := s.app.Graph.Trash(ctx, p, in.project(), oneMore(limit, maxGraphList))
	var out client.GraphTrash
	var more [3]bool
	out.Entities, more[0] = atMost(allWhole(t.Entities), limit, maxGraphList)
	out.Observations, more[1] = atMost(t.Observations, limit, maxGraphList)
	out.Relations, more[2] = atMost(t.Relations, limit, maxGraphList)
	out.HasMore = more[0] || more[1] || more[2] || t.More
	return say(out, err)
}

type graphExportInput struct {
	ProjectPath
	Format graph.Format `query:"format" enum:"loci,reference" doc:"reference: the memory.json of the reference MCP server"`
}

func (s *server) exportGraph(_ context.Context, p loci.Principal, in *graphExportInput) (*huma.StreamResponse, error) {
	format, file := graph.GraphLoci, "loci-graph.jsonl"
	if in.Format == graph.GraphReference {
		format, file = in.Format, "memory.json"
	}
	return s.stream(file, noProject, func(ctx context.Context, w http.ResponseWriter) error {
		return s.app.Graph.Export(ctx, p, in.project(), format, w)
	})
}

type drawingInput struct {
	ProjectPath
	Accepted string `header:"Accept-Encoding" hidden:"true"`
}

func (s *server) drawGraph(_ context.Context, p loci.Principal, in *drawingInput) (*huma.StreamResponse, error) {
	return s.stream("loci-drawing.jsonl", noProject, func(ctx context.Context, w http.ResponseWriter) error {
		w.Header().Set("Vary", "Accept-Encoding")
		if !loci.TakesGzip(in.Accepted) {
			return s.app.Graph.Draw(ctx, p, in.project(), w)
		}
		w.Header().Set("Content-Encoding", "gzip")
		packed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err == nil {
			err = s.app.Graph.Draw(ctx, p, in.project(), packed)
		}
		if err != nil {
			return err
		}
		return packed.Close()
	})
}

// stream answers with lines of JSON. The first line sends the status, so that an error before it
// is a normal answer. A later failure cuts the answer off.
func (s *server) stream(file string, absent missing, write func(context.Context,
	http.ResponseWriter) error) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		out := &begun{ResponseWriter: w}
		w.Header().Set("Content-Type", jsonLines)
		w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
		if err := write(r.Context(), out); err != nil {
			problem := s.fail(r.Context(), absent, err)
			if out.sent {
				panic(http.ErrAbortHandler)
			}
			w.Header().Del("Content-Disposition")
			w.Header().Del("Content-Encoding")
			writeProblem(w, problem)
		}
	}}, nil
}

// begun notes whether a part of the answer was sent.
type begun struct {
	http.ResponseWriter
	sent bool
}

// Write sends a part of the answer.
func (b *begun) Write(p []byte) (int, error) {
	b.sent = true
	return b.ResponseWriter.Write(p)
}

type graphImportInput struct {
	ProjectPath
	DryRun         bool          `query:"dry_run" doc:"Report without importing"`
	AllowedVendors []loci.Vendor `query:"allowed_vendors,explode" maxItems:"50" maxLength:"50" doc:"Default: all"`
	RawBody        []byte        `contentType:"application/x-ndjson"`
}

func (in *graphImportInput) reads() bool { return in.DryRun }

// maxLineProblems is how many rejected lines an import explains.
const maxLineProblems = 1000

func (s *server) importGraph(ctx context.Context, p loci.Principal,
	in *graphImportInput) (*answer[client.GraphImported], error) {
	problems := []client.LineProblem{}
	r, err := s.app.Graph.Import(ctx, p, in.project(), bytes.NewReader(in.RawBody),
		graph.ImportOptions{AllowedVendors: in.AllowedVendors, DryRun: in.DryRun,
			Problem: func(l jsonlines.Problem) {
				if len(problems) < maxLineProblems {
					problems = append(problems, client.LineProblem{Line: l.Line, Detail: l.Text})
				}
			}})
	slices.SortStableFunc(problems, func(a, b client.LineProblem) int { return a.Line - b.Line })
	return say(client.GraphImported{Lines: r.Lines, Entities: r.Entities, Observations: r.Observations,
		Relations: r.Relations,
		Present:   r.Present, Refused: r.Refused, Problems: problems}, err)
}

var (
	exampleObservation = loci.Observation{ID: loci.ObservationID(exampleID), EntityID: loci.EntityID(exampleID),
		Content:     "Listens on port 8443",
		GraphAccess: exampleGraphAccess, CreatedAt: exampleTime}
	exampleRelation = loci.Relation{ID: loci.RelationID(exampleID), FromID: loci.EntityID(exampleUser),
		ToID: loci.EntityID(exampleID), From: "website", To: "API gateway",
		Type: "depends_on", GraphAccess: exampleGraphAccess, CreatedAt: exampleTime}
	exampleEntity = loci.Entity{ID: loci.EntityID(exampleID), Name: "API gateway", Type: "service",
		GraphAccess: exampleGraphAccess,
		CreatedAt:   exampleTime, UpdatedAt: exampleTime, Observations: []loci.Observation{exampleObservation},
		Relations: []loci.Relation{exampleRelation}}
	exampleNames     = client.EntityNames{Names: []string{"API gateway"}}
	exampleGraphPage = client.GraphPage{Entities: []loci.Entity{exampleEntity},
		Relations: []loci.Relation{exampleRelation}}
	exampleGraphHits     = client.GraphHits{Entities: []loci.Entity{exampleEntity}, Total: 1}
	exampleFoundEntities = client.FoundEntities{Entities: []loci.Entity{exampleEntity},
		Missing: []client.NoSuchName{{Name: "API gatewy", Nearest: []string{"API gateway"}}}}
	exampleChanges = client.GraphChangeList{Changes: []loci.GraphChange{{At: exampleTime, Change: "created",
		Kind: "entity", ID: exampleID.String(),
		UserID: exampleUser, Origin: "claude", Text: "API gateway"}}}
	exampleDrawing = `{"entity_types":["service"],"ids":["6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"],` +
		`"names":["API gateway"],"types":[0]}` + "\n" + `{"end":{"entities":1,"relations":0}}` + "\n"
	exampleGraphLines = `{"type":"entity","name":"API gateway","entityType":"service",` +
		`"observations":["Listens on port 8443"]}` + "\n"
)
