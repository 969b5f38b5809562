// Package org contains the use cases for orgs and the groups in them: members, teams, workspaces
// and invitations.
package org

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// Service implements the use cases for orgs, teams and workspaces. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	memories *memory.Service // to stop sharing what a person shared when they leave their team
	nodes    *node.Service
	deleted  func(context.Context, loci.OrgID) // removes what is derived from the data of an org
}

// New returns a Service. It calls deleted when an org has been deleted, to remove what is derived from
// its data.
func New(g *gate.Gate, memories *memory.Service, nodes *node.Service,
	deleted func(context.Context, loci.OrgID)) *Service {
	return &Service{g, memories, nodes, deleted}
}
