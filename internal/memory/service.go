// Package memory holds the operations on memories: saving, reading, finding, sharing, history and
// undo, with their sources, attachments and suggestions, and the feed of changes.
//
// Each exported method of Service begins with Begin of its gate. Loci stores what it receives and never rewrites it.
package memory

import (
	"cmp"
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/vectors"
)

// Service provides the operations on memories. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	// Budget is how many characters of memories a prompt may have.
	Budget   int
	o        Options
	projects *project.Service
	graphs   *graph.Service
	// selections are the indexes of what lists of other times and states have.
	selections *indexing.Selections

	// Events finds the events that sources name; nil: none exist. Set it before the first call.
	Events Events
}

// Events finds events, which the store does not have.
type Events interface {
	// Named returns those of some events that p sees, in their order.
	Named(ctx context.Context, p loci.Principal, ids ...loci.EventID) ([]*loci.Event, error)
	// SettleSecrets changes each text of p's own events as remove does, also in indexes; nil: the events keep their
	// secrets. It fails with Conflict, after it has changed the others, if one is in the org's Arc.
	SettleSecrets(ctx context.Context, p loci.Principal, ids []loci.EventID, remove func(string) string) error
	// Recall returns the log of p's org and the index of its events, as indexing.Index.Latest does. It fails with
	// loci.ErrSpent if the log does not answer in the time for one question, Forbidden if p may not read events, and
	// Unavailable if the log cannot be read.
	Recall(ctx context.Context, p loci.Principal, each time.Duration) (eventlog.Log, *indexing.Snapshot, error)
}

// Options configure a Service.
type Options struct {
	Chat     Chat            // nil: Query returns only the prompt
	Budget   int             // characters of memories in a prompt; default DefaultBudget
	Index    *indexing.Index // required
	Vectors  *vectors.Index  // nil: recall finds memories by their words only
	Patience time.Duration   // of a search: after that it returns what it has found; default DefaultPatience
	// ModelPatience is how long a search waits for a model of embeddings; default a quarter of Patience.
	ModelPatience time.Duration
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, graphs *graph.Service, o Options) *Service {
	if o.Budget <= 0 {
		o.Budget = DefaultBudget
	}
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	o.ModelPatience = cmp.Or(o.ModelPatience, o.Patience/4)
	return &Service{Gate: g, Budget: o.Budget, o: o, projects: projects, graphs: graphs,
		selections: indexing.NewSelections()}
}
