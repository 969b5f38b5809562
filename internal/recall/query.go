// Package recall contains the ranking: it reads a question, asks an index, explains its answer, cuts
// snippets and packs memories into a prompt. It receives only what the store has already found visible, and uses no
// database. One rule always holds: memories that are not candidates have no influence on the answer.
package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

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
