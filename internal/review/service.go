// Package review turns raw notes into reviewable candidates, and candidates into memories. Package reflection reads the
// notes; this package decides who may see what becomes of them, compares them with what is known, and keeps them.
//
// A candidate has the visibility of its notes. Its owner decides about it, and an agent about what its own vendor
// proposed. Nothing is a memory before it is promoted.
package review

import (
	"context"

	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/reflection"
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

// Extractor finds candidates in notes. It must answer without network if egress is off.
type Extractor interface {
	Extract(ctx context.Context, n reflection.Note) (*Extracted, error)
}

// Extracted is what an extractor found.
type Extracted struct {
	*reflection.Extraction
	Extractor string // "rules" or "model"
	Dropped   int    // how many candidates of a model were not in the notes
}

// Rules is the extractor without a model.
type Rules struct{}

// Extract implements Extractor.
func (Rules) Extract(_ context.Context, n reflection.Note) (*Extracted, error) {
	return &Extracted{Extraction: reflection.Extract(n), Extractor: "rules"}, nil
}

// New returns a Service. extract nil is Rules.
func New(g *gate.Gate, memories *memory.Service, projects *project.Service, graphs *graph.Service, extract Extractor,
	dreams DreamOptions) *Service {
	if extract == nil {
		extract = Rules{}
	}
	if dreams.Thresholds == nil {
		dreams.Thresholds = DefaultThresholds()
	}
	return &Service{g, memories, projects, graphs, extract, dreams}
}
