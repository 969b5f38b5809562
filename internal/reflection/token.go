package reflection

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

type tokenKind uint8

const (
	word tokenKind = iota
	number
	punct
	ideograph // one character of Chinese or Japanese
	code      // `inline code`
	link      // a URL
	file      // a path or the name of a file
	mention   // @somebody
)

// token is a word, a number, a mark or a thing such as a URL. The words inside of things are no tokens.
type token struct {
	form       string // folded
	start, end int    // bytes in the note
	kind       tokenKind
	upper      bool // it begins with a capital letter
}

// maxCode is how far the end of inline code may be.
const maxCode = 300

// tokens appends the tokens of text, which begins at offset in the note.
func tokens(text string, offset int, out []token) []token {
	known := 0 // up to here no URL and no path begins inside of a word
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		t := token{start: i}
		switch {
		case unicode.IsSpace(r):
			i += size
			continue
		case r == '`':
			t.kind, t.end = code, i+codeLength(text[i:])
		case unspacedRune(r):
			t.kind, t.end = ideograph, i+size
		case r == '@' && i+1 < len(text) && isWordByte(text[i+1]):
			t.kind, t.end = mention, i+1+wordLength(text[i+1:])
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '/' || r == '~':
			t.kind, t.end = chunk(text, i, &known)
		}
		if t.end <= t.start {
			t.kind, t.end = punct, i+runLength(text[i:], r, size)
		}
		t.upper = unicode.IsUpper(r)
		t.form = form(text[t.start:t.end], t.kind, r)
		i = t.end
		t.start, t.end = t.start+offset, t.end+offset
		out = append(out, t)
	}
	return out
}

// marks are the forms of marks that have several.
var marks = map[rune]string{'：': ":", '？': "?", '⁇': "?", '！': "!", '，': ",", '；': ";", '（': "(", '）': ")", '–': "-",
	'—': "-", '→': "→", '⇒': "→", '…': "…"}

// form returns what the forms of cues are compared with.
func form(raw string, kind tokenKind, first rune) string {
	switch kind {
	case code, link, file, mention:
		return ""
	case punct:
		if mark := marks[first]; mark != "" {
			return mark
		}
		if first == '.' && len(raw) > 2 {
			return "…"
		}
		_, size := utf8.DecodeRuneInString(raw)
		return raw[:size]
	case ideograph:
		return language.Fold(raw)
	}
	return wordForm(raw)
}

// wordForm returns the form of a word. It keeps apostrophes, so that "we'll" is not "well".
func wordForm(raw string) string {
	if strings.IndexFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(raw)
	}
	raw = strings.ReplaceAll(raw, "’", "'")
	if before, after, ok := strings.Cut(raw, "'"); ok {
		return language.Fold(before) + "'" + language.Fold(after)
	}
	return language.Fold(raw)
}

// unspacedRune reports whether r belongs to a script without spaces.
func unspacedRune(r rune) bool {
	return r >= 0x2e80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー' || r == '々')
}

// codeLength returns the length of inline code, 0 if there is none.
func codeLength(text string) int {
	end := strings.IndexByte(text[1:min(len(text), maxCode)], '`')
	if end <= 0 || strings.IndexByte(text[1:1+end], '\n') >= 0 {
		return 0
	}
	return end + 2
}

// runLength returns the length of a run of one mark.
func runLength(text string, r rune, size int) int {
	n := size
	for n < len(text) {
		next, width := utf8.DecodeRuneInString(text[n:])
		if next != r || next == utf8.RuneError {
			break
		}
		n += width
	}
	return max(n, 1)
}

func isWordByte(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func wordLength(text string) int {
	n := 0
	for n < len(text) && isWordByte(text[n]) || n < len(text)-1 && n > 0 && (text[n] == '-' || text[n] == '.') &&
		isWordByte(text[n+1]) {
		n++
	}
	return trimRune(text, n)
}

// trimRune moves n back to the beginning of a character.
func trimRune(text string, n int) int {
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// chunk returns the kind and the end of the word, the number or the thing at i.
func chunk(text string, i int, known *int) (tokenKind, int) {
	if i >= *known {
		*known = thingEnd(text, i)
		if kind := thing(text[i:*known]); kind != word {
			return kind, *known
		}
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	if unicode.IsDigit(r) {
		return number, numberEnd(text, i)
	}
	if !unicode.IsLetter(r) {
		return punct, i
	}
	end := i + size
	for end < len(text) {
		r, size = utf8.DecodeRuneInString(text[end:])
		switch {
		case unspacedRune(r):
			return word, end
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '_':
		case (r == '\'' || r == '’') && elided(text[i:end]) && (end+size == len(text) || letterAt(text, end+size)):
			return word, end + size
		case (r == '\'' || r == '’') && letterAt(text, end+size):
		default:
			return word, end
		}
		end += size
	}
	return word, end
}

// elided reports whether a word is one that French writes together with the next: l'index, n'est.
func elided(s string) bool {
	switch strings.ToLower(s) {
	case "d", "l", "n", "j", "s", "m", "t", "c", "qu", "jusqu", "lorsqu", "puisqu":
		return true
	}
	return false
}

func letterAt(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r) && !unspacedRune(r)
}

// numberEnd returns the end of the number at i: 4.1, 12:30, 1,900, 2026-05-14, 3x.
func numberEnd(text string, i int) int {
	end := i
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case unicode.IsDigit(r):
		case strings.ContainsRune(".,:/-’'", r) && end+size < len(text) && text[end+size] >= '0' && text[end+size] <= '9':
		default:
			return end
		}
		end += size
	}
	return end
}

// maxThing is how long a URL or a path may be.
const maxThing = 400

// thingEnd returns the end of the run of characters at i that may be in a URL or a path.
func thingEnd(text string, i int) int {
	end := i
	for end < len(text) && end-i < maxThing && text[end] > ' ' && text[end] < utf8.RuneSelf &&
		!strings.ContainsRune("\"<>|`()[]{},;*", rune(text[end])) {
		end++
	}
	for end > i && strings.IndexByte(".,;:!?'", text[end-1]) >= 0 {
		end--
	}
	return max(end, i)
}

// thing says what a run of characters is, word if it is none of the things.
func thing(s string) tokenKind {
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "www.") {
		return link
	}
	if isHash(s) {
		return file
	}
	if len(s) < 3 || !strings.ContainsAny(s, "/.") || strings.Contains(s, "://") {
		if strings.Contains(s, "://") {
			return link
		}
		return word
	}
	if strings.HasPrefix(s, "~/") || s[0] == '/' && len(s) > 3 && isWordByte(s[1]) && strings.Count(s, "/") > 1 {
		return file
	}
	if host, rest, ok := strings.Cut(s, "/"); ok && rest != "" && strings.Contains(host, ".") && letters(host) > 3 {
		return link
	}
	if path(s) || hasExtension(s) {
		return file
	}
	return word
}

// isHash reports whether s is the hash of a commit or the like: hexadecimal, with digits and letters.
func isHash(s string) bool {
	if len(s) < 7 || len(s) > 64 {
		return false
	}
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c < 'a' || c > 'f':
			return false
		}
	}
	return digits > 0 && digits < len(s)
}

// path reports whether s is a relative path: at least two slashes, or one and a trailing slash, and no number.
func path(s string) bool {
	slashes := strings.Count(s, "/")
	if slashes == 0 || s[0] == '/' || strings.ContainsAny(s, ":=+") {
		return false
	}
	if slashes == 1 && !strings.HasSuffix(s, "/") {
		_, last, _ := strings.Cut(s, "/")
		return hasExtension(last)
	}
	return letters(s) >= 3*slashes
}

func letters(s string) (n int) {
	for i := range len(s) {
		if c := s[i] | 0x20; 'a' <= c && c <= 'z' {
			n++
		}
	}
	return n
}

// hasExtension reports whether s ends as the name of a file does.
func hasExtension(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || len(s)-dot < 3 && s[dot:] != ".c" && s[dot:] != ".h" && s[dot:] != ".r" || len(s)-dot > 7 {
		return false
	}
	ext := strings.ToLower(s[dot+1:])
	return extensions()[ext]
}

// Numerals of Chinese and Japanese, and what they count or follow.
var (
	numerals = set("一 二 三 四 五 六 七 八 九 十 百 千 万 两 半")
	counters = set("名 人 個 个 本 枚 台 件 円 元 块 斤 岁 歳 冊 碗 条 次 回 家 倍 割 度 点 分 天 年 月 日 周 週 か 时 時 公 层 階")
)

// counts reports whether a number in words ends at a token: "四十六名", "一万四".
func counts(toks []token, i int) bool {
	if i == 0 || !numerals[toks[i-1].form] {
		return false
	}
	return counters[toks[i].form] || numerals[toks[i].form] && (i+1 == len(toks) || toks[i+1].kind != ideograph)
}
