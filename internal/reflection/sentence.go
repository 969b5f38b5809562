package reflection

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

var abbreviations = sync.OnceValue(func() map[string]bool { return words("abbreviations") })

var extensions = sync.OnceValue(func() map[string]bool { return words("extensions") })

func words(list string) map[string]bool {
	all := map[string]bool{}
	for _, cue := range language.Cues(list) {
		for w := range strings.FieldsSeq(cue.Text) {
			all[w] = true
		}
	}
	return all
}

// sentences appends the sentences of a part of the note. Together they have all of it that is not white space.
func sentences(text string, in span, out []span) []span {
	start := in.start
	inCode := false
	for i := in.start; i < in.end; {
		r, size := utf8.DecodeRuneInString(text[i:in.end])
		end := i + size
		if r == '`' {
			inCode = !inCode && strings.IndexByte(text[end:min(in.end, end+maxCode)], '`') >= 0
		}
		if inCode || !ends(r) {
			i = end
			continue
		}
		end = closing(text, end, in.end)
		if endsSentence(text, start, i, end, in.end, r) {
			out = appendSpan(text, out, span{start, end})
			start = end
		}
		i = end
	}
	return appendSpan(text, out, span{start, in.end})
}

func ends(r rune) bool { return strings.ContainsRune(".!?…。！？．।", r) }

// closing moves end behind more marks that end a sentence, and behind quotation marks and brackets.
func closing(text string, end, limit int) int {
	for end < limit {
		r, size := utf8.DecodeRuneInString(text[end:limit])
		if !ends(r) && !strings.ContainsRune("\"'”’»)]）」』*_", r) {
			break
		}
		end += size
	}
	return end
}

// appendSpan appends what is in s besides white space.
func appendSpan(text string, out []span, s span) []span {
	if s = s.trimmed(text); s.empty() {
		return out
	}
	return append(out, s)
}

// endsSentence reports whether the mark r at i ends a sentence. Its closing marks reach to end.
func endsSentence(text string, start, i, end, limit int, r rune) bool {
	if r == '。' || r == '！' || r == '？' || r == '．' || end >= limit {
		return end < limit
	}
	next, _ := utf8.DecodeRuneInString(text[end:limit])
	if !unicode.IsSpace(next) {
		return r != '.' && (unspacedRune(next) || next == '¿' || next == '¡')
	}
	rest := strings.TrimLeft(text[end:min(limit, end+40)], " \t\n")
	next, _ = utf8.DecodeRuneInString(rest)
	if r == '…' || end-i > 2 && text[i] == '.' && text[i+1] == '.' {
		return !unicode.IsLower(next)
	}
	if r != '.' {
		return true
	}
	before := lastWord(text[start:i])
	first, size := utf8.DecodeRuneInString(before)
	switch {
	case before == "":
		return false
	case len(before) <= 2 && isDigits(before):
		return !unicode.IsLower(next) && language.MonthOf(language.Fold(firstWord(rest))) == 0 && !unicode.IsDigit(next) &&
			!strings.HasPrefix(rest, "B ") && !ordinal(text[start:i])
	case isDigits(before[:1]) && strings.Contains(before, ".") && unicode.IsLower(next):
		return false // bis zum 28.03. ein
	case size == len(before) && unicode.IsLetter(first) && !strings.EqualFold(before, "i"):
		return false // an initial, z. B.
	case strings.EqualFold(before, "no") || strings.EqualFold(before, "nos"):
		return !unicode.IsDigit(next)
	}
	return !abbreviations()[strings.ToLower(before)]
}

// ordinal reports whether the number at the end of s stands after a German article or preposition: "am 14."
func ordinal(s string) bool {
	return endsWith(strings.TrimRight(s, "0123456789"), " am ", " vom ", " zum ", " dem ", " der ", " den ", " bis ",
		" ab ")
}

// endsWith reports whether a text has one of these ends.
func endsWith(s string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s, end) })
}

// lastWord returns the end of s from its last space or bracket on.
func lastWord(s string) string {
	s = s[max(0, len(s)-30):]
	return s[strings.LastIndexAny(s, " \t\n(\"„'")+1:]
}

func firstWord(s string) string {
	if n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
		return s[:n]
	}
	return s
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
