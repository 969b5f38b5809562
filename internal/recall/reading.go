package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

// Text is a text prepared for Compare. It is safe for concurrent use.
type Text struct {
	// Words is how many words a search index has of the text.
	Words int

	tokens []token
	// unspaced is the whole text, folded, if it has words of a script that does not put spaces between them.
	unspaced string
}

// token is a word, a number or a meaningful sign.
type token struct {
	kind kind
	text string // folded; equal for equal texts
	key  string // of a word: without its English ending and the marks that people often leave out
	unit string // of a unit after a number: as written
	stem string // of a whole word: as in a search index

	start, end int // its place in the text
}

type kind byte

const (
	wordToken kind = iota
	numberToken
	signToken
)

// Read splits a text into words, numbers and signs. Spaces, quotes and punctuation at the ends of
// sentences and clauses are not signs.
func Read(text string) *Text {
	r := &Text{tokens: make([]token, 0, len(text)/6+1)}
	analyzer, last := language.Borrow(), 0
	defer analyzer.Return()
	analyzer.Words(text, func(w language.Word) bool {
		r.Words++
		r.signs(text, last, w.Start)
		r.word(text, last, w)
		last = w.End
		return true
	})
	r.signs(text, last, len(text))
	if strings.IndexFunc(text, isUnspaced) >= 0 {
		r.unspaced = foldWord(text)
	}
	return r
}

func (r *Text) empty() bool { return len(r.tokens) == 0 }

// signs adds the characters between words that are more than punctuation.
func (r *Text) signs(text string, from, to int) {
	for i, c := range text[from:to] {
		if isSign(text, from+i, c) {
			end := from + i + utf8.RuneLen(c)
			if c == '-' || c == '–' {
				c = '−'
			}
			sign := string(c)
			r.tokens = append(r.tokens, token{kind: signToken, text: sign, key: sign, end: end})
		}
	}
}

func isSign(text string, at int, c rune) bool {
	switch c {
	case ' ', ',', '.': // nearly everything between words
		return false
	case '%', '‰', '&', '@', '^':
		return true
	case '|', '`', '~':
		return false
	case '#': // C#, but not a heading
		return at > 0 && joins(before(text, at))
	case '!': // !enabled and !=, but not Wow!
		next := after(text, at+1)
		return next == '=' || joins(next)
	case '-', '–': // -5, but not a range, a hyphen or a dash
		return unicode.IsDigit(after(text, at+utf8.RuneLen(c))) && !joins(before(text, at)) &&
			(at == 0 || before(text, at) != ')')
	}
	return unicode.In(c, unicode.Sm, unicode.Sc, unicode.So, unicode.No)
}

func before(text string, at int) rune { c, _ := utf8.DecodeLastRuneInString(text[:at]); return c }

func after(text string, at int) rune { c, _ := utf8.DecodeRuneInString(text[at:]); return c }

func joins(c rune) bool { return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c)) }

// word adds one word of the analysis: as many tokens as it has runs of digits and of others. Most words are one token.
func (r *Text) word(text string, last int, w language.Word) {
	raw := text[w.Start:w.End]
	if strings.IndexFunc(raw, unicode.IsDigit) < 0 {
		r.letters(raw, token{stem: w.Stem, key: w.Stem, end: w.End})
		return
	}
	for at := 0; at < len(raw); {
		digits := unicode.IsDigit(after(raw, at))
		end := at
		for end < len(raw) && unicode.IsDigit(after(raw, end)) == digits {
			end += utf8.RuneLen(after(raw, end))
		}
		part := raw[at:end]
		switch {
		case part == "'" || part == "’": // of 1'000
			at = end
			continue
		case digits:
			r.number(text, last, w.Start+at, part)
		default:
			r.letters(part, token{key: stemOf(part), end: w.Start + end})
		}
		at, last = end, w.Start+end
	}
}

// letters adds a word. After a number it may be a unit, whose case matters.
func (r *Text) letters(raw string, t token) {
	t.text, t.start = foldWord(raw), t.end-len(raw)
	if !loci.IsASCII(raw) {
		t.key = foldMarks(t.key)
	}
	if n := numberWords[t.key]; n != "" {
		t.kind, t.key = numberToken, n
	}
	if n := len(r.tokens); n > 0 && r.tokens[n-1].kind == numberToken {
		t.unit = raw
	}
	r.tokens = append(r.tokens, t)
}

func stemOf(word string) (stem string) {
	analyzer := language.Borrow()
	defer analyzer.Return()
	analyzer.Words(word, func(w language.Word) bool { stem = w.Stem; return false })
	return stem
}

// number adds digits, or puts them to the number before, of which they are another group or the fraction.
func (r *Text) number(text string, last, start int, raw string) {
	digits := strings.Map(digit, raw)
	t := token{kind: numberToken, text: digits, end: start + len(raw)}
	if n := len(r.tokens); n > 0 && r.tokens[n-1].kind == numberToken && r.tokens[n-1].end == last && last < start {
		if joined := joinNumber(r.tokens[n-1].text, text[last:start], digits); joined != "" {
			t.text = joined
			r.tokens = r.tokens[:n-1]
		}
	}
	if n := len(r.tokens); n > 0 && r.tokens[n-1].text == "−" && r.tokens[n-1].end == start {
		t.text = "-" + t.text
		r.tokens = r.tokens[:n-1]
	}
	t.key = t.text
	r.tokens = append(r.tokens, t)
}

// joinNumber writes 1.5, 1,5, 1,000, 1'000.5 and 1.000,5 in one way, and returns "" for what is not one number.
func joinNumber(whole, between, digits string) string {
	switch between {
	case ".", "٫":
		return whole + "." + digits
	case ",", "'", "’", "\u00a0", "\u202f", "٬":
		group := len(digits) == 3 && len(whole) > 0 && !strings.Contains(whole, ".")
		switch {
		case group:
			return whole + digits
		case between == "," && !strings.Contains(whole, "."):
			return whole + "." + digits
		case between == "," && thousands(whole):
			return strings.ReplaceAll(whole, ".", "") + "." + digits
		}
	}
	return ""
}

// thousands reports whether every group behind a dot has three digits.
func thousands(number string) bool {
	return !slices.ContainsFunc(strings.Split(number, ".")[1:], func(group string) bool { return len(group) != 3 })
}

// digit is a decimal digit of any script as ASCII has it. In Unicode they stand together in tens.
func digit(c rune) rune {
	if c < utf8.RuneSelf {
		return c
	}
	for _, r := range unicode.Nd.R16 {
		if rune(r.Lo) <= c && c <= rune(r.Hi) {
			return '0' + (c-rune(r.Lo))%10
		}
	}
	for _, r := range unicode.Nd.R32 {
		if rune(r.Lo) <= c && c <= rune(r.Hi) {
			return '0' + (c-rune(r.Lo))%10
		}
	}
	return c
}

// foldWord returns the text as it is compared: of no case, composed, with one kind of apostrophe and of width.
func foldWord(text string) string {
	if loci.IsASCII(text) {
		return strings.ToLower(text)
	}
	form := norm.NFC
	if strings.IndexFunc(text, func(c rune) bool { return c >= 0xff00 && c <= 0xffef }) >= 0 {
		form = norm.NFKC
	}
	return strings.ReplaceAll(cases.Fold().String(form.String(text)), "’", "'")
}

// foldMarks drops the vowel signs of Arabic and what else is written or left out as one likes.
func foldMarks(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 0x064b && c <= 0x0652, c == 0x0670, c == 0x0640:
			return -1
		case c == 'أ', c == 'إ', c == 'آ':
			return 'ا'
		}
		return c
	}, text)
}

// isUnspaced reports whether c is of a script that does not put spaces between words, or joins to
// them what other languages have words for.
func isUnspaced(c rune) bool {
	return c >= 0x0e00 && unicode.In(c, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Han,
		unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// same reports whether the texts differ in case, spaces and punctuation at most.
func (r *Text) same(s *Text) bool {
	return slices.EqualFunc(r.tokens, s.tokens, func(a, b token) bool { return a.kind == b.kind && a.text == b.text }) &&
		!unitsDiffer(r, s)
}

// keys returns what the texts are compared by; with without not their numbers, their signs and these words.
func (r *Text) keys(without map[string]bool) []string {
	list := make([]string, 0, len(r.tokens))
	for _, t := range r.tokens {
		if without == nil || t.kind == wordToken && !without[t.key] && !(r.unspaced != "" && hasAny(t.key, without)) {
			list = append(list, t.key)
		}
	}
	return list
}

func hasAny(text string, parts map[string]bool) bool {
	for p := range parts {
		if !loci.IsASCII(p) && strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// numbers returns the numbers of the text in order, as if they were written without leading zeros.
func (r *Text) numbers() (list []string) {
	for _, t := range r.tokens {
		if t.kind == numberToken {
			list = append(list, trimZeros(t.key))
		}
	}
	return list
}

// trimZeros writes 05 as 5 and 05.03.2026 as 5.3.2026, but leaves 007 and 1.05.
func trimZeros(number string) string {
	parts := strings.Split(number, ".")
	if len(parts) == 2 {
		return number
	}
	for i, p := range parts {
		if len(p) == 2 && p[0] == '0' {
			parts[i] = p[1:]
		}
	}
	return strings.Join(parts, ".")
}

// unitsDiffer reports whether the same numbers have units that differ in a way that no list of words
// shows: 5 % and 5, 5 MB and 5 Mb.
func unitsDiffer(x, y *Text) bool {
	a, b := x.units(), y.units()
	return len(a) == len(b) && !slices.EqualFunc(a, b, sameUnit)
}

// units returns, for each number, the spelling of what follows it.
func (r *Text) units() (list []string) {
	for i, t := range r.tokens {
		if t.kind != numberToken {
			continue
		}
		unit := ""
		if i+1 < len(r.tokens) {
			next := r.tokens[i+1]
			unit = next.unit
			if next.text == "%" || percents()[next.text] {
				unit = "%"
			}
		}
		list = append(list, unit)
	}
	return list
}

// sameUnit leaves words to their meaning. Of letters, b and B are not the same, nor m and M, but
// nobody who writes all of a unit small means anything by it, and k and K are.
func sameUnit(a, b string) bool {
	if percent := a == "%" || b == "%"; percent || !strings.EqualFold(a, b) {
		return a == b || !percent
	}
	if len(a) > 1 && (a == strings.ToLower(a) || b == strings.ToLower(b)) {
		return true
	}
	for i := range len(a) {
		if a[i] != b[i] && strings.IndexByte("bBmM", a[i]) >= 0 {
			return false
		}
	}
	return true
}
