package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// A memory is named by its whole key or title in a question: "what is in deploy/prod-db?".

// These limit the parts of a question that are looked up as names: those of a few words that begin near the
// beginning, quotes, and the question as a whole.
const (
	maxNameStarts = 32
	maxNameWords  = 8
)

// names returns the parts of the question that can be the name of a memory. A part without a term names nothing.
func (q *Question) names(list []term) (names []index.Name) {
	if q.try != "" || len(list) == 0 {
		return nil
	}
	fine, places := language.Finest(q.tokens), q.places(list)
	add := func(part []language.Token) {
		if q.inIdentifier(part) {
			return
		}
		n := index.Name{Words: index.NameOf(part), Terms: termsIn(part, places)}
		if n.Words != "" && n.Terms != 0 {
			n.Sure = q.surelyName(part)
			names = append(names, n)
		}
	}
	for i := range fine[:min(len(fine), maxNameStarts)] {
		for n := 1; n <= maxNameWords && i+n <= len(fine); n++ {
			add(fine[i : i+n])
		}
	}
	if len(fine) > maxNameWords {
		add(fine)
	}
	for _, at := range q.quotes {
		if part := at.finest(); len(part) > maxNameWords {
			add(part)
		}
	}
	return names
}

// inIdentifier reports whether a part begins or ends within an identifier, as URL does in DATABASE_URL. A memory of
// that name is not what the question asks for.
func (q *Question) inIdentifier(part []language.Token) bool {
	start, end := part[0].Start, part[len(part)-1].End
	return slices.ContainsFunc(q.tokens, func(t language.Token) bool {
		return (t.Start < start && start < t.End || t.Start < end && end < t.End) && isIdentifier(q.ask.Text[t.Start:t.End])
	})
}

// isIdentifier reports whether a token of several words is one name: it is neither a date with spaces, nor a word
// with an apostrophe, nor a part of a text without spaces.
func isIdentifier(text string) bool {
	other := func(r rune) bool { return r >= utf8.RuneSelf }
	return !strings.ContainsAny(text, " '’") &&
		(strings.ContainsFunc(text, separates) || !strings.ContainsFunc(text, other))
}

// surelyName reports whether a part of the question is a whole quote, or is written as an identifier such as
// deploy/prod-db.
func (q *Question) surelyName(part []language.Token) bool {
	start, end := part[0].Start, part[len(part)-1].End
	if i := q.quoteAt(start); i >= 0 && !q.quotes[i].prefix && end <= q.quotes[i].end &&
		!strings.ContainsFunc(q.ask.Text[q.quotes[i].start:start]+q.ask.Text[end:q.quotes[i].end], inWord) {
		return true
	}
	return len(part) > 1 && strings.ContainsFunc(q.ask.Text[start:end], separates) &&
		!strings.ContainsFunc(q.ask.Text[start:end], unicode.IsSpace)
}

func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

func separates(r rune) bool { return !inWord(r) }

type termPlace struct {
	start, end int
	terms      uint32
}

// places returns where the terms are in the question, in order.
func (q *Question) places(list []term) (places []termPlace) {
	of := make(map[string]uint32, len(list))
	for t := range list {
		if len(list[t].words) > 0 {
			places = append(places, termPlace{list[t].start, list[t].end, 1 << t})
		} else {
			of[list[t].Form] |= 1 << t
		}
	}
	for _, token := range q.tokens {
		if terms := of[token.Form]; terms != 0 {
			places = append(places, termPlace{token.Start, token.End, terms})
		}
	}
	slices.SortStableFunc(places, func(x, y termPlace) int { return cmp.Compare(x.start, y.start) })
	return places
}

func termsIn(part []language.Token, places []termPlace) (terms uint32) {
	start, end := part[0].Start, part[len(part)-1].End
	first, _ := slices.BinarySearchFunc(places, start, func(m termPlace, at int) int { return cmp.Compare(m.start, at) })
	for _, m := range places[first:] {
		if m.start >= end {
			break
		}
		if m.end <= end {
			terms |= m.terms
		}
	}
	return terms
}

// namedBy returns which fields of a memory the question names it by.
func namedBy(m *loci.Memory, names []index.Name) (fields []string) {
	var a language.Analyzer
	for _, f := range [...]loci.Field{loci.FieldKey, loci.FieldTitle} {
		text := fieldTexts(m)[f]
		if text == "" || f == loci.FieldTitle && beginning(m.Title, m.Content) {
			continue
		}
		name := index.NameOf(a.Tokens(text, nil))
		if slices.ContainsFunc(names, func(n index.Name) bool { return n.Words == name }) {
			fields = append(fields, fieldNames[f])
		}
	}
	return fields
}

// EventRow returns what an index reads of an event, but for its Session.
func EventRow(e *loci.Event) index.Row {
	access, texts := e.Access(), fieldTexts(EventText(e))
	return index.Row{ID: e.ID, Class: ClassOf(&access), Of: e.SessionID, Time: e.Time,
		Actor: cmp.Or(strings.ToLower(e.Actor), actorOf(e.Content)), Fields: indexFields(&texts),
		Priority: uint8(min(max(e.Importance, 0), loci.MaxImportance)), Updated: e.Time}
}

// EventText returns the texts of an event as those of a memory: the reason of a decision and what was not chosen are
// its summary, and the type of an event is its category. So everything that reads the texts of a memory reads those of
// an event.
func EventText(e *loci.Event) *loci.Memory {
	m := &loci.Memory{Content: e.Content, Tags: e.Tags, Category: e.Type,
		Summary: strings.TrimSpace(e.Detail(loci.ReasonField) + "\n" + e.Detail(loci.AlternativesField))}
	if e.Type == loci.DefaultEventType {
		m.Category = ""
	}
	return m
}

// leastShape is how many words without digits make events comparable by their shapes.
const leastShape = 3

// EventShape returns what is the same in events that say the same but for numbers, ids, case and white space. A
// decision, or an event of few words, has its own: its numbers may be all that it says.
func EventShape(e *loci.Event) string {
	words := strings.Fields(strings.ToLower(e.Content))
	said := len(words)
	for i, w := range words {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			words[i], said = "0", said-1
		}
	}
	if e.Class == loci.EventDecision || said < leastShape {
		return e.ID.String()
	}
	return strings.ToLower(e.Actor) + "\n" + e.Type + "\n" + strings.Join(words, " ")
}
