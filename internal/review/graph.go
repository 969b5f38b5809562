package review

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/store"
)

// wantsGraph reports whether promotion by p also writes into the graph of the project: if the members of the project
// see the memory, and p may write there.
func (s *Service) wantsGraph(p loci.Principal, c *loci.Candidate) bool {
	return scopeOf(c) == loci.ScopeProject && s.May(p, graph.Write) == nil
}

// intoGraph writes an entity for a promoted candidate into the graph of its project, which is another file, and relates
// it to the entities that the candidate names. The transaction of the promotion has left a mark that this is to be
// done. Each step may be repeated. If one fails, the mark stays, and the dream-cycle tries again, later and later.
func (s *Service) intoGraph(ctx context.Context, p loci.Principal, c *loci.Candidate) {
	if !c.GraphPending {
		return
	}
	made, err := s.addEntity(ctx, p, c)
	if code := loci.CodeOf(err); code == loci.NotFound || code == loci.Forbidden {
		err = nil // the project is gone, or p is out of it; there is nothing left to do
	}
	if err == nil {
		c.GraphPending, c.EntityID, c.Attempts, c.NextAttempt = false, made, 0, time.Time{}
	} else {
		s.Log.WarnContext(ctx, "cannot write a promoted candidate into the graph; the dream-cycle tries again",
			"candidate", c.ID, "error", err)
		c.Attempts++
		c.NextAttempt = s.Time().Add(backOff(c.Attempts))
	}
	err = s.Store.Update(ctx, c.OrgID, func(tx store.Tx) error { return tx.Candidates().Graphed(ctx, c) })
	if code := loci.CodeOf(err); code == loci.Conflict || code == loci.NotFound { // the promotion was undone meanwhile
		s.outOfGraph(ctx, p, c)
		return
	}
	if err != nil {
		s.Log.WarnContext(ctx, "cannot record what became of a promoted candidate in the graph; the dream-cycle tries again",
			"candidate", c.ID, "error", err)
		c.GraphPending = true
	}
}

func entityOf(c *loci.Candidate) loci.EntityRef {
	return loci.EntityRef{Name: c.Title, Type: string(c.Kind)}
}

// addEntity returns the id of the entity, or zero if it was there before.
func (s *Service) addEntity(ctx context.Context, p loci.Principal, c *loci.Candidate) (made loci.EntityID, err error) {
	put, err := s.graphs.CreateEntities(ctx, p, c.ProjectID, c.AllowedVendors,
		[]loci.NewEntity{{EntityRef: entityOf(c), Observations: []string{c.Content}}})
	if err != nil {
		return made, err
	}
	if put[0].Created {
		made = put[0].Entity.ID
	}
	var ids []string
	for _, r := range c.Relations {
		if r.Type == "RELATED_TO" {
			ids = append(ids, r.Target)
		}
	}
	related, err := s.graphs.Known(ctx, p, c.ProjectID, ids)
	if err != nil || len(related) == 0 {
		return made, err
	}
	relations := loci.Mapped(related, func(e loci.Entity) loci.NewRelation {
		return loci.NewRelation{From: entityOf(c), To: loci.EntityRef{Name: e.Name, Type: e.Type}, Type: "RELATED_TO"}
	})
	_, err = s.graphs.CreateRelations(ctx, p, c.ProjectID, c.AllowedVendors, relations)
	return made, err
}

// outOfGraph takes the entity that a promotion made out of the graph, after the promotion was undone. It leaves an
// entity about which somebody knows more by now.
func (s *Service) outOfGraph(ctx context.Context, p loci.Principal, c *loci.Candidate) {
	if c.EntityID.IsZero() {
		return
	}
	e, err := s.graphs.Entity(ctx, p, c.ProjectID, graph.Which{ID: c.EntityID})
	if err == nil && len(e.Observations) == 1 && e.Observations[0].Content == c.Content {
		_, err = s.graphs.DeleteEntities(ctx, p, c.ProjectID, []loci.EntityRef{{Name: e.Name, Type: e.Type}})
	}
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		s.Log.WarnContext(ctx, "cannot take the entity of an undone promotion out of the graph", "candidate", c.ID,
			"error", err)
	}
}

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
