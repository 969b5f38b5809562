// Package index finds rows by their text. It keeps postings in immutable segments that it derives from rows, so a
// segment may be deleted and built again at any time. It knows no database and no file format of one.
//
// One invariant: a search reads the postings of the visibility classes that its reader sees, and
// nothing else. Document frequencies, lengths and scores come from those rows alone. So a row that
// the reader may not see does not change the answer. It changes the time only where a search looks
// through the vocabulary of a segment: for similar words, prefixes and parts of words.
package index

import "time"

// Class names a visibility class: everything that the visibility rule reads of a row, encoded by
// the caller. Rows of one class are visible to the same readers.
type Class string

// Row is what the index reads of a row.
type Row struct {
	ID    [16]byte
	Class Class
	// Session groups rows that belong to one conversation, or to a block of a long one. Rows of a session
	// are each other's context, in the order of Time and then of ID. "": the row stands alone.
	Session string
	// Of is the conversation of which Session is a block, for View.Blocks only. Zero: it has none.
	Of     [16]byte
	Time   time.Time // when it happened
	Actor  string    // who said it; "" if nobody is known
	Fields []Field
	// Priority orders rows of equal score, highest first. Updated comes next, newest first.
	Priority uint8
	Updated  time.Time
	// From and Until limit when the row is found: at From and before Until. Zero: no limit. A row
	// with a limit stands alone, because its neighbours would change when it starts or ends.
	From, Until time.Time
	// Keys are the forms of Key by which an Expression finds the row.
	Keys []string
	// Signs is one more text of the row, for Containing only.
	Signs string
	// Mark is what the caller keeps of the row, for Having.
	Mark Mark
}

// Mark is some bytes of a row that only the caller understands.
type Mark [44]byte

// Admits reports whether the row is found at a time, as From and Until say.
func (r *Row) Admits(now time.Time) bool {
	return limit{from: micros(r.From), until: micros(r.Until)}.admits(micros(now))
}

// Field is a text of a row. Weight is how often each of its words counts; 0 is 1. Weights are kept
// in steps of one half. Name says that the text as a whole is a name of the row.
type Field struct {
	Text   string
	Weight float64
	Name   bool
}

// fieldGap is how many positions lie between two fields, so that no phrase spans both.
const fieldGap = 16
