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
	changed  func(context.Context, loci.OrgID)
}

// New returns a Service. It calls changed after the state of a session or its readers have changed.
func New(g *gate.Gate, projects *project.Service, changed func(context.Context, loci.OrgID)) *Service {
	return &Service{g, projects, changed}
}
