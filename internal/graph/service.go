// Package graph holds the operations on the knowledge graphs of projects, with their import and
// export.
//
// Every method checks in the transaction whether the principal belongs to the project. If not,
// the error is the same as for a project that does not exist.
package graph

import "github.com/loci-memory/loci/internal/gate"

// Service provides the operations on graphs. It is safe for concurrent use.
type Service struct{ *gate.Gate }

// New returns a Service.
func New(g *gate.Gate) *Service { return &Service{g} }
