package reflection

import (
	"slices"
	"strings"
	"sync"

	"github.com/loci-memory/loci/internal/language"
)

// class is what a cue is a sign of. Each class is a list of language.
type class uint8

// The lists of cues. The order is that of classNames.
const (
	cueDecision class = iota
	cueChoice
	cueRefusal
	cueStanding
	cuePlan
	cueSchedule
	cueNeed
	cueIdea
	cueGuess
	cueFinding
	cueCause
	cuePreference
	cuePersonal
	cueState
	cueArtifact
	cueProcedure
	cueSession
	cueCompleted
	cueNegation
	cueQuestion
	cueHedge
	cueHypothetical
	cueCondition
	cueReported
	cueReversal
	cueSuperseded
	cueUndecided
	cueRationale
	cueMeasure
	cueJoke
	cueSmallTalk
	cueInjection
	cueImperative
	cueOrder
	cueWhen
	cueFuture
	cuePast
	labelDecision
	labelPlan
	labelIdea
	labelClaim
	labelArtifact
	labelProcedure
	labelSession
	labelQuestion
	labelQuote
	classCount
)

var classNames = [classCount]string{"decision", "choice", "refusal", "standing", "plan", "schedule", "need", "idea",
	"guess", "finding", "cause",
	"preference", "personal", "state", "artifact", "procedure", "session", "completed", "negation", "question", "hedge",
	"hypothetical", "condition", "reported", "reversal", "superseded", "undecided", "rationale", "measure", "joke",
	"smalltalk", "injection", "imperative", "order", "when", "future", "past", "label-decision", "label-plan",
	"label-idea",
	"label-claim", "label-artifact", "label-procedure", "label-session", "label-question", "label-quote"}

// named returns the class with a name.
func named(name string) class { return class(slices.Index(classNames[:], name)) }

const supported = language.English | language.German | language.French | language.Spanish | language.Portuguese |
	language.Japanese | language.Chinese

func languagesOf(text string) language.Languages {
	langs := language.Detect(text) & supported
	if langs&(language.Chinese|language.Japanese) != 0 { // kana tell them apart
		if strings.IndexFunc(text, func(r rune) bool { return r >= 'ぁ' && r <= 'ヺ' }) >= 0 {
			langs = langs&^language.Chinese | language.Japanese
		} else {
			langs = langs&^language.Japanese | language.Chinese
		}
	}
	if langs == 0 || langs == language.English && len(text) < shortText && !stops(text, langs) {
		return langs | language.English | language.German | language.French | language.Spanish | language.Portuguese
	}
	return langs
}

// shortText is how long a text is that may have no frequent word of its language.
const shortText = 80

func stops(text string, langs language.Languages) bool {
	for w := range strings.FieldsSeq(text) {
		if language.Stop(strings.ToLower(w), langs) {
			return true
		}
	}
	return false
}

// hit is a cue in the tokens of a block: tokens from to to (exclusive).
type hit struct {
	class    class
	from, to int
	start    bool // it only counts at the beginning of a unit
}

// phrase ends at a node of the tree of cues.
type phrase struct {
	class class
	langs language.Languages
	start bool     // "^" before it
	rest  []string // what follows after a gap, nil if nothing does
}

type node struct {
	next    map[string]*node
	phrases []phrase
}

// maxGap is how many tokens "..." in a cue may stand for.
const maxGap = 12

var cueTree = sync.OnceValue(func() *node {
	root := &node{}
	for c := range classCount {
		for _, cue := range language.Cues("cue-" + classNames[c]) {
			lines := []string{cue.Text}
			if c.isLabel() { // a line of labels has whole labels
				lines = strings.Split(cue.Text, "|")
			}
			for _, line := range lines {
				for _, words := range alternatives(strings.Fields(line)) {
					root.add(phrase{class: c, langs: cue.Languages}, words)
				}
			}
		}
	}
	return root
})

// alternatives returns the phrases that a line stands for: "we|i will" are two. A "-" stands for no word.
func alternatives(words []string) [][]string {
	all := [][]string{nil}
	for _, w := range words {
		var next [][]string
		for _, option := range strings.Split(w, "|") {
			for _, p := range all {
				p = p[:len(p):len(p)]
				if option != "-" {
					p = append(p, option)
				}
				next = append(next, p)
			}
		}
		all = next
	}
	return all
}

func (n *node) add(p phrase, words []string) {
	if words[0] == "^" {
		p.start, words = true, words[1:]
	}
	var forms []string
	for i, w := range words {
		if w == "..." {
			p.rest = patternForms(words[i+1:])
			break
		}
		forms = append(forms, patternForms([]string{w})...)
	}
	for _, f := range forms {
		if n.next == nil {
			n.next = map[string]*node{}
		}
		if n.next[f] == nil {
			n.next[f] = &node{}
		}
		n = n.next[f]
	}
	n.phrases = append(n.phrases, p)
}

// patternForms returns the forms of the words of a pattern. A placeholder such as <name> is a form of its own.
func patternForms(words []string) (forms []string) {
	for _, w := range words {
		if strings.HasPrefix(w, "<") && strings.HasSuffix(w, ">") {
			forms = append(forms, w)
			continue
		}
		for _, t := range tokens(w, 0, nil) {
			forms = append(forms, t.form)
		}
	}
	return forms
}

// findCues returns the cues in the tokens of a block, in order of their first token.
func findCues(toks []token, langs language.Languages, hits []hit) []hit {
	root := cueTree()
	m := matcher{toks: toks, langs: langs, hits: hits}
	for i := range toks {
		m.walk(root, i, i)
	}
	return m.hits
}

type matcher struct {
	toks  []token
	langs language.Languages
	hits  []hit
}

func (m *matcher) walk(n *node, from, at int) {
	for _, p := range n.phrases {
		to := at
		if p.langs&m.langs == 0 {
			continue
		}
		if p.rest != nil {
			if to = m.after(p.rest, at); to == 0 {
				continue
			}
		}
		m.hits = append(m.hits, hit{p.class, from, to, p.start})
	}
	if at >= len(m.toks) || n.next == nil {
		return
	}
	t := &m.toks[at]
	if t.kind == punct && t.form == "-" && at > from && at+1 < len(m.toks) && t.end == m.toks[at+1].start &&
		t.start == m.toks[at-1].end {
		m.walk(n, from, at+1) // a hyphen: follow-up
		return
	}
	if next := n.next[t.form]; next != nil && t.form != "" {
		m.walk(next, from, at+1)
	}
	for _, name := range placeholders(t, at == 0) {
		if next := n.next[name]; next != nil {
			m.walk(next, from, at+1)
		}
	}
}

// after returns where the words of rest end, if they follow in the same sentence, 0 if not.
func (m *matcher) after(rest []string, at int) int {
	for i := at; i < len(m.toks) && i <= at+maxGap*gapFactor(m.toks, at); i++ {
		if t := &m.toks[i]; t.kind == punct && (t.form == "?" || t.form == "." || t.form == "!" || t.form == "。" ||
			t.form == ";") {
			if len(rest) != 1 || rest[0] != t.form {
				return 0
			}
		}
		if m.match(rest, i) {
			return i + len(rest)
		}
	}
	return 0
}

// gapFactor lets gaps have more tokens where each character is one.
func gapFactor(toks []token, at int) int {
	if at < len(toks) && toks[at].kind == ideograph {
		return 2
	}
	return 1
}

func (m *matcher) match(forms []string, at int) bool {
	if at+len(forms) > len(m.toks) {
		return false
	}
	for k, f := range forms {
		t := &m.toks[at+k]
		if t.form == f {
			continue
		}
		if f[0] != '<' || !hasPlaceholder(t, f) {
			return false
		}
	}
	return true
}

func hasPlaceholder(t *token, name string) bool {
	return slices.Contains(placeholders(t, false), name)
}

var (
	namePlaceholder  = []string{"<name>"}
	numPlaceholder   = []string{"<num>"}
	codePlaceholder  = []string{"<code>"}
	pathPlaceholder  = []string{"<path>"}
	verbPlaceholder  = []string{"<verb>"}
	nameVerb         = []string{"<name>", "<verb>"}
	whenPlaceholder  = []string{"<when>"}
	infPlaceholder   = []string{"<inf>"}
	infVerb          = []string{"<verb>", "<inf>"}
	pastPlaceholder  = []string{"<ed>"}
	doesPlaceholder  = []string{"<does>"}
	ingPlaceholder   = []string{"<ing>"}
	mosPlaceholder   = []string{"<mos>"}
	whenName         = []string{"<when>", "<name>"}
	whenNumber       = []string{"<num>", "<when>"}
	wordLists        = sync.OnceValue(roles)
	infinitiveEnding = []string{"ar", "er", "ir", "re", "en", "eln", "ern"}
)

// wordRole is what a word can be, as lists of language say.
type wordRole uint16

const (
	roleVerb wordRole = 1 << iota
	roleWhen
	rolePast
	roleCommon // a word that is no name though it begins a sentence
	roleConnects
	roleInterjects // it begins something new when people speak
	roleConditional
	roleStarts // it hardly stands anywhere but at the beginning of a statement
	roleSubject
	roleConcludes
	roleUnfinished // no statement ends with it
	roleActs
	roleBeforeDay
)

// is reports whether a word has one of some roles.
func is(form string, roles wordRole) bool { return wordLists()[form]&roles != 0 }

func anyIs(toks []token, roles wordRole) bool {
	return slices.ContainsFunc(toks, func(t token) bool { return is(t.form, roles) })
}

func roles() map[string]wordRole {
	table := map[string]wordRole{}
	for list, role := range map[string]wordRole{"cue-verbs": roleVerb, "cue-times": roleWhen, "cue-pasts": rolePast,
		"cue-common": roleCommon, "cue-connects": roleConnects, "cue-interjects": roleInterjects,
		"cue-conditional": roleConditional, "cue-starts": roleStarts, "cue-subjects": roleSubject,
		"cue-concludes": roleConcludes, "cue-unfinished": roleUnfinished, "cue-acts": roleActs,
		"cue-before-day": roleBeforeDay} {
		for _, cue := range language.Cues(list) {
			for w := range strings.FieldsSeq(cue.Text) {
				table[wordForm(w)] |= role
			}
		}
	}
	return table
}

// placeholders returns the placeholders that a token can stand for. The first word of a block is upper case anyway.
func placeholders(t *token, first bool) []string {
	switch t.kind {
	case number:
		if isTimeOrDate(t.form) {
			return whenNumber
		}
		return numPlaceholder
	case code:
		return codePlaceholder
	case link, file:
		return pathPlaceholder
	case mention:
		return namePlaceholder
	case word:
		return wordPlaceholders(t, first)
	}
	return nil
}

// isTimeOrDate reports whether a number has the parts of a time, a date or a time span, and not those of a telephone
// number or a code.
func isTimeOrDate(form string) bool {
	if !strings.ContainsAny(form, ":-/") {
		return false
	}
	parts := strings.FieldsFunc(form, func(r rune) bool { return strings.ContainsRune(":-/.", r) })
	long := 0
	for _, p := range parts {
		if len(p) == 4 {
			long++
		}
		if len(p) > 4 || len(p) == 3 {
			return false
		}
	}
	return long <= 2 && (len(parts) == 2 || len(parts) == 3 || strings.Contains(form, ":"))
}

func wordPlaceholders(t *token, first bool) []string {
	role := wordLists()[t.form]
	switch {
	case role&roleWhen != 0:
		if t.upper && role&roleCommon == 0 && !first {
			return whenName
		}
		return whenPlaceholder
	case role&roleVerb != 0:
		if t.upper && role&roleCommon == 0 && !first {
			return nameVerb
		}
		if infinitive(t.form) {
			return infVerb
		}
		return verbPlaceholder
	case role&rolePast != 0:
		return pastPlaceholder
	case role&roleCommon != 0:
		return nil
	case t.upper && first && len(t.form) > 5 && strings.HasSuffix(t.form, "mos"):
		return mosPlaceholder
	case t.upper:
		return namePlaceholder
	case len(t.form) > 4 && strings.HasSuffix(t.form, "ed"):
		return pastPlaceholder
	case len(t.form) > 5 && strings.HasSuffix(t.form, "ing"):
		return ingPlaceholder
	case len(t.form) > 5 && strings.HasSuffix(t.form, "mos"):
		return mosPlaceholder
	case infinitive(t.form):
		return infPlaceholder
	case doesSomething(t.form):
		return doesPlaceholder
	}
	return nil
}

// doesSomething reports whether a word is a verb of an order with the "s" of the third person: "sends", "watches".
func doesSomething(form string) bool {
	base, ok := strings.CutSuffix(form, "s")
	if !ok {
		return false
	}
	if is(base, roleVerb) {
		return true
	}
	base, ok = strings.CutSuffix(base, "e")
	return ok && (is(base, roleVerb) || strings.HasSuffix(base, "i") && is(base[:len(base)-1]+"y", roleVerb))
}

func infinitive(form string) bool {
	if len(form) < 4 {
		return false
	}
	return endsWith(form, infinitiveEnding...)
}
