package reflection

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/loci-memory/loci/internal/language"
	"github.com/loci-memory/loci/internal/recall"
)

// factLexicon is what the lists of internal/language say about the words of statements.
type factLexicon struct {
	concepts     factPhrases
	change       factPhrases
	still        factPhrases
	notChange    factPhrases // phrases in which a word of change is none: "on the left"
	implied      factPhrases
	changeWide   []string
	kinds        map[string][]string // of exclusive names
	canonical    map[string]string
	common       map[string]bool // exclusive names that are also common words
	wideConcepts []wideConcept
	wideNames    []string // exclusive names in scripts without spaces
	numbers      map[string]int
	units        map[string]string
	weak         map[string]bool
	ignored      map[string]bool // denials, which are counted apart
	calendar     map[int]bool    // the groups of opposites that are weekdays, months and days beside today
}

// factPhrases are phrases by their first word. The longest comes first.
type factPhrases map[string][]factPhrase

type factPhrase struct {
	words []string
	means string
}

func (p factPhrases) add(phrase, means string) {
	if joined := strings.ReplaceAll(phrase, "'", ""); joined != phrase && strings.Contains(phrase, "_") {
		p.add(joined, means) // a text has "d'heure" as one word
	}
	words := strings.Split(foldText(phrase), "_")
	p[words[0]] = append(p[words[0]], factPhrase{words, means})
	slices.SortStableFunc(p[words[0]], func(a, b factPhrase) int { return len(b.words) - len(a.words) })
}

// find returns the longest phrase at a place.
func (p factPhrases) find(tokens []factToken, i int) (factPhrase, bool) {
	for _, f := range p[tokens[i].form] {
		if i+len(f.words) <= len(tokens) && slices.EqualFunc(f.words, tokens[i:i+len(f.words)],
			func(w string, t factToken) bool { return w == t.form }) {
			return f, true
		}
	}
	return factPhrase{}, false
}

// match returns how many words the phrase at a place has, or 0.
func (p factPhrases) match(tokens []factToken, i int) int {
	f, _ := p.find(tokens, i)
	return len(f.words)
}

// foldText writes a word of a list as the words of a text are written.
func foldText(text string) string {
	var words []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("_-'’", r) }) {
		for _, t := range factTokens(part, language.Lower(part), nil) {
			words = append(words, t.form)
		}
	}
	if len(words) == 0 {
		return text
	}
	return strings.Join(words, "_")
}

var factLists = sync.OnceValue(func() *factLexicon {
	x := &factLexicon{concepts: factPhrases{}, change: factPhrases{}, notChange: factPhrases{},
		still: factPhrases{}, implied: factPhrases{},
		kinds: map[string][]string{}, canonical: map[string]string{}, common: map[string]bool{},
		numbers: map[string]int{}, units: map[string]string{},
		weak: map[string]bool{}, ignored: map[string]bool{}, calendar: map[int]bool{}}
	x.addUnits()
	x.addNames()
	for _, line := range language.Lines("concepts") {
		words := strings.Fields(line)
		for _, w := range words {
			if form := foldText(w); language.Stop(form, language.English) && !weakSides[form] {
				continue // "thé" without its accent
			}
			x.concepts.add(w, "="+words[0])
			if t := factTokens(w, language.Lower(w), nil); len(t) == 1 && !strings.Contains(w, "_") && t[0].stem != t[0].form {
				x.concepts.add(t[0].stem, "="+words[0])
			}
		}
	}
	for _, w := range language.Words("change") {
		if still, ok := strings.CutPrefix(w, "!"); ok {
			x.still.add(still, "")
		} else if not, ok := strings.CutPrefix(w, "~"); ok {
			x.notChange.add(not, "")
		} else {
			x.change.add(w, "")
		}
	}
	x.wideConcepts = readWideConcepts()
	for _, w := range language.Words("implied-negations") {
		x.implied.add(w, "")
	}
	x.changeWide = language.Words("change-unspaced")
	for _, w := range language.Words("weak-words") {
		x.weak[foldText(w)] = true
	}
	for _, w := range language.Words("negations") {
		x.ignored[foldText(w)] = true
	}
	for _, line := range language.Lines("number-words") {
		words := strings.Fields(line)
		n, _ := strconv.Atoi(words[0])
		for _, w := range words[1:] {
			x.numbers[foldText(w)] = n
		}
	}
	for _, day := range []string{"monday", "january", "today", "星期一", "月曜", "六"} {
		for v := range recall.Read(day).Values() {
			x.calendar[v.Group] = true
		}
	}
	return x
})

func (x *factLexicon) addUnits() {
	for _, line := range language.Lines("units") {
		words := strings.Fields(line)
		for _, w := range words {
			x.units[language.Lower(w)] = words[0]
		}
	}
	for _, line := range language.Lines("relative") {
		if words := strings.Fields(line); strings.HasPrefix(words[0], "unit-") {
			for _, w := range words[2:] {
				x.units[language.Lower(w)] = words[0]
			}
		}
	}
	for unit, words := range map[string]string{"hour": "hour hours hr hrs h uhr stunde stunden heure heures hora horas",
		"min": "minuten minutes minutos minute", "s": "seconds sekunden secondes segundos sec secs"} {
		for w := range strings.FieldsSeq(words) {
			x.units[w] = unit
		}
	}
}

func (x *factLexicon) addNames() {
	for _, line := range language.Lines("exclusives") {
		kind, list, _ := strings.Cut(line, ":")
		for entry := range strings.FieldsSeq(list) {
			entry, common := strings.CutPrefix(entry, "?")
			spellings := strings.Split(entry, "=")
			for _, s := range spellings {
				if strings.IndexFunc(s, isWide) >= 0 {
					x.wideNames = append(x.wideNames, s)
				} else {
					s = foldText(s)
				}
				x.canonical[s] = spellings[0]
				x.common[s] = common && s == foldText(spellings[0])
				if !slices.Contains(x.kinds[s], kind) {
					x.kinds[s] = append(x.kinds[s], kind)
				}
			}
		}
	}
}

// concept returns the meaning of the words at a place, and how many words it has.
func (x *factLexicon) concept(tokens []factToken, i int) (meaning string, n int) {
	f, ok := x.concepts.find(tokens, i)
	if !ok && tokens[i].stem != tokens[i].form {
		for _, g := range x.concepts[tokens[i].stem] {
			if len(g.words) == 1 {
				f = g
			}
		}
	}
	return f.means, len(f.words)
}

// wideConcept is a part of texts in scripts without spaces, and what it means.
type wideConcept struct{ text, means string }

// readWideConcepts reads the list "concepts-unspaced". A longer part comes before a shorter one.
func readWideConcepts() (list []wideConcept) {
	for _, line := range language.Lines("concepts-unspaced") {
		words := strings.Fields(line)
		for _, w := range words {
			list = append(list, wideConcept{language.Lower(w), words[0]})
		}
	}
	slices.SortStableFunc(list, func(a, b wideConcept) int { return len(b.text) - len(a.text) })
	return list
}
