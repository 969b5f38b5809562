package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// A row has the signs of its texts as forms that are no words, each once: characters such as + and 🎉, pairs of these
// without a space between them, what is around a point in 1.2 and q.q, and the ranges of letters of other scripts than
// those whose words are found whole. So whoever looks for a text that words do not tell, such as "C++", reads only the
// rows that have its signs.

// signMark begins the forms of signs. No word has it.
const signMark = "\x01"

// sign is a character, a pair of characters, three characters of ASCII with a point or a comma in the middle, or a
// range of letters.
type sign uint64

// These bits tell the kinds of signs apart. A character has 21 bits.
const (
	pairShift = 21
	lettersOf = sign(1) << 48
	pointIn   = sign(1) << 49
)

func (s sign) form() string {
	return string(binary.BigEndian.AppendUint64([]byte(signMark), uint64(s)))
}

// appendSigns appends the signs of a text. A single . or , is none, because nearly all texts have them.
func appendSigns(list []sign, text string) []sign {
	last, begins := rune(0), sign(0) // the character before this one, and the sign that it is, if it can begin a pair
	for i, r := range text {
		if r = language.FoldRune(r); r < utf8.RuneSelf && inWords[r] {
			last, begins = r, 0
			continue
		}
		at, character := signOf(r)
		if r == '.' || r == ',' {
			list = appendPoint(list, last, r, text[i+1:])
		} else if at != 0 {
			list = append(list, at)
		}
		last = r
		if !character {
			begins = 0
			continue
		}
		if begins != 0 {
			list = append(list, begins<<pairShift|at)
		}
		begins = at
	}
	return list
}

// appendPoint appends the sign of a point or a comma between two characters of words in ASCII.
func appendPoint(list []sign, before, point rune, rest string) []sign {
	after, _ := utf8.DecodeRuneInString(rest)
	if after = language.FoldRune(after); joins(before) && joins(after) {
		list = append(list, pointIn|sign(before)<<14|sign(point)<<7|sign(after)) // #nosec G115 -- not negative
	}
	return list
}

// joins reports whether a character of ASCII is one of a word.
func joins(r rune) bool { return r > ' ' && r < utf8.RuneSelf && inWords[r] }

// inWords are the characters of ASCII that are in words or between them.
var inWords = func() (is [utf8.RuneSelf]bool) {
	for r := range is {
		c := rune(r)
		is[r] = unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsSpace(c)
	}
	return is
}()

// signOf returns the sign that a character is, or the range that a letter is in, or 0. A range is 128 characters, or
// 4,096 in scripts with many.
func signOf(r rune) (s sign, character bool) {
	switch {
	case r < utf8.RuneSelf && inWords[r], unicode.IsSpace(r),
		unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han):
		return 0, false
	case !unicode.In(r, unicode.L, unicode.M, unicode.N):
		return sign(r), true // #nosec G115 -- not negative
	case r < 0x1000:
		return lettersOf | sign(r>>7), false // #nosec G115 -- not negative
	default:
		return lettersOf | sign(r>>12)<<8, false // #nosec G115 -- not negative
	}
}

// addSigns adds the signs of a row, which b.signs has.
func (b *Builder) addSigns(row *builtRow) {
	slices.Sort(b.signs)
	for _, s := range slices.Compact(b.signs) {
		row.words = append(row.words, place{b.form(s.form()), 0, once})
	}
	b.signs = b.signs[:0]
}

// needs are the forms that a row must have to contain a text: signs and whole words, one that ends as the first word of
// the text does, and one that begins as its last word does.
type needs struct {
	forms       []string
	first, last string
}

// needsOf returns what a text needs. Words between spaces count if they are of ASCII letters: the index has these
// whole.
func needsOf(text string) (n needs) {
	signs := appendSigns(nil, text)
	slices.Sort(signs)
	for _, s := range slices.Compact(signs) {
		n.forms = append(n.forms, s.form())
	}
	fields := strings.Fields(strings.ToLower(text))
	for i, word := range fields {
		switch {
		case len(fields) == 1 || len(word) > language.MaxForm || strings.ContainsFunc(word, notASCIILetter):
		case 0 < i && i < len(fields)-1:
			n.forms = append(n.forms, word)
		case len(word) < minEnd:
		case i == 0:
			n.first = word
		default:
			n.last = word
		}
	}
	slices.Sort(n.forms)
	n.forms = slices.Compact(n.forms)
	return n
}

// minEnd is the length below which an end of a word is in too many words.
const minEnd = 3

func notASCIILetter(r rune) bool { return r < 'a' || r > 'z' }

// Containing returns the visible rows that can contain a text, because they have all that it needs. ok is false if it
// needs nothing, or if the rows are more than limit. Letters may differ in case.
func Containing(views []*View, sees func(Class) bool, now time.Time, text string, limit int) (ids [][16]byte, ok bool) {
	n := needsOf(text)
	if len(n.forms) == 0 && n.first == "" && n.last == "" {
		return nil, false
	}
	for _, v := range views {
		docs := v.withNeeds(&n, sees, now)
		if len(ids)+len(docs) > limit {
			return nil, false
		}
		for _, doc := range docs {
			ids = append(ids, v.id(doc))
		}
	}
	return ids, true
}

// withNeeds returns the visible rows that have all that is needed.
func (v *View) withNeeds(n *needs, sees func(Class) bool, now time.Time) (docs []uint32) {
	spans, _, hidden := v.visible(sees, now)
	if len(spans) == 0 {
		return nil
	}
	r := visibleRows{v, spans, hidden}
	known := false // docs have what was needed so far
	keep := func(forms []uint32) bool {
		found := r.rows(forms)
		if known {
			found = slices.DeleteFunc(found, func(doc uint32) bool {
				_, there := slices.BinarySearch(docs, doc)
				return !there
			})
		}
		docs, known = found, true
		return len(docs) > 0
	}
	if len(n.forms) > 0 {
		if docs, known = r.withAll(n.forms), true; len(docs) == 0 {
			return nil
		}
	}
	if n.last != "" && !keep(v.beginningWith(n.last)) {
		return nil
	}
	if n.first != "" {
		keep(v.endingWith(n.first))
	}
	return docs
}

// visibleRows are the rows of a view that somebody sees.
type visibleRows struct {
	*View
	spans  []span
	hidden bitmap
}

func (r *visibleRows) withAll(forms []string) []uint32 {
	lists := make([]list, len(forms))
	for i, form := range forms {
		n, ok := r.forms.find(form)
		if !ok {
			return nil
		}
		lists[i] = r.list(n)
	}
	slices.SortFunc(lists, func(x, y list) int { return cmp.Compare(x.count, y.count) })
	var rows entries
	lists[0].read(r.spans, r.hidden, 1, &rows)
	for _, l := range lists[1:] {
		w := walk{list: l}
		w.begin()
		rows.docs = slices.DeleteFunc(rows.docs, func(doc uint32) bool { return !w.has(doc) })
	}
	return rows.docs
}

// rows returns the rows that have one of some forms, in ascending order.
func (r *visibleRows) rows(forms []uint32) []uint32 {
	var rows entries
	for _, form := range forms {
		l := r.list(form)
		l.read(r.spans, r.hidden, 1, &rows)
	}
	slices.Sort(rows.docs)
	return slices.Compact(rows.docs)
}

func (s *Segment) beginningWith(prefix string) (list []uint32) {
	for n, key := range s.forms.from(s.forms.search(prefix)) {
		if !bytes.HasPrefix(key, []byte(prefix)) {
			break
		}
		list = append(list, n)
	}
	return list
}

func (s *Segment) endingWith(suffix string) (list []uint32) {
	for n := range s.containing(suffix) {
		if strings.HasSuffix(s.forms.at(n), suffix) {
			list = append(list, n)
		}
	}
	return list
}
