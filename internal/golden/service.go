// Package golden holds the golden questions of people: questions with the memories that a good search finds for them,
// and how well searches did over time. It searches as the person whose questions they are, and ranks nothing itself.
package golden

import (
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/vectors"
)

// Service provides the operations on golden questions. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	memories *memory.Service
	vectors  *vectors.Index
}

// New returns a Service. vectors are those that the searches of memories use.
func New(g *gate.Gate, memories *memory.Service, vectors *vectors.Index) *Service {
	return &Service{g, memories, vectors}
}
