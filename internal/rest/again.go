package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// This file says how requests that were carried out are answered when they come again: by
// reading what they made as their sender may see it now. What is gone meanwhile is absent.

// memoryAgain answers with the memory in the path.
func (s *server) memoryAgain(ctx context.Context, p loci.Principal, id loci.MemoryID) (*memoryOutput, error) {
	return oneMemory(s.app.Get(ctx, p, id))
}

func (s *server) restoreAgain(ctx context.Context, p loci.Principal, in *targetInput, _ *app.Repeated) (*memoryOutput, error) {
	return s.memoryAgain(ctx, p, in.PathID.parse())
}

func (s *server) shareAgain(ctx context.Context, p loci.Principal, in *PathID, _ *app.Repeated) (*memoryOutput, error) {
	return s.memoryAgain(ctx, p, in.parse())
}

func (s *server) createTeamAgain(ctx context.Context, p loci.Principal, _ *nameInput, known *app.Repeated) (*answer[loci.Team], error) {
	var id loci.TeamID
	read(&id, known.Target)
	t, err := s.app.Team(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return say(t.Team, nil)
}

func (s *server) joinTeamAgain(ctx context.Context, p loci.Principal, _ *tokenInput, _ *app.Repeated) (*answer[client.Joined], error) {
	me, err := s.app.WhoAmI(ctx, p)
	if err != nil {
		return nil, err
	}
	out := client.Joined{Org: me.Org}
	if me.Team != nil {
		t, err := s.app.Team(ctx, p, me.Team.ID)
		if err != nil {
			return nil, err
		}
		view := teamView(t)
		out.Team = &view
	}
	return say(out, nil)
}

func (s *server) createWorkspaceAgain(ctx context.Context, p loci.Principal, in *orgNameInput, known *app.Repeated) (*answer[loci.Workspace], error) {
	if err := own(p, in.ID); err != nil {
		return nil, err
	}
	list, err := s.app.Workspaces(ctx, p)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(w loci.Workspace) bool { return w.ID.String() == known.Target })
	if i < 0 {
		return nil, errAbsent
	}
	return say(list[i], nil)
}

// idOf is what is kept of an answer with one row.
func idOf[T any](id func(*T) string) func(*answer[T]) any {
	return func(out *answer[T]) any { return id(&out.Body) }
}

func keepProject(p *loci.Project) string { return p.ID.String() }

func (s *server) createProjectAgain(ctx context.Context, p loci.Principal, _ *newProjectInput, known *app.Repeated) (*answer[loci.Project], error) {
	var text string
	if err := json.Unmarshal(known.Kept, &text); err != nil {
		return nil, err
	}
	var id loci.ProjectID
	read(&id, text)
	return say(s.app.Project(ctx, p, id))
}

func (s *server) projectAgain(ctx context.Context, p loci.Principal, in *ProjectPath, _ *app.Repeated) (*answer[loci.Project], error) {
	return s.project(ctx, p, in)
}

// keptEntity is what is kept of an entity that was put into a graph.
type keptEntity struct {
	ID      loci.EntityID `json:"id"`
	Created bool          `json:"created,omitempty"`
	Added   int           `json:"added,omitempty"`
}

func keepEntities(out *madeOutput[client.PutEntities]) any {
	kept := make([]keptEntity, len(out.Body.Entities))
	for i, e := range out.Body.Entities {
		kept[i] = keptEntity{e.ID, e.Created, e.Added}
	}
	return kept
}

func (s *server) createEntitiesAgain(ctx context.Context, p loci.Principal, in *newEntitiesInput, known *app.Repeated) (*madeOutput[client.PutEntities], error) {
	var kept []keptEntity
	if err := json.Unmarshal(known.Kept, &kept); err != nil {
		return nil, err
	}
	out := client.PutEntities{Entities: []client.PutEntity{}}
	for _, k := range kept {
		e, err := s.stillThere(ctx, p, in.project(), k.ID)
		if err != nil {
			return nil, err
		}
		if e != nil {
			out.Entities = append(out.Entities, client.PutEntity{Entity: whole(*e), Created: k.Created, Added: k.Added})
		}
	}
	return made(out, known.Status == http.StatusCreated), nil
}

// stillThere returns the entity, or nil if it is gone.
func (s *server) stillThere(ctx context.Context, p loci.Principal, in loci.ProjectID, id loci.EntityID) (*loci.Entity, error) {
	e, err := s.app.Entity(ctx, p, in, app.Which{ID: id})
	if loci.CodeOf(err) == loci.NotFound {
		return nil, nil
	}
	return &e, err
}

// keptRow is what is kept of an observation or a relation.
type keptRow[ID any] struct {
	Entity loci.EntityID `json:"entity"`
	ID     ID            `json:"id"`
	Old    bool          `json:"old,omitempty"` // it was there before
}

type (
	keptObservation = keptRow[loci.ObservationID]
	keptRelation    = keptRow[loci.RelationID]
)

func keepObservations(out *madeOutput[client.PutObservations]) any {
	kept := make([]keptObservation, 0, len(out.Body.Observations)+len(out.Body.Duplicates))
	for i, list := range [][]client.EntityObservation{out.Body.Observations, out.Body.Duplicates} {
		for _, o := range list {
			kept = append(kept, keptObservation{Entity: o.EntityID, ID: o.ID, Old: i > 0})
		}
	}
	return kept
}

func (s *server) addObservationsAgain(ctx context.Context, p loci.Principal, in *addObservationsInput, known *app.Repeated) (*madeOutput[client.PutObservations], error) {
	var kept []keptObservation
	if err := json.Unmarshal(known.Kept, &kept); err != nil {
		return nil, err
	}
	out := client.PutObservations{Observations: []client.EntityObservation{}, Duplicates: []client.EntityObservation{}}
	seen := map[loci.EntityID]*loci.Entity{}
	for _, k := range kept {
		e, err := s.onceRead(ctx, p, in.project(), k.Entity, seen)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		for _, o := range e.Observations {
			if o.ID != k.ID {
				continue
			}
			list := &out.Observations
			if k.Old {
				list = &out.Duplicates
			}
			*list = append(*list, client.EntityObservation{Observation: o, EntityName: e.Name})
		}
	}
	return made(out, known.Status == http.StatusCreated), nil
}

// onceRead is stillThere for ids that stand several times.
func (s *server) onceRead(ctx context.Context, p loci.Principal, in loci.ProjectID, id loci.EntityID, seen map[loci.EntityID]*loci.Entity) (*loci.Entity, error) {
	e, ok := seen[id]
	if ok {
		return e, nil
	}
	e, err := s.stillThere(ctx, p, in, id)
	seen[id] = e
	return e, err
}

func keepRelations(out *madeOutput[client.PutRelations]) any {
	kept := make([]keptRelation, len(out.Body.Relations))
	for i, r := range out.Body.Relations {
		kept[i] = keptRelation{Entity: r.FromID, ID: r.ID, Old: !r.Created}
	}
	return kept
}

func (s *server) createRelationsAgain(ctx context.Context, p loci.Principal, in *newRelationsInput, known *app.Repeated) (*madeOutput[client.PutRelations], error) {
	var kept []keptRelation
	if err := json.Unmarshal(known.Kept, &kept); err != nil {
		return nil, err
	}
	out := client.PutRelations{Relations: []client.PutRelation{}}
	seen := map[loci.EntityID]*loci.Entity{}
	for _, k := range kept {
		e, err := s.onceRead(ctx, p, in.project(), k.Entity, seen)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		if i := slices.IndexFunc(e.Relations, func(r loci.Relation) bool { return r.ID == k.ID }); i >= 0 {
			out.Relations = append(out.Relations, client.PutRelation{Relation: e.Relations[i], Created: !k.Old})
		}
	}
	return made(out, known.Status == http.StatusCreated), nil
}

func (s *server) mergeAgain(ctx context.Context, p loci.Principal, in *mergeInput, _ *app.Repeated) (*answer[loci.Entity], error) {
	e, err := s.app.Entity(ctx, p, in.project(), app.Which{ID: in.Body.Into})
	return say(whole(e), err)
}

// keepImport leaves out why lines were not taken: that is text of theirs.
func keepImport(out *answer[client.GraphImported]) any {
	kept := out.Body
	kept.Problems = []client.LineProblem{}
	return kept
}

func (s *server) importAgain(_ context.Context, _ loci.Principal, _ *graphImportInput, known *app.Repeated) (*answer[client.GraphImported], error) {
	var out client.GraphImported
	return say(out, json.Unmarshal(known.Kept, &out))
}

// createAgain returns how a save that answers with a Location below place is answered again.
func (s *server) createAgain(place string) again[createInput, savedOutput] {
	return func(ctx context.Context, p loci.Principal, _ *createInput, known *app.Repeated) (*savedOutput, error) {
		var id loci.MemoryID
		var kept app.KeptSave
		read(&id, known.Target)
		if known.Kept != nil {
			if err := json.Unmarshal(known.Kept, &kept); err != nil {
				return nil, err
			}
		}
		m, err := s.app.SavedBefore(ctx, p, id, kept)
		if err != nil {
			return nil, err
		}
		out := &savedOutput{Status: http.StatusOK, ETag: etag(&m.Memory), Body: m}
		if m.Created() {
			out.Status, out.Location = http.StatusCreated, place+m.ID.String()
		}
		return out, nil
	}
}
