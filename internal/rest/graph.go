package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/graph"
)

var graphRoutes = table{"graph", []served{
	serve("POST /projects/{id}/graph/entities", route{ID: "createEntities", Who: forAny, Action: graph.Write,
		Status: http.StatusCreated, Bulk: true, Again: true,
		Summary: "Create entities",
		Text: "All or none. If an entity with that name and type exists, Loci adds the new observations to it " +
			"and returns it.",
		In: exampleNewEntities, Out: examplePutEntities}, (*server).createEntities),
	serve("POST /projects/{id}/graph/observations", route{ID: "addObservations", Who: forAny, Action: graph.Write,
		Status: http.StatusCreated, Bulk: true, Again: true,
		Summary: "Add observations to entities",
		Text:    "All or none. 404 if an entity does not exist, with the most similar names.",
		In:      exampleNewObservations, Out: examplePutObservations}, (*server).addObservations),
	serve("POST /projects/{id}/graph/relations", route{ID: "createRelations", Who: forAny, Action: graph.Write,
		Status: http.StatusCreated, Bulk: true, Again: true,
		Summary: "Create relations between entities",
		Text:    "All or none. 404 if an entity does not exist, with the most similar names.",
		In:      exampleNewRelations, Out: examplePutRelations}, (*server).createRelations),
	serve("POST /projects/{id}/graph/entities/delete", route{ID: "deleteEntities", Who: forAny, Action: graph.Delete,
		Summary: "Move entities to the trash",
		Text:    "With their observations and relations. Loci ignores names that do not exist. " + onlySuggested,
		In:      exampleNames, Out: client.Deleted{Deleted: 1}}, (*server).deleteEntities),
	serve("POST /projects/{id}/graph/observations/delete", route{ID: "deleteObservations", Who: forAny,
		Action:  graph.Delete,
		Summary: "Move observations to the trash",
		Text:    "By exact content. Loci ignores those that do not exist. " + onlySuggested,
		In:      exampleOldObservations, Out: client.Deleted{Deleted: 1}}, (*server).deleteObservations),
	serve("POST /projects/{id}/graph/relations/delete", route{ID: "deleteRelations", Who: forAny,
		Action:  graph.Delete,
		Summary: "Move relations to the trash",
		Text:    "Loci ignores those that do not exist. " + onlySuggested,
		In:      exampleOldRelations, Out: client.Deleted{Deleted: 1}}, (*server).deleteRelations),
	serve("GET /projects/{id}/graph/trash", route{ID: "listGraphTrash", Who: forAny, Action: graph.ReadTrash,
		Summary: "List what you can restore",
		Text:    "Most recently deleted first. An entity stands for everything that was deleted with it.",
		Out:     exampleGraphTrash}, (*server).graphTrash),
	serve("POST /projects/{id}/graph/restore", route{ID: "restoreEntities", Who: forAny, Action: graph.Restore,
		Summary: "Restore from the trash",
		Text: "All or none. An entity comes back with everything that was deleted with it. 409 if another " +
			"entity has its name and type now.",
		In: exampleGone, Out: client.Restored{Restored: 1}}, (*server).restoreEntities),
	serve("POST /projects/{id}/graph/merge", route{ID: "mergeEntities", Who: forAny, Action: graph.Merge,
		Missing: noEntity,
		Summary: "Merge two entities",
		Text: "Copies the observations and relations of `from` to `into` and moves `from` to the trash. " +
			"Nothing becomes visible to more vendors. An agent only suggests it if `from`, or a row of it, has another origin.",
		In: exampleMerge, Out: client.MergedEntity{Entity: exampleEntity}}, (*server).mergeEntities),
	serve("PUT /projects/{id}/graph/vendors", route{ID: "setGraphVendors", Who: forPeople, Action: graph.Vendors,
		Summary: "Set which vendors may read rows",
		Text:    "For rows that you wrote. All or none.",
		In:      exampleGraphVendors, Out: client.Changed{Changed: 1}}, (*server).setGraphVendors),
	serve("POST /projects/{id}/graph/import", route{ID: "importGraph", Who: forPeople, Action: graph.Import,
		Limit: exports, Bulk: true, Lines: true,
		Summary: "Import a graph",
		Text: "Takes the memory.json of the reference MCP server, as JSON lines. You can repeat an import. " +
			"Loci stores the valid lines and lists the rejected ones in problems. Only the operator can " +
			"import the loci format.",
		In: exampleGraphLines, Out: exampleImported}, (*server).importGraph),
}}

const onlySuggested = "An agent deletes what its origin wrote. It only suggests to delete rows of another origin, " +
	"and entities that have such rows; a person accepts that with POST /suggestions/{id}/accept."

// madeOutput is the answer to a call that adds to a graph: 200 if everything existed already.
type madeOutput[T any] struct {
	Status int
	Body   T
}

func made[T any](body T, added bool) *madeOutput[T] {
	if added {
		return &madeOutput[T]{http.StatusCreated, body}
	}
	return &madeOutput[T]{http.StatusOK, body}
}

// nullVendors reports whether a body has null for allowed_vendors. Leaving it out means
// everybody. null could mean nobody, so Loci rejects it.
func nullVendors(vendors []loci.Vendor, body []byte) error {
	var raw struct {
		AllowedVendors json.RawMessage `json:"allowed_vendors"`
	}
	if vendors == nil && json.Unmarshal(body, &raw) == nil && raw.AllowedVendors != nil {
		return errNullVendors
	}
	return nil
}

var errNullVendors = loci.FieldErrorf("allowed_vendors", `must be a list; leave it out or send ["*"] for every vendor`)

type newEntitiesInput struct {
	ProjectPath
	Body    client.NewEntities
	RawBody []byte
}

func (s *server) createEntities(ctx context.Context, p loci.Principal,
	in *newEntitiesInput) (*madeOutput[client.PutEntities], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	items := make([]loci.NewEntity, len(in.Body.Entities))
	for i, e := range in.Body.Entities {
		items[i] = loci.NewEntity{EntityRef: loci.EntityRef{Name: e.Name, Type: e.Type}, Observations: e.Observations}
	}
	list, err := s.app.Graph.CreateEntities(ctx, p, in.project(), in.Body.AllowedVendors, items)
	if err != nil {
		return nil, err
	}
	out, added := client.PutEntities{Entities: make([]client.PutEntity, len(list)), Secrets: graph.SecretsIn(list)}, false
	for i, e := range list {
		out.Entities[i] = client.PutEntity{Entity: whole(e.Entity), Created: e.Created, Added: len(e.Added),
			Hint: loci.TwinHint("entity", e.Entity.Name, e.Alike...)}
		added = added || e.Created || len(e.Added) > 0
	}
	return made(out, added), nil
}

// whole replaces nil lists by empty ones.
func whole(e loci.Entity) loci.Entity {
	e.Observations, e.Relations = loci.OrEmpty(e.Observations), loci.OrEmpty(e.Relations)
	return e
}

func allWhole(list []loci.Entity) []loci.Entity {
	return loci.Mapped(list, whole)
}

type addObservationsInput struct {
	ProjectPath
	Body    client.AddedObservations
	RawBody []byte
}

func (s *server) addObservations(ctx context.Context, p loci.Principal,
	in *addObservationsInput) (*madeOutput[client.PutObservations], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	items := make([]loci.Contents, len(in.Body.Observations))
	for i, o := range in.Body.Observations {
		items[i] = loci.Contents{Entity: loci.EntityRef{Name: o.Entity, Type: o.Type}, Contents: o.Contents}
	}
	list, err := s.app.Graph.AddObservations(ctx, p, in.project(), in.Body.AllowedVendors, items)
	if err != nil {
		return nil, err
	}
	out := client.PutObservations{Observations: []client.EntityObservation{}, Duplicates: []client.EntityObservation{},
		Secrets: graph.SecretsIn(list)}
	for _, o := range list {
		out.Observations = append(out.Observations, ofEntity(o.Entity, o.Added)...)
		out.Duplicates = append(out.Duplicates, ofEntity(o.Entity, o.Duplicates)...)
	}
	return made(out, len(out.Observations) > 0), nil
}

func ofEntity(e loci.EntityRef, list []loci.Observation) []client.EntityObservation {
	return loci.Mapped(list, func(o loci.Observation) client.EntityObservation {
		return client.EntityObservation{Observation: o, EntityName: e.Name}
	})
}

type newRelationsInput struct {
	ProjectPath
	Body    client.NewRelations
	RawBody []byte
}

func (s *server) createRelations(ctx context.Context, p loci.Principal,
	in *newRelationsInput) (*madeOutput[client.PutRelations], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	list, err := s.app.Graph.CreateRelations(ctx, p, in.project(), in.Body.AllowedVendors, relationsOf(in.Body.Relations))
	if err != nil {
		return nil, err
	}
	out := client.PutRelations{Relations: make([]client.PutRelation, len(list)), Secrets: graph.SecretsIn(list)}
	added := false
	for i, r := range list {
		out.Relations[i] = client.PutRelation{Relation: r.Relation, Created: r.Created}
		added = added || r.Created
	}
	return made(out, added), nil
}

func relationsOf(list []client.NewRelation) []loci.NewRelation {
	return loci.Mapped(list, func(r client.NewRelation) loci.NewRelation {
		return loci.NewRelation{From: loci.EntityRef{Name: r.From, Type: r.FromType}, To: loci.EntityRef{Name: r.To,
			Type: r.ToType}, Type: r.Type}
	})
}

type entityNamesInput struct {
	ProjectPath
	Body client.EntityNames
}

// refs reads the names, with or without types.
func (in *entityNamesInput) refs() ([]loci.EntityRef, error) {
	b := &in.Body
	if len(b.Names)+len(b.Entities) == 0 || len(b.Names) > 0 && len(b.Entities) > 0 {
		return nil, loci.FieldErrorf("names", "or entities is required; send one of them with at least 1 entry")
	}
	refs := make([]loci.EntityRef, 0, len(b.Names)+len(b.Entities))
	for _, name := range b.Names {
		refs = append(refs, loci.EntityRef{Name: name})
	}
	for _, e := range b.Entities {
		refs = append(refs, loci.EntityRef(e))
	}
	return refs, nil
}

func (s *server) deleteEntities(ctx context.Context, p loci.Principal,
	in *entityNamesInput) (*answer[client.Deleted], error) {
	refs, err := in.refs()
	if err != nil {
		return nil, err
	}
	return deletedOr(s.app.Graph.DeleteEntities(ctx, p, in.project(), refs))
}

type observationDeletionsInput struct {
	ProjectPath
	Body client.ObservationDeletions
}

func (s *server) deleteObservations(ctx context.Context, p loci.Principal,
	in *observationDeletionsInput) (*answer[client.Deleted], error) {
	items := make([]loci.Contents, len(in.Body.Deletions))
	for i, d := range in.Body.Deletions {
		items[i] = loci.Contents{Entity: loci.EntityRef{Name: d.Entity, Type: d.Type}, Contents: d.Observations}
	}
	return deletedOr(s.app.Graph.DeleteObservations(ctx, p, in.project(), items))
}

type relationDeletionsInput struct {
	ProjectPath
	Body client.RelationDeletions
}

func (s *server) deleteRelations(ctx context.Context, p loci.Principal,
	in *relationDeletionsInput) (*answer[client.Deleted], error) {
	return deletedOr(s.app.Graph.DeleteRelations(ctx, p, in.project(), relationsOf(in.Body.Relations)))
}

func deletedOr(d graph.Deleted, err error) (*answer[client.Deleted], error) {
	return say(client.Deleted{Deleted: d.Count, Suggested: d.Suggested(), Suggestion: suggestionOf(&d)}, err)
}

func suggestionOf(d *graph.Deleted) loci.SuggestionID { return orZero(d.Suggestion).ID }

type graphIDsInput struct {
	ProjectPath
	Body client.GraphIDs
}

// idsOf parses ids. There must be at least one. The limit applies to all kinds together.
func idsOf(in *client.GraphIDs) (ids graph.IDs, err error) {
	switch n := len(in.Entities) + len(in.Observations) + len(in.Relations); {
	case n == 0:
		err = loci.Errorf(loci.Invalid, "the body is empty; send entities, observations or relations")
	case n > loci.MaxGraphItems:
		err = loci.Errorf(loci.Invalid, "entities, observations and relations together have %d ids; at most %d are "+
			"allowed", n, loci.MaxGraphItems)
	}
	return graph.IDs(*in), err
}

func (s *server) restoreEntities(ctx context.Context, p loci.Principal,
	in *graphIDsInput) (*answer[client.Restored], error) {
	ids, err := idsOf(&in.Body)
	if err != nil {
		return nil, err
	}
	n, err := s.app.Graph.RestoreEntities(ctx, p, in.project(), ids)
	return say(client.Restored{Restored: n}, err)
}

type mergeInput struct {
	ProjectPath
	Body client.EntityMerge
}

func (s *server) mergeEntities(ctx context.Context, p loci.Principal, in *mergeInput) (
	*answer[client.MergedEntity], error) {
	d, err := s.app.Graph.Merge(ctx, p, in.project(), graph.Which{ID: in.Body.From}, graph.Which{ID: in.Body.Into})
	return say(client.MergedEntity{Entity: whole(d.Merged), Suggestion: suggestionOf(&d)}, err)
}

type graphVendorsInput struct {
	ProjectPath
	Body client.GraphVendors
}

func (s *server) setGraphVendors(ctx context.Context, p loci.Principal,
	in *graphVendorsInput) (*answer[client.Changed], error) {
	ids, err := idsOf(&in.Body.GraphIDs)
	if err != nil {
		return nil, err
	}
	n, err := s.app.Graph.SetVendors(ctx, p, in.project(), ids, in.Body.AllowedVendors)
	return say(client.Changed{Changed: n}, err)
}

var (
	exampleGraphAccess = loci.GraphAccess{UserID: exampleUser, Origin: "claude",
		AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	exampleNewEntities = client.NewEntities{Entities: []client.NewEntity{
		{Name: "API gateway", Type: "service", Observations: []string{"Listens on port 8443"}}, {Name: "website",
			Type: "service"}}}
	exampleNewObservations = client.AddedObservations{Observations: []client.NewObservations{{Entity: "API gateway",
		Contents: []string{"Is restarted at night"}}}}
	exampleNewRelations    = client.NewRelations{Relations: []client.NewRelation{exampleNewRelation}}
	exampleNewRelation     = client.NewRelation{From: "website", To: "API gateway", Type: "depends_on"}
	exampleOldObservations = client.ObservationDeletions{Deletions: []client.OldObservations{{Entity: "API gateway",
		Observations: []string{"Listens on port 8443"}}}}
	exampleOldRelations = client.RelationDeletions{Relations: []client.NewRelation{exampleNewRelation}}
	exampleGraphIDs     = client.GraphIDs{Entities: []loci.EntityID{loci.EntityID(exampleID)}}
	exampleGone         = client.GraphIDs{Entities: []loci.EntityID{{0x1b, 0x9d, 0x6b, 0xcd, 0xbb, 0xfd, 0x4b,
		0x2d, 0x9b, 0x5d, 0xab, 0x8d, 0xfb, 0xbd, 0x4b, 0xed}}}
	exampleMerge        = client.EntityMerge{From: loci.EntityID(exampleUser), Into: loci.EntityID(exampleID)}
	exampleGraphVendors = client.GraphVendors{GraphIDs: exampleGraphIDs, AllowedVendors: []loci.Vendor{"claude",
		"cursor"}}
	examplePutEntities = client.PutEntities{Entities: []client.PutEntity{{Entity: exampleEntity, Created: true,
		Added: 1}}}
	examplePutObservations = client.PutObservations{Observations: []client.EntityObservation{
		{Observation: exampleObservation, EntityName: "API gateway"}},
		Duplicates: []client.EntityObservation{}}
	examplePutRelations = client.PutRelations{Relations: []client.PutRelation{{Relation: exampleRelation, Created: true}}}
	exampleGraphTrash   = client.GraphTrash{Entities: []loci.Entity{},
		Observations: []loci.Observation{exampleObservation}, Relations: []loci.Relation{}}
	exampleImported = client.GraphImported{Lines: 3, Entities: 2, Observations: 1, Refused: 1,
		Problems: []client.LineProblem{{Line: 3, Detail: `there is no entity "API gatewy"`}}}
)
