// Package task holds the operations on the tasks of projects.
//
// Everybody who belongs to a project shares its tasks, if the vendors that a task names let them see it.
package task

import (
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

// Service provides the operations on tasks. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	projects *project.Service
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service) *Service { return &Service{g, projects} }
