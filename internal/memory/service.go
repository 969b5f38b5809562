// Package memory holds the use cases about memories: saving, reading, finding, sharing, history and undo, with their
// sources, attachments and suggestions, and the stream of changes.
//
// Each exported method of Service begins with Begin of its gate. Loci stores what is sent; nothing here rewrites it.
package memory

import (
	"time"

	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

// Service is the use cases about memories. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	// Budget is how many characters of memories a prompt takes.
	Budget   int
	projects *project.Service
	chat     Chat
	turns    *turns
	patience time.Duration // the time of one search
}

// Options configure a Service.
type Options struct {
	Chat     Chat          // nil: Query answers with the prompt alone
	Budget   int           // characters of memories in a prompt; default DefaultBudget
	Patience time.Duration // of a search: then it returns what it has found; default DefaultPatience
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, o Options) *Service {
	if o.Budget <= 0 {
		o.Budget = DefaultBudget
	}
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	return &Service{Gate: g, Budget: o.Budget, projects: projects, chat: o.Chat, turns: newTurns(), patience: o.Patience}
}
