package sensitive

import (
	"strings"

	"github.com/loci-memory/loci"
)

// How long secrets are.
const (
	leastPassword = 4
	leastWord     = 5 // of a password that could be a word
	mostPassword  = 128
	leastKey      = 10
	leastLoneKey  = 16 // that follows a label with nothing between
	leastHex      = 24
	leastNamedHex = 16 // behind a colon or a verb
)

// isPassword reports whether a value that follows "password" is one.
func (v *value) isPassword() bool {
	t := strings.TrimRight(v.text, "!")
	k := kindsOf(v.text)
	n := len(v.text)
	if n < leastPassword || n > mostPassword || isReference(v.text) || isPlain(t) || isMeasure(v.text) ||
		isFiller(v.text) && !strings.Contains(strings.ToLower(v.text), "here") || isName(v.text, k) {
		return false
	}
	strong := k.digit > 0 && k.lower+k.upper > 0 || k.symbol > 0 && n >= 6 && strings.ContainsAny(v.text, "!@#$%^&*+?~")
	switch {
	case v.quoted && strings.Contains(v.text, " "):
		return v.link != adjacent && len(strings.Fields(v.text)) <= 8
	case v.quoted:
		return v.link != adjacent || strong || k.digit >= 6
	case v.link == adjacent:
		return k.digit > 0 && k.lower > 0 && n >= 6 && v.text[0] != '#' || strong && k.symbol > 0 && k.digit > 0
	case strong:
		return true
	case k.digit > 0:
		return v.last
	case v.link == direct:
		return v.last && n >= leastWord
	}
	return v.last && n >= 2*leastWord && k.inner > 0
}

// isName reports whether a value is the name of a variable or a path: DB_PASS, db_pass, cfg.db.pass or a/b.
func isName(text string, k kinds) bool {
	if k.symbol > 0 {
		return false
	}
	switch {
	case strings.Contains(text, "_") && k.lower == 0 && k.upper > 0:
		return true
	case k.digit > 0:
		return false
	}
	return strings.ContainsAny(text, "_./") || k.other > 0 && k.other < 2
}

// isKey reports whether a value that follows "api key" or "token" is one.
func (v *value) isKey(least int) bool {
	t := v.text
	if v.link == adjacent {
		least = max(least, leastLoneKey)
	}
	switch {
	case len(t) < least || len(t) > mostPassword*8 || !loci.IsASCII(t) || strings.ContainsAny(t, " <>{}()[]\\"):
		return false
	case isFiller(t) || isReference(t) || isMeasure(t) || isWordy(t):
		return false
	case isUUID(t):
		return v.link == direct || v.quoted
	case isHex(t):
		return mixed(t) && len(t) >= leastHex || mixed(t) && len(t) >= leastNamedHex && v.link != adjacent
	case strings.Contains(t, "/") && strings.ToLower(t) == t && !strings.ContainsAny(t, "+="):
		return false
	case mixed(t):
		return spread(t) || len(t) >= leastLoneKey && v.link != adjacent
	}
	k := kindsOf(t)
	return len(t) >= leastHex && k.inner > 3 && !strings.ContainsAny(t, "./")
}

// isWordy reports whether all parts of a value are words or numbers, as in "text-embedding-3-small".
func isWordy(text string) bool {
	if isUUID(text) {
		return false
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("-_./:@", r) })
	if len(parts) < 2 {
		return false
	}
	for _, p := range parts {
		k := kindsOf(p)
		if k.digit > 0 && k.lower+k.upper > 0 && (len(p) > 5 || k.digit > 2) || k.symbol > 0 || k.inner > 1 || len(p) > 14 {
			return false
		}
	}
	return true
}

// codeAt reads a code of digits, such as "4471#" or "12-34-56", or of groups of letters and digits.
func (s *scan) codeAt(at int, how link) (v value, ok bool) {
	at = s.skip(at, how)
	for _, open := range []string{"\"", "'", "`", "“", "„", "「", "«", "『", "("} {
		if strings.HasPrefix(s.text[at:], open) {
			at += len(open)
			break
		}
	}
	end := at
	if end < len(s.text) && (s.text[end] == '#' || s.text[end] == '*') {
		end++
	}
	count := 0
	for end < len(s.text) && count <= maxCode {
		stop := run(s.text, end, digits)
		if stop == end {
			break
		}
		count += stop - end
		end = stop
		if end+1 < len(s.text) && (s.text[end] == '-' || s.text[end] == ' ') && digits[s.text[end+1]] &&
			run(s.text, end+1, digits)-end <= 5 && count < maxCode {
			end++
		}
	}
	marked := end < len(s.text) && (s.text[end] == '#' || s.text[end] == '*') || end > at && !digits[s.text[at]]
	if end < len(s.text) && (s.text[end] == '#' || s.text[end] == '*') {
		end++
	}
	if count >= leastCode && count <= maxCode && s.codeEnds(end) {
		v = value{text: s.text[at:end], start: at, end: end, link: how, quoted: marked, last: s.endsAt(end)}
		return v, !isDate(v.text)
	}
	return s.lettersCode(at, how)
}

const (
	leastCode = 3
	maxCode   = 12
)

// codeEnds reports whether no letter, unit or other digit follows a code.
func (s *scan) codeEnds(at int) bool {
	if at >= len(s.text) {
		return true
	}
	c := s.text[at]
	if alnum[c] || c == '%' || c == '_' || c == '@' || c == '$' {
		return false
	}
	return !(strings.IndexByte(".:/,-", c) >= 0 && at+1 < len(s.text) && alnum[s.text[at+1]])
}

// isDate reports whether digits are a date such as 2026-03-05.
func isDate(text string) bool {
	p := strings.Split(text, "-")
	return len(p) == 3 && len(p[0]) == 4 && len(p[1]) <= 2 && (p[0][:2] == "20" || p[0][:2] == "19")
}

// lettersCode reads a code of capital letters and digits, or of groups of letters and digits.
func (s *scan) lettersCode(at int, how link) (v value, ok bool) {
	end := run(s.text, at, wordChars)
	text := strings.TrimRight(s.text[at:end], "-_")
	end = at + len(text)
	k := kindsOf(text)
	groups := strings.Count(text, "-") + 1
	grouped := groups > 1 && (len(text)+1)%groups == 0 && k.lower*k.upper == 0
	v = value{text: text, start: at, end: end, link: how, last: s.endsAt(end)}
	ok = len(text) >= 4 && len(text) <= 48 && k.digit > 1 && k.lower+k.upper > 0 && (k.lower == 0 || grouped) &&
		(!isMeasure(text) || isLettered(text)) && s.codeEnds(end) && !isFiller(text)
	return v, ok
}

// isLettered reports whether a code is digits and a capital that stands for no unit: "3958E".
func isLettered(text string) bool {
	n := len(text) - 1
	return n >= leastDoorCode && run(text, 0, digits) == n && 'A' <= text[n] && text[n] <= 'Z' &&
		strings.IndexByte("KMGTBWVAHCF", text[n]) < 0
}
