package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (s *Server) addFindingTools(srv *mcp.Server) {
	addTool(s, srv, &mcp.Tool{
		Name: "search_memories", Title: "Search memories", Annotations: reads(),
		Description: `Memories that fit some words, best first, in full. Use it before asking the person what they may have said. "Quotes" keep words together, word* completes. as_of: what was true then. Not for listing.`,
		InputSchema: input(property{name: "term", schema: text(1, loci.MaxTerm), required: true}, limit(searchMax, searchDefault),
			tags(0), property{name: "origin", schema: stringSchema},
			property{name: "as_of", schema: stringSchema}, property{name: "include_superseded", schema: boolSchema}, inSession()),
		OutputSchema: output(inFull, ""),
	}, s.searchMemories)
	addTool(s, srv, &mcp.Tool{
		Name: "get_memories_by_tag", Title: "Memories by tag", Annotations: reads(),
		Description: "Memories with any of the tags, newest first, in full. For words, use search_memories.",
		InputSchema: input(append([]property{tags(1), limit(tagMax, tagDefault)}, paging()...)...), OutputSchema: output(inFull, withCursor),
	}, s.getMemoriesByTag)
}

type searchArgs struct {
	Term   string   `json:"term" alias:"query"`
	Limit  *count   `json:"limit"`
	Tags   []string `json:"tags"`
	Origin string   `json:"origin"`
	presentArgs
	SessionID string `json:"session_id"`
}

func (s *Server) searchMemories(ctx context.Context, p loci.Principal, in searchArgs) (any, error) {
	if err := loci.CheckText("term", in.Term, 1, loci.MaxTerm); err != nil {
		return nil, err
	}
	r := app.SearchRequest{Query: in.Term, Filter: app.Filter{Tags: in.Tags, Origin: in.Origin}}
	var err error
	if r.Limit, err = in.Limit.within("limit", 1, searchMax, searchDefault); err != nil {
		return nil, err
	}
	if r.When, err = in.when(); err != nil {
		return nil, err
	}
	if p, err = s.auth.InNamedSession(ctx, p, in.SessionID); err != nil {
		return nil, err
	}
	found, err := s.app.Recall(ctx, p, r)
	if err != nil {
		return nil, err
	}
	out := page[hit]{Memories: make([]hit, len(found.Memories)), Total: &found.Total, TotalIsLowerBound: found.TotalIsLowerBound,
		HasMore: found.Total > len(found.Memories)}
	for i := range found.Memories {
		out.Memories[i] = hitOf(&found.Memories[i])
		out.Partial = out.Partial || found.Memories[i].Why.Fallback != ""
	}
	return out, nil
}

// hit is a found memory with what a model needs to know of why it was found. recall_memories says all.
type hit struct {
	*loci.Memory
	Why     hitWhy      `json:"why"`
	Sources []hitSource `json:"sources,omitempty"`
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
	out := hit{Memory: shown(&r.Memory), Why: hitWhy{Terms: make([]string, len(r.Why.Terms)), Boosts: r.Why.Boosts, Fallback: r.Why.Fallback}}
	for i, t := range r.Why.Terms {
		out.Why.Terms[i] = t.Term
	}
	for _, s := range r.Sources {
		out.Sources = append(out.Sources, hitSource{s.Kind, s.Ref, s.Quote})
	}
	return out
}

func hits(found *app.SearchPage) []*loci.Memory {
	out := make([]*loci.Memory, len(found.Hits))
	for i, h := range found.Hits {
		out[i] = shown(h.Memory)
	}
	return out
}

type tagArgs struct {
	Tags   []string `json:"tags"`
	Limit  *count   `json:"limit"`
	Offset *count   `json:"offset"`
	Cursor string   `json:"cursor"`
}

func (s *Server) getMemoriesByTag(ctx context.Context, p loci.Principal, in tagArgs) (any, error) {
	if err := loci.CheckTags("tags", in.Tags, 1); err != nil {
		return nil, err
	}
	r := app.ListRequest{Filter: app.Filter{Tags: in.Tags}, Cursor: in.Cursor, Total: true}
	var err error
	if r.Offset, err = in.Offset.within("offset", 0, app.MaxOffset, 0); err != nil {
		return nil, err
	}
	found, err := s.find(ctx, p, r, in.Limit, tagMax, tagDefault)
	if err != nil {
		return nil, err
	}
	return page[*loci.Memory]{Memories: memories(found.Memories), Total: &found.Total, TotalIsLowerBound: found.TotalIsLowerBound,
		HasMore: found.NextCursor != "", NextCursor: found.NextCursor}, nil
}
