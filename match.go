package loci

import "time"

// Field is a part of a memory that full-text search covers.
type Field int

// The fields, in the order in which Match.Freq lists them.
const (
	FieldTitle Field = iota
	FieldContent
	FieldSummary
	FieldKey
	FieldCategory
	FieldTags
	FieldCount int = iota
)

// MaxTerms is the maximum number of terms in one search.
const MaxTerms = 32

// Term is one thing to search for: a word, or several words that must follow each other in one
// field.
type Term struct {
	Words  []string // as Analyzer returns them: a Stem, or a Form for a prefix
	Prefix bool     // the last of Words is a prefix
}

// Match is one visible memory that matches, with raw features. Package recall weights them, so an
// engine's own score is not included.
type Match struct {
	ID         MemoryID
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Pinned     bool
	Importance int
	Superseded bool
	// Freq counts each term in each field. The count of term t in field f is
	// Freq[t*FieldCount+int(f)].
	Freq []uint16
	// Lengths is the number of words in each field.
	Lengths [FieldCount]uint32
}

// In returns the number of times that term t occurs in field f.
func (m *Match) In(t int, f Field) int { return int(m.Freq[t*FieldCount+int(f)]) }
