// Package embed turns texts into vectors, so that texts with a similar meaning have similar vectors. A model is a
// folder on disk (static embeddings or a transformer) or an endpoint that the operator configured. The package leaves
// out where vectors are stored and how they are compared. One invariant: it sends nothing anywhere unless an endpoint
// or a download was asked for and egress is on.
package embed

import (
	"context"
	"time"
)

// Kind is what a text is for. Some models want different words before each kind.
type Kind int

// These are the kinds.
const (
	Document Kind = iota // a text to be found
	Query                // a question
)

// Model turns texts into vectors. It is safe for concurrent use.
type Model interface {
	// Name identifies the vectors: those of models with different names cannot be compared. It has at most 200
	// characters and no secret.
	Name() string
	// Embed returns one vector for each text, in their order, all with as many dimensions. A vector has the
	// length 1, or is zero if the model knows no word of the text. It fails with a *Fault if the model gave no
	// usable answer. With an error, it may return the vectors that it has made before; nil is none.
	Embed(ctx context.Context, kind Kind, texts []string) ([][]float32, error)
}

// Fault is why a model gave no vectors. It has nothing of what an endpoint wrote, so it may be shown.
type Fault struct {
	// Text says what is wrong and the way out.
	Text string
	// Refused is set if the model rejects these texts, for instance because one is too long. Others may work.
	Refused bool
	// Loading is set if the model is still being read from disk.
	Loading bool
	// RetryAfter is how long an endpoint asks to be left alone; 0: it did not ask.
	RetryAfter time.Duration
	cause      error
}

// Error implements error.
func (f *Fault) Error() string { return f.Text }

// Unwrap returns what failed, for the log.
func (f *Fault) Unwrap() error { return f.cause }

// Source finds models.
type Source interface {
	// Current returns the model in use, or nil if embeddings are off. It loads the model when it is first asked for.
	Current(ctx context.Context) (Model, error)
	// ByName returns the model whose Name that is, or nil if it cannot be opened any more.
	ByName(ctx context.Context, name string) (Model, error)
	// Quick returns the last dimensions of the vector of a question, by the model whose Name that is, if they are there
	// at once, even while the model is loaded. nil: none are.
	Quick(name, question string) []float32
}
