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
		Description: "Saves a memory for all the person's assistants. Use it for decisions, preferences, corrections and durable facts; not for secrets or chatter. The same key updates its memory.",
		InputSchema: input(
			property{name: "title", schema: text(1, loci.MaxTitle), required: true},
			property{name: "content", schema: text(1, loci.MaxContent), required: true},
			property{name: "key", schema: stringSchema},
			property{name: "summary", schema: stringSchema},
			tags(0),
			property{name: "category", schema: stringSchema},
			property{name: "importance", schema: integer(1, 10, 5)},
			property{name: "pinned", schema: boolSchema},
			property{name: "ttl", schema: `{"type":"integer","description":"seconds"}`},
			property{name: "expires_at", schema: stringSchema},
			property{name: "scope", schema: `{"enum":["global","project","agent"]}`},
			property{name: "project_id", schema: stringSchema},
			inSession(),
			property{name: "dedupe", schema: `{"enum":["update","create"]}`},
			property{name: "supersedes", schema: `{"type":"array","items":{"type":"string"}}`},
			property{name: "source", schema: stringSchema},
			property{name: "allowed_vendors", schema: list(1, loci.MaxVendors, loci.MaxVendorLength, `,"default":["*"]`)},
			property{name: "memory_type", schema: `{"enum":["semantic","episodic","procedural"]}`}),
		OutputSchema: json.RawMessage(leanSchema),
	}, s.writeMemory)
}

type writeArgs struct {
	Title          string          `json:"title"`
	Content        string          `json:"content" alias:"value"`
	Key            string          `json:"key"`
	Summary        *string         `json:"summary"`
	Tags           []string        `json:"tags"`
	Category       string          `json:"category"`
	Importance     *count          `json:"importance"`
	Pinned         *bool           `json:"pinned"`
	TTL            *seconds        `json:"ttl"`
	ExpiresAt      string          `json:"expires_at" alias:"expiresAt"`
	Scope          loci.Scope      `json:"scope"`
	ProjectID      string          `json:"project_id"`
	SessionID      string          `json:"session_id"`
	Dedupe         app.Dedupe      `json:"dedupe"`
	Supersedes     []string        `json:"supersedes"`
	Source         string          `json:"source"`
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
	d, err := in.draft()
	if err != nil {
		return nil, err
	}
	if p, err = s.auth.InNamedSession(ctx, p, in.SessionID); err != nil {
		return nil, err
	}
	if d.Scope == loci.ScopeAgent && p.AgentID.IsZero() {
		return nil, loci.FieldErrorf("scope", "agent needs a session of an agent; name it as session_id")
	}
	saved, err := s.app.Create(ctx, p, d)
	if err != nil {
		return nil, err
	}
	out := *saved
	out.Memory = *shown(&saved.Memory)
	return out, nil
}

// draft is what the arguments say of a memory. Whose session it is written in is the principal's.
func (in *writeArgs) draft() (app.Draft, error) {
	d := app.Draft{Title: in.Title, Content: in.Content, Key: in.Key, Summary: in.Summary, Tags: in.Tags, Category: in.Category, Pinned: in.Pinned,
		Scope: in.Scope, Dedupe: in.Dedupe, Source: in.Source, AllowedVendors: in.AllowedVendors, Type: in.Type}
	var err error
	if d.Importance, err = in.Importance.within("importance", 1, 10, 0); err != nil {
		return d, err
	}
	if d.TTL, err = in.TTL.lifetime("ttl"); err != nil {
		return d, err
	}
	if d.ExpiresAt, err = instant("expires_at", in.ExpiresAt); err != nil {
		return d, err
	}
	if d.ProjectID, err = optionalID[loci.ProjectID]("project_id", in.ProjectID); err != nil {
		return d, err
	}
	d.Supersedes, err = memoryIDs("supersedes", in.Supersedes)
	return d, err
}

func (s *Server) addTeamTools(srv *mcp.Server) {
	addTool(s, srv, &mcp.Tool{
		Name: "read_team_memories", Title: "Read team memories", Annotations: reads(),
		Description: "Memories of the person's team, newest first. Do not try again if they have no team.",
		InputSchema: input(limit(readMax, tagDefault), paging()[0]), OutputSchema: output(inFull, ""),
	}, s.readTeamMemories)
	addTool(s, srv, &mcp.Tool{
		Name: "share_memory", Title: "Share with the team", Annotations: adds(true),
		Description: "Puts a memory into the pool of the person's team. Use it only when asked.",
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
	return shownOr(s.app.ShareMemory(ctx, p, id))
}
