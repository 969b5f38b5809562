// Package project holds the operations on projects: their lifecycle, their members, and the
// active project of an MCP connection.
package project

import "github.com/loci-memory/loci/internal/gate"

// Service provides the operations on projects. It is safe for concurrent use.
type Service struct{ *gate.Gate }

// New returns a Service.
func New(g *gate.Gate) *Service { return &Service{g} }
