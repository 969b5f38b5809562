package sensitive

import (
	"slices"
	"strings"
)

// near reports whether a phrase of a kind stands near a label, in its line or the one beside it.
func (s *scan) near(h hit, kind string) bool {
	list := s.cues[kind]
	i, _ := slices.BinarySearchFunc(list, h.start-placeBefore, func(c hit, at int) int { return c.start - at })
	for ; i < len(list) && list[i].start < h.end+placeAfter; i++ {
		between := s.text[min(list[i].start, h.start):max(list[i].end, h.end)]
		if !strings.Contains(between, "\n\n") {
			return true
		}
	}
	return false
}

// code finds what opens a door, unlocks a card or proves who somebody is.
func (s *scan) code(h hit) {
	label := s.fold[h.start:h.end]
	if h.kind == "anycode" && (s.afterKind(h, "notcode") || !s.near(h, "place") && !s.near(h, "room") &&
		!s.near(h, "lock")) {
		return
	}
	found := s.after(h, func(at int, how link) bool {
		v, ok := s.codeAt(at, how)
		if !ok || !s.isCode(v, h, label) {
			return false
		}
		end := v.end
		if strings.HasSuffix(label, "s") || strings.HasSuffix(label, "コード") || strings.HasSuffix(label, "码") {
			end = s.moreCodes(end)
		}
		s.add(AccessCode, v.start, end)
		return true
	})
	if !found {
		s.codeBehindDash(h)
		s.codeBehindNoun(h)
	}
}

// dashes may part a label and its code: "code for the gate - 4471".
var dashes = []string{" - ", " – ", " — "}

// codeBehindDash finds a code behind a dash.
func (s *scan) codeBehindDash(h hit) {
	rest := s.text[h.end:min(len(s.text), h.end+cueNear)]
	if i := strings.IndexAny(rest, "\n.:;!?"); i >= 0 {
		rest = rest[:i]
	}
	for _, dash := range dashes {
		i := strings.Index(rest, dash)
		if i < 0 {
			continue
		}
		if v, ok := s.codeAt(h.end+i+len(dash), prose); ok && v.isDoorCode() && (v.last || v.quoted) {
			s.add(AccessCode, v.start, v.end)
		}
		return
	}
}

// isCode reports whether the digits behind a label are its code.
func (s *scan) isCode(v value, h hit, label string) bool {
	k := kindsOf(v.text)
	short := k.digit+k.lower+k.upper < 4
	switch {
	case short && label != "cvv" && label != "cvc":
		return false
	case label == "pin" || label == "pins":
		named := v.link != adjacent || s.text[h.start:h.end] != label || v.last && s.cued("owner", h.start, 2)
		return named && k.lower+k.upper == 0 && k.digit <= 8
	case v.link == prose || v.link == adjacent:
		return v.quoted || v.last || k.digit >= 4 && k.digit <= 8
	}
	return true
}

// afterKind reports whether the word before a label is of a kind, as in "error code".
func (s *scan) afterKind(h hit, kind string) bool {
	list := s.cuesBefore(kind, h.start)
	if len(list) == 0 {
		return false
	}
	c := list[len(list)-1]
	return c.end <= h.start && h.start-c.end < 4 && strings.Trim(s.text[c.end:h.start], " -_") == ""
}

// cuesBefore are the phrases of a kind that begin before a place.
func (s *scan) cuesBefore(kind string, at int) []hit {
	list := s.cues[kind]
	i, _ := slices.BinarySearchFunc(list, at, func(c hit, at int) int { return c.start - at })
	return list[:i]
}

// cued reports whether a phrase of a kind ends at most so many bytes before a place, in the same line.
func (s *scan) cued(kind string, at, within int) bool {
	list := s.cuesBefore(kind, at)
	if len(list) == 0 {
		return false
	}
	c := list[len(list)-1]
	return c.end <= at && at-c.end <= within && !strings.Contains(s.text[c.end:at], "\n")
}

// maxCodes is how many codes of a list are read.
const maxCodes = 24

// What may stand between the codes of a list, and between a place and its code.
var (
	betweenCodes = classOf(" ,;\n\r\t-*•/|")
	beforeCode   = classOf(" :=\"'")
)

// moreCodes returns where a list of codes ends that goes on at a place.
func (s *scan) moreCodes(at int) int {
	end := at
	for range maxCodes {
		i := run(s.text, end, betweenCodes)
		if strings.HasPrefix(s.text[i:], "and ") || strings.HasPrefix(s.text[i:], "und ") {
			i += len("and ")
		}
		v, ok := s.codeAt(i, adjacent)
		if !ok || i == end {
			break
		}
		end = v.end
	}
	return end
}

// placeCode finds the code that follows a place without the word for one: "gate 4471#", "safe: 12-34-56".
func (s *scan) placeCode(h hit) {
	at := run(s.text, h.end, beforeCode)
	if strings.HasPrefix(s.text[at:], "is ") {
		at += len("is ")
	}
	for _, colon := range []string{"：", "は"} {
		at += len(s.text[at:]) - len(strings.TrimPrefix(s.text[at:], colon))
	}
	v, ok := s.codeAt(at, direct)
	if s.spacedCode(h, at) || !ok || at == h.end {
		return
	}
	if strongbox[s.fold[h.start:h.end]] && v.isDoorCode() && run(v.text, 0, digits) == len(v.text) && !isClock(v.text) &&
		(v.last || strings.HasPrefix(s.text[v.end:], " (")) {
		s.add(AccessCode, v.start, v.end)
		return
	}
	colon := strings.ContainsAny(s.text[h.end:at], ":=：")
	if colon && strongbox[s.fold[h.start:h.end]] && v.isDoorCode() && !isClock(v.text) &&
		(v.last || s.nextIs(v.end, "joins")) {
		s.add(AccessCode, v.start, v.end)
		return
	}
	if hash := strings.ContainsAny(v.text, "#*"); hash || strings.Count(v.text, "-") == 2 && len(v.text) == 8 ||
		strings.Count(v.text, "-") > 2 && len(v.text) == 2*strings.Count(v.text, "-")+1 {
		s.add(AccessCode, v.start, v.end)
	}
}

// spacedCode finds a code in pairs of digits behind the name of a door: "front door 83 41 E", "Tür: 48 15".
func (s *scan) spacedCode(h hit, at int) bool {
	pair := func(i int) bool { return run(s.text, i, digits) == i+2 }
	if h.end == at || !pair(at) || !strings.HasPrefix(s.text[at+2:], " ") || !pair(at+3) {
		return false
	}
	end := at + len("83 41")
	for strings.HasPrefix(s.text[end:], " ") && pair(end+1) {
		end += len(" 12")
	}
	lettered := end+1 < len(s.text) && s.text[end] == ' ' && s.text[end+1] >= 'A' && s.text[end+1] <= 'Z'
	if lettered {
		end += len(" E")
	}
	ok := s.codeEnds(end) && end-at <= mostSpaced && (lettered || s.endsAt(end))
	if ok {
		s.add(AccessCode, at, end)
	}
	return ok
}

// mostSpaced is how long a code in pairs is, with what parts them.
const mostSpaced = len("83 41 22 E")

// passings follow the verb "pass".
var passings = []string{" on", " along", " it on", " this on", " them on", " through"}

// passesOn reports whether "pass" is the verb: "do not pass on: …".
func (s *scan) passesOn(h hit) bool {
	rest := s.fold[h.end:]
	return s.fold[h.start:h.end] == "pass" && slices.ContainsFunc(passings, func(w string) bool {
		return strings.HasPrefix(rest, w) && !strings.HasPrefix(rest[len(w):], "e")
	})
}

// strongbox are places that nothing but a code follows behind a colon.
var strongbox = set("alarm alarme alarma alarmanlage safe tresor coffre cofre digicode intercom 保险箱 保险柜 金庫 报警器")

// isClock reports whether four digits may be a time of day.
func isClock(text string) bool {
	return len(text) == 4 && text[:2] < "24" && text[2:] < "60"
}

// hashCodes finds codes that end in "#" or "*" and stand near a place: "use 4471# at the gate".
func (s *scan) hashCodes() {
	for _, mark := range []string{"#", "*"} {
		s.each(s.text, mark, func(at int) int {
			start := runBack(s.text, at, 8, digits)
			n := at - start
			if n < 3 || n > 8 || start > 0 && (alnum[s.text[start-1]] || strings.IndexByte("#*", s.text[start-1]) >= 0) ||
				!s.codeEnds(at+1) || at+1 < len(s.text) && s.text[at+1] == '*' {
				return at
			}
			if h := (hit{"", start, at + 1}); s.near(h, "place") || s.near(h, "code") {
				s.add(AccessCode, start, at+1)
			}
			return at
		})
	}
}
