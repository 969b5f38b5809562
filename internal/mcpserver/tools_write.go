package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (s *Server) addWritingTools(srv *mcp.Server) {
	addTool(s, srv, &mcp.Tool{
		Name: "write_memory", Title: "Write a memory", Annotations: adds(false),
		Description: "Saves and returns a memory for all the person's assistants. Use it for decisions, preferences, corrections and durable facts; not for secrets or chatter. Nothing is overwritten: search first.",
		InputSchema: input(
			property{name: "title", schema: text(1, loci.MaxTitle), required: true},
			property{name: "content", schema: text(1, loci.MaxContent), required: true},
			tags(0),
			property{name: "allowed_vendors", schema: list(1, loci.MaxVendors, loci.MaxVendorLength, `,"default":["*"],"description":"who may read it, like claude; * is all"`)},
			property{name: "memory_type", schema: `{"enum":["semantic","episodic","procedural"],"default":"semantic","description":"a fact, an event or a how-to"}`}),
		OutputSchema: json.RawMessage(leanSchema),
	}, s.writeMemory)
}

type writeArgs struct {
	Title          string          `json:"title"`
	Content        string          `json:"content"`
	Tags           []string        `json:"tags"`
	AllowedVendors []loci.Vendor   `json:"allowed_vendors"`
	Type           loci.MemoryType `json:"memory_type"`
}

func (s *Server) writeMemory(ctx context.Context, p loci.Principal, in writeArgs) (any, error) {
	// The schema limits what is sent; app looks after dropping duplicates.
	if err := loci.CheckTags("tags", in.Tags, 0); err != nil {
		return nil, err
	}
	if in.AllowedVendors != nil {
		if err := loci.CheckVendors(in.AllowedVendors); err != nil {
			return nil, err
		}
	}
	return s.app.Create(ctx, p, app.Draft{Title: in.Title, Content: in.Content, Tags: in.Tags,
		AllowedVendors: in.AllowedVendors, Type: in.Type})
}

func (s *Server) addTeamTools(srv *mcp.Server) {
	addTool(s, srv, &mcp.Tool{
		Name: "read_team_memories", Title: "Read team memories", Annotations: reads(),
		Description: "Memories of the person's team, newest first. Do not try again if they have no team.",
		InputSchema: input(limit(readMax, tagDefault), paging()[0]), OutputSchema: output(inFull, ""),
	}, s.readTeamMemories)
	addTool(s, srv, &mcp.Tool{
		Name: "share_memory", Title: "Share with the team", Annotations: adds(true),
		Description: "Puts a memory into the pool of the person's team and returns it. Use it only when asked.",
		InputSchema: input(property{name: "memory_id", schema: `{"type":"string"}`, required: true}), OutputSchema: json.RawMessage(leanSchema),
	}, s.shareMemory)
}

// teamArgs asks for one page of the team's pool.
type teamArgs struct {
	Limit  *count `json:"limit"`
	Offset *count `json:"offset"`
}

func (s *Server) readTeamMemories(ctx context.Context, p loci.Principal, in teamArgs) (any, error) {
	var r app.ListRequest
	var err error
	if r.Limit, err = in.Limit.within("limit", 1, readMax, tagDefault); err != nil {
		return nil, err
	}
	if r.Offset, err = in.Offset.within("offset", 0, app.MaxOffset, 0); err != nil {
		return nil, err
	}
	found, err := s.app.TeamMemories(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return page[*loci.Memory]{Memories: memories(found.Memories), HasMore: found.NextCursor != ""}, nil
}

type shareArgs struct {
	MemoryID string `json:"memory_id"`
}

func (s *Server) shareMemory(ctx context.Context, p loci.Principal, in shareArgs) (any, error) {
	id, err := memoryID("memory_id", in.MemoryID)
	if err != nil {
		return nil, err
	}
	return s.app.ShareMemory(ctx, p, id)
}
