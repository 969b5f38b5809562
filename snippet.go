package loci

import "strings"

// Snippet is a passage of a text in which a search marks the words that it found. The marks are
// control characters, so that no other character of the text can be taken for one. Use Pieces to
// show them. As a string and in JSON, each word is between two asterisks, which models understand.
type Snippet string

// Piece is a part of a snippet.
type Piece struct {
	Text   string
	Marked bool
}

// These are the marks around a word: start and end of text.
const (
	markStart = '\x02'
	markEnd   = '\x03'
	marks     = "\x02\x03"
)

// shownMark is on both sides of a marked word in the string of a snippet.
const shownMark = "**"

// SnippetOf returns a passage that consists of these pieces. It marks each word of a marked piece by
// itself. Runs of white space become one space.
func SnippetOf(pieces []Piece) Snippet {
	var out strings.Builder
	for _, p := range pieces {
		text := strings.Map(unmarked, p.Text)
		if !p.Marked {
			out.WriteString(text)
			continue
		}
		for i, word := range strings.Fields(text) {
			if i > 0 {
				out.WriteByte(' ')
			}
			out.WriteRune(markStart)
			out.WriteString(word)
			out.WriteRune(markEnd)
		}
	}
	return Snippet(strings.Join(strings.Fields(out.String()), " "))
}

// unmarked drops the marks that a text has of its own.
func unmarked(r rune) rune {
	if r == markStart || r == markEnd {
		return -1
	}
	return r
}

// Pieces returns the parts of s in their order. None is empty.
func (s Snippet) Pieces() (pieces []Piece) {
	marked := false
	for rest := string(s); rest != ""; {
		i := strings.IndexAny(rest, marks)
		text := rest
		if i >= 0 {
			text = rest[:i]
		}
		if text != "" {
			pieces = append(pieces, Piece{text, marked})
		}
		if i < 0 {
			break
		}
		marked, rest = rest[i] == markStart, rest[i+1:]
	}
	return pieces
}

// Plain returns the text without marks.
func (s Snippet) Plain() string { return strings.Map(unmarked, string(s)) }

// String returns the text with two asterisks on both sides of each marked word.
func (s Snippet) String() string {
	return strings.NewReplacer(string(markStart), shownMark, string(markEnd), shownMark).Replace(string(s))
}

// MarshalText returns what String returns.
func (s Snippet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Field is a part of a memory that full-text search covers.
type Field int

// The fields.
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
