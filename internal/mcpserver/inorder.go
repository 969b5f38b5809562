package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// inOrder are the tools that later calls build on: models send several calls
// at once, such as entities and then the relations between them.
var inOrder = map[string]bool{
	"create_project": true, "switch_project": true, "archive_project": true, "restore_project": true, "delete_project": true,
	"create_entities": true, "add_observations": true, "create_relations": true,
	"delete_entities": true, "delete_observations": true, "delete_relations": true,
	"restore_nodes": true, "merge_entities": true,
}

// takeTurn holds a call back until what came before it has been answered, if
// either is of a tool in inOrder. Other calls run beside each other.
func (l *lines) takeTurn(ctx context.Context, r *jsonrpc.Request) error {
	if !r.IsCall() {
		return nil
	}
	before := l.alone
	l.alone = waitsForOthers(r)
	if !before && !l.alone {
		return nil
	}
	return l.waitBelow(ctx, 1)
}

func waitsForOthers(r *jsonrpc.Request) bool {
	var call struct {
		Name string `json:"name"`
	}
	return r.Method == "tools/call" && json.Unmarshal(r.Params, &call) == nil && inOrder[call.Name]
}
