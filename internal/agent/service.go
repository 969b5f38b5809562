// Package agent holds the operations on agents and on sessions.
//
// Agents belong to the org, and everybody in it sees them. A session has a reach. Only the person who
// created a session lets more readers see it.
package agent

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

// Service provides the operations on agents and sessions. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	projects *project.Service
	events   Events
}

// Events are the log of events, which the store does not have.
type Events interface {
	// Follow is called after the state of a session or its readers have changed.
	Follow(ctx context.Context, org loci.OrgID)
	// CountOf counts the events of an agent that p can see. n is nil if p may not read events. more says that there was
	// not enough time to count all.
	CountOf(ctx context.Context, p loci.Principal, agent loci.AgentID) (n *int, more bool, err error)
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, events Events) *Service {
	return &Service{g, projects, events}
}
