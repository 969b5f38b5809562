package review

import (
	"context"
	"time"

	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

// Extractor finds candidates in notes. It must answer without network if egress is off. Service calls it outside of
// transactions.
type Extractor interface {
	Extract(ctx context.Context, a *Asked) (*Extracted, error)
	// Slow reports whether it may take seconds for some notes. Then the dream-cycle gives it few at once.
	Slow() bool
}

// Asked is the notes that an extractor reads.
type Asked struct {
	reflection.Note
	// Clean is the notes without secrets and card numbers. Nothing else of the notes may leave the process.
	Clean      string
	Redactions sensitive.Map     // leads from the notes to Clean, and back
	Matches    []sensitive.Match // what is sensitive in the notes
	Asker
}

// Ask returns notes for an extractor.
func Ask(n reflection.Note, by Asker) *Asked {
	a := &Asked{Note: n, Matches: everywhere(n.Content, sensitive.Find(n.Content)), Asker: by}
	a.Clean, a.Redactions = sensitive.Redact(n.Content, a.Matches)
	return a
}

// Asker is for whom an extractor reads.
type Asker struct {
	Person string        // who has written the notes
	Caller string        // the credential that asks
	Dream  bool          // the dream-cycle asks
	Most   time.Duration // what it may take; 0: it is up to the extractor
}

// Extracted is what an extractor found.
type Extracted struct {
	*reflection.Extraction
	Extractor string  // "rules", or "model" if that added to what the rules found
	Dropped   int     // how many candidates of a model were refused, such as those that are not in the notes
	Without   NoModel // why no model answered although one is configured; "": it did, or there is none
}

// Rules is the extractor without a model.
type Rules struct{}

// Extract implements Extractor.
func (Rules) Extract(_ context.Context, a *Asked) (*Extracted, error) {
	return &Extracted{Extraction: reflection.Extract(a.Note), Extractor: "rules"}, nil
}

// Slow implements Extractor.
func (Rules) Slow() bool { return false }

// NoModel is why the configured model has not read some notes.
type NoModel string

// The reasons.
const (
	ModelTooLong     NoModel = "too_long"    // the notes are longer than Loci sends
	ModelBusy        NoModel = "busy"        // it reads too many notes already
	ModelBudget      NoModel = "budget"      // the tokens of the day are used up
	ModelFailing     NoModel = "failing"     // it failed several times; Loci asks again later
	ModelTimeout     NoModel = "timeout"     // it took too long
	ModelUnreachable NoModel = "unreachable" // nobody answered
	ModelRefused     NoModel = "refused"     // an HTTP status other than success
	ModelUnusable    NoModel = "unusable"    // the answer is not what was asked for
)
