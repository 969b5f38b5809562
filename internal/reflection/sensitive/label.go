package sensitive

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

// word is a run of letters and digits of a script with spaces, in bytes.
type word struct{ start, end int }

// hit is where a text has a phrase of the lexicon.
type hit struct {
	kind       string
	start, end int
}

// lexicon is the list "sensitive" of internal/language, by the first words of its phrases.
type lexicon struct {
	first    map[string][]phrase
	endings  map[string]string // what a longer word may end with, to its kind
	lengths  []int             // of the endings
	unspaced []hitPhrase
	single   map[string]map[string]bool // words, by kind
}

type phrase struct {
	kind string
	rest []string
}

type hitPhrase struct{ kind, text string }

var lexicons = sync.OnceValue(func() *lexicon {
	x := &lexicon{first: map[string][]phrase{}, endings: map[string]string{}, single: map[string]map[string]bool{}}
	for _, line := range language.Lines("sensitive") {
		kind, list, _ := strings.Cut(line, ":")
		for p := range strings.SplitSeq(list, ",") {
			x.put(kind, strings.TrimSpace(p))
		}
	}
	for _, list := range x.first {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.rest) - len(a.rest) })
	}
	slices.Sort(x.lengths)
	x.lengths = slices.Compact(x.lengths)
	return x
})

func (x *lexicon) put(kind, p string) {
	if p == "" {
		return
	}
	if strings.IndexFunc(p, isUnspaced) >= 0 {
		x.unspaced = append(x.unspaced, hitPhrase{kind, language.Lower(p)})
		return
	}
	p, ending := strings.CutPrefix(p, "+")
	words := strings.FieldsFunc(language.Lower(p), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		return
	}
	x.first[words[0]] = append(x.first[words[0]], phrase{kind, words[1:]})
	if len(words) > 1 {
		whole := strings.Join(words, "")
		x.first[whole] = append(x.first[whole], phrase{kind: kind})
	} else {
		if x.single[kind] == nil {
			x.single[kind] = map[string]bool{}
		}
		x.single[kind][words[0]] = true
	}
	if ending {
		x.endings[words[0]] = kind
		x.lengths = append(x.lengths, len(words[0]))
	}
}

// isUnspaced reports whether a character is of a script without spaces between words.
func isUnspaced(r rune) bool {
	return r >= 0x3040 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー')
}

// splitWords finds the words of the text.
func (s *scan) splitWords() {
	start := -1
	for i := 0; i <= len(s.fold); {
		inWord, size := false, 1
		if i < len(s.fold) {
			if c := s.fold[i]; c < utf8.RuneSelf {
				inWord = alnum[c]
			} else {
				var r rune
				r, size = utf8.DecodeRuneInString(s.fold[i:])
				inWord = !isUnspaced(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
			}
		}
		if inWord && start < 0 {
			start = i
		} else if !inWord && start >= 0 {
			s.words = append(s.words, word{start, i})
			start = -1
		}
		i += size
	}
}

// hits returns where the text has phrases of the lexicon, in order.
func (s *scan) hits() []hit {
	x := lexicons()
	var list []hit
	for i, w := range s.words {
		list = s.phrasesAt(x, i, w, list)
	}
	if len(s.words) > 0 && loci.IsASCII(s.text) {
		return list
	}
	for _, p := range x.unspaced {
		s.each(s.fold, p.text, func(at int) int {
			list = append(list, hit{p.kind, at, at + len(p.text)})
			return 0
		})
	}
	slices.SortStableFunc(list, func(a, b hit) int { return a.start - b.start })
	return list
}

// phrasesAt adds the longest phrase of each kind that begins at a word.
func (s *scan) phrasesAt(x *lexicon, i int, w word, list []hit) []hit {
	n := len(list)
	text := s.fold[w.start:w.end]
	for _, p := range x.first[text] {
		if end := s.follows(i, p.rest); end > 0 && !hasKind(list[n:], p.kind) {
			list = append(list, hit{p.kind, w.start, end})
		}
	}
	if len(list) > n {
		return list
	}
	for _, length := range x.lengths {
		if len(text) > length {
			if kind := x.endings[text[len(text)-length:]]; kind != "" && !hasKind(list[n:], kind) {
				list = append(list, hit{kind, w.start, w.end})
			}
		}
	}
	return list
}

func hasKind(list []hit, kind string) bool {
	return slices.ContainsFunc(list, func(h hit) bool { return h.kind == kind })
}

// follows returns where the words end that follow word i, or 0 if others follow.
func (s *scan) follows(i int, rest []string) int {
	for k, r := range rest {
		if i+k+1 >= len(s.words) {
			return 0
		}
		w, before := s.words[i+k+1], s.words[i+k]
		if gap := s.fold[before.end:w.start]; len(gap) > 3 || strings.Trim(gap, " _-.'’") != "" ||
			s.fold[w.start:w.end] != r {
			return 0
		}
	}
	return s.words[i+len(rest)].end
}
