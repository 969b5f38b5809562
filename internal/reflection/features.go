package reflection

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loci-memory/loci/internal/language"
)

// traits are what the rules and the model know about a unit.
type traits struct {
	cue   [classCount]int8 // how often, at most 3
	front [classCount]bool // at the beginning
	first [classCount]int16
	names []string // the features for the model
	under class
	head  bool // it stands under a heading with the class under
	asks  bool // it ends with a question mark
	words int
	nums  int
	// template says that it has a place to fill in: "<name>", "{{date}}", "[DATE]".
	template bool
	// things says that it has a URL or a file.
	things bool
	list   blockKind
}

func (t *traits) has(c class) bool { return t.cue[c] > 0 }

func (t *traits) add(name string) { t.names = append(t.names, name) }

func (t *traits) addIf(holds bool, name string) {
	if holds {
		t.add(name)
	}
}

// cueFeatures are the names of the features of cues: anywhere, and at the beginning.
var cueFeatures, frontFeatures = func() (any, front [classCount]string) {
	for c := range classCount {
		any[c], front[c] = classNames[c], "^"+classNames[c]
	}
	return any, front
}()

func (p *page) traitsOf(k int, reuse []string) *traits {
	u := &p.units[k]
	t := &traits{names: reuse[:0], list: p.blocks[u.block].kind}
	p.readCues(u, t)
	p.readForm(u, t)
	p.readPlace(k, t)
	p.readPairs(u, t)
	return t
}

// front is how many tokens at the beginning of a unit count as its beginning.
const front = 2

func (p *page) readCues(u *unit, t *traits) {
	start := p.body(u)
	for _, hit := range p.hitsIn(u.block, u.from, u.to) {
		atStart := hit.from <= start && (hit.from == u.from || hit.from == start)
		if hit.class.isLabel() || hit.start && !atStart || hit.to > u.to {
			continue
		}
		if t.cue[hit.class] == 0 {
			t.first[hit.class] = int16(min(hit.from-start, 1000))
		}
		t.cue[hit.class] = min(t.cue[hit.class]+1, 3)
		if hit.from <= start+front {
			t.front[hit.class] = true
		}
	}
	for c := range classCount {
		if t.cue[c] > 0 {
			t.add(cueFeatures[c])
			t.addIf(t.front[c], frontFeatures[c])
		}
	}
	if u.label.found {
		t.add("label:" + classNames[u.label.class])
	}
}

// body returns the first token of a unit behind its label and behind words that say nothing: "ok, so".
func (p *page) body(u *unit) int {
	toks := p.toks[u.block]
	start := u.from
	if u.label.found {
		start = min(u.from+u.label.end, u.to)
	}
	for start < u.to-1 && (toks[start].kind == punct && toks[start].form != "¿" || is(toks[start].form, roleConnects)) {
		start++
	}
	return start
}

var things = [...]struct {
	kind tokenKind
	name string
}{{code, "has:code"}, {link, "has:link"}, {file, "has:file"}, {mention, "has:mention"}}

// readForm finds out how a unit is written.
func (p *page) readForm(u *unit, t *traits) {
	toks := p.toks[u.block][u.from:u.to]
	cjk, caps, content, orders := 0, 0, 0, 0
	var has [8]bool
	for i := range toks {
		switch toks[i].kind {
		case word:
			t.words++
			if i > 0 && toks[i].upper {
				caps++
			}
			if is(toks[i].form, roleCommon) && language.Stop(toks[i].form, p.langs) {
				t.add("w:" + toks[i].form)
			}
			if len(toks[i].form) > 3 && !language.Stop(toks[i].form, p.langs) {
				content++
			}
			if role := wordLists()[toks[i].form]; i > 0 && (role&roleVerb != 0 || p.langs&language.English == 0 &&
				infinitive(toks[i].form)) &&
				(toks[i-1].kind == punct || is(toks[i-1].form, roleConnects)) {
				orders++
			}
		case ideograph:
			cjk++
			t.nums += one(counts(toks, i))
		case number:
			t.nums++
		}
		has[toks[i].kind] = true
	}
	t.words += cjk / 2
	t.add([...]string{"list:text", "list:head", "list:bullet", "list:step", "list:todo", "list:done", "list:unsure",
		"list:code", "list:quote", "list:row", "list:rule"}[t.list])
	t.add([...]string{"is:statement", "is:steps", "is:listing", "is:row"}[u.kind])
	for _, thing := range things {
		t.addIf(has[thing.kind], thing.name)
	}
	t.things = has[link] || has[file]
	t.addIf(t.nums > 0, "has:number")
	t.addIf(t.nums > 2, "has:numbers")
	t.addIf(orders > 0, [...]string{"", "orders:1", "orders:2", "orders:many"}[min(3, orders)])
	if t.words > 0 && cjk == 0 {
		t.add("content:" + [...]string{"none", "1", "2", "3", "more", "more", "many"}[min(6, content)])
	}
	t.addIf(caps > 0, "has:name")
	t.add(lengthFeature(t.words))
	p.readEnd(u, t, toks)
	p.readSubject(u, t)
}

func lengthFeature(words int) string {
	switch {
	case words <= 1:
		return "long:1"
	case words <= 3:
		return "long:3"
	case words <= 6:
		return "long:6"
	case words <= 12:
		return "long:12"
	case words <= 24:
		return "long:24"
	}
	return "long:more"
}

// readEnd looks at how a unit ends, and at quotation marks.
func (p *page) readEnd(u *unit, t *traits, toks []token) {
	if len(toks) == 0 {
		return
	}
	last := toks[len(toks)-1].form
	for i := len(toks) - 1; i > max(0, len(toks)-4) && toks[i].kind == punct; i-- {
		if toks[i].form == "?" {
			last = "?"
		}
	}
	switch last {
	case "?":
		t.asks = true
		t.add("ends:?")
	case "!":
		t.add("ends:!")
	case ":":
		t.add("ends::")
	case "…":
		t.add("ends:…")
	}
	t.addIf(!t.asks && slices.ContainsFunc(toks, func(tok token) bool { return tok.form == "?" }), "mid:?")
	t.template = isTemplate(p.text[u.start:u.end])
	if quotedShare(p.text[u.start:u.end], p.openQuote(u)) > 50 {
		u.quoted = true
		t.add("quoted")
	}
}

// quotedShare returns how much of a text stands in double quotation marks, in percent. in says that one is open before.
func quotedShare(s string, in bool) int {
	open, share := -1, 0
	if in && strings.ContainsAny(s, "\"”“»」") {
		open = 0
	}
	for i, r := range s {
		switch r {
		case '"', '“', '”', '„', '«', '»', '「', '」':
			if open < 0 {
				open = i
			} else {
				share += i - open
				open = -1
			}
		}
	}
	if open >= 0 && open*4 < len(s) {
		share += len(s) - open
	}
	return share * 100 / max(1, len(s))
}

// quoteBefore is how far before a unit the mark may stand that opens a quotation, in bytes.
const quoteBefore = 500

// openQuote reports whether a quotation in the block of a unit is open where the unit begins.
func (p *page) openQuote(u *unit) bool {
	from := max(p.blocks[u.block].text.start, u.start-quoteBefore)
	if from >= u.start {
		return false
	}
	open := false
	for _, r := range p.text[from:u.start] {
		switch r {
		case '"':
			open = !open
		case '“', '„', '«', '「':
			open = true
		case '”', '»', '」':
			open = false
		}
	}
	return open
}

// templates are the marks between which a place to fill in stands.
var templates = [][2]string{{"<", ">"}, {"{{", "}}"}, {"[", "]"}, {"{", "}"}}

// maxPlace is how many bytes the name of such a place has.
const maxPlace = 24

// maxTemplate is how much of a text is searched for such places, in bytes.
const maxTemplate = 1000

// isTemplate reports whether a text has a place to fill in. Inline code has such places without being a template.
func isTemplate(s string) bool {
	s = s[:min(len(s), maxTemplate)]
	for n, marks := range templates {
		for from := 0; from < len(s); {
			i := strings.Index(s[from:], marks[0])
			if i < 0 {
				break
			}
			at := from + i
			from = at + len(marks[0])
			rest := s[from:min(len(s), from+maxPlace)]
			end := strings.Index(rest, marks[1])
			if end < 2 || strings.Count(s[:at], "`")%2 == 1 || at > 0 && isWordByte(s[at-1]) {
				continue
			}
			if isPlace(rest[:end], n == 2) && (n != 2 || at > 0) {
				return true
			}
		}
	}
	return false
}

// tags are the names of elements of HTML, which are no places to fill in.
var tags = set("a b i p br hr li ul ol div span img code pre em strong table tr td th details summary body head html")

// isPlace reports whether a text names what has to be filled in: words, in capitals if they must be.
func isPlace(name string, capitals bool) bool {
	for i, r := range name {
		letter := unicode.IsLetter(r)
		if !letter && r != ' ' && r != '_' && r != '-' || i == 0 && !letter || capitals && letter && !unicode.IsUpper(r) {
			return false
		}
	}
	return !tags[strings.ToLower(name)]
}

// readSubject finds out with what a unit begins.
func (p *page) readSubject(u *unit, t *traits) {
	start := p.body(u)
	if start >= u.to {
		return
	}
	tok := &p.toks[u.block][start]
	if s := subjectFeatures[tok.form]; s != "" {
		t.add(s)
		return
	}
	role := wordLists()[tok.form]
	switch {
	case tok.kind == mention:
		t.add("subj:name")
	case tok.kind == code || tok.kind == file || tok.kind == link:
		t.add("subj:thing")
	case tok.kind == number:
		t.add("subj:number")
	case tok.kind != word:
		return
	case role&roleVerb != 0:
		t.add("subj:verb")
	case role&rolePast != 0 || len(tok.form) > 4 && strings.HasSuffix(tok.form, "ed"):
		t.add("subj:past")
	case len(tok.form) > 5 && strings.HasSuffix(tok.form, "ing"):
		t.add("subj:ing")
	case role&roleWhen != 0:
		t.add("subj:when")
	case tok.upper && role&roleCommon == 0:
		t.add("subj:upper")
	case p.langs&language.English == 0 && infinitive(tok.form):
		t.add("subj:inf")
	default:
		t.add("subj:other")
	}
}

var subjectFeatures = func() map[string]string {
	table := map[string]string{}
	for name, words := range map[string]string{
		"subj:we":   "we we'll we're we've we'd wir nous on nosotros nosotras nós",
		"subj:i":    "i i'll i'm i've i'd ich je j' yo eu my me mi meu minha mein meine",
		"subj:they": "he she they he's she's they're he'll she'll they'll er elle il ils elles ella ellos ele ela eles sie",
		"subj:it":   "it it's its this that that's these those es das dies ça cela c' eso esto isso isto",
		"subj:the":  "the a an our their his her your der die ein eine le la les l' un une el los las o a os as um uma",
		"subj:you":  "you you'll you're du ihr tu vous você tú usted",
		"subj:no":   "no not nothing nobody never none kein keine nie pas rien nada não nunca",
	} {
		for w := range strings.FieldsSeq(words) {
			table[w] = name
		}
	}
	return table
}()

// fewUnits is how many units a note has in which it means nothing that one is the first or the last.
const fewUnits = 4

// readPlace looks at what is around a unit.
func (p *page) readPlace(k int, t *traits) {
	u := &p.units[k]
	b := &p.blocks[u.block]
	for up, n := b.under, 0; up >= 0 && n < 3; up, n = p.blocks[up].under, n+1 {
		if p.labels[up].found {
			t.under, t.head = p.labels[up].class, true
			t.add("under:" + classNames[t.under])
			break
		}
	}
	t.addIf(p.talk && !b.speaker.empty(), "spoken")
	t.addIf(u.after, "after")
	t.addIf(u.clause, "clause")
	t.addIf(k == 0 && len(p.units) > fewUnits, "place:first")
	t.addIf(k == len(p.units)-1 && len(p.units) > fewUnits, "place:last")
	if k > 0 {
		prev := &p.units[k-1]
		t.addIf(prev.to > prev.from && p.toks[prev.block][prev.to-1].form == "?", "prev:?")
	}
}

// pairFeatures are the features of classes that mean something else together.
var pairFeatures = strings.Fields(`
	negation+decision hedge+decision hedge+idea undecided+decision reported+decision reported+plan
	hypothetical+decision condition+decision condition+plan imperative+when negation+future superseded+decision
	reversal+decision completed+measure state+measure future+when negation+state standing+negation
	imperative+procedure question+idea need+imperative reported+preference joke+idea completed+session finding+state
	refusal+future standing+decision refusal+decision plan+when completed+plan state+decision state+refusal
	hypothetical+idea choice+standing choice+negation choice+when schedule+future guess+hedge choice+reversal
	schedule+imperative schedule+standing completed+schedule past+schedule order+when order+procedure need+order
	need+when refusal+state choice+state choice+future choice+measure`)

// pairs are the classes of pairFeatures.
var pairs = func() (list [][2]class) {
	for _, name := range pairFeatures {
		first, second, _ := strings.Cut(name, "+")
		list = append(list, [2]class{named(first), named(second)})
	}
	return list
}()

// doubts are the classes that say that a statement is not meant as it stands.
var doubts = []class{cueHedge, cueUndecided, cueHypothetical, cueCondition, cueReported, cueQuestion, cueJoke,
	cueSuperseded,
	cueSmallTalk, cueNegation}

// signs are the classes that speak for a kind. A unit without any of them is bare.
var signs = []class{cueDecision, cueChoice, cueSchedule, cueGuess, cueRefusal, cueStanding, cuePlan, cueNeed,
	cueIdea, cueFinding, cueCause, cuePreference,
	cuePersonal, cueArtifact, cueProcedure, cueSession, cueCompleted, cueMeasure, cueImperative, cueState}

func (p *page) readPairs(u *unit, t *traits) {
	if t.has(cueWhen) && !t.has(cuePast) {
		if i := slices.IndexFunc(t.names, func(n string) bool { return strings.HasPrefix(n, "subj:") }); i >= 0 {
			t.add("dated:" + strings.TrimPrefix(t.names[i], "subj:"))
		}
	}
	for i, pair := range pairs {
		t.addIf(t.has(pair[0]) && t.has(pair[1]), pairFeatures[i])
	}
	t.addIf(!t.asks && t.front[cueDecision] && !slices.ContainsFunc(doubts, t.has), "clean:decision")
	n := 0
	for _, c := range signs {
		if t.has(c) {
			n++
		}
	}
	t.addIf(n == 0, "bare")
	t.addIf(n == 1, "signs:1")
	t.addIf(n > 4, "signs:many")
	t.addIf(t.has(cueImperative) && t.front[cueImperative] && t.list == bullet, "bullet+imperative")
	t.addIf(t.asks && (t.has(cueIdea) || t.has(cueGuess)), "asks+idea")
	t.addIf(t.things && t.words <= 4, "thing:only")
	if t.list == row && t.head {
		t.add("row+" + classNames[t.under])
	}
	t.addIf(t.front[cueCompleted] && t.list == bullet, "bullet+completed")
}
