// Package node holds the use cases about memory nodes: ordered trees of texts, memories and entities.
package node

import (
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

// Service provides the operations on memory nodes. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	projects *project.Service
	graphs   *graph.Service
	memories *memory.Service
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, graphs *graph.Service, memories *memory.Service) *Service {
	return &Service{g, projects, graphs, memories}
}
