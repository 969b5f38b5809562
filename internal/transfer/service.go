// Package transfer exports what a person owns as lines of JSON, and imports it.
package transfer

import (
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

// Service provides exports and imports. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	projects *project.Service
	events   *event.Service
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, events *event.Service) *Service {
	return &Service{g, projects, events}
}
