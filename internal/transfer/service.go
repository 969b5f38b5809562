// Package transfer exports a person's memories, nodes, agents and suggestions as lines of JSON,
// and imports them.
package transfer

import "github.com/loci-memory/loci/internal/gate"

// Service provides exports and imports. It is safe for concurrent use.
type Service struct{ *gate.Gate }

// New returns a Service.
func New(g *gate.Gate) *Service { return &Service{g} }
