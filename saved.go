package loci

// Saved is the result of a save: the memory as it is stored now, and what else happened.
// Suggestions and Similar contain nothing that the writer may not see.
type Saved struct {
	Memory
	// ReplacedVersion is 0 if the save created a new memory.
	ReplacedVersion int          `json:"replaced_version,omitempty" doc:"The version with the same key that this save replaced; absent for a new memory"`
	Unchanged       bool         `json:"unchanged,omitempty" doc:"True if the memory with that key already had these values; Loci made no new version"`
	Superseded      []MemoryID   `json:"superseded,omitempty" doc:"Your memories that this one replaces; recall no longer shows them"`
	Suggestions     []Suggestion `json:"suggestions,omitempty" doc:"Replacements of memories that someone else wrote. Their owner decides"`
	Sources         []Source     `json:"sources,omitempty" doc:"Sources sent with the save"`
	// SimilarSkipped distinguishes "did not look at everything" from "found none".
	SimilarSkipped bool      `json:"similar_skipped,omitempty" doc:"True if Loci did not look at all memories that could be similar: the request turned it off, or it took too long"`
	Similar        []Similar `json:"similar,omitempty" doc:"Memories with nearly the same or the opposite content, best match first. Loci did not change them"`
}

// Created reports whether the save made a new memory.
func (s *Saved) Created() bool { return s.ReplacedVersion == 0 && !s.Unchanged }

// MaxSimilar is the maximum number of similar memories that a save returns.
const MaxSimilar = 5

// Similar is a memory with nearly the same content as another.
type Similar struct {
	ID       MemoryID `json:"id" format:"uuid"`
	Title    string   `json:"title"`
	Score    float64  `json:"score" doc:"Share of the text that is the same, 0 to 1"`
	Relation Likeness `json:"relation" enum:"duplicate,near_duplicate,contradiction"`
}

// Likeness is how two memories seem to relate to each other.
type Likeness string

// The kinds of likeness.
const (
	Duplicate     Likeness = "duplicate"      // the same text, ignoring case, spaces and punctuation
	NearDuplicate Likeness = "near_duplicate" // nearly the same words, and all numbers and negations are equal
	Contradiction Likeness = "contradiction"  // nearly the same words, but a number, date or negation differs
)
