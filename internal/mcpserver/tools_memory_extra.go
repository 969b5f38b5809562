package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// The sizes of the pages of these tools.
const (
	recallDefault, recallMax = app.DefaultRecall, app.MaxRecall
	suggestDefault           = 50
	suggestMax               = 200
)

// addMemoryExtraTools registers the tools about memories that few assistants need, and those about agents and their sessions.
func (s *Server) addMemoryExtraTools(srv *mcp.Server) {
	s.addRecallTools(srv)
	s.addSourceTools(srv)
	s.addNodeTools(srv)
	s.addAgentTools(srv)
}

func (s *Server) addRecallTools(srv *mcp.Server) {
	addTool(s, srv, &mcp.Tool{
		Name: "recall_memories", Title: "Recall memories", Annotations: reads(),
		Description: "search_memories with every filter, at any time, and with all of why each memory was found and where it comes from. as_of: what was true then; known_at: what was stored then. Use it to ask about the past or within a scope; otherwise search_memories is shorter.",
		InputSchema: input(property{name: "query", schema: text(1, loci.MaxTerm), required: true}, limit(recallMax, recallDefault), cursor(),
			tags(0), property{name: "origin", schema: stringSchema}, property{name: "key", schema: stringSchema}, property{name: "category", schema: stringSchema},
			property{name: "scope", schema: `{"enum":["global","project","agent"]}`}, property{name: "project_id", schema: stringSchema}, property{name: "pinned", schema: boolSchema},
			property{name: "as_of", schema: stringSchema}, property{name: "known_at", schema: stringSchema}, property{name: "include_superseded", schema: boolSchema}, inSession()),
		OutputSchema: output(inFull, withCursor),
	}, s.recallMemories)
	addTool(s, srv, &mcp.Tool{
		Name: "list_suggestions", Title: "List suggestions", Annotations: reads(),
		Description:  "What was suggested about memories of others, newest first: that one supersedes or corrects another. Their owner decides; use it to see what became of it.",
		InputSchema:  input(property{name: "state", schema: `{"enum":["pending","accepted","declined"]}`}, limit(suggestMax, suggestDefault), cursor(), inSession()),
		OutputSchema: lists("suggestions", `"id","kind","memory_id","by_id","state"`),
	}, s.listSuggestions)
}

type recallArgs struct {
	Query     string     `json:"query" alias:"term"`
	Limit     *count     `json:"limit"`
	Cursor    string     `json:"cursor"`
	Tags      []string   `json:"tags"`
	Origin    string     `json:"origin"`
	Key       string     `json:"key"`
	Category  string     `json:"category"`
	Scope     loci.Scope `json:"scope"`
	ProjectID string     `json:"project_id"`
	Pinned    bool       `json:"pinned"`
	whenArgs
	SessionID string `json:"session_id"`
}

// recalled is a page of memories with why they were found.
type recalled struct {
	Memories          []loci.Recalled `json:"memories"`
	Total             int             `json:"total"`
	TotalIsLowerBound bool            `json:"total_is_lower_bound,omitempty"`
	HasMore           bool            `json:"has_more"`
	NextCursor        string          `json:"next_cursor,omitempty"`
}

func (s *Server) recallMemories(ctx context.Context, p loci.Principal, in recallArgs) (any, error) {
	r := app.SearchRequest{Query: in.Query, Cursor: in.Cursor, Filter: app.Filter{Tags: in.Tags, Origin: in.Origin, Key: in.Key, Category: in.Category,
		Scope: in.Scope, Pinned: in.Pinned}}
	var err error
	if r.Limit, err = in.Limit.within("limit", 1, recallMax, recallDefault); err != nil {
		return nil, err
	}
	if r.ProjectID, err = optionalID[loci.ProjectID]("project_id", in.ProjectID); err != nil {
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
	for i := range found.Memories {
		found.Memories[i].Memory = *shown(&found.Memories[i].Memory)
	}
	return recalled{Memories: found.Memories, Total: found.Total, TotalIsLowerBound: found.TotalIsLowerBound,
		HasMore: found.NextCursor != "", NextCursor: found.NextCursor}, nil
}

type suggestionArgs struct {
	State     loci.SuggestionState `json:"state"`
	Limit     *count               `json:"limit"`
	Cursor    string               `json:"cursor"`
	SessionID string               `json:"session_id"`
}

func (s *Server) listSuggestions(ctx context.Context, p loci.Principal, in suggestionArgs) (any, error) {
	r := app.SuggestionsRequest{State: in.State, Cursor: in.Cursor}
	var err error
	if r.Limit, err = in.Limit.within("limit", 1, suggestMax, suggestDefault); err != nil {
		return nil, err
	}
	if p, err = s.auth.InNamedSession(ctx, p, in.SessionID); err != nil {
		return nil, err
	}
	found, err := s.app.Suggestions(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return rows("suggestions", found.Suggestions, found.NextCursor), nil
}

// rows are a page of anything, which never is null in JSON.
func rows[T any](name string, list []T, next string) map[string]any {
	if list == nil {
		list = []T{}
	}
	out := map[string]any{name: list, "has_more": next != ""}
	if next != "" {
		out["next_cursor"] = next
	}
	return out
}

func (s *Server) addSourceTools(srv *mcp.Server) {
	memory := property{name: "memory_id", schema: stringSchema, required: true}
	source := object([]property{{name: "kind", schema: `{"enum":["message","session","event","url","text"]}`, required: true},
		{name: "ref", schema: text(0, loci.MaxSourceRef)}, {name: "text", schema: stringSchema}, {name: "quote", schema: text(0, loci.MaxQuote)}})
	addTool(s, srv, &mcp.Tool{
		Name: "add_sources", Title: "Say where a memory comes from", Annotations: adds(true),
		Description:  "Links a memory that you wrote to the message, session, event, address or text that it comes from. ref is an id or address, quote the words that say it. Returns the sources.",
		InputSchema:  input(memory, property{name: "sources", required: true, schema: `{"type":"array","minItems":1,"maxItems":50,"items":` + string(source) + `}`}, inSession()),
		OutputSchema: lists("sources", `"id","kind"`),
	}, s.addSources)
	addTool(s, srv, &mcp.Tool{
		Name: "get_sources", Title: "Where a memory comes from", Annotations: reads(),
		Description: "The sources of a memory, oldest first, with their texts. Use it to check what a memory says.",
		InputSchema: input(memory, inSession()), OutputSchema: lists("sources", `"id","kind"`),
	}, s.getSources)
}

type sourceArgs struct {
	Kind  loci.SourceKind `json:"kind" need:"yes"`
	Ref   string          `json:"ref"`
	Text  string          `json:"text"`
	Quote string          `json:"quote"`
}

type addSourcesArgs struct {
	MemoryID  string       `json:"memory_id"`
	Sources   []sourceArgs `json:"sources" need:"yes"`
	SessionID string       `json:"session_id"`
}

func (s *Server) addSources(ctx context.Context, p loci.Principal, in addSourcesArgs) (any, error) {
	id, err := memoryID("memory_id", in.MemoryID)
	if err != nil {
		return nil, err
	}
	drafts, err := sourcesOf(in.Sources)
	if err != nil {
		return nil, err
	}
	if p, err = s.auth.InNamedSession(ctx, p, in.SessionID); err != nil {
		return nil, err
	}
	all, _, err := s.app.AddSources(ctx, p, id, drafts)
	if err != nil {
		return nil, err
	}
	return rows("sources", all, ""), nil
}

// sourcesOf reads sources, within the limits that the schema says.
func sourcesOf(in []sourceArgs) ([]loci.Source, error) {
	if len(in) > loci.MaxSources {
		return nil, tooMany("sources", len(in), loci.MaxSources)
	}
	out := make([]loci.Source, len(in))
	for i, d := range in {
		out[i] = loci.Source{Kind: d.Kind, Ref: d.Ref, Text: d.Text, Quote: d.Quote}
		if err := loci.CheckText(fmt.Sprintf("sources[%d].ref", i), d.Ref, 0, loci.MaxSourceRef); err != nil {
			return nil, err
		}
		if err := loci.CheckText(fmt.Sprintf("sources[%d].quote", i), d.Quote, 0, loci.MaxQuote); err != nil {
			return nil, err
		}
	}
	return out, nil
}

type sourcesArgs struct {
	MemoryID  string `json:"memory_id"`
	SessionID string `json:"session_id"`
}

func (s *Server) getSources(ctx context.Context, p loci.Principal, in sourcesArgs) (any, error) {
	id, err := memoryID("memory_id", in.MemoryID)
	if err != nil {
		return nil, err
	}
	if p, err = s.auth.InNamedSession(ctx, p, in.SessionID); err != nil {
		return nil, err
	}
	list, err := s.app.Sources(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return rows("sources", list, ""), nil
}

func (s *Server) addAgentTools(srv *mcp.Server) {
	addTool(s, srv, &mcp.Tool{
		Name: "list_agents", Title: "List agents", Annotations: reads(),
		Description: "Your vendor's agents that are registered for the person, by name. Use it to find the agent_id for open_agent_session.",
		InputSchema: input(cursor()), OutputSchema: lists("agents", `"id","name"`),
	}, s.listAgents)
	addTool(s, srv, &mcp.Tool{
		Name: "register_agent", Title: "Register an agent", Annotations: adds(false),
		Description: "Registers an agent of your vendor, so that it can have memories of its own (scope agent). Not before list_agents.",
		InputSchema: input(property{name: "name", schema: text(1, loci.MaxName), required: true}), OutputSchema: json.RawMessage(`{"type":"object","required":["id","name"]}`),
	}, s.registerAgent)
	addTool(s, srv, &mcp.Tool{
		Name: "open_agent_session", Title: "Open a session", Annotations: adds(false),
		Description:  "Opens a session and returns it. Pass its id as session_id to other tools: they reach the memories of its agent then, and what they write is of the session.",
		InputSchema:  input(property{name: "agent_id", schema: stringSchema}, property{name: "title", schema: text(0, loci.MaxSessionTitle)}, property{name: "project_id", schema: stringSchema}),
		OutputSchema: json.RawMessage(sessionSchema),
	}, s.openAgentSession)
	addTool(s, srv, &mcp.Tool{
		Name: "close_agent_session", Title: "Close a session", Annotations: sets(),
		Description: "Closes a session when its work is done; no call can name it from then on. What was written in it stays.",
		InputSchema: input(property{name: "session_id", schema: stringSchema, required: true}), OutputSchema: json.RawMessage(sessionSchema),
	}, s.closeAgentSession)
}

const sessionSchema = `{"type":"object","required":["id","state"]}`

type agentsArgs struct {
	Cursor string `json:"cursor"`
}

func (s *Server) listAgents(ctx context.Context, p loci.Principal, in agentsArgs) (any, error) {
	found, err := s.app.Agents(ctx, p, app.AgentList{Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rows("agents", found.Agents, found.NextCursor), nil
}

type agentArgs struct {
	Name string `json:"name"`
}

func (s *Server) registerAgent(ctx context.Context, p loci.Principal, in agentArgs) (any, error) {
	return s.app.CreateAgent(ctx, p, app.AgentDraft{Name: in.Name})
}

type openSessionArgs struct {
	AgentID   string `json:"agent_id"`
	Title     string `json:"title"`
	ProjectID string `json:"project_id"`
}

func (s *Server) openAgentSession(ctx context.Context, p loci.Principal, in openSessionArgs) (any, error) {
	d := app.AgentSessionDraft{Title: in.Title}
	var err error
	if d.AgentID, err = optionalID[loci.AgentID]("agent_id", in.AgentID); err != nil {
		return nil, err
	}
	if d.ProjectID, err = optionalID[loci.ProjectID]("project_id", in.ProjectID); err != nil {
		return nil, err
	}
	return s.app.OpenAgentSession(ctx, p, d)
}

type closeSessionArgs struct {
	SessionID string `json:"session_id" need:"yes"`
}

func (s *Server) closeAgentSession(ctx context.Context, p loci.Principal, in closeSessionArgs) (any, error) {
	id, err := optionalID[loci.SessionID]("session_id", in.SessionID)
	if err != nil {
		return nil, err
	}
	return s.app.CloseAgentSession(ctx, p, id)
}
