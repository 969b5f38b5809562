// Package recall contains the ranking: it parses a query into terms, ranks candidates by their raw features, cuts
// snippets and packs memories into a prompt. It receives only what the store has already found visible, and uses no
// database. One rule always holds: memories that are not candidates have no influence on the answer.
package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// Query is a search in the form that the store and the ranking use.
type Query struct {
	Terms []loci.Term
	// texts are Terms as typed, without quotes and the characters around words.
	texts []string
	// parts, if set, are texts to look for anywhere, also within words. Then Terms only has their number.
	parts []part
}

// Parse parses the input of a person or an assistant: words, "quoted phrases" and prefix*. It drops common words
// ("the", "what") unless there is nothing else. Characters that are joined without a space, as in user_id or 東京, are
// a phrase. It keeps at most loci.MaxTerms terms. Any input is a valid query; input without a word has no terms.
func Parse(text string) Query {
	var p parser
	for rest := text; rest != ""; {
		var chunk string
		quoted := false
		chunk, rest, quoted = nextChunk(rest)
		p.add(chunk, quoted)
	}
	if len(p.telling) == 0 {
		p.telling = p.common
	}
	return distinct(p.telling)
}

// MinPrefix is how long a prefix must be, in bytes: three letters of ASCII, or one ideograph. MaxPrefixes is how many
// prefixes a query may have. Each one has to look up all words that begin with it.
const (
	MinPrefix   = 3
	MaxPrefixes = 6
)

// AsPrefixes returns the query with every term as a prefix, for a second attempt when nothing was
// found. It drops terms that are too short, and keeps the longest MaxPrefixes of the others.
func (q Query) AsPrefixes() (out Query) {
	for _, i := range prefixable(len(q.Terms), func(i int) string { return lastOf(q.Terms[i]) }) {
		out.Terms = append(out.Terms, loci.Term{Words: q.Terms[i].Words, Prefix: true})
		out.texts = append(out.texts, q.texts[i])
	}
	return out
}

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

func lastOf(t loci.Term) string { return t.Words[len(t.Words)-1] }

// Prefixes returns how many terms end in a prefix.
func (q Query) Prefixes() (n int) {
	for _, t := range q.Terms {
		if t.Prefix {
			n++
		}
	}
	return n
}

// ShortPrefix returns the text of the first term that ends in a prefix shorter than MinPrefix, or "".
func (q Query) ShortPrefix() string {
	for i, t := range q.Terms {
		if t.Prefix && len(lastOf(t)) < MinPrefix {
			return q.texts[i]
		}
	}
	return ""
}

type parser struct {
	analyzer        loci.Analyzer
	telling, common []typed
}

// typed is a term and the text that it was parsed from.
type typed struct {
	loci.Term
	text string
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

func (p *parser) add(chunk string, quoted bool) {
	prefix := !quoted && strings.HasSuffix(chunk, "*")
	var term typed
	var first, last loci.Word
	p.analyzer.Words(chunk, func(w loci.Word) bool {
		if len(term.Words) == 0 {
			first = w
		}
		term.Words = append(term.Words, w.Stem)
		last = w
		return len(term.Words) < maxPhrase
	})
	if len(term.Words) == 0 {
		return
	}
	term.text = chunk[first.Start:last.End]
	if prefix {
		term.Prefix = true
		term.Words[len(term.Words)-1] = last.Form
	}
	if !quoted && !prefix && len(term.Words) == 1 && stopWords[last.Form] {
		p.common = append(p.common, term)
		return
	}
	p.telling = append(p.telling, term)
}

// maxPhrase is how many words of a phrase are kept.
const maxPhrase = 16

func distinct(terms []typed) (q Query) {
	seen := map[string]bool{}
	for _, t := range terms {
		key := strings.Join(t.Words, " ")
		if t.Prefix {
			key += "*"
		}
		if !seen[key] && len(q.Terms) < loci.MaxTerms {
			seen[key] = true
			q.Terms, q.texts = append(q.Terms, t.Term), append(q.texts, t.text)
		}
	}
	return q
}

// stopWords are English words that occur in most texts and most questions.
var stopWords = set(`a about am an and any are as at be been being but by can could d did do does doing done for from
	get got had has have having he her hers him his how i if in into is it its just ll m may me might mine my of on or our
	ours re s shall she should so some t than that the their theirs them then there these they this those to us ve was
	we were what when where which who whom whose why will with would you your yours please tell`)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
