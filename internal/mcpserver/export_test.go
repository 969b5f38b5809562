package mcpserver

import "github.com/loci-memory/loci/internal/gate"

// ToolActions returns the action of each tool, by the tool's name.
func ToolActions() map[string]gate.Action {
	out := make(map[string]gate.Action, len(tools))
	for i := range tools {
		out[tools[i].name] = tools[i].action
	}
	return out
}

// Tokens returns the estimated size of a text.
func Tokens(text string) int { return tokens(text) }
