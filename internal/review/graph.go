package review

import (
	"context"
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
	relations := make([]loci.NewRelation, len(related))
	for i, e := range related {
		relations[i] = loci.NewRelation{From: entityOf(c), To: loci.EntityRef{Name: e.Name, Type: e.Type}, Type: "RELATED_TO"}
	}
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
