// Package review turns raw notes into reviewable candidates, and candidates into memories. Package reflection reads the
// notes; this package decides who may see what becomes of them, compares them with what is known, and keeps them.
//
// A candidate has the visibility of its notes. Its owner decides about it, and an agent about what its own vendor
// proposed. Nothing is a memory before it is promoted.
package review

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

// Service provides the operations on notes and candidates. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	memories *memory.Service
	projects *project.Service
	graphs   *graph.Service
	extract  Extractor
	dreams   DreamOptions
}

// New returns a Service. extract nil is Rules.
func New(g *gate.Gate, memories *memory.Service, projects *project.Service, graphs *graph.Service, extract Extractor,
	dreams DreamOptions) *Service {
	if extract == nil {
		extract = Rules{}
	}
	if dreams.Thresholds == nil {
		dreams.Thresholds = func(context.Context) map[loci.CandidateKind]float64 { return DefaultThresholds() }
	}
	return &Service{g, memories, projects, graphs, extract, dreams}
}
