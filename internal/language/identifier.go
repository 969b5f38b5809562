package language

import (
	"strings"
	"unicode/utf8"
)

// span is a part of the text, in bytes.
type span struct{ start, end int }

// elisions are the words that lose their vowel before an apostrophe, in French and Italian.
var elisions = Set("l d j m n s t c qu jusqu lorsqu puisqu quelqu un all dall dell nell sull coll quest quell gl " +
	"anch c sant bell")

// contractions are what follows an apostrophe in English and makes one word with what precedes it.
var contractions = Set("t re ve ll d m")

// Set returns the words of a list.
func Set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// apostrophe appends the words around an apostrophe: "l'eau" is two words, "Anna's" is "anna",
// "don't" is "dont", and "İzmir'de" is "izmirde" and "izmir".
func (a *Analyzer) apostrophe(start, end int) {
	raw := a.text[start:end]
	at := strings.IndexFunc(raw, isApostrophe)
	if len(raw) > MaxForm {
		a.pieces(start, end)
		return
	}
	_, size := utf8.DecodeRuneInString(raw[at:])
	left, right := a.form(raw[:at]), a.form(raw[at+size:])
	switch {
	case right == "s":
		a.word(left, start, end)
	case elisions[left] && len(right) > 1:
		a.word(left, start, start+at)
		a.chunk(start + at + size)
	default:
		position := a.position
		a.word(a.form(raw), start, end)
		if utf8.RuneCountInString(left) >= 3 && !contractions[right] {
			a.beside(left, start, start+at, position)
		}
	}
}

// pieces appends what lies between the apostrophes of a text that is too long to be a word.
func (a *Analyzer) pieces(start, end int) {
	for i := start; i < end; {
		from := i
		r, size := utf8.DecodeRuneInString(a.text[i:])
		for ; i < end && !isApostrophe(r); r, size = utf8.DecodeRuneInString(a.text[i:]) {
			i += size
		}
		if i > from {
			a.word(a.form(a.text[from:i]), from, i)
		}
		if i < end {
			i += size
		}
	}
}

// identifier appends a compound of words, whole and in parts. "src/userName.ts" gives itself,
// "src", "username", "user", "name" and "ts".
func (a *Analyzer) identifier(start, end int) {
	a.spans = a.segments(a.spans[:0], start, end)
	segments := len(a.spans)
	position := a.position
	if segments > 1 {
		if a.initials(a.spans) {
			a.word(a.form(squeeze(a.text[start:end])), start, end)
			return
		}
		if end-start <= MaxForm {
			a.beside(a.form(a.text[start:end]), start, end, position)
		}
	}
	for i := range segments {
		a.segment(a.spans[i])
	}
	a.spans = a.spans[:0]
	a.position = max(a.position, position+1)
}

// segments appends the parts of a path, a domain or a qualified name.
func (a *Analyzer) segments(spans []span, start, end int) []span {
	from := start
	for i, r := range a.text[start:end] {
		switch narrow(r) {
		case '.', '/', '\\', '@', ',', ':':
			if start+i > from {
				spans = append(spans, span{from, start + i})
			}
			from = start + i + utf8.RuneLen(r)
		}
	}
	if from < end {
		spans = append(spans, span{from, end})
	}
	return spans
}

// initials reports whether every part is one letter, as in "p.m" and "U.S.A".
func (a *Analyzer) initials(parts []span) bool {
	for _, p := range parts {
		r, size := utf8.DecodeRuneInString(a.text[p.start:p.end])
		if size != p.end-p.start || kindOf(r) == numeral {
			return false
		}
	}
	return true
}

// segment appends one segment of an identifier: without its inner separators, and in parts.
func (a *Analyzer) segment(s span) {
	first := len(a.spans)
	a.spans = a.atoms(a.spans, s)
	atoms := a.spans[first:]
	defer func() { a.spans = a.spans[:first] }()
	if len(atoms) == 0 {
		return
	}
	if len(atoms) == 1 {
		a.word(a.form(a.text[atoms[0].start:atoms[0].end]), atoms[0].start, atoms[0].end)
		return
	}
	if whole := a.form(squeeze(a.text[s.start:s.end])); whole != "" {
		a.beside(whole, s.start, s.end, a.position)
	}
	before := a.position
	for _, at := range atoms {
		a.atom(at)
	}
	if a.position == before {
		a.position++
	}
}

// atom appends a part of an identifier. Single letters beside digits say nothing alone.
func (a *Analyzer) atom(s span) {
	raw := a.text[s.start:s.end]
	if r, size := utf8.DecodeRuneInString(raw); size == len(raw) && kindOf(r) != numeral && s.touchesDigit(a.text) {
		return
	}
	a.word(a.form(raw), s.start, s.end)
}

func (s span) touchesDigit(text string) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:s.start])
	after, _ := utf8.DecodeRuneInString(text[s.end:])
	return kindOf(before) == numeral || kindOf(after) == numeral
}

// maxChanges is how often letters and digits alternate in an identifier that is split there. With
// more changes it is a hash, or a number of a parcel.
const maxChanges = 3

// atoms appends the parts of a segment: between separators, at changes of case, and between letters and digits.
func (a *Analyzer) atoms(spans []span, s span) []span {
	first := len(spans)
	from, last, before, changes := s.start, uint8(other), s.start, 0
	end := func(at int) {
		if at > from {
			spans = append(spans, span{from, at})
		}
		from = at
	}
	for i, r := range a.text[s.start:s.end] {
		at, kind := s.start+i, kindOf(r)
		switch {
		case kind == other && !silent(r) && !isApostrophe(r):
			end(at)
			from = at + utf8.RuneLen(r)
		case kind == other:
			kind = last
		case last == other:
		case kind == numeral != (last == numeral):
			changes++
			end(at)
		case kind == upper && last == lower:
			end(at)
		case kind == lower && last == upper && before > from:
			end(before) // the last capital of HTTPServer begins the next word
		}
		last, before = kind, at
	}
	end(s.end)
	if changes > maxChanges {
		return append(spans[:first], s)
	}
	return spans
}

// squeeze removes the characters that join the words of one name.
func squeeze(raw string) string {
	if !strings.ContainsFunc(raw, isJoin) {
		return raw
	}
	return strings.Map(func(r rune) rune {
		if isJoin(r) {
			return -1
		}
		return r
	}, raw)
}

func isJoin(r rune) bool {
	switch narrow(r) {
	case '-', '_', '.', '‐', '‑':
		return true
	}
	return false
}
