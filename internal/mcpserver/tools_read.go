package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// The sizes of the tools' pages.
const (
	readDefault, readMax     = 10, 50
	browseDefault, browseMax = 50, 200
	searchDefault, searchMax = 10, 50
	tagDefault, tagMax       = 20, 100
)

func (s *Server) addReadingTools(srv *mcp.Server) {
	addTool(s, srv, &mcp.Tool{
		Name: "read_memories", Title: "Newest memories", Annotations: reads(),
		Description: "The newest memories in full. Use it for what was saved lately; to find a subject, use search_memories.",
		InputSchema: input(limit(readMax, readDefault)), OutputSchema: output(inFull, ""),
	}, s.readMemories)
	addTool(s, srv, &mcp.Tool{
		Name: "browse_memories", Title: "Browse memories", Annotations: reads(),
		Description: "Ids, titles and tags without contents, newest first. Use it to survey what exists, then get_memory_by_id; not to find a subject.",
		InputSchema: input(append([]property{limit(browseMax, browseDefault)}, paging()...)...), OutputSchema: output(asSummary, withCursor),
	}, s.browseMemories)
	addTool(s, srv, &mcp.Tool{
		Name: "get_memory_by_id", Title: "Get a memory", Annotations: reads(),
		Description: "One memory in full. Use it with an id that another tool gave.",
		InputSchema: input(property{name: "id", schema: `{"type":"string"}`, required: true}), OutputSchema: json.RawMessage(leanSchema),
	}, s.getMemoryByID)
	addTool(s, srv, &mcp.Tool{
		Name: "get_latest_memory", Title: "Latest memory", Annotations: reads(),
		Description: "The newest memory in full, or the newest with a tag. Use it to pick up where work stopped.",
		InputSchema: input(property{name: "tag", schema: text(0, loci.MaxTag)}), OutputSchema: json.RawMessage(leanSchema),
	}, s.getLatestMemory)
}

type readArgs struct {
	Limit *count `json:"limit"`
}

func (s *Server) readMemories(ctx context.Context, p loci.Principal, in readArgs) (any, error) {
	found, err := s.find(ctx, p, app.ListRequest{}, in.Limit, readMax, readDefault)
	if err != nil {
		return nil, err
	}
	return page[*loci.Memory]{Memories: memories(found.Memories), HasMore: found.NextCursor != ""}, nil
}

func (s *Server) find(ctx context.Context, p loci.Principal, r app.ListRequest, limit *count, maximum, fallback int) (*app.ListPage, error) {
	var err error
	if r.Limit, err = limit.within("limit", 1, maximum, fallback); err != nil {
		return nil, err
	}
	return s.app.List(ctx, p, r)
}

type browseArgs struct {
	Limit  *count `json:"limit"`
	Offset *count `json:"offset"`
	Cursor string `json:"cursor"`
}

func (s *Server) browseMemories(ctx context.Context, p loci.Principal, in browseArgs) (any, error) {
	r := app.ListRequest{Cursor: in.Cursor, Total: true}
	var err error
	if r.Offset, err = in.Offset.within("offset", 0, app.MaxOffset, 0); err != nil {
		return nil, err
	}
	found, err := s.find(ctx, p, r, in.Limit, browseMax, browseDefault)
	if err != nil {
		return nil, err
	}
	return page[loci.MemorySummary]{Memories: loci.Summaries(found.Memories), Total: &found.Total, TotalIsLowerBound: found.TotalIsLowerBound,
		HasMore: found.NextCursor != "", NextCursor: found.NextCursor}, nil
}

type idArgs struct {
	ID string `json:"id"`
}

func (s *Server) getMemoryByID(ctx context.Context, p loci.Principal, in idArgs) (any, error) {
	id, err := memoryID("id", in.ID)
	if err != nil {
		return nil, err
	}
	return shownOr(s.app.Get(ctx, p, id))
}

// memoryID reads an id and says which argument is wrong if it is.
func memoryID(field, s string) (loci.MemoryID, error) {
	id, err := loci.ParseMemoryID(s)
	if err != nil {
		return id, loci.FieldErrorf(field, "is not an id: %s", err)
	}
	return id, nil
}

type latestArgs struct {
	Tag string `json:"tag"`
}

func (s *Server) getLatestMemory(ctx context.Context, p loci.Principal, in latestArgs) (any, error) {
	var f app.Filter
	none := "there is no memory yet; write_memory makes one"
	if in.Tag != "" {
		none = "no memory has this tag; browse_memories shows the tags in use"
		if err := loci.CheckText("tag", in.Tag, 1, loci.MaxTag); err != nil {
			return nil, err
		}
		f.Tags = []string{in.Tag}
	}
	m, err := s.app.Latest(ctx, p, f)
	if loci.CodeOf(err) == loci.NotFound {
		return nil, loci.Errorf(loci.NotFound, "%s", none)
	}
	return shownOr(m, err)
}
