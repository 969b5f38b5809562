package sensitive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How far from the word for it a secret may stand in prose, in bytes.
const (
	strongNear  = 160
	leastStrong = 8
)

// strongMarks are in passwords, and seldom within other words.
const strongMarks = "!#$&*%?^~"

// strongAfter finds a password that its form gives away in the sentences behind the word for it: "The password had
// expired. I reset it to Tulip!Harbor-93." next is where the next label begins.
func (s *scan) strongAfter(h hit, next int) {
	limit := max(h.end, min(len(s.text), h.end+strongNear, next))
	if i := strings.Index(s.text[h.end:limit], "\n\n"); i >= 0 {
		limit = h.end + i
	}
	for at := h.end; at < limit; {
		r, size := utf8.DecodeRuneInString(s.text[at:])
		if outsideWord(r) {
			at += size
			continue
		}
		end := at
		for end < len(s.text) && end-at < mostPassword {
			r, size := utf8.DecodeRuneInString(s.text[end:])
			if outsideWord(r) {
				break
			}
			end += size
		}
		start := at + len(s.text[at:end]) - len(strings.TrimLeft(s.text[at:end], "*'“‘«"))
		text := strings.TrimRight(s.text[start:max(start, end)], "*.,;:?'”’»|")
		if isStrong(text) {
			s.add(Password, start, start+len(text))
		}
		at = end
	}
}

// strong looks for passwords behind each word for one.
func (s *scan) strong() {
	list := s.cues["password"]
	for i, h := range list {
		next := len(s.text)
		if i+1 < len(list) {
			next = list[i+1].start
		}
		s.strongAfter(h, next)
	}
}

// outsideWord reports whether a character parts a password from what stands around it.
func outsideWord(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"`()[]{}<>,;|", r) || isUnspaced(r) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff01
}

// isStrong reports whether a text has small letters, capitals, digits and a mark between two of them, as passwords
// have.
func isStrong(text string) bool {
	k := kindsOf(text)
	if len(text) < leastStrong || k.lower < 2 || k.upper == 0 || k.digit == 0 || k.symbol == 0 || isReference(text) ||
		isFiller(text) || strings.ContainsAny(text, "=@/\\") {
		return false
	}
	if k.digit > 2 && strings.IndexByte(strongMarks, text[len(text)-1]) >= 0 && digits[text[len(text)-2]] {
		return true
	}
	for i := 1; i+1 < len(text); i++ {
		if strings.IndexByte(strongMarks, text[i]) >= 0 && alnum[text[i-1]] && alnum[text[i+1]] {
			return true
		}
	}
	return false
}

// lock finds the code of a lock behind its name: "padlock on the shed: 4471".
func (s *scan) lock(h hit) {
	s.after(h, func(at int, how link) bool {
		v, ok := s.codeAt(at, how)
		if !ok || !v.quoted && !v.last || !v.isDoorCode() {
			return false
		}
		s.add(AccessCode, v.start, v.end)
		return true
	})
}

// Of the codes of doors, in characters.
const (
	leastDoorCode = 4
	mostDoorCode  = 8
)

// isDoorCode reports whether a value has as many digits as the codes of doors, and is no year.
func (v *value) isDoorCode() bool {
	k := kindsOf(v.text)
	n := k.digit + k.lower + k.upper
	return n >= leastDoorCode && n <= mostDoorCode && k.other == 0 && (v.quoted || !isYear(v.text))
}

// codeChars are in the codes of doors.
var codeChars = classOf("#*", "09", "AZ")

func isYear(text string) bool {
	return len(text) == 4 && (strings.HasPrefix(text, "19") || strings.HasPrefix(text, "20"))
}

// beforeOpener may stand between what people do with a code and the code.
var beforeOpener = classOf(" \t:")

// opens finds the code behind what people do with one, near a door: "disarm with 880216".
func (s *scan) opens(h hit) {
	if !s.near(h, "place") && !s.near(h, "lock") {
		return
	}
	v, ok := s.codeAt(run(s.text, h.end, beforeOpener), adjacent)
	if ok && v.isDoorCode() && (v.last || v.quoted || s.nextIs(v.end, "joins")) {
		s.add(AccessCode, v.start, v.end)
	}
}

// opened finds the code before what people do with one, near a door: "4471 opens it", "4471で開く".
func (s *scan) opened(h hit) {
	if !s.near(h, "place") && !s.near(h, "lock") {
		return
	}
	end := len(strings.TrimRight(s.text[:h.start], " "))
	start := runBack(s.text, end, mostDoorCode, codeChars)
	if start == end || start > 0 && (wordChars[s.text[start-1]] || strings.IndexByte(".,/$€", s.text[start-1]) >= 0) {
		return
	}
	if v, ok := s.codeAt(start, adjacent); ok && v.start >= start && v.end <= end && v.isDoorCode() {
		s.add(AccessCode, start, end)
	}
}

// nextIs reports whether the word behind a place is of a kind.
func (s *scan) nextIs(at int, kind string) bool {
	i := s.wordAt(at)
	if i >= len(s.words) || s.words[i].start-at > 2 {
		return false
	}
	return lexicons().single[kind][s.fold[s.words[i].start:s.words[i].end]]
}

// starCodes finds codes that begin with "*" and stand near a door: "entry: *2604".
func (s *scan) starCodes() {
	s.each(s.text, "*", func(at int) int {
		end := run(s.text, at+1, digits)
		n := end - at - 1
		if n < leastDoorCode || n > mostDoorCode || at > 0 && (alnum[s.text[at-1]] || s.text[at-1] == '*') ||
			end < len(s.text) && s.text[end] == '*' {
			return end
		}
		if end < len(s.text) && s.text[end] == '#' {
			end++
		}
		if h := (hit{"", at, end}); s.codeEnds(end) && (s.near(h, "place") || s.near(h, "lock") || s.near(h, "code")) {
			s.add(AccessCode, at, end)
		}
		return end
	})
}

// inAccount reports whether a place lies in the number of an account.
func (s *scan) inAccount(at int) bool {
	i, found := slices.BinarySearchFunc(s.accounts, at, func(m Match, at int) int { return m.Start - at })
	return found || i > 0 && s.accounts[i-1].End > at
}

// botToken is what stands between the number of a robot of Telegram and its secret.
const botToken = ":AA"

// Of the token of such a robot, in characters.
const (
	leastBot    = 8
	mostBot     = 12
	leastBotKey = 30
)

// botTokens finds the tokens of robots of Telegram.
func (s *scan) botTokens() {
	s.each(s.text, botToken, func(at int) int {
		start := runBack(s.text, at, mostBot, digits)
		end := run(s.text, at+1, wordChars)
		if n := at - start; n < leastBot || n > mostBot || start > 0 && wordChars[s.text[start-1]] ||
			end-at <= leastBotKey || isFiller(s.text[at:end]) {
			return end
		}
		s.add(Token, start, end)
		return end
	})
}

// mostCommand is how far from the name of a command its options are read, in bytes.
const mostCommand = 120

// mysqlOption finds the password in "mysql -u root -phunter2", which has no space before it.
func (s *scan) mysqlOption(at int) int {
	line, _, _ := strings.Cut(s.text[at:min(len(s.text), at+mostCommand)], "\n")
	i := strings.Index(line, " -p")
	if i < 0 {
		return at
	}
	v := s.valueAt(at+i+len(" -p"), direct)
	if v.start == at+i+len(" -p") && len(v.text) >= leastPassword && kindsOf(v.text).digit > 0 && v.isPassword() {
		s.add(Password, v.start, v.end)
	}
	return at + i
}

// slashPasswords finds the password in "jenkins / Kx92mmQQ!", which its form gives away.
func (s *scan) slashPasswords() {
	s.each(s.text, " / ", func(at int) int {
		end := at + len(" / ")
		if at == 0 || !alnum[s.text[at-1]] {
			return end
		}
		v := s.valueAt(end, prose)
		k := kindsOf(v.text)
		if len(v.text) >= leastStrong && len(v.text) <= mostPassword && k.lower > 1 && k.upper > 0 && k.digit > 0 &&
			strings.ContainsAny(v.text, strongMarks) && !strings.ContainsAny(v.text, "=@/\\") && v.isPassword() {
			s.add(Password, v.start, v.end)
		}
		return end
	})
}

// codeBehindNoun finds a code behind its label and what it opens: "PIN der EC-Karte 4471".
func (s *scan) codeBehindNoun(h hit) {
	x := lexicons()
	i := s.wordAt(h.end)
	article := h.kind == "code"
	for n := 0; n < maxLabelWords/2 && i < len(s.words); n, i = n+1, i+1 {
		w := s.words[i]
		before := h.end
		if n > 0 {
			before = s.words[i-1].end
		}
		if gap := s.text[before:w.start]; len(gap) > 3 || strings.Trim(gap, " '’-") != "" || gap == "" {
			return
		}
		text := s.fold[w.start:w.end]
		switch {
		case (digits[text[0]] || capitals[s.text[w.start]] && run(s.text, w.start, capitals) == w.end) && n > 0 && article &&
			kindsOf(text).digit > 1:
			if v, ok := s.codeAt(w.start, adjacent); ok && v.isDoorCode() && v.last {
				s.add(AccessCode, v.start, v.end)
			}
			return
		case n == 0 && !x.single["links"][text] && !(h.kind == "code" && (x.single["place"][text] || x.single["room"][text])):
			return
		}
		article = article || x.single["article"][text]
	}
}
