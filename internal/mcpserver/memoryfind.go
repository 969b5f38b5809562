package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func searchFields(c *call, in *memory.SearchRequest) []field {
	return []field{
		text("term", &in.Query, 1, loci.MaxTerm).must().or("query"), limit(&in.Limit, searchMax, searchDefault),
		tags(&in.Tags, 0), origin(&in.Origin),
		moment("as_of", &in.When.AsOf), flag("include_superseded", &in.When.Superseded), inSession(c),
	}
}

func (s *Server) searchMemories(ctx context.Context, c *call, in *memory.SearchRequest) (any, error) {
	found, err := s.app.Memory.Recall(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	out := page[hit]{Memories: make([]hit, len(found.Items)), Total: &found.Total,
		TotalIsLowerBound: found.TotalIsLowerBound, HasMore: found.Total > len(found.Items),
		stopped: stoppedBy(found.Partial, found.StoppedBy)}
	for i := range found.Items {
		out.Memories[i] = hitOf(&found.Items[i])
	}
	return out, nil
}

// hit is a found memory, with as much of the reason for finding it as a model needs.
// recall_memories returns all of it.
type hit struct {
	*loci.Memory
	Why     hitWhy      `json:"why"`
	Sources []hitSource `json:"sources,omitempty"`
	loci.Disagreement
}

type hitWhy struct {
	Terms    []string `json:"terms"`
	Boosts   []string `json:"boosts,omitempty"`
	Fallback string   `json:"fallback,omitempty"`
}

type hitSource struct {
	Kind  loci.SourceKind `json:"kind"`
	Ref   string          `json:"ref,omitempty"`
	Quote string          `json:"quote,omitempty"`
}

func hitOf(r *loci.Recalled) hit {
	why := hitWhy{Terms: make([]string, len(r.Why.Terms)), Boosts: r.Why.Boosts, Fallback: r.Why.Fallback}
	out := hit{Memory: shown(&r.Memory), Why: why, Disagreement: r.Disagreement}
	for i, t := range r.Why.Terms {
		out.Why.Terms[i] = t.Term
	}
	for _, s := range r.Sources {
		out.Sources = append(out.Sources, hitSource{s.Kind, s.Ref, s.Quote})
	}
	return out
}

func recallFields(c *call, in *memory.SearchRequest) []field {
	return []field{
		text("query", &in.Query, 1, loci.MaxTerm).must().or("term"),
		limit(&in.Limit, memory.MaxRecall, memory.DefaultRecall), cursor(&in.Cursor),
		tags(&in.Tags, 0), origin(&in.Origin), word("key", &in.Key), word("category", &in.Category),
		scope(&in.Scope), optionalID("project_id", &in.ProjectID), flag("pinned", &in.Pinned),
		moment("as_of", &in.When.AsOf), moment("known_at", &in.When.KnownAt),
		flag("include_superseded", &in.When.Superseded), inSession(c),
	}
}

func scope(into *loci.Scope) field {
	return oneOf("scope", into, loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent)
}

func (s *Server) recallMemories(ctx context.Context, c *call, in *memory.SearchRequest) (any, error) {
	found, err := s.app.Memory.Recall(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	for i := range found.Items {
		found.Items[i].Memory = *shown(&found.Items[i].Memory)
	}
	return page[loci.Recalled]{Memories: found.Items, Total: &found.Total, TotalIsLowerBound: found.TotalIsLowerBound,
		HasMore: found.NextCursor != "", NextCursor: found.NextCursor,
		stopped: stoppedBy(found.Partial, found.StoppedBy)}, nil
}
