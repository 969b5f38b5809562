package index

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// containing yields the forms that contain a part of a word, in ascending order. The n-grams of a form have three
// characters, counting its end, so the n-grams tell which forms to look at.
func (s *Segment) containing(word string) iter.Seq[uint32] {
	switch n := utf8.RuneCountInString(word); {
	case !utf8.ValidString(word):
		return s.withBytes(word)
	case n < 3:
		return slices.Values(s.withShort(word, n))
	}
	rarest, some := s.rarestGram(word)
	if !some {
		return func(func(uint32) bool) {}
	}
	return func(yield func(uint32) bool) {
		var c cursor
		text, goOn := []byte(word), true
		readList(s.parts[secGramForms], s.grams.count, rarest, func(form uint32) {
			if goOn && bytes.Contains(c.to(&s.forms, form), text) {
				goOn = yield(form)
			}
		})
	}
}

// withBytes looks through all forms.
func (s *Segment) withBytes(word string) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		text := []byte(word)
		for n, key := range s.forms.from(s.forms.search(wordsFrom)) {
			if bytes.Contains(key, text) && !yield(n) {
				return
			}
		}
	}
}

// withShort returns the forms that have one or two characters next to each other. N-grams begin with these, unless
// one character is the last of a form.
func (s *Segment) withShort(word string, characters int) (forms []uint32) {
	text, last := []byte(word), []byte(word+"$")
	add := func(gram uint32) {
		readList(s.parts[secGramForms], s.grams.count, gram, func(form uint32) { forms = append(forms, form) })
	}
	for n, gram := range s.grams.from(s.grams.search(word)) {
		if !bytes.HasPrefix(gram, text) {
			break
		}
		add(n)
	}
	if characters == 1 {
		for n, gram := range s.grams.from(0) {
			if bytes.HasSuffix(gram, last) {
				add(n)
			}
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// rarestGram returns the n-gram within a word that the fewest forms have, or reports that there is none.
func (s *Segment) rarestGram(word string) (rarest uint32, some bool) {
	fewest := uint64(0)
	for _, gram := range language.Grams(word, nil) {
		if !strings.Contains(word, gram) {
			continue // it has the beginning or the end
		}
		n, ok := s.grams.find(gram)
		if !ok {
			return 0, false
		}
		data := s.parts[secGramForms]
		if size, _ := binary.Uvarint(data[4*s.grams.count+u32(data, n):]); !some || size < fewest {
			rarest, fewest, some = n, size, true
		}
	}
	return rarest, some
}
