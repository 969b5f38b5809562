package loci

import "time"

// Field is a part of a memory that full-text search looks at.
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

// MaxTerms is the most terms that one search may have.
const MaxTerms = 32

// Term is one thing to look for: a word, or several that must follow each
// other in one field.
type Term struct {
	Words  []string // as Analyzer gives them: a Stem, or a Form for a prefix
	Prefix bool     // the last of Words is the beginning of a word
}

// Match is one visible memory that matches, with raw features. What they are
// worth is for package recall to say; no engine's own score is in here.
type Match struct {
	ID         MemoryID
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Pinned     bool
	Importance int
	// Freq holds how often each term occurs in each field: the count of term t
	// in field f is Freq[t*FieldCount+int(f)].
	Freq []uint16
	// Lengths holds the number of words in each field.
	Lengths [FieldCount]uint32
}

// In returns how often term t occurs in field f.
func (m *Match) In(t int, f Field) int { return int(m.Freq[t*FieldCount+int(f)]) }
