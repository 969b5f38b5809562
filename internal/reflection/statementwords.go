package reflection

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// labelNouns are words after which a number is a name: "room 3".
var labelNouns = set(`parcel paket colis paquete pacote crate kiste box lorry truck van ward plot
 port terminal track zone level bed bett lit cama row lane pier seat table case order
 invoice patient tank pump oven kiln group class room floor ticket issue sprint phase step chapter gate
 platform version release server node
 shard building apartment unit line store branch desk bay dock batch lot v build quarter raum etage zimmer salle
 étage sala planta andar versión`)

var set = language.Set

// addNumber adds the number at a place, with the word that it counts.
func (s *Statement) addNumber(tokens []factToken, i int) {
	t := tokens[i]
	n := factNumber{value: plainNumber(t.raw), start: t.start, version: strings.Count(t.raw, ".") > 0}
	if i+1 < len(tokens) && !tokens[i+1].used && tokens[i+1].start-t.end <= 1 {
		if unit := unitAt(tokens[i+1].form); unit != "" {
			n.unit = unit
			tokens[i+1].used = true
			n.version = false
		}
	}
	if strings.HasPrefix(s.text[t.end:], "%") || strings.HasPrefix(s.text[t.end:], " %") {
		n.unit, n.version = "%", false
	}
	if rest := strings.TrimLeft(s.text[t.end:], " "); strings.HasPrefix(rest, "°") || strings.HasPrefix(rest, "º") {
		n.unit, n.version = "°", false
	}
	if before, _ := utf8.DecodeLastRuneInString(s.text[:t.start]); strings.ContainsRune("$€£¥", before) {
		n.unit, n.version = string(before), false
	}
	if i > 0 && t.start-tokens[i-1].end <= 1 && labelNouns[tokens[i-1].form] {
		n.label = tokens[i-1].form
	}
	if t.unit != "" {
		n.unit, n.version = t.unit, false
	}
	s.wideTime(&n, t.end)
	n.about = s.isAbout(tokens, i)
	n.acts = i+1 < len(tokens) && doers[tokens[i+1].form]
	n.form = formOf(tokens, i, n.value)
	s.numbers = append(s.numbers, n)
}

// unitAt returns the unit that a word behind a number is, or "".
func unitAt(form string) string {
	if form == "s" { // in "80s" it is no unit
		return form
	}
	return factLists().units[form]
}

// doers are verbs behind a subject.
var doers = set("is are was were has have had does did ist sind hat est sont es está tiene é tem")

// plainNumber writes a number without the marks between thousands and without zeros that say nothing.
func plainNumber(raw string) string {
	raw = strings.TrimRight(raw, ".,:")
	if whole, rest, ok := strings.Cut(raw, ","); ok && len(rest) == 3 && len(whole) < 4 {
		raw = whole + rest
	}
	raw = strings.ReplaceAll(raw, ",", ".")
	raw = strings.TrimSuffix(raw, ":00")
	if len(raw) > 1 && raw[0] == '0' && raw[1] != '.' {
		raw = raw[1:]
	}
	return raw
}

// weakWeight is the weight of a word that says little. Others have 1.
const weakWeight = 0.3

// sevenLanguages are those whose short common words are left out of a text too short to tell its language.
const sevenLanguages = language.English | language.German | language.French | language.Spanish | language.Portuguese

// pace is the kind of the names for how often something happens.
const pace = "pace"

// addWord adds a word if it says something, or notes it as a name or a number in words.
func (s *Statement) addWord(tokens []factToken, i int, langs language.Languages, stems *language.Analyzer) {
	x := factLists()
	t := &tokens[i]
	if t.used || len(s.words) >= maxFactWords {
		return
	}
	if n, ok := x.numbers[t.form]; ok && (t.form != "once" || langs&language.English == 0) {
		s.addNumberWord(tokens, i, n)
		return
	}
	first, _ := utf8.DecodeRuneInString(t.raw)
	if kind := x.kinds[t.form]; kind != nil && (unicode.IsUpper(first) || !x.common[t.form]) {
		s.addNames(kind, x.canonical[t.form])
		return
	}
	concept, n := x.concept(tokens, i)
	for k := 1; k < n; k++ {
		tokens[i+k].used = true
	}
	if concept == "" && (x.saysNothing(t, langs) || x.change.match(tokens, i) == 1 ||
		utf8.RuneCountInString(t.form) < 2 && (i == 0 || !unicode.IsUpper(first))) {
		return
	}
	if concept != "" && slices.Contains(x.kinds[concept[1:]], pace) {
		s.addNames([]string{pace}, x.canonical[concept[1:]])
		return
	}
	w := factWord{text: t.raw, start: t.start, end: tokens[i+max(n, 1)-1].end, weight: 1, keys: []string{t.form}}
	if t.stem != t.form {
		w.keys = append(w.keys, t.stem)
	}
	if concept != "" {
		w.keys = append(w.keys, concept)
	} else {
		w.keys = append(w.keys, stems.Stems(t.form, langs)...)
	}
	w.keys = append(w.keys, otherForms(t, langs)...)
	side := s.sideWords[t.stem] || s.sideWords[t.form]
	if x.weak[t.form] || weakSides[t.form] || side && concept != "=allergic" {
		w.weight = weakWeight
	}
	w.side = side && !s.dayWords[t.stem] && !s.dayWords[t.form]
	w.name, w.counted = unicode.IsUpper(first), i > 0 && tokens[i-1].number
	w.linked = s.hasObject(tokens, i+max(n, 1))
	if next := i + max(n, 1); next < len(tokens) && prepositions[tokens[next].form] {
		w.prep = tokens[next].form
	}
	s.words = append(s.words, w)
}

func (s *Statement) addNames(kinds []string, name string) {
	for _, k := range kinds {
		s.names[k] = append(s.names[k], name)
	}
}

// saysNothing reports whether a word is a denial, a unit or one of those that every text has.
func (x *factLexicon) saysNothing(t *factToken, langs language.Languages) bool {
	return x.ignored[t.form] || x.units[t.form] != "" || strings.HasPrefix(language.Lower(t.raw), "n'") ||
		language.Stop(t.form, langs) || language.Stop(t.form, language.English) ||
		len(t.form) <= 3 && t.raw != strings.ToUpper(t.raw) && language.Stop(t.form, sevenLanguages)
}

// prepositions stand between a verb and what is not its object.
var prepositions = set(`on in at by with for to from of into onto during until after before as than via per is
 are was were auf in im bei mit für von zu nach am um an sur dans en par avec pour de du des à con para por no na
 em com`)

// hasObject reports whether what follows a word is neither the end nor a preposition.
func (s *Statement) hasObject(tokens []factToken, next int) bool {
	return next < len(tokens) && !prepositions[tokens[next].form] &&
		!strings.ContainsAny(s.text[tokens[next-1].end:tokens[next].start], ".,;:!?\n")
}

// addNumberWord adds a number in words. "two hundred" is one number.
func (s *Statement) addNumberWord(tokens []factToken, i, n int) {
	x := factLists()
	start, first := tokens[i].start, i
	for i+1 < len(tokens) {
		next, ok := x.numbers[tokens[i+1].form]
		if !ok || next < 100 || n >= next {
			break
		}
		n *= next
		i++
		tokens[i].used = true
	}
	number := factNumber{value: strconv.Itoa(n), start: start, about: s.isAbout(tokens, first)}
	if i+1 < len(tokens) {
		if unit := x.units[tokens[i+1].form]; unit != "" {
			number.unit = unit
			tokens[i+1].used = true
		}
	}
	s.numbers = append(s.numbers, number)
}

// wideDenials say that something is not so or not done.
var wideDenials = []string{"禁止", "不得", "不许", "禁じ", "閉ま", "閉館", "閉店", "休館", "休業", "定休", "闭馆", "闭店", "关门", "停业", "打烊",
	"过期", "期限切れ", "失効", "失效", "故障", "断ち", "无法", "停止"}

// wideDay are the days of the week, which readValues has read, and the part of the day before an hour.
var wideDay = regexp.MustCompile(`(?:夜|午後|下午|晚上?|夕方|傍晚|午后|午前|上午|早上|朝)の?\d|每?逢?(?:星期|周|礼拜|週)[一二三四五六日天]|毎?週?[月火水木金土日]曜日?`)

// readUnspaced adds the pieces of a text in a script without spaces: pairs of the characters of words.
func (s *Statement) readUnspaced(lower string) {
	if strings.IndexFunc(lower, isWide) < 0 {
		return
	}
	x := factLists()
	for _, w := range wideDenials {
		if i := strings.Index(lower, w); i >= 0 && len(s.implied) == 0 {
			s.implied = append(s.implied, i)
		}
	}
	lower = s.addWideConcepts(wideDay.ReplaceAllStringFunc(lower, blank))
	for _, name := range x.wideNames {
		if strings.Contains(lower, name) {
			s.addNames(x.kinds[name], x.canonical[name])
			lower = strings.ReplaceAll(lower, name, blank(name))
		}
	}
	for _, w := range x.changeWide {
		lower = strings.ReplaceAll(lower, w, blank(w))
	}
	var run []rune
	kana := false
	flush := func(end int) {
		s.addPairs(run, end)
		run = run[:0]
	}
	for i, r := range lower {
		if unicode.In(r, unicode.Han, unicode.Katakana) && !strings.ContainsRune(wideStops, r) || r == 'ー' {
			if now := unicode.Is(unicode.Katakana, r) || r == 'ー'; now != kana {
				flush(i)
				kana = now
			}
			run = append(run, r)
			continue
		}
		flush(i)
	}
	flush(len(lower))
	slices.SortStableFunc(s.words, func(a, b factWord) int { return a.start - b.start })
}

// wideConceptWeight is the weight of a word of the list "concepts-unspaced".
const wideConceptWeight = 0.8

// addWideConcepts adds the words of the list "concepts-unspaced", and returns the text without them.
func (s *Statement) addWideConcepts(lower string) string {
	for _, c := range factLists().wideConcepts {
		for len(s.words) < maxFactWords {
			i := strings.Index(lower, c.text)
			if i < 0 {
				break
			}
			end := i + len(c.text)
			s.words = append(s.words, factWord{text: c.text, keys: []string{"=" + c.means}, weight: wideConceptWeight,
				start: i, end: end, char: true})
			lower = lower[:i] + blank(c.text) + lower[end:]
		}
	}
	return lower
}

// blank returns as many spaces as a text has bytes.
func blank(text string) string { return strings.Repeat(" ", len(text)) }

// wideStops are ideographs that say little: pronouns, particles and marks of time.
const wideStops = "時点點半的了是在我们你他她它不没有也都就和与及吗呢吧这那个把被从到为用每月日年时分曜回次由使要会将已再去来很好未非无無比"

// addPairs adds a run of characters in pairs, or the one alone.
func (s *Statement) addPairs(run []rune, end int) {
	if len(run) == 0 || len(s.words) >= maxFactWords {
		return
	}
	start := end - len(string(run))
	if len(run) == 1 {
		s.words = append(s.words, factWord{text: string(run), keys: []string{string(run)}, weight: 0.4, start: start,
			end: end, char: true})
		return
	}
	for i := 0; i+1 < len(run); i++ {
		pair := string(run[i : i+2])
		s.words = append(s.words, factWord{text: pair, keys: []string{pair}, weight: 0.6, char: true,
			start: start + len(string(run[:i])), end: start + len(string(run[:i+2]))})
	}
}

// isSame reports whether two words are one by any of their keys.
func (w *factWord) isSame(v *factWord) bool {
	return slices.ContainsFunc(w.keys, func(k string) bool { return slices.Contains(v.keys, k) })
}

// spanishEndings are those of verbs, the longest first.
var spanishEndings = []string{"ieron", "aron", "amos", "emos", "imos", "ado", "ido", "ando", "en", "an", "es",
	"as", "er",
	"ar", "ir", "io", "e", "a", "o"}

// otherForms are keys of a word that its stems do not tell: without the article of French before an apostrophe, and
// without the "ie" and "ue" of Spanish verbs, which come and go.
func otherForms(t *factToken, langs language.Languages) (keys []string) {
	if i := strings.IndexAny(t.raw, "'’"); i == 1 || i == 2 {
		if rest := strings.TrimLeft(t.raw[i:], "'’"); len(rest) > 2 {
			keys = append(keys, foldText(rest))
		}
	}
	if langs&language.Spanish == 0 || len(t.form) < 6 {
		return keys
	}
	for _, e := range spanishEndings {
		if stem, ok := strings.CutSuffix(t.form, e); ok && len(stem) > 3 {
			stem = strings.ReplaceAll(strings.ReplaceAll(stem, "ie", "e"), "ue", "o")
			return append(keys, "~"+stem)
		}
	}
	return keys
}
