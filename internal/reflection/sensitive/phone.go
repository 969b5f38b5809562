package sensitive

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of telephone numbers, in digits.
const (
	leastAbroad = 9 // with "+" and the code of a country
	leastHome   = 9 // with the "0" of a national number
	leastCued   = 6 // with a word that says what it is
	mostPhone   = 15
)

// phone finds telephone numbers: those with "+", those in the form of a country, and others after a word that says so.
func (s *scan) phone(list []group, i int) int {
	g := list[i]
	n, total := s.phoneGroups(list, i)
	start, end := g.start, list[i+n-1].end
	if !s.free(start, end) && !(start > 0 && s.text[start-1] == '+') || s.touchesMore(end) {
		return 0
	}
	plus := start > 0 && s.text[start-1] == '+' && (start < 2 || !wordChars[s.text[start-2]])
	cued := s.cued("phone", start-1, cueNear) || s.cued("phone", start, cueNear)
	first := s.text[start:g.end]
	ok := false
	switch {
	case plus:
		ok = total >= leastAbroad && total <= mostPhone && g.text(s)[0] != '0'
	case total > mostPhone || s.notCard(start) || s.looksDated(list, i, n):
	case cued:
		ok = total >= leastCued && (total > 7 || n > 1 || total == 7)
	case isNorthAmerican(list, i, n, first, s.text):
		ok = true
	case !s.digitBefore(start) && isAbroad(list, i, n, s.text):
		ok = true
	case s.inBrackets(start, end) && s.afterName(start) && isBracketed(list, i, n, first),
		s.behindName(start, end) && n > 2 && isBracketed(list, i, n, first):
		ok = true
	case s.digitBefore(start):
	case first[0] == '0' && n >= 2 && total >= leastHome && total <= 12:
		ok = s.homeForm(list, i, n)
	case first[0] == '1' && n == 3 && sized(list, i, 3, 4, 4) && first[1] >= '3':
		ok = true // China
	case strings.HasSuffix(s.text[:start], "(") && n >= 3 && total >= 10 && total <= 11:
		ok = sized(list, i, 2, 5, 4) || sized(list, i, 2, 4, 4)
	}
	if !ok {
		return 0
	}
	if plus || strings.HasSuffix(s.text[:start], "(") && !s.inBrackets(start, end) {
		start--
	}
	if start > 0 && s.text[start] == '(' && s.text[start-1] == '+' {
		start--
	}
	if plus && start > 0 && s.text[start] == '+' && s.text[start-1] == '(' && strings.Contains(s.text[start:end], ")") {
		start--
	}
	s.add(Phone, start, end)
	return n
}

func (g group) text(s *scan) string { return s.text[g.start:g.end] }

// phoneGroups returns how many groups may be one number, and how many digits they have.
func (s *scan) phoneGroups(list []group, i int) (n, total int) {
	n, total = 1, list[i].size()
	pairs := list[i].size() <= 2
	for i+n < len(list) && n < 8 {
		sep, next := list[i+n-1].sep, list[i+n]
		if !isPhoneSep(sep) || total+next.size() > mostPhone || next.size() > 10 {
			break
		}
		if total >= 10 && next.size() <= 2 && !pairs && sep == " " && list[i+n-1].size() != 2 {
			break
		}
		if n > 1 {
			pairs = pairs && next.size() == 2
		}
		n, total = n+1, total+next.size()
	}
	return n, total
}

func isPhoneSep(sep string) bool {
	switch sep {
	case " ", "-", ".", "/", ") ", ")", "(", " (", ")-", "\u00a0", " - ", " / ", "–":
		return true
	}
	return false
}

// touchesMore reports whether what follows a number makes it something else: a unit, a fraction or a part of a name.
func (s *scan) touchesMore(end int) bool {
	if end >= len(s.text) {
		return false
	}
	c := s.text[end]
	return c == '%' || c == '@' || end+1 < len(s.text) && strings.IndexByte(":.,-/", c) >= 0 && alnum[s.text[end+1]]
}

// looksDated reports whether groups are a date, a time, an address of a computer or a version.
func (s *scan) looksDated(list []group, i, n int) bool {
	if at := list[i].start; at > 0 && (strings.IndexByte("$€£¥", s.text[at-1]) >= 0 ||
		strings.IndexByte(".:,", s.text[at-1]) >= 0 && (at < 2 || digits[s.text[at-2]])) {
		return true
	}
	switch {
	case n == 4 && s.isSpan(list, i):
		return true
	case sized(list, i, 4, 2, 2) && n >= 3, n == 3 && sized(list, i, 2, 2, 4), n == 3 && sized(list, i, 1, 1, 4),
		n == 3 && sized(list, i, 1, 2, 4), n == 3 && sized(list, i, 2, 1, 4):
		return true
	case n == 4 && s.allSeps(list, i, n, ".") && list[i].size() <= 3 && list[i+1].size() <= 3 && list[i+3].size() <= 3 &&
		!sized(list, i, 2, 2, 2, 2):
		return true
	}
	return n == 3 && s.allSeps(list, i, n, ".") && list[i].size() <= 2 && list[i+1].size() <= 3 && list[i+2].size() <= 3
}

// isSpan reports whether four groups are two times of day: "07.00-19.00".
func (s *scan) isSpan(list []group, i int) bool {
	for k := range 4 {
		if g := list[i+k]; g.size() > 2 || g.size() == 0 || k%2 == 0 && g.text(s) > "24" && g.size() == 2 ||
			k%2 == 1 && (g.size() != 2 || g.text(s) > "59") {
			return false
		}
	}
	return list[i].sep == "." && list[i+2].sep == "." && strings.Trim(list[i+1].sep, " -–/") == ""
}

func (s *scan) allSeps(list []group, i, n int, sep string) bool {
	for k := range n - 1 {
		if list[i+k].sep != sep {
			return false
		}
	}
	return true
}

// isNorthAmerican reports whether groups are in the form of the North American Numbering Plan: 415-555-0132.
func isNorthAmerican(list []group, i, n int, first, text string) bool {
	if n == 4 && first == "1" {
		i, n, first = i+1, 3, text[list[i+1].start:list[i+1].end]
	}
	if n != 3 || !sized(list, i, 3, 3, 4) || first[0] < '2' {
		return false
	}
	a, b := list[i].sep, list[i+1].sep
	if strings.HasPrefix(a, ")") && b == "-" {
		return true // nothing else is written so, also if there is no such exchange
	}
	return text[list[i+1].start] >= '2' &&
		(a == b && (a == "-" || a == "." || a == " ") || strings.HasPrefix(a, ")") && b == " ")
}

// homeForm reports whether groups that begin with "0" are parted as telephone numbers are.
func (s *scan) homeForm(list []group, i, n int) bool {
	if list[i].size() < 2 || list[i].size() > 6 || strings.HasPrefix(list[i].text(s), "00") {
		return false
	}
	for k := range n - 1 {
		if sep := list[i+k].sep; sep == "." && !sized(list, i, 2, 2, 2, 2, 2) {
			return false
		}
	}
	isbn := s.fold[max(0, list[i].start-12):list[i].start]
	return !strings.Contains(isbn, "isbn") && (list[i].size() > 1 || n > 2)
}

// digitBefore reports whether a longer number of groups is only partly read.
func (s *scan) digitBefore(start int) bool {
	return start > 1 && strings.IndexByte(" -./", s.text[start-1]) >= 0 && digits[s.text[start-2]]
}

// inBrackets reports whether a number stands alone in brackets.
func (s *scan) inBrackets(start, end int) bool {
	before, after := s.text[:start], s.text[end:]
	return (strings.HasSuffix(before, "(") || strings.HasSuffix(before, "（")) &&
		(strings.HasPrefix(after, ")") || strings.HasPrefix(after, "）"))
}

// afterName reports whether the word before the bracket before a place begins with a capital, or has no case.
func (s *scan) afterName(start int) bool {
	i := s.wordAt(start) - 1
	if i < 0 || start-s.words[i].end > 4 {
		return strings.HasSuffix(s.text[:start], "（")
	}
	first, _ := utf8.DecodeRuneInString(s.text[s.words[i].start:])
	return unicode.IsUpper(first) || isUnspaced(first)
}

// behindName reports whether a number stands behind a name and a colon or a comma, and ends a clause.
func (s *scan) behindName(start, end int) bool {
	before := strings.TrimRight(s.text[:start], " ")
	return (strings.HasSuffix(before, ":") || strings.HasSuffix(before, ",") || strings.HasSuffix(before, "：")) &&
		s.afterName(start) && s.endsAt(end) && !s.cued("counted", start, cueNear)
}

// Of a number with the prefix of calls abroad and the code of a country, in digits.
const (
	leastPrefixed = 11
	mostPrefixed  = 15
	northAmerican = 13
)

// isAbroad reports whether groups begin with the prefix of calls abroad: "0044 7700 900123".
func isAbroad(list []group, i, n int, text string) bool {
	number := ""
	for k := range n {
		number += text[list[i+k].start:list[i+k].end]
		if sep := list[i+k].sep; k+1 < n && strings.Trim(sep, " -()\u00a0") != "" {
			return false
		}
	}
	if n < 2 || !strings.HasPrefix(number, "00") || len(number) < leastPrefixed || len(number) > mostPrefixed ||
		number[2] == '0' || list[i].size() == 4 && list[i+1].size() > 1 && text[list[i+1].start] == '0' {
		return false
	}
	return number[2] != '1' || len(number) == northAmerican
}

// isBracketed reports whether groups have the form of a number of Spain, Portugal or France, or one whole number as
// many countries write that of a mobile telephone.
func isBracketed(list []group, i, n int, first string) bool {
	switch {
	case n == 3 && sized(list, i, 3, 3, 3), n == 4 && sized(list, i, 3, 2, 2, 2), n == 3 && sized(list, i, 3, 2, 4):
		return first[0] >= '6' && list[i].sep == list[i+1].sep
	case n == 1:
		return len(first) == 9 && first[0] >= '6' || len(first) >= 10 && len(first) <= 11 && strings.HasPrefix(first, "0") ||
			len(first) == 11 && first[0] == '1' && first[1] >= '3'
	}
	return false
}
