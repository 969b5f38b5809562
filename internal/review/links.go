package review

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/store"
)

// noSuchLink is the one error for ids that name nothing and for ids of what the caller does not see.
func noSuchLink(field, what string) error {
	return loci.FieldErrorf(field, "must be the ids of %s that this credential may see", what)
}

// link finds what the notes are linked to: the tasks, memories and entities that they name, and the task of the project
// that is being done.
func (s *Service) link(ctx context.Context, p loci.Principal, n *Notes, at *place) error {
	var entities []string
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if at.tasks, err = tasksOf(ctx, tx, p, n, at); err != nil {
			return err
		}
		entities, err = notMemories(ctx, tx, p, n.RelatedTo)
		return err
	})
	if err != nil || len(entities) == 0 {
		return err
	}
	return s.mustBeEntities(ctx, p, at, entities)
}

// notMemories returns those ids that are no visible memories.
func notMemories(ctx context.Context, tx store.Tx, p loci.Principal, related []string) (rest []string, err error) {
	var ids []loci.MemoryID
	for _, text := range related {
		id, err := loci.ParseID[struct{}](text)
		if err != nil {
			return nil, noSuchLink("related_to", "memories, or of entities,")
		}
		ids = append(ids, loci.MemoryID(id))
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := tx.Memories().GetMany(ctx, p.Viewer(), ids, loci.LiveOnly)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if !slices.ContainsFunc(found, func(m *loci.Memory) bool { return m.ID == id }) {
			rest = append(rest, related[i])
		}
	}
	return rest, nil
}

// mustBeEntities looks for entities in the graphs of the caller's projects. An id names one entity of all of them.
func (s *Service) mustBeEntities(ctx context.Context, p loci.Principal, at *place, ids []string) error {
	if s.May(p, graph.Read) != nil {
		return noSuchLink("related_to", "memories, or of entities,")
	}
	for _, in := range loci.Unique(append([]loci.ProjectID{at.ProjectID}, p.ProjectIDs...)) { // that of the notes first
		found, err := s.graphs.Known(ctx, p, in, ids)
		if code := loci.CodeOf(err); code == loci.NotFound || code == loci.Conflict { // it is gone or archived
			continue
		}
		if err != nil {
			return err
		}
		ids = slices.DeleteFunc(ids, func(id string) bool {
			return slices.ContainsFunc(found, func(e loci.Entity) bool { return e.ID.String() == id })
		})
	}
	if len(ids) > 0 {
		return noSuchLink("related_to", "memories, or of entities,")
	}
	return nil
}

// tasksOf returns the tasks that the notes name, or the one task of the project that is being done.
func tasksOf(ctx context.Context, tx store.Tx, p loci.Principal, n *Notes, at *place) (list []loci.TaskID, err error) {
	for _, text := range n.TaskIDs {
		id, err := loci.ParseID[struct{}](text)
		if err == nil {
			_, err = tx.Tasks().Get(ctx, p.Viewer(), loci.TaskID(id))
		}
		switch {
		case loci.CodeOf(err) == loci.NotFound, loci.CodeOf(err) == loci.Invalid:
			return nil, noSuchLink("task_ids", "tasks")
		case err != nil:
			return nil, err
		}
		list = append(list, loci.TaskID(id))
	}
	if len(list) > 0 || !n.ActiveTask || at.ProjectID.IsZero() {
		return list, nil
	}
	doing, err := store.TaskInProgress(ctx, tx, p.Viewer(), at.ProjectID)
	if err != nil || doing == nil {
		return nil, err
	}
	return []loci.TaskID{doing.ID}, nil
}
