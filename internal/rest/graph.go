package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// madeOutput is the answer to a call that adds to a graph: 200 if all was there
// already.
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

// nullVendors reports whether a body says null for allowed_vendors. Left out
// means everybody; null could mean nobody, so it is not guessed at.
func nullVendors(vendors []loci.Vendor, body []byte) error {
	var raw struct {
		AllowedVendors json.RawMessage `json:"allowed_vendors"`
	}
	if vendors == nil && json.Unmarshal(body, &raw) == nil && raw.AllowedVendors != nil {
		return loci.FieldErrorf("allowed_vendors", `must be a list; leave it out or send ["*"] for every vendor`)
	}
	return nil
}

type newEntitiesInput struct {
	ProjectPath
	Body    client.NewEntities
	RawBody []byte
}

func (s *server) createEntities(ctx context.Context, p loci.Principal, in *newEntitiesInput) (*madeOutput[client.PutEntities], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	items := make([]loci.NewEntity, len(in.Body.Entities))
	for i, e := range in.Body.Entities {
		items[i] = loci.NewEntity{EntityRef: loci.EntityRef{Name: e.Name, Type: e.Type}, Observations: e.Observations}
	}
	list, err := s.app.CreateEntities(ctx, p, in.project(), in.Body.AllowedVendors, items)
	if err != nil {
		return nil, err
	}
	out, added := client.PutEntities{Entities: make([]client.PutEntity, len(list))}, false
	for i, e := range list {
		out.Entities[i] = client.PutEntity{Entity: whole(e.Entity), Created: e.Created, Added: len(e.Added)}
		added = added || e.Created || len(e.Added) > 0
	}
	return made(out, added), nil
}

// whole turns lists that are nil into empty ones.
func whole(e loci.Entity) loci.Entity {
	e.Observations, e.Relations = orEmpty(e.Observations), orEmpty(e.Relations)
	return e
}

func allWhole(list []loci.Entity) []loci.Entity {
	out := make([]loci.Entity, len(list))
	for i, e := range list {
		out[i] = whole(e)
	}
	return out
}

type addObservationsInput struct {
	ProjectPath
	Body    client.AddedObservations
	RawBody []byte
}

func (s *server) addObservations(ctx context.Context, p loci.Principal, in *addObservationsInput) (*madeOutput[client.PutObservations], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	items := make([]loci.Contents, len(in.Body.Observations))
	for i, o := range in.Body.Observations {
		items[i] = loci.Contents{Entity: loci.EntityRef{Name: o.Entity, Type: o.Type}, Contents: o.Contents}
	}
	list, err := s.app.AddObservations(ctx, p, in.project(), in.Body.AllowedVendors, items)
	if err != nil {
		return nil, err
	}
	out := client.PutObservations{Observations: []client.EntityObservation{}, Duplicates: []client.EntityObservation{}}
	for _, o := range list {
		out.Observations = append(out.Observations, ofEntity(o.Entity, o.Added)...)
		out.Duplicates = append(out.Duplicates, ofEntity(o.Entity, o.Duplicates)...)
	}
	return made(out, len(out.Observations) > 0), nil
}

func ofEntity(e loci.EntityRef, list []loci.Observation) []client.EntityObservation {
	out := make([]client.EntityObservation, len(list))
	for i, o := range list {
		out[i] = client.EntityObservation{Observation: o, EntityName: e.Name}
	}
	return out
}

type newRelationsInput struct {
	ProjectPath
	Body    client.NewRelations
	RawBody []byte
}

func (s *server) createRelations(ctx context.Context, p loci.Principal, in *newRelationsInput) (*madeOutput[client.PutRelations], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	list, err := s.app.CreateRelations(ctx, p, in.project(), in.Body.AllowedVendors, relationsOf(in.Body.Relations))
	if err != nil {
		return nil, err
	}
	out, added := client.PutRelations{Relations: make([]client.PutRelation, len(list))}, false
	for i, r := range list {
		out.Relations[i] = client.PutRelation{Relation: r.Relation, Created: r.Created}
		added = added || r.Created
	}
	return made(out, added), nil
}

func relationsOf(list []client.NewRelation) []loci.NewRelation {
	out := make([]loci.NewRelation, len(list))
	for i, r := range list {
		out[i] = loci.NewRelation{From: loci.EntityRef{Name: r.From, Type: r.FromType}, To: loci.EntityRef{Name: r.To, Type: r.ToType}, Type: r.Type}
	}
	return out
}

type entityNamesInput struct {
	ProjectPath
	Body client.EntityNames
}

// refs reads the names, with or without types.
func (in *entityNamesInput) refs() ([]loci.EntityRef, error) {
	b := &in.Body
	if len(b.Names)+len(b.Entities) == 0 || len(b.Names) > 0 && len(b.Entities) > 0 {
		return nil, loci.FieldErrorf("names", "or else entities is needed: send one of them, with at least 1 entry")
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

func (s *server) deleteEntities(ctx context.Context, p loci.Principal, in *entityNamesInput) (*answer[client.Deleted], error) {
	refs, err := in.refs()
	if err != nil {
		return nil, err
	}
	n, err := s.app.DeleteEntities(ctx, p, in.project(), refs)
	return say(client.Deleted{Deleted: n}, err)
}

type observationDeletionsInput struct {
	ProjectPath
	Body client.ObservationDeletions
}

func (s *server) deleteObservations(ctx context.Context, p loci.Principal, in *observationDeletionsInput) (*answer[client.Deleted], error) {
	items := make([]loci.Contents, len(in.Body.Deletions))
	for i, d := range in.Body.Deletions {
		items[i] = loci.Contents{Entity: loci.EntityRef{Name: d.Entity, Type: d.Type}, Contents: d.Observations}
	}
	n, err := s.app.DeleteObservations(ctx, p, in.project(), items)
	return say(client.Deleted{Deleted: n}, err)
}

type relationDeletionsInput struct {
	ProjectPath
	Body client.RelationDeletions
}

func (s *server) deleteRelations(ctx context.Context, p loci.Principal, in *relationDeletionsInput) (*answer[client.Deleted], error) {
	n, err := s.app.DeleteRelations(ctx, p, in.project(), relationsOf(in.Body.Relations))
	return say(client.Deleted{Deleted: n}, err)
}

type nodeIDsInput struct {
	ProjectPath
	Body client.NodeIDs
}

// idsOf reads ids, of which there must be one. They count together.
func idsOf(in *client.NodeIDs) (ids app.GraphIDs, err error) {
	switch n := len(in.Entities) + len(in.Observations) + len(in.Relations); {
	case n == 0:
		err = loci.Errorf(loci.Invalid, "the body names nothing; send entities, observations or relations")
	case n > loci.MaxGraphItems:
		err = loci.Errorf(loci.Invalid, "entities, observations and relations together have %d ids; at most %d are allowed", n, loci.MaxGraphItems)
	}
	return app.GraphIDs(*in), err
}

func (s *server) restoreNodes(ctx context.Context, p loci.Principal, in *nodeIDsInput) (*answer[client.Restored], error) {
	ids, err := idsOf(&in.Body)
	if err != nil {
		return nil, err
	}
	n, err := s.app.RestoreNodes(ctx, p, in.project(), ids)
	return say(client.Restored{Restored: n}, err)
}

type mergeInput struct {
	ProjectPath
	Body client.EntityMerge
}

func (s *server) mergeEntities(ctx context.Context, p loci.Principal, in *mergeInput) (*answer[loci.Entity], error) {
	e, err := s.app.MergeEntities(ctx, p, in.project(), app.Which{ID: in.Body.From}, app.Which{ID: in.Body.Into})
	return say(whole(e), err)
}

type nodeVendorsInput struct {
	ProjectPath
	Body client.NodeVendors
}

func (s *server) setGraphVendors(ctx context.Context, p loci.Principal, in *nodeVendorsInput) (*answer[client.Changed], error) {
	ids, err := idsOf(&in.Body.NodeIDs)
	if err != nil {
		return nil, err
	}
	n, err := s.app.SetGraphVendors(ctx, p, in.project(), ids, in.Body.AllowedVendors)
	return say(client.Changed{Changed: n}, err)
}
