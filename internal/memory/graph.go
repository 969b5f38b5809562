package memory

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

// These limit how much of the graphs a search reads.
const (
	maxGraphs   = 8 // projects
	maxEntities = 5 // of each
)

// inGraphs is what a search finds in the graphs of projects.
type inGraphs struct {
	near    []recall.Near
	facts   []loci.RecalledEntity
	stopped bool // by time: entities may be missing
}

// askGraphs looks for entities that answer the question in the graphs of p's projects: in that of the filter, or
// in those of the first maxGraphs. It takes at most a part of the time that a search has, and then it returns
// what it has found, as stopped.
//
// Every row that it reads passes the visibility predicate of the store, so what p may not see neither leads to a
// memory nor changes the order of what does.
func (s *Service) askGraphs(ctx context.Context, p loci.Principal, r *SearchRequest) (found inGraphs, err error) {
	v := p.Viewer()
	if !p.Has(loci.RightGraph) || !r.When.IsZero() || !present(&r.Filter) {
		return found, nil
	}
	projects := slices.DeleteFunc(slices.Clone(v.ProjectIDs), func(id loci.ProjectID) bool {
		return !r.ProjectID.IsZero() && id != r.ProjectID
	})
	projects = projects[:min(len(projects), maxGraphs)]
	within, cancel := context.WithTimeoutCause(ctx, s.o.Patience/4, loci.ErrSpent)
	defer cancel()
	projects, err = s.Store.Projects().WithGraphs(within, p.OrgID, projects)
	if err != nil && within.Err() == nil {
		s.Log.WarnContext(ctx, "a search left out the graphs", "error", err)
	}
	if len(projects) == 0 {
		found.stopped = err != nil
		return found, ctx.Err()
	}
	asked := recall.Ask{Text: r.Query, At: s.Time()}.Read()
	question := asked.InGraph()
	if !question.Asks() {
		return found, nil
	}
	for _, id := range projects {
		entities, of, err := s.graphs.Best(within, p, id, asked, maxEntities)
		for _, e := range entities {
			question.Add(&of, e)
		}
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		if err != nil && within.Err() != nil {
			found.stopped = true
			break
		}
		// A graph that was archived or cannot be read must not fail the search.
		if err != nil && loci.CodeOf(err) != loci.NotFound && loci.CodeOf(err) != loci.Conflict {
			s.Log.WarnContext(ctx, "a search left out a graph", "project", id, "error", err)
		}
	}
	found.near, found.facts = question.Near(), question.Facts()
	return found, nil
}
