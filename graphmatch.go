package loci

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Occurrences counts how often the words of a query occur in one text.
type Occurrences struct {
	Times int
	Bytes int // length of the text
}

// GraphMatch is one visible entity that matches a query, with raw features. Package recall ranks them.
type GraphMatch struct {
	ID           EntityID
	Named        bool // the query is the entity's name
	Name, Type   Occurrences
	Observations []Occurrences // only of observations that have one of the words
}

// GraphReader decides which entities match a query by reading all of their texts. It is not safe for concurrent use.
type GraphReader struct {
	query  *GraphQuery
	name   string // the name, if the query is a name
	leaves []graphLeaf
	at     map[*GraphQuery]int
	words  []string
}

// graphLeaf is one GraphWords part of a query.
type graphLeaf struct {
	words   []string
	prefix  bool
	negated bool // to the right of a NOT: it doesn't improve the rank
}

// Reader returns a GraphReader for the query.
func (q *GraphQuery) Reader() *GraphReader {
	r := &GraphReader{query: q, name: q.names(), at: map[*GraphQuery]int{}}
	r.add(q, false)
	return r
}

// names returns the entity name that the query consists of.
func (q *GraphQuery) names() string {
	if q.Op == GraphWords {
		return q.Text
	}
	words := make([]string, len(q.Parts))
	for i, p := range q.Parts {
		words[i] = p.names()
	}
	return strings.Join(words, " ")
}

func (r *GraphReader) add(q *GraphQuery, negated bool) {
	if q.Op == GraphWords {
		r.at[q] = len(r.leaves)
		r.leaves = append(r.leaves, graphLeaf{words: AppendGraphWords(nil, q.Text), prefix: q.Prefix, negated: negated})
	}
	for i, part := range q.Parts {
		r.add(part, negated || q.Op == GraphNot && i > 0)
	}
}

// Named reports whether the query is this name, ignoring case.
func (r *GraphReader) Named(name string) bool { return strings.EqualFold(name, r.name) }

// Spellings returns the ways to write the name in the query: unchanged, in lower case, in upper
// case, with a capital at the beginning, and with a capital at the beginning of each word.
func (r *GraphReader) Spellings() []string {
	lower := strings.ToLower(r.name)
	first, words, begins := []rune(lower), []rune(lower), true
	for i, c := range words {
		if begins {
			words[i] = unicode.ToUpper(c)
		}
		begins = c == ' '
	}
	if len(first) > 0 {
		first[0] = unicode.ToUpper(first[0])
	}
	list := []string{r.name, lower, strings.ToUpper(r.name), string(first), string(words)}
	slices.Sort(list)
	return slices.Compact(list)
}

// GraphReading is the state of a GraphReader while it reads one entity.
type GraphReading struct {
	GraphMatch
	reader *GraphReader
	has    []bool // for each leaf
}

// Read starts reading an entity.
func (r *GraphReader) Read(id EntityID, name, kind string) *GraphReading {
	e := &GraphReading{GraphMatch: GraphMatch{ID: id, Named: r.Named(name)}, reader: r, has: make([]bool, len(r.leaves))}
	e.Name, e.Type = e.occurrences(name), e.occurrences(kind)
	return e
}

// Observe reads one of the entity's observations.
func (e *GraphReading) Observe(text string) {
	if o := e.occurrences(text); o.Times > 0 {
		e.Observations = append(e.Observations, o)
	}
}

// Matches reports whether the entity matches. Call it after Observe was called for all observations.
func (e *GraphReading) Matches() bool { return e.matches(e.reader.query) }

// occurrences counts the words of the query in a text and records which leaves occur.
func (e *GraphReading) occurrences(text string) Occurrences {
	r, n := e.reader, 0
	r.words = AppendGraphWords(r.words[:0], text)
	for i := range r.leaves {
		if k := r.leaves[i].times(r.words); k > 0 {
			e.has[i] = true
			if !r.leaves[i].negated {
				n += k
			}
		}
	}
	return Occurrences{Times: n, Bytes: len(text)}
}

func (e *GraphReading) matches(q *GraphQuery) bool {
	switch q.Op {
	case GraphWords:
		return e.has[e.reader.at[q]]
	case GraphOr:
		return slices.ContainsFunc(q.Parts, e.matches)
	case GraphNot:
		return e.matches(q.Parts[0]) && !slices.ContainsFunc(q.Parts[1:], e.matches)
	}
	return !slices.ContainsFunc(q.Parts, func(part *GraphQuery) bool { return !e.matches(part) })
}

func (l *graphLeaf) times(words []string) (n int) {
	last := len(l.words) - 1
	for i := 0; i+last < len(words) && last >= 0; i++ {
		if end := words[i+last]; end != l.words[last] && !(l.prefix && strings.HasPrefix(end, l.words[last])) {
			continue
		}
		if slices.Equal(words[i:i+last], l.words[:last]) {
			n++
		}
	}
	return n
}

// AppendGraphWords appends the words of a text as graph search sees them: those of FTS5's tokenizer unicode61. That
// tokenizer knows only Unicode 6.1. A test of the SQLite engine shows that both agree on the scripts of that version.
func AppendGraphWords(words []string, text string) []string {
	start, plain := -1, true
	end := func(i int) {
		if start >= 0 {
			words = append(words, foldGraphWord(text[start:i], plain))
		}
		start, plain = -1, true
	}
	for i, r := range text {
		switch {
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
		case r >= 'A' && r <= 'Z':
			plain = false
		case r >= 0x80 && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)),
			start >= 0 && combining(r):
			plain = false
		default:
			end(i)
			continue
		}
		if start < 0 {
			start = i
		}
	}
	end(len(text))
	return words
}

// combining reports whether FTS5 removes the mark from a letter.
func combining(r rune) bool { return r >= 0x300 && r <= 0x331 }

func foldGraphWord(word string, plain bool) string {
	if plain {
		return word
	}
	var b strings.Builder
	for _, r := range word {
		if !combining(r) {
			b.WriteRune(foldGraphRune(r))
		}
	}
	return b.String()
}

// foldGraphRune returns r in lower case, and without its diacritic if it is a Latin letter with one.
func foldGraphRune(r rune) rune {
	if r != 'ı' {
		r = unicode.ToLower(unicode.ToUpper(r)) // ς is σ
	}
	if r < 0x80 || !unicode.Is(unicode.Latin, r) {
		return r
	}
	parts := []rune(norm.NFD.String(string(r)))
	if len(parts) == 2 && parts[0] < 0x80 {
		return parts[0]
	}
	return r
}
