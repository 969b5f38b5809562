package mcpserver

import (
	"context"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/project"
)

// Connections keeps the state of connections for as long as they may be continued.
type Connections interface {
	// OpenConnection stores a connection of p.
	OpenConnection(ctx context.Context, p loci.Principal, key project.ConnectionKey, state []byte) error
	// ContinueConnection returns the state of a connection of p, or NotFound.
	ContinueConnection(ctx context.Context, p loci.Principal, key project.ConnectionKey) ([]byte, error)
	// EndConnection forgets a connection.
	EndConnection(ctx context.Context, key project.ConnectionKey) error
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

func (c *connectionsHere) ContinueConnection(
	_ context.Context, p loci.Principal, key project.ConnectionKey,
) ([]byte, error) {
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
