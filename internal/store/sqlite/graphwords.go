package sqlite

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/loci-memory/loci"
)

// leaf is one GraphWords of a query.
type leaf struct {
	words   []string
	prefix  bool
	negated bool // right of a NOT: it makes nothing better
}

// compiledWords are the leaves of a query.
type compiledWords struct {
	leaves []leaf
	at     map[*loci.GraphQuery]int
}

func compileWords(q *loci.GraphQuery) *compiledWords {
	c := &compiledWords{at: map[*loci.GraphQuery]int{}}
	c.add(q, false)
	return c
}

func (c *compiledWords) add(q *loci.GraphQuery, negated bool) {
	if q.Op == loci.GraphWords {
		c.at[q] = len(c.leaves)
		c.leaves = append(c.leaves, leaf{words: graphWords(q.Text, nil), prefix: q.Prefix, negated: negated})
	}
	for i, part := range q.Parts {
		c.add(part, negated || q.Op == loci.GraphNot && i > 0)
	}
}

// reading is an entity while its rows are read.
type reading struct {
	*compiledWords
	f     *found
	has   []bool // for each leaf
	rows  int
	words []string
}

// begin reads name and type. What f was worth for fewer words is forgotten.
func (c *compiledWords) begin(f *found, name, kind string, named float64) *reading {
	r := &reading{compiledWords: c, f: f, has: make([]bool, len(c.leaves))}
	f.own, f.best, f.count = named, 0, 0
	f.own += worth(nameWeight, r.times(name), len(name)) + worth(typeWeight, r.times(kind), len(kind))
	return r
}

func (r *reading) observe(text string) {
	if n := r.times(text); n > 0 {
		r.f.best, r.f.count = max(r.f.best, worth(1, n, len(text))), r.f.count+1
	}
}

// times says how often the words of the query occur, and notes which do.
func (r *reading) times(text string) (n int) {
	r.words = graphWords(text, r.words[:0])
	for i := range r.leaves {
		if k := r.leaves[i].times(r.words); k > 0 {
			r.has[i] = true
			if !r.leaves[i].negated {
				n += k
			}
		}
	}
	return n
}

func (r *reading) matches(q *loci.GraphQuery) bool {
	switch q.Op {
	case loci.GraphWords:
		return r.has[r.at[q]]
	case loci.GraphOr:
		return slices.ContainsFunc(q.Parts, r.matches)
	case loci.GraphNot:
		return r.matches(q.Parts[0]) && !slices.ContainsFunc(q.Parts[1:], r.matches)
	}
	return !slices.ContainsFunc(q.Parts, func(part *loci.GraphQuery) bool { return !r.matches(part) })
}

func (l *leaf) times(words []string) (n int) {
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

// graphWords appends the words of a text as the full-text tables have them: the tokenizer
// unicode61 of FTS5. It knows Unicode 6.1 only; in what people write in the scripts of that time the
// two agree, which a test shows.
func graphWords(text string, words []string) []string {
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

// combining are the marks that FTS5 takes off a letter.
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

// foldGraphRune is r in lower case, without the one diacritic of a Latin letter.
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
