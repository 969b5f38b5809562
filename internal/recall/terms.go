package recall

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// term is a term of a question, and its text as typed, without quotes and the characters around words.
type term struct {
	index.Term
	text string
	// words are those of a phrase, and start and end its place in the question.
	words      []term
	start, end int
}

// terms are what a question looks for, and the names in it that are not among these.
type terms struct {
	list   []term
	names  []string
	formal int // how many words were left out that name no subject
}

// AsPrefixes returns the question for a second attempt, in which each word also stands for the words that begin with
// it. It leaves out words that are too short, and keeps the longest MaxPrefixes of the others.
func (q *Question) AsPrefixes() *Question { return q.as(loci.FallbackPrefix) }

// AsParts returns the question for a last attempt, in which each word stands for all words that
// contain it. It leaves out words that are too short, and phrases: who quotes words wants them together.
// It keeps the 4 longest of the others.
func (q *Question) AsParts() *Question { return q.as(loci.FallbackPart) }

func (q *Question) as(try string) *Question {
	other := *q
	other.try = try
	return &other
}

// terms returns what to look for. Names are terms only if the question has no other word that says something, words
// that name no subject only if it has no names either, and stop-words only if it has none of these.
func (q *Question) terms(named mentions) terms {
	if q.fixed != nil {
		return terms{list: q.fixed}
	}
	r := termReader{q: q, seen: map[string]bool{}, quoted: make([]bool, len(q.quotes))}
	crumbs, overview := q.crumbs(), language.Overview(q.tokens)
	for i, t := range q.tokens {
		if len(r.telling) == loci.MaxTerms {
			break
		}
		if at := q.quoteAt(t.Start); at >= 0 {
			r.quote(at)
		} else if !crumbs[i] {
			r.word(t, named.at[i], overview != nil && overview[i])
		}
	}
	r.joinNeighbours()
	for _, t := range language.Joined(q.ask.Text, q.tokens) {
		if !r.seen[t.Form] {
			r.seen[t.Form] = true
			r.telling = append(r.telling, r.term(t))
		}
	}
	out := terms{list: r.telling, names: named.names, formal: len(r.formal)}
	switch {
	case len(out.list) > 0:
	case len(r.names) > 0:
		out = terms{list: r.names}
	case len(r.formal) > 0:
		out.list, out.formal = r.formal, 0
	case !q.ask.MatchesOnly:
		out.list = r.common
	}
	out.list = out.list[:min(len(out.list), loci.MaxTerms)]
	switch q.try {
	case loci.FallbackPrefix:
		out.list = asPrefixes(out.list)
	case loci.FallbackPart:
		out.list = asParts(out.list)
	}
	return out
}

// quoteAt returns the quote around a place in the text, or -1.
func (q *Question) quoteAt(at int) int {
	i := sort.Search(len(q.quotes), func(i int) bool { return q.quotes[i].end > at })
	if i == len(q.quotes) || at < q.quotes[i].start {
		return -1
	}
	return i
}

// crumbs reports of each token whether it is one Latin letter or one digit of an identifier that is a token of the
// question too. It says nothing that the identifier does not: the "3" of "plum3" is in many texts.
func (q *Question) crumbs() []bool {
	ends := make([]int, len(q.ask.Text)+1) // of each place: how far the identifiers reach that begin there or before
	for _, t := range q.tokens {
		if !single(t) && !strings.ContainsFunc(q.ask.Text[t.Start:t.End], unicode.IsSpace) {
			ends[t.Start] = max(ends[t.Start], t.End)
		}
	}
	for i := range len(ends) - 1 {
		ends[i+1] = max(ends[i+1], ends[i])
	}
	list := make([]bool, len(q.tokens))
	for i, t := range q.tokens {
		list[i] = isCharacter(t) && ends[t.Start] >= t.End
	}
	return list
}

func single(t language.Token) bool {
	_, size := utf8.DecodeRuneInString(t.Form)
	return size == len(t.Form)
}

// isCharacter reports whether a token is one Latin letter or one digit.
func isCharacter(t language.Token) bool {
	r, _ := utf8.DecodeRuneInString(t.Form)
	return single(t) && (unicode.Is(unicode.Latin, r) || unicode.IsDigit(r))
}

// fillers are the words of short replies.
var fillers = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	var analyzer language.Analyzer
	for _, w := range language.Words("fillers") {
		for _, t := range analyzer.Tokens(w, nil) {
			words[t.Form] = true
		}
	}
	return words
})

// termReader collects the terms of a question, each once.
type termReader struct {
	q                      *Question
	analyzer               language.Analyzer
	seen                   map[string]bool
	quoted                 []bool // quotes that were read
	prefixes               int
	telling, common, names []term
	formal                 []term // words of a question for an overview that name no subject
}

// word adds a word that is not in quotes: a name, a formal one or another.
func (r *termReader) word(t language.Token, name, formal bool) {
	if r.seen[t.Form] {
		return
	}
	r.seen[t.Form] = true
	one := r.term(t)
	one.Fuzzy = true
	switch {
	case r.q.ask.MatchesOnly && (fillers()[t.Form] || isCharacter(t)):
	case name:
		r.names = append(r.names, one)
	case language.Stop(t.Form, r.q.langs):
		r.common = append(r.common, one)
	case formal:
		r.formal = append(r.formal, one)
	default:
		r.telling = append(r.telling, one)
	}
}

func (r *termReader) term(t language.Token) term {
	text := r.q.ask.Text[t.Start:t.End]
	stems := r.analyzer.Stems(t.Form, r.q.langs)
	if other := language.Respelled(text); other != "" {
		stems = append(slices.Clip(stems), other)
	}
	return term{Term: index.Term{Form: t.Form, Stems: stems}, text: text}
}

// joinNeighbours lets two words next to each other also find both as one word: "user id" finds userid.
func (r *termReader) joinNeighbours() {
	fine := language.Finest(r.q.tokens)
	for i := 1; i < len(fine); i++ {
		x, y := &fine[i-1], &fine[i]
		if r.q.ask.Text[x.End:max(y.Start, x.End)] != " " || len(x.Form) < 2 || len(y.Form) < 2 {
			continue
		}
		at := func(form string) int {
			return slices.IndexFunc(r.telling, func(t term) bool { return t.Form == form && len(t.words) == 0 && t.Fuzzy })
		}
		if m, n := at(x.Form), at(y.Form); m >= 0 && n >= 0 && m != n {
			r.telling[m].Stems = append(slices.Clip(r.telling[m].Stems), x.Form+y.Form)
			r.telling[n].Stems = append(slices.Clip(r.telling[n].Stems), x.Form+y.Form)
		}
	}
}

// quote adds a phrase, or the word that it consists of. A prefix that is too short, or one too many, is a word.
func (r *termReader) quote(n int) {
	if r.quoted[n] {
		return
	}
	r.quoted[n] = true
	at := r.q.quotes[n]
	var one term
	var key string
	tokens := at.finest()
	for _, t := range tokens {
		one.words = append(one.words, r.term(t))
		key += t.Form + " "
	}
	if len(one.words) == 0 {
		return
	}
	if last := &one.words[len(one.words)-1]; at.prefix && r.prefixes < MaxPrefixes && len(last.Form) >= MinPrefix {
		r.prefixes++
		last.Prefix = true
		key += "*"
	}
	if len(one.words) == 1 {
		one = one.words[0]
		key = strings.TrimSuffix(key, " ")
	} else {
		one.start, one.end = tokens[0].Start, tokens[len(tokens)-1].End
		one.text = r.q.ask.Text[one.start:one.end]
		for _, w := range one.words {
			one.Phrase = append(one.Phrase, w.Term)
		}
	}
	if !r.seen[key] {
		r.seen[key] = true
		r.telling = append(r.telling, one)
	}
}

func (at *quote) finest() []language.Token {
	list := language.Finest(at.tokens)
	return list[:min(len(list), maxPhrase)]
}

// quote is a part of a question that is one term: a text in quotes, or what precedes a *.
type quote struct {
	start, end int
	prefix     bool
	tokens     []language.Token
}

// Prefixes returns how many different prefixes the question has, and the first one whose last word is too short, or "".
func (q *Question) Prefixes() (n int, short string) {
	seen := map[string]bool{}
	for _, at := range q.quotes {
		if !at.prefix || len(at.tokens) == 0 {
			continue
		}
		end, last := at.tokens[len(at.tokens)-1].End, 0
		for _, t := range at.tokens {
			separates := func(r rune) bool { return noWord(r) && r != '\'' && r != '’' }
			if t.End == end && !strings.ContainsFunc(q.ask.Text[t.Start:end], separates) {
				last = max(last, len(t.Form))
			}
		}
		if text := q.ask.Text[at.tokens[0].Start:end]; last < MinPrefix && short == "" {
			short = text
		}
		seen[joined(at.tokens)] = true
	}
	return len(seen), short
}

// maxPhrases is how many phrases in quotes are looked for as such. The words of others are words like those without
// quotes. To find a phrase takes as long as to read all places of its words.
const maxPhrases = 6

// quotes returns the quotes of a text in order.
func quotes(text string) (list []quote) {
	phrases := 0
	for rest := text; rest != ""; {
		var chunk string
		var quoted bool
		chunk, rest, quoted = nextChunk(rest)
		end := len(text) - len(rest)
		switch {
		case quoted && phrases == maxPhrases:
		case quoted:
			phrases++
			_, mark := utf8.DecodeLastRuneInString(text[:end])
			end -= mark
			list = append(list, quote{start: end - len(chunk), end: end})
		case strings.HasSuffix(chunk, "*"):
			list = append(list, quote{start: end - len(chunk), end: end - len("*"), prefix: true})
		}
	}
	return list
}

// asPrefixes returns the terms as prefixes. A phrase keeps its words, and the last one becomes a prefix.
func asPrefixes(list []term) (out []term) {
	for _, i := range prefixable(len(list), func(i int) string { return list[i].last().Form }) {
		t := list[i]
		if len(t.words) == 0 {
			t.Term = index.Term{Form: t.Form, Prefix: true}
		} else {
			t.words, t.Phrase = slices.Clone(t.words), slices.Clone(t.Phrase)
			t.last().Prefix, t.Phrase[len(t.Phrase)-1].Prefix = true, true
		}
		out = append(out, t)
	}
	return out
}

func (t *term) last() *term {
	if len(t.words) == 0 {
		return t
	}
	return &t.words[len(t.words)-1]
}

// asParts returns the words among the terms as parts of words.
func asParts(list []term) (out []term) {
	of := map[string]term{}
	var forms []string
	for _, t := range list {
		if _, there := of[t.Form]; !there && len(t.words) == 0 {
			of[t.Form] = t
			forms = append(forms, t.Form)
		}
	}
	for _, form := range longestParts(forms) {
		t := of[form]
		t.Term = index.Term{Form: form, Part: true}
		out = append(out, t)
	}
	return out
}
