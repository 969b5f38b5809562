package eval

import (
	"context"
	"fmt"

	"github.com/loci-memory/loci"
)

// Extractor proposes what to keep of a note. It receives the text and the intent, and nothing of the labels.
type Extractor func(content, intent string) NoteAnswer

// Relater says how a new text stands to an older one: one of duplicate, update_supersedes, contradiction, refinement
// and unrelated.
type Relater func(older, newer string) string

// NoteAnswer is what an extractor finds in a note. Offsets count Unicode code points and are half-open.
type NoteAnswer struct {
	ID         string          `json:"id"`
	Candidates []NoteCandidate `json:"candidates"`
	Sensitive  []NoteSecret    `json:"sensitive"`
	Relations  []NoteRelation  `json:"relations"`
}

// NoteCandidate is a part of a note that is worth keeping.
type NoteCandidate struct {
	Kind       string   `json:"kind"`
	Start      int      `json:"start"`
	End        int      `json:"end"`
	Confidence *float64 `json:"confidence"` // nil: unknown, and not part of the calibration
}

// NoteSecret is a secret or a personal datum in a note.
type NoteSecret struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Type  string `json:"type"`
}

// NoteRelation is how one part of a note stands to another, such as supersedes.
type NoteRelation struct {
	Type      string `json:"type"`
	FromStart int    `json:"from_start"`
	FromEnd   int    `json:"from_end"`
	ToStart   int    `json:"to_start"`
	ToEnd     int    `json:"to_end"`
}

// PairAnswer is how a new text stands to an older one.
type PairAnswer struct {
	ID       string `json:"id"`
	Relation string `json:"relation"`
}

// NoteAnswers are the answers to the notes and the pairs of a set.
type NoteAnswers struct {
	Notes []NoteAnswer
	Pairs []PairAnswer
}

// Reflect asks an extractor about each note of a set, and a relater about each pair. It fails if an answer is about
// text that the note does not have.
func Reflect(ctx context.Context, set NoteSet, extract Extractor, relate Relater) (NoteAnswers, error) {
	var out NoteAnswers
	for i := range set.Notes {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		n := &set.Notes[i]
		a := extract(n.Content, n.Intent)
		a.ID = n.ID
		if err := a.check(n); err != nil {
			return out, fmt.Errorf("note %s: %w", n.ID, err)
		}
		out.Notes = append(out.Notes, a)
		loci.ReportProgress(ctx, loci.Progress{Stage: "reading notes", Done: int64(i + 1), Total: int64(len(set.Notes))})
	}
	for _, p := range set.Pairs {
		out.Pairs = append(out.Pairs, PairAnswer{p.ID, relate(p.Old, p.New)})
	}
	return out, nil
}

func (a *NoteAnswer) check(n *LabelledNote) error {
	for _, c := range a.Candidates {
		if c.Start < 0 || c.Start >= c.End || c.End > len(n.text) {
			return fmt.Errorf("a candidate is from %d to %d of %d code points", c.Start, c.End, len(n.text))
		}
		if err := oneOf("kind", noteKinds, c.Kind); err != nil {
			return err
		}
	}
	return nil
}

// WriteNotesRun writes the answers to the notes, one a line.
func WriteNotesRun(file string, a NoteAnswers) error {
	for i := range a.Notes {
		n := &a.Notes[i] // empty lists, not null, so that other programs need not tell the two apart
		n.Candidates, n.Sensitive = append([]NoteCandidate{}, n.Candidates...), append([]NoteSecret{}, n.Sensitive...)
		n.Relations = append([]NoteRelation{}, n.Relations...)
	}
	return writeLines(file, a.Notes)
}

// WritePairsRun writes the answers to the pairs, one a line.
func WritePairsRun(file string, a NoteAnswers) error { return writeLines(file, a.Pairs) }
