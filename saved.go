package loci

// Saved is what a save answers: the memory as it is stored now, and what came
// of it. Suggestions and Similar hold nothing that the writer may not see.
type Saved struct {
	Memory
	// ReplacedVersion is 0 if a new memory was made.
	ReplacedVersion int          `json:"replaced_version,omitempty" doc:"The version of the same key that this save took the place of; absent: a new memory"`
	Unchanged       bool         `json:"unchanged,omitempty" doc:"The memory of that key said all of it already; no version was made"`
	Superseded      []MemoryID   `json:"superseded,omitempty" doc:"Memories of yours that are hidden from recall now, because this one takes their place"`
	Suggestions     []Suggestion `json:"suggestions,omitempty" doc:"What was only suggested, because another wrote it: its owner decides"`
	Sources         []Source     `json:"sources,omitempty" doc:"Those that came with the save"`
	// SimilarSkipped says that Loci did not look at everything, so that no Similar says nothing.
	SimilarSkipped bool      `json:"similar_skipped,omitempty" doc:"Loci did not look at all memories that could be similar: the request turned it off, or it took too long"`
	Similar        []Similar `json:"similar,omitempty" doc:"Memories that say nearly the same or the opposite, best first; nothing was done about them"`
}

// Created reports whether the save made a new memory.
func (s *Saved) Created() bool { return s.ReplacedVersion == 0 && !s.Unchanged }

// MaxSimilar is how many similar memories a save tells of.
const MaxSimilar = 5

// Similar is a memory that says much the same as another.
type Similar struct {
	ID       MemoryID `json:"id" format:"uuid"`
	Title    string   `json:"title"`
	Score    float64  `json:"score" doc:"How much of the text is the same, 0 to 1"`
	Relation Likeness `json:"relation" enum:"duplicate,near_duplicate,contradiction"`
}

// Likeness is what two memories seem to be to each other.
type Likeness string

// The kinds of likeness.
const (
	Duplicate     Likeness = "duplicate"      // the same text, but for case, spaces and punctuation
	NearDuplicate Likeness = "near_duplicate" // nearly the same words, and no number or negation differs
	Contradiction Likeness = "contradiction"  // nearly the same words, but a number, a date or a negation differs
)
