package reflection

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
	"github.com/loci-memory/loci/internal/recall"
)

// Statement is a text prepared for comparison. It is safe for concurrent use.
type Statement struct {
	text      string
	read      *recall.Text
	words     []factWord
	numbers   []factNumber
	names     map[string][]string // of exclusive kinds, by kind
	sides     map[int]uint64      // by group of opposites
	weakSides map[int]uint64      // the same of prepositions such as "before"
	sideWords map[string]bool     // the words of sides and days
	dayWords  map[string]bool     // those of days
	sideAt    map[int][]int       // where the words of sides stand, in bytes
	before    bool                // it has "before" or the like
	prefers   bool                // it has "over" or "instead of"
	from      bool                // it has "from" or "not until"
	days      map[int]uint64      // the same of groups with more than two sides: weekdays, months
	denials   []int               // where the statement denies something, in bytes
	implied   []int               // where a word like "frozen" denies
	change    string              // the word that says that something changed
	still     bool                // it says that nothing did
	also      bool                // it says that something was added
}

// factWord is a word that says something about the subject.
type factWord struct {
	text       string
	keys       []string // by any of which it is the same as another
	weight     float64
	start, end int
	prep       string // the preposition behind it
	linked     bool   // the next word is no preposition: a verb may have its object there
	name       bool   // written with a capital in the middle of a sentence
	char       bool   // a piece of a script without spaces
	counted    bool   // a number stands before it
	side       bool   // it has an opposite, so it weighs little
}

type factNumber struct {
	value, unit string
	form        numberForm
	start       int
	version     bool
	label       string // the word before it that it is the name of: "room 3"
	acts        bool   // a verb follows
	about       bool   // it is rounded
}

// maxFactWords is how many words of a text are compared. A memory is shorter; more is a document.
const maxFactWords = 80

// Prepare reads a text once for many comparisons.
func Prepare(text string) *Statement {
	s := &Statement{text: text, read: recall.Read(text), names: map[string][]string{}, sides: map[int]uint64{},
		days: map[int]uint64{}, weakSides: map[int]uint64{}, sideWords: map[string]bool{},
		dayWords: map[string]bool{}, sideAt: map[int][]int{}}
	if len(text) > maxFactText {
		text = strings.ToValidUTF8(text[:maxFactText], "")
	}
	lower := language.Lower(text)
	tokens := factTokens(text, lower, factLists().units)
	s.readSigns(lower, tokens)
	joinNumbers(tokens)
	s.readValues(strings.ReplaceAll(lower, "’", "'"))
	langs := language.Detect(text)
	var stems language.Analyzer
	for i := 0; i < len(tokens); i++ {
		t := &tokens[i]
		if t.number && !t.used {
			s.addNumber(tokens, i)
			continue
		}
		s.addWord(tokens, i, langs, &stems)
	}
	s.readUnspaced(lower)
	return s
}

// maxFactText is how much of a text is read, in bytes.
const maxFactText = 4000

// factToken is a word or a number of a text.
type factToken struct {
	form, stem string
	raw        string
	start, end int
	number     bool
	unit       string // of a share in words
	used       bool   // part of something longer
}

// factTokens splits a text into words and numbers. A number has its points and colons: "2.3", "10:30".
func factTokens(text, lower string, units map[string]string) (list []factToken) {
	var a language.Analyzer
	last := 0
	a.Words(text, func(w language.Word) bool {
		if w.Start < last || strings.IndexFunc(text[w.Start:w.End], isWide) >= 0 {
			return true
		}
		end := w.End
		digit := text[w.Start] >= '0' && text[w.Start] <= '9'
		for digit && end+1 < len(text) && strings.IndexByte(".:,", text[end]) >= 0 && isDigitAt(text, end+1) {
			for end++; end < len(text) && isDigitAt(text, end); end++ {
			}
		}
		t := factToken{form: w.Form, stem: w.Stem, raw: text[w.Start:end], start: w.Start, end: end}
		last = end
		if digit {
			list = append(list, splitUnit(t, lower, units)...)
		} else {
			list = append(list, t)
		}
		return true
	})
	return list
}

func isDigitAt(text string, at int) bool { return text[at] >= '0' && text[at] <= '9' }

// isWide reports whether a character is of a script without spaces between words.
func isWide(r rune) bool {
	return r >= 0x3040 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// splitUnit parts "30ms" and "15th" into a number and what follows.
func splitUnit(t factToken, lower string, units map[string]string) []factToken {
	i := t.start
	for i < t.end && strings.IndexByte("0123456789.:,", lower[i]) >= 0 {
		i++
	}
	number := t
	number.end, number.number, number.raw = i, true, lower[t.start:i]
	if i == t.end {
		return []factToken{number}
	}
	rest := lower[i:t.end]
	if unit := units[rest]; unit == "" && !slices.Contains([]string{"th", "st", "nd", "rd", "er", "e", "pm", "am"}, rest) {
		t.form, t.stem = lower[t.start:t.end], lower[t.start:t.end] // a name such as 4x6
		return []factToken{t}
	}
	return []factToken{number, {form: rest, stem: rest, raw: rest, start: i, end: t.end}}
}

// startWords are words before the day from which something holds.
var startWords = set("from since seit depuis desde ab effective starting")

// feasts are days without a number from which something holds.
var feasts = set(`easter christmas pentecost whitsun lent ostern pfingsten weihnachten neujahr pâques noël pentecôte
 navidad pascua páscoa natal carnaval spring summer autumn winter then`)

// from reports whether what follows "from" is followed by "on": "from May on".
func from(tokens []factToken, i int) bool {
	return i+2 < len(tokens) && slices.Contains([]string{"on", "onwards", "onward", "forward"}, tokens[i+2].form)
}

// Words before the time from which something holds, and before which it does not.
var (
	beforeWords = set("before earlier vor avant antes")
	fromWords   = set("erst from until ab desde partir at um à às a")
)

// additions are words that join something new to what stays.
var additions = set("also plus too additionally auch zusätzlich außerdem aussi également también además também")

// readSigns notes the words of change and the implied denials.
func (s *Statement) readSigns(lower string, tokens []factToken) {
	x := factLists()
	skip := 0
	for i := range tokens {
		s.before = s.before || beforeWords[tokens[i].form]
		s.from = s.from || fromWords[tokens[i].form]
		skip = max(skip, i+x.notChange.match(tokens, i))
		if n, _ := isClock(tokens, i, "prefer"); n > 0 {
			s.prefers = true
		}
		if n := x.change.match(tokens, i); n > 0 && s.change == "" && i >= skip && !s.isSupposed(tokens, i) {
			s.change = lower[tokens[i].start:tokens[i+n-1].end]
		}
		if s.change == "" && i+1 < len(tokens) && startWords[tokens[i].form] &&
			(tokens[i].form != "from" || from(tokens, i)) &&
			(tokens[i+1].number && !x.countsAt(tokens, i+2) || language.TellsWhen(tokens[i+1].form) ||
				feasts[tokens[i+1].form]) {
			s.change = lower[tokens[i].start:tokens[i+1].end]
		}
		s.also = s.also || additions[tokens[i].form]
		if n := x.still.match(tokens, i); n > 0 {
			s.still = true
		}
		if n := x.implied.match(tokens, i); n > 0 {
			s.implied = append(s.implied, tokens[i].start)
			for k := range n {
				tokens[i+k].used = true
			}
		}
	}
	for _, part := range x.changeWide {
		if s.change == "" && strings.Contains(lower, part) {
			s.change = part
		}
	}
}

// supposing are words behind which a word of change tells a condition or a cause, and no change.
var supposing = set(`if when whenever once unless because wenn falls sobald weil quand lorsque dès parce cuando porque
 quando si`)

// maxSupposed is how many words behind such a word are read.
const maxSupposed = 7

// isSupposed reports whether a word stands in a clause that tells a condition or a cause.
func (s *Statement) isSupposed(tokens []factToken, i int) bool {
	for k := i - 1; k >= 0 && i-k <= maxSupposed; k-- {
		if strings.ContainsAny(s.text[tokens[k].end:min(len(s.text), tokens[k+1].start)], ".,;:!?\n") {
			return false
		}
		if supposing[tokens[k].form] {
			return true
		}
	}
	return false
}

// countsAt reports whether a word is a unit, so that the number before it is no time.
func (x *factLexicon) countsAt(tokens []factToken, i int) bool {
	if i >= len(tokens) {
		return false
	}
	unit := x.units[tokens[i].form]
	return unit != "" && !strings.HasPrefix(unit, "unit-")
}

// idle are words of the lists of opposites that are mostly something else in a sentence.
var idle = set(`in out up down am pm an un una uno ein one may second sec on read write light must over with mit
 avec con com sobr right left last first mean mar sun sat mon wed start end and add drop cut à plus mai sur est
 aus no ja si sim vier ago dec us love like min max os quart raise fall oui non`)

// weakSides are prepositions of which one is the opposite of the other if it is denied.
var weakSides = set(`before after above below under over vor nach über unter avant après antes después depois
 more less fewer mehr weniger plus moins más menos mais befor abov`)

// opening are verbs that are opposites only as long as nobody tells times for both.
var opening = set(`open opens öffnet öffnen ouvre ouvrent abre abren abrem close closes shut shuts schließt schließen
 ferme ferment cierra cierran fecha fecham opened closed start starts stop stops`)

// readValues takes the opposites, the days and the denials from what Compare weighs.
func (s *Statement) readValues(lower string) {
	x := factLists()
	timed := strings.ContainsAny(lower, "0123456789")
	for v, n := range s.read.Values() {
		switch {
		case v.Denies() && (v.Word == "ne" || v.Word[0] == 'n' && strings.Contains(lower, "n'"+v.Word[1:])): // "pas" follows
		case v.Denies():
			at := max(0, strings.Index(lower, v.Word))
			s.denials = append(s.denials, slices.Repeat([]int{at}, n)...)
		case weakSides[v.Word] || opening[v.Word] && timed:
			s.weakSides[v.Group] |= 1 << v.Side
		case idle[v.Word] || v.Sides() > 2 && !x.calendar[v.Group]:
		case v.Sides() == 2:
			if utf8.RuneCountInString(v.Word) > 1 || !isWide([]rune(v.Word)[0]) {
				s.sides[v.Group] |= 1 << v.Side
				s.sideWords[v.Word] = true
				s.sideAt[v.Group] = append(s.sideAt[v.Group], max(0, strings.Index(lower, v.Word)))
			}
		default:
			s.days[v.Group] |= 1 << v.Side
			s.sideWords[v.Word], s.dayWords[v.Word] = true, true
		}
	}
	if onOff, ok := s.switched(); ok {
		s.sides[-2] |= onOff
	}
	slices.Sort(s.denials)
}

// switched finds "is on" and "stays off", whose "on" is a preposition elsewhere.
func (s *Statement) switched() (side uint64, ok bool) {
	words := strings.Fields(language.Lower(strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) {
			return ' '
		}
		return r
	}, s.text)))
	for i, w := range words {
		if i == 0 || w != "on" && w != "off" {
			continue
		}
		switch words[i-1] {
		case "is", "are", "was", "stays", "stay", "turned", "switched", "be", "remains", "keep", "it", "leave":
			if w == "on" {
				return 1, true
			}
			return 2, true
		}
	}
	return 0, false
}
