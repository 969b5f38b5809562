// Package org contains the use cases for orgs and the groups in them: members, teams, workspaces and invitations.
package org

import (
	"context"
	"io"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/seal"
)

// Service implements the use cases for orgs, teams and workspaces. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	o Options
}

// Options configure a Service.
type Options struct {
	Memories *memory.Service // required: to stop sharing what a person shared when they leave their team
	Nodes    *node.Service   // required
	// Deleted is called when an org has been deleted, to remove what is derived from its data; required.
	Deleted func(context.Context, loci.OrgID)
	Master  seal.Ring // seals the keys of Arc; empty: Arc can't be used
	// DropEvents deletes the events of an org that is about to be deleted; nil: there are none.
	DropEvents func(context.Context, loci.OrgID) error
	// CopyEvents writes all events of an org as JSON lines; required.
	CopyEvents func(context.Context, loci.OrgID, io.Writer) error
}

// New returns a Service.
func New(g *gate.Gate, o Options) *Service { return &Service{g, o} }
