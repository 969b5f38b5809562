package recall

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

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
