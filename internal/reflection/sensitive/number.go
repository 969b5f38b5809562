package sensitive

import (
	"strconv"
	"strings"
)

// group is a run of digits.
type group struct {
	start, end int
	sep        string // what stands between it and the next, if that is at most three bytes
	lettered   bool   // a letter or "_" stands before it
}

func (g group) size() int { return g.end - g.start }

// How near a word must be to say what a number is.
const (
	cueNear    = 40
	notCueNear = 16
	mostDigits = 20 // longer runs are no number of anything
)

// numbers finds cards, telephones and numbers of people.
func (s *scan) numbers() {
	list := s.groups()
	for i := 0; i < len(list); {
		n := 1
		switch {
		case list[i].size() > mostDigits:
		case list[i].lettered:
			s.idWithLetters(list[i])
		default:
			n = s.number(list, i)
		}
		i += n
	}
	s.passports()
}

func (s *scan) groups() (list []group) {
	for i := 0; i < len(s.text); i++ {
		if !digits[s.text[i]] {
			continue
		}
		g := group{start: i, end: run(s.text, i, digits)}
		g.lettered = i > 0 && (alnum[s.text[i-1]] || s.text[i-1] == '_' || s.text[i-1] >= 0x80 && !s.freeBefore(i))
		if n := len(list); n > 0 && g.start-list[n-1].end <= 3 {
			list[n-1].sep = s.text[list[n-1].end:g.start]
		}
		list = append(list, g)
		i = g.end
	}
	return list
}

// freeBefore reports whether the character before a place is none of a word with spaces around it.
func (s *scan) freeBefore(at int) bool {
	i := s.wordAt(at - 1)
	return i >= len(s.words) || s.words[i].start >= at || s.words[i].start == at
}

// number tries what may begin at a group of digits, and returns how many groups it took.
func (s *scan) number(list []group, i int) int {
	for _, try := range []func([]group, int) int{s.card, s.id, s.phone} {
		if n := try(list, i); n > 0 {
			return n
		}
	}
	return 1
}

// join returns the digits of n groups, if there are as many and one of the marks stands between all of them.
func (s *scan) join(list []group, i, n int, seps string) (digits string, ok bool) {
	if i+n > len(list) {
		return "", false
	}
	var b strings.Builder
	for k := range n {
		b.WriteString(s.text[list[i+k].start:list[i+k].end])
		if sep := list[i+k].sep; k+1 < n && (len(sep) != 1 || !strings.Contains(seps, sep) || sep != list[i].sep) {
			return "", false
		}
	}
	return b.String(), true
}

// whole returns the digits of one group, or of groups of these sizes with one of the marks between all of them, and how
// many groups they are, 0 if they are none.
func (s *scan) whole(list []group, i int, seps string, sizes ...int) (digits string, n int) {
	all := 0
	for _, size := range sizes {
		all += size
	}
	if list[i].size() == all {
		return list[i].text(s), 1
	}
	if sized(list, i, sizes...) {
		if digits, ok := s.join(list, i, len(sizes), seps); ok {
			return digits, len(sizes)
		}
	}
	return "", 0
}

// sized reports whether groups have these sizes.
func sized(list []group, i int, sizes ...int) bool {
	if i+len(sizes) > len(list) {
		return false
	}
	for k, n := range sizes {
		if list[i+k].size() != n {
			return false
		}
	}
	return true
}

// free reports whether no letter or digit touches what lies between two places.
func (s *scan) free(start, end int) bool {
	return (start == 0 || !wordChars[s.text[start-1]] || s.text[start-1] == '-' && start == 1) &&
		(end == len(s.text) || !alnum[s.text[end]] && s.text[end] != '_')
}

// cardGroups are the ways in which people write the numbers of cards.
var cardGroups = [][]int{{4, 4, 4, 4, 3}, {4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}, {4, 5, 6}, {8, 8}}

func (s *scan) card(list []group, i int) int {
	if s.inAccount(list[i].start) {
		return 0
	}
	for _, sizes := range cardGroups {
		if !sized(list, i, sizes...) {
			continue
		}
		number, ok := s.join(list, i, len(sizes), " -.")
		start, end := list[i].start, list[min(i+len(sizes), len(list))-1].end
		if ok && isCard(number) && s.free(start, end) && !s.notCard(start) {
			s.add(CardNumber, start, end)
			return len(sizes)
		}
	}
	g := list[i]
	if n := g.size(); n >= 13 && n <= 19 {
		number := s.text[g.start:g.end]
		cued := s.cued("card", g.start, cueNear)
		if isCard(number) && (n > 13 || cued) && s.free(g.start, g.end) && (cued || !s.notCard(g.start)) {
			s.add(CardNumber, g.start, g.end)
			return 1
		}
	}
	return 0
}

// notCard reports whether a word says that a number is something else.
func (s *scan) notCard(at int) bool {
	return s.cued("notcard", at, notCueNear) && !s.cued("card", at, notCueNear)
}

// isCard reports whether digits have the beginning, the length and the check digit of a payment card.
func isCard(number string) bool {
	n := len(number)
	two, _ := strconv.Atoi(number[:2])
	four, _ := strconv.Atoi(number[:4])
	ok := false
	switch {
	case number[0] == '4':
		ok = n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		ok = n == 16
	case two == 34, two == 37:
		ok = n == 15
	case four >= 3528 && four <= 3589:
		ok = n == 16
	case two == 36, two == 38, four >= 3000 && four <= 3059:
		ok = n == 14 || n == 16
	case four == 6011, two == 65, number[:3] >= "644" && number[:3] <= "649", two == 62, two == 60:
		ok = n >= 16
	case two == 50, two >= 56 && two <= 58, two == 67, two == 63:
		ok = n == 16 || n == 18 || n == 19
	}
	return ok && luhn(number) && strings.Trim(number, number[:1]) != ""
}

// luhn reports whether the last digit is the check digit of ISO/IEC 7812-1.
func luhn(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
