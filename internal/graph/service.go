// Package graph holds the use cases about the knowledge graphs of projects, with their import and export.
//
// Every method asks in the transaction whether the principal belongs to the project; one that they do not belong to
// answers like one that does not exist.
package graph

import "github.com/loci-memory/loci/internal/gate"

// Service is the use cases about graphs. It is safe for concurrent use.
type Service struct{ *gate.Gate }

// New returns a Service.
func New(g *gate.Gate) *Service { return &Service{g} }
