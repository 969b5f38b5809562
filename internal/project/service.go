// Package project holds the use cases about projects: their life, their members, and the project in which an MCP
// connection works.
package project

import "github.com/loci-memory/loci/internal/gate"

// Service is the use cases about projects. It is safe for concurrent use.
type Service struct{ *gate.Gate }

// New returns a Service.
func New(g *gate.Gate) *Service { return &Service{g} }
