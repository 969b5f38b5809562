// Package org contains the use cases for orgs and the groups in them: members, teams, workspaces
// and invitations.
package org

import (
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// Service implements the use cases for orgs, teams and workspaces. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	memories *memory.Service // to stop sharing what a person shared when they leave their team
	nodes    *node.Service
}

// New returns a Service.
func New(g *gate.Gate, memories *memory.Service, nodes *node.Service) *Service {
	return &Service{g, memories, nodes}
}
