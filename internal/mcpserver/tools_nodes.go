package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// The size of a pack in characters: what a model has room for beside its conversation.
const packDefault, packMax = 20_000, 100_000

func (s *Server) addNodeTools(srv *mcp.Server) {
	addTool(s, srv, &mcp.Tool{
		Name: "list_memory_nodes", Title: "List memory nodes", Annotations: reads(),
		Description: "Memory nodes that there are, last changed first: outlines that people and assistants made of memories, entities and texts. Use it to find one that fits the task.",
		InputSchema: input(property{name: "tag", schema: text(0, loci.MaxTag)}, cursor(), inSession()), OutputSchema: lists("memory_nodes", `"id","name"`),
	}, s.listMemoryNodes)
	addTool(s, srv, &mcp.Tool{
		Name: "read_memory_node", Title: "Read a memory node", Annotations: reads(),
		Description:  "All of a memory node as one text, in its order. Use it at the start of a task that the node is about.",
		InputSchema:  input(property{name: "id", schema: stringSchema, required: true}, property{name: "budget", schema: integer(1, packMax, packDefault)}, inSession()),
		OutputSchema: json.RawMessage(`{"type":"object","required":["id","name","text","left"]}`),
	}, s.readMemoryNode)
}

type nodesArgs struct {
	Tag       string `json:"tag"`
	Cursor    string `json:"cursor"`
	SessionID string `json:"session_id"`
}

func (s *Server) listMemoryNodes(ctx context.Context, p loci.Principal, in nodesArgs) (any, error) {
	if err := loci.CheckText("tag", in.Tag, 0, loci.MaxTag); err != nil {
		return nil, err
	}
	p, err := s.auth.InNamedSession(ctx, p, in.SessionID)
	if err != nil {
		return nil, err
	}
	found, err := s.app.Nodes(ctx, p, app.NodeList{Tag: in.Tag, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rows("memory_nodes", found.Nodes, found.NextCursor), nil
}

type nodeArgs struct {
	ID        string `json:"id"`
	Budget    *count `json:"budget"`
	SessionID string `json:"session_id"`
}

// nodeText is a memory node to read as a whole.
type nodeText struct {
	ID   loci.NodeID `json:"id"`
	Name string      `json:"name"`
	Text string      `json:"text"`
	Left int         `json:"left"` // items that the budget had no room for
}

func (s *Server) readMemoryNode(ctx context.Context, p loci.Principal, in nodeArgs) (any, error) {
	budget, err := in.Budget.within("budget", 1, packMax, packDefault)
	if err != nil {
		return nil, err
	}
	id, err := loci.ParseID[struct{}](in.ID)
	if err != nil {
		return nil, loci.FieldErrorf("id", "is not an id: %s", err)
	}
	if p, err = s.auth.InNamedSession(ctx, p, in.SessionID); err != nil {
		return nil, err
	}
	pack, err := s.app.NodePack(ctx, p, loci.NodeID(id), budget)
	if err != nil {
		return nil, err
	}
	return nodeText{pack.Node.ID, pack.Node.Name, pack.Text, pack.Left}, nil
}
