// Package recall contains the ranking: it reads a question, asks an index, explains its answer, cuts
// snippets and packs memories into a prompt. It receives only what the store has already found visible, and uses no
// database. One rule always holds: memories that are not candidates have no influence on the answer.
package recall

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// Formula is how much each signal counts. There is one formula for all questions and all memories.
// The weights were set by hand on conversations between people and between a person and an
// assistant; docs/recall.md shows what each of them is worth.
var Formula = index.Weights{
	Name: 3, Row: 0.9, Context: 0.9, Session: 0.5, Passage: 0.4, Question: 0.4,
	Actor: 0.4, Self: 0.1, When: 0.2, Date: 0.9, Graph: 0.4, Meaning: 0.3, Theme: 0.9, Unknown: 0.5,
	Rule: 0.4, Denies: 0.3,
	Stem: 0.9, Similar: 0.5,
}

// Without returns the formula without one signal. The names are those of Signals.
func Without(signal string) index.Weights {
	w := Formula
	*signals[signal](&w) = 0
	return w
}

// Signals returns the names of the signals of the formula, sorted.
func Signals() []string { return slices.Sorted(maps.Keys(signals)) }

var signals = map[string]func(*index.Weights) *float64{
	"name":     func(w *index.Weights) *float64 { return &w.Name },
	"row":      func(w *index.Weights) *float64 { return &w.Row },
	"context":  func(w *index.Weights) *float64 { return &w.Context },
	"session":  func(w *index.Weights) *float64 { return &w.Session },
	"passage":  func(w *index.Weights) *float64 { return &w.Passage },
	"question": func(w *index.Weights) *float64 { return &w.Question },
	"actor":    func(w *index.Weights) *float64 { return &w.Actor },
	"self":     func(w *index.Weights) *float64 { return &w.Self },
	"when":     func(w *index.Weights) *float64 { return &w.When },
	"date":     func(w *index.Weights) *float64 { return &w.Date },
	"graph":    func(w *index.Weights) *float64 { return &w.Graph },
	"rule":     func(w *index.Weights) *float64 { return &w.Rule },
	"denies":   func(w *index.Weights) *float64 { return &w.Denies },
	"meaning":  func(w *index.Weights) *float64 { return &w.Meaning },
	"theme":    func(w *index.Weights) *float64 { return &w.Theme },
	"unknown":  func(w *index.Weights) *float64 { return &w.Unknown },
	"stem":     func(w *index.Weights) *float64 { return &w.Stem },
	"similar":  func(w *index.Weights) *float64 { return &w.Similar },
}

// Ask is a question to an index.
type Ask struct {
	Text string
	At   time.Time // when it is asked; "last May" is relative to it
	Now  time.Time // what is valid now can be found; zero: At
	// Self are the names under which the person who asks appears as index.Row.Actor, in lower case.
	// "I" in the question means them.
	Self []string
	Sees func(index.Class) bool
	// Near are the neighbours of entities that the question names in the graphs of the person who asks.
	Near []Near
	// Meaning finds memories by what they mean, if there is a model of embeddings.
	Meaning index.Meaning
	// Only, Where and OwnWords are those of index.Query.
	Only     [][16]byte
	Where    *index.Expression
	OwnWords bool
	// MatchesOnly leaves out what fits only by words that say little: stop-words, fillers, single characters and words
	// that most rows have.
	MatchesOnly bool
	// Least is the confidence that a hit needs at least. nil: what LeaveOut says.
	Least *float64
	Limit int
	// Weights replace Formula, to measure what a signal is worth. Zero: Formula.
	Weights index.Weights
}

// Question is an Ask that was read. It is immutable.
type Question struct {
	ask    Ask
	tokens []language.Token
	langs  language.Languages
	quotes []quote
	fixed  []term // what it looks for, if that is not what its text says
	try    string // the fallback that looks for other words than those of the text
}

// Read reads a question: words, "quoted phrases" and prefix*. Any text is a question; one without a
// word finds nothing.
func (a Ask) Read() *Question {
	a.Text = cutQuestion(a.Text)
	var analyzer language.Analyzer
	tokens := analyzer.Tokens(a.Text, nil)
	tokens = tokens[:min(len(tokens), maxTokens)]
	if a.Weights == (index.Weights{}) {
		a.Weights = Formula
	}
	if a.Now.IsZero() {
		a.Now = a.At
	}
	q := &Question{ask: a, tokens: tokens, langs: language.DetectTokens(a.Text, tokens), quotes: quotes(a.Text)}
	for _, t := range tokens {
		if i := q.quoteAt(t.Start); i >= 0 && t.End <= q.quotes[i].end {
			q.quotes[i].tokens = append(q.quotes[i].tokens, t)
		}
	}
	return q
}

// Find returns the rows that answer the question best, as index.Search orders them.
func (q *Question) Find(views []*index.View) *Answer {
	query, terms := q.query(func(name string) bool { return index.Knows(views, q.ask.Sees, q.ask.Now, name) })
	leads, paths := q.leads(views)
	query.Leads = leads
	result := index.Search(views, &query)
	if q.ask.MatchesOnly {
		result.Hits = slices.DeleteFunc(result.Hits, func(h index.Hit) bool {
			return h.Terms&^(result.Common|result.Similar) == 0
		})
		result.Total, result.Exact = len(result.Hits), true
	}
	result.Hits = matchesFirst(views, &query, result.Hits)
	return &Answer{Result: result, question: q, terms: terms.list, formal: terms.formal, names: terms.names,
		rowNames: query.Names, paths: paths}
}

// AsksOrder reports whether a question asks what happened one after the other, so that its hits belong in that order.
func AsksOrder(text string) bool { return language.AsksOrder(Ask{Text: text}.Read().tokens) }

// Tells reports whether a text has a word that MatchesOnly looks for.
func Tells(text string) bool {
	q := Ask{Text: text, MatchesOnly: true}.Read()
	return len(q.terms(mentions{at: make([]bool, len(q.tokens))}).list) > 0
}

// Seeing returns the question for the classes that sees admits.
func (q *Question) Seeing(sees func(index.Class) bool) *Question {
	out := *q
	out.ask.Sees = sees
	return &out
}

// Best returns the question with another limit.
func (q *Question) Best(limit int) *Question {
	out := *q
	out.ask.Limit = limit
	return &out
}

// query returns what the question asks an index. known reports whether somebody of that name said
// something that the asker may see.
func (q *Question) query(known func(string) bool) (index.Query, terms) {
	a := &q.ask
	out := index.Query{Sees: a.Sees, Now: a.Now, Only: a.Only, Where: a.Where, OwnWords: a.OwnWords, Limit: a.Limit,
		Weights: a.Weights, When: language.AsksWhen(q.tokens), Periods: periods(a.Text, q.tokens, a.At), Meaning: a.Meaning}
	if a.Least == nil {
		out.Meaning.Within = within
	}
	named := actors(q.tokens, known)
	if out.Actors = named.names; slices.ContainsFunc(q.tokens, ofAsker) {
		for _, self := range a.Self {
			if known(self) {
				out.Actors = append(out.Actors, self)
			}
		}
	}
	out.Rules, out.WhatIs = language.AsksHelp(q.tokens), language.AsksWhatIs(a.Text, q.tokens)
	terms := q.terms(named)
	for _, t := range terms.list {
		out.Terms = append(out.Terms, t.Term)
	}
	out.Names = q.names(terms.list)
	return out, terms
}

func ofAsker(t language.Token) bool { return language.FirstPerson(t.Form) }

// These are how much of a question is read, in bytes and in tokens. Both have many more words than loci.MaxTerms, so
// the rest of a longer text takes much time and adds little.
const (
	maxQuestion = 4 << 10
	maxTokens   = 512
)

func cutQuestion(text string) string {
	if len(text) <= maxQuestion {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuestion], "")
}

// mentions are the people whom a question names, and which tokens name them.
type mentions struct {
	names []string
	at    []bool
}

// maxName is how many words a name has at most.
const maxName = 3

// actors finds the people whom a question names: in the nominative, or with an s behind.
func actors(tokens []language.Token, known func(string) bool) mentions {
	m := mentions{at: make([]bool, len(tokens))}
	for i := 0; i < len(tokens); i++ {
		for n := min(maxName, len(tokens)-i); n > 0; n-- {
			name := joined(tokens[i : i+n])
			if !known(name) {
				if name = strings.TrimSuffix(name, "s"); !known(name) {
					continue
				}
			}
			m.add(name)
			for j := i; j < i+n; j++ {
				m.at[j] = true
			}
			i += n - 1
			break
		}
	}
	return m
}

func (m *mentions) add(name string) {
	if !slices.Contains(m.names, name) {
		m.names = append(m.names, name)
	}
}

func joined(tokens []language.Token) string {
	if len(tokens) == 1 {
		return tokens[0].Form
	}
	parts := make([]string, len(tokens))
	for i, t := range tokens {
		parts[i] = t.Form
	}
	return strings.Join(parts, " ")
}

// All returns the expression that holds for texts with all words and phrases of the question, stop-words included, or
// nil if it has none. It reads the first loci.MaxTerms of them; more reports whether there are others.
func (q *Question) All() (e *index.Expression, more bool) {
	r := termReader{q: q, seen: map[string]bool{}, quoted: make([]bool, len(q.quotes))}
	for _, t := range language.Finest(q.tokens) {
		if at := q.quoteAt(t.Start); at >= 0 {
			r.quote(at)
		} else if !r.seen[t.Form] {
			r.seen[t.Form] = true
			r.telling = append(r.telling, r.term(t))
		}
	}
	return join(index.And, r.telling[:min(len(r.telling), loci.MaxTerms)]), len(r.telling) > loci.MaxTerms
}

// Phrase returns the expression that holds for texts in which the words of a text follow one another, or nil if it has
// none. Their languages are those of the question. If prefix is set, the last word may go on.
func (q *Question) Phrase(text string, prefix bool) *index.Expression {
	var analyzer language.Analyzer
	tokens := language.Finest(analyzer.Tokens(cutQuestion(text), nil))
	part := Question{ask: Ask{Text: text}, langs: q.langs,
		quotes: []quote{{end: len(text), prefix: prefix, tokens: tokens}}}
	r := termReader{q: &part, seen: map[string]bool{}, quoted: make([]bool, 1)}
	r.quote(0)
	return join(index.And, r.telling)
}

func join(op index.Op, list []term) *index.Expression {
	e := &index.Expression{Op: op}
	for _, t := range list {
		e.Parts = append(e.Parts, &index.Expression{Term: t.Term})
	}
	switch len(e.Parts) {
	case 0:
		return nil
	case 1:
		return e.Parts[0]
	}
	return e
}

// MinPrefix is how long a prefix must be, in bytes: three letters of ASCII, or one ideograph. MaxPrefixes is how many
// prefixes a query may have. Each one has to look up all words that begin with it.
const (
	MinPrefix   = 3
	MaxPrefixes = 6
)

// prefixable returns which of n words can be prefixes, in order: the longest MaxPrefixes of those
// that have MinPrefix bytes.
func prefixable(n int, word func(int) string) (kept []int) {
	for i := range n {
		if len(word(i)) >= MinPrefix {
			kept = append(kept, i)
		}
	}
	slices.SortStableFunc(kept, func(i, j int) int { return cmp.Compare(len(word(j)), len(word(i))) })
	kept = kept[:min(len(kept), MaxPrefixes)]
	slices.Sort(kept)
	return kept
}

// nextChunk splits off a quoted phrase or the text up to the next space.
func nextChunk(s string) (chunk, rest string, quoted bool) {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	r, size := utf8.DecodeRuneInString(s)
	if r == '"' || r == '“' || r == '”' {
		body := s[size:]
		if end := strings.IndexAny(body, `"“”`); end >= 0 {
			_, n := utf8.DecodeRuneInString(body[end:])
			return body[:end], body[end+n:], true
		}
		s = body
	}
	end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '“' })
	if end < 0 {
		return s, "", false
	}
	return s[:end], s[end:], false
}

// maxPhrase is how many words of a phrase are kept.
const maxPhrase = 16

// stopWords are English words that occur in most texts and most questions.
var stopWords = set(`a about am an and any are as at be been being but by can could d did do does doing done for from
	get got had has have having he her hers him his how i if in into is it its just ll m may me might mine my of on or our
	ours re s shall she should so some t than that the their theirs them then there these they this those to us ve was
	we were what when where which who whom whose why will with would you your yours please tell`)

var set = language.Set
