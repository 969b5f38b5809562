package mcpserver

import (
	"context"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

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

// ConnectionsHere keeps connections in this process, so they end with it.
func ConnectionsHere() Connections {
	return &connectionsHere{states: map[project.ConnectionKey]stateHere{}}
}

type connectionsHere struct {
	mu     sync.Mutex
	states map[project.ConnectionKey]stateHere
}

type stateHere struct {
	subject string
	state   []byte
}

func (c *connectionsHere) OpenConnection(
	_ context.Context, p loci.Principal, key project.ConnectionKey, state []byte,
) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states[key] = stateHere{p.Subject(), state}
	return nil
}

func (c *connectionsHere) ContinueConnection(_ context.Context, p loci.Principal, key project.ConnectionKey) (
	[]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.states[key]; ok && found.subject == p.Subject() {
		return found.state, nil
	}
	return nil, loci.Errorf(loci.NotFound, "no such connection")
}

func (c *connectionsHere) EndConnection(_ context.Context, key project.ConnectionKey) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.states, key)
	return nil
}
