package index

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/loci-memory/loci/internal/language"
)

// Query asks for rows. The zero value of each field but Sees and Now asks for nothing.
type Query struct {
	Terms []Term           // at most 32
	Sees  func(Class) bool // required
	Now   time.Time        // required
	// Actors are people whom the question names or who ask it, as in Row.Actor.
	Actors []string
	// When asks for rows that tell when something happens.
	When bool
	// Rules asks for standing rules and preferences of Actors, and of rows without an actor.
	Rules bool
	// WhatIs asks for what is so. Rows that deny something get less.
	WhatIs bool
	// Periods are the times that the question names.
	Periods []Period
	// Leads are rows to which something beside their words leads.
	Leads []Lead
	// Names are the parts of the question that can be the name of a row.
	Names []Name
	// Meaning finds rows by what they mean.
	Meaning Meaning
	// OwnWords leaves out rows that match only by their session, neither by a word nor by what they mean.
	OwnWords bool
	// Only limits the hits to rows with these ids. nil: all rows; empty: none. Other rows that Sees
	// admits still count for statistics, contexts and sessions.
	Only [][16]byte
	// Where limits the hits as Only does, to the rows for which it holds. nil: it holds for all.
	Where   *Expression
	Limit   int // at least 1
	Weights Weights
}

// Term is a word to look for. Forms with one of its stems match as well. Fuzzy also finds similar
// forms if no visible row has the word or a form with its stem. Only the first 16 such terms find them.
type Term struct {
	Form  string
	Stems []string
	Fuzzy bool
	// Prefix finds forms that begin with Form, and Part forms that contain it. Both leave out stems,
	// and find the first 1000 of the forms that visible rows have, in the order of the alphabet.
	Prefix, Part bool
	// Phrase finds rows in which these words follow one another in one field. Of its words, Form and
	// Stems count, and Prefix of the last one. The other fields of the term do not.
	Phrase []Term
	// First leaves out the rows with Keys that have the term only behind their first field. It counts in Matching, for
	// all terms or those of an And.
	First bool
}

// expands reports whether a term stands for many forms, which all count the same.
func (t *Term) expands() bool { return len(t.Phrase) == 0 && (t.Prefix || t.Part) }

// Period is a range of times in microseconds since 1970, both included. Value is what a row of that time gets, up to
// 1. Of several periods, the best one counts.
type Period struct {
	First, Last int64
	Value       float64
}

// Weights say how much each signal counts in the sum that orders hits. Each signal is in [0, 1].
type Weights struct {
	Graph    float64 // Query.Leads
	Meaning  float64 // how similar the row is to Query.Meaning
	Theme    float64 // how similar the rows of its session are on average
	Name     float64 // one of Query.Names is a name of the row: how much its terms count, or 1 if it is sure
	Row      float64 // BM25 of the row itself
	Context  float64 // BM25 of the row with its neighbours
	Session  float64 // BM25 of all rows of its session
	Passage  float64 // BM25 of the best passage of the row
	Question float64 // BM25 of the row before it, if that one asks something
	Actor    float64 // a person in Query.Actors said it
	Self     float64 // such a person said it and speaks of themselves
	When     float64 // Query.When, and it tells when
	Rule     float64 // Query.Rules, and it states one
	Denies   float64 // the part of the score that a row loses that denies something, if Query.WhatIs
	Date     float64 // it happened in one of Query.Periods
	// Unknown is how much more Meaning and Theme count if no row has a word of the question, or else its share of that.
	Unknown float64
	Stem    float64 // how much a form with the same stem counts, beside 1 for the form itself
	Similar float64 // how much a similar form counts, times its similarity
}

// Signals are the figures of one hit. Each is in [0, 1].
type Signals struct {
	Graph, Meaning, Theme, Name, Row, Context, Session, Passage, Question, Actor, Self, When, Date, Rule, Denies float64
}

// score adds the signals up, always in the same order, and takes away what a denial costs.
func (w *Weights) score(s *Signals) float64 {
	sum := w.Graph*s.Graph + w.Meaning*s.Meaning + w.Theme*s.Theme + w.Name*s.Name + w.Row*s.Row +
		w.Context*s.Context + w.Session*s.Session +
		w.Passage*s.Passage + w.Question*s.Question + w.Actor*s.Actor + w.Self*s.Self + w.When*s.When + w.Date*s.Date +
		w.Rule*s.Rule
	return sum * (1 - w.Denies*s.Denies)
}

// MaxTotal is how many rows a search counts at least, if there are so many.
const MaxTotal = 1000

// Result is what a search found. Weights, Forms and Similar are about the terms of the query.
type Result struct {
	Hits []Hit // the best rows, best first
	// Total is how many rows have a term of their own, or len(Hits) if that is more. If Exact is
	// false, there may be more of them.
	Total   int
	Exact   bool
	Weights []float64 // how much each term counts; they add up to 1
	// Forms are those that stood in for each term and that a possible hit has, the best first: forms
	// with the same stem, similar ones, or those with its prefix or part. At most 64 each.
	Forms   [][]string
	Similar uint32  // bit t: term t was found only by similar forms
	Common  uint32  // bit t: most visible rows have term t
	By      Weights // those of the query, with what Unknown adds
	// Compared is which part of the visible rows has a vector, from 0 to 1.
	Compared float64
}

// Hit is a row that was found.
type Hit struct {
	ID       [16]byte
	Terms    uint32 // bit t: the row itself has term t
	Score    float64
	Signals  Signals
	Compared bool // with Query.Meaning: the row has a vector
	// Priority and Updated order hits of equal score.
	Priority uint8
	Updated  int64 // microseconds since 1970
	Mark     Mark  // of the row
}

// weighted is a form and how much it counts for a term, in rows of some languages. 0: in all rows.
type weighted struct {
	form   uint32
	weight float32
	langs  language.Languages
}

// match returns the forms of a segment that match a term: the word itself and forms with the same stem.
func (s *Segment) match(t *Term, stem float64) (found []weighted) {
	if n, ok := s.forms.find(t.Form); ok {
		found = append(found, weighted{n, 1, 0})
	}
	s.sameStem(t.Form, stem, &found)
	for _, key := range t.Stems {
		if n, ok := s.forms.find(key); ok {
			addForm(&found, weighted{n, float32(stem), 0})
		}
		s.sameStem(key, stem, &found)
	}
	return found
}

// These limit the forms that a word can be similar to.
const (
	minSimilarity = 0.5
	maxSimilar    = 16
	// maxUnknown is how many words of a query can be similar to forms. To find those takes longer than to find a word.
	maxUnknown = 16
	// sharedGrams is the share of a word's n-grams that a similar form has at least.
	sharedGrams = 0.4
	// swapped is how similar a form is in which two neighbouring letters are swapped. It shares few n-grams.
	swapped = 0.9
)

// similar returns the forms similar to a term, the most similar first, each with its similarity times weight.
func (s *Segment) similar(t *Term, weight float64) (found []weighted) {
	grams := language.Grams(t.Form, nil)
	shared := sharings.Get().(*sharing)
	defer sharings.Put(shared)
	shared.reset(s.forms.count)
	for _, g := range grams {
		if n, ok := s.grams.find(g); ok {
			shared.addAll(s.parts[secGramForms], s.grams.count, n)
		}
	}
	for spelling := range language.Swaps(t.Form) {
		if n, ok := s.forms.find(spelling); ok {
			found = append(found, weighted{n, float32(swapped * weight), 0})
			shared.counts[n] = 0
		}
	}
	for _, form := range shared.forms {
		n := shared.counts[form]
		if n == 0 || float64(n) < sharedGrams*float64(len(grams)) {
			continue
		}
		if alike := language.Similarity(t.Form, s.forms.at(form)); alike >= minSimilarity {
			found = append(found, weighted{form, float32(alike * weight), 0})
		}
	}
	return bestFirst(found)
}

// sharing counts the n-grams that forms share with a word. Its counts are zero for all other forms.
type sharing struct {
	counts []uint16
	forms  []uint32
}

var sharings = sync.Pool{New: func() any { return new(sharing) }}

func (s *sharing) reset(forms uint32) {
	for _, form := range s.forms {
		s.counts[form] = 0
	}
	if s.forms = s.forms[:0]; uint32(len(s.counts)) < forms {
		s.counts = make([]uint16, forms)
	}
}

// addAll adds the forms of a list, as readList reads it. A call for each form takes longer.
func (s *sharing) addAll(data []byte, count, i uint32) {
	rest := data[4*count+u32(data, i):]
	n, size := binary.Uvarint(rest)
	rest = rest[size:]
	form, at := uint32(0), 0
	for range n {
		delta := uint32(rest[at])
		at++
		if delta >= 0x80 {
			n, size := binary.Uvarint(rest[at-1:])
			delta, at = uint32(n), at-1+size
		}
		form += delta
		if s.counts[form] == 0 {
			s.forms = append(s.forms, form)
		}
		s.counts[form]++
	}
}

// bestFirst sorts forms. Equal ones are ordered by their number, so that the order is stable.
func bestFirst(forms []weighted) []weighted {
	slices.SortFunc(forms, func(x, y weighted) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.form, y.form))
	})
	return forms
}
