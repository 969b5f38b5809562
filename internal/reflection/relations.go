package reflection

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

// The types of relations.
const (
	Supersedes  = "supersedes"  // From takes the place of To
	Contradicts = "contradicts" // From and To cannot both hold
	Because     = "because"     // To is the reason of From
	OwnedBy     = "owner"       // To says who does From
	Due         = "due"         // To says when From is due
	Mentions    = "mentions"    // To is a name, a file, a URL or code in From
)

// Relation connects two parts of a note: two statements, or a candidate and a name, a day or a thing in it.
type Relation struct {
	Type     string
	From, To Span
	Value    string // what To says: the name, the day as YYYY-MM-DD if it is known, the thing
}

// maxMentions is how many things of one candidate are kept.
const maxMentions = 12

func (x *extractor) relate() {
	for i := range x.found {
		c := &x.found[i]
		u := &x.units[x.owners[i]]
		if len(c.Parts) == 2 {
			x.rel = append(x.rel, Relation{Type: Because, From: c.Parts[0], To: c.Parts[1],
				Value: x.text[c.Parts[1].Start:c.Parts[1].End]})
		}
		if c.Kind == loci.CandidatePlan || c.Kind == loci.CandidateDecision {
			x.connect(c, OwnedBy)(x.ownerOf(u))
			x.connect(c, Due)(x.dueOf(u))
		}
		x.mentions(c, u)
	}
	x.supersessions()
	x.contradictions()
}

// connect returns a function that adds a relation from a candidate if there is something to add.
func (x *extractor) connect(c *Candidate, kind string) func(span, string) {
	return func(to span, value string) {
		if !to.empty() {
			x.rel = append(x.rel, Relation{Type: kind, From: c.Span, To: Span{Start: to.start, End: to.end}, Value: value})
		}
	}
}

// ownerOf returns who does what a unit says: "Tom will", "@anna", "Mara: add", "I'll" of a speaker.
func (x *extractor) ownerOf(u *unit) (at span, name string) {
	toks := x.toks[u.block][u.from:u.to]
	b := &x.blocks[u.block]
	for i := range toks {
		if toks[i].kind == mention {
			return span{toks[i].start, toks[i].end}, x.text[toks[i].start+1 : toks[i].end]
		}
	}
	if !b.speaker.empty() && (!x.talk || b.kind == todo || b.kind == bullet || speaksOfItself(toks)) {
		return b.speaker, x.text[b.speaker.start:b.speaker.end]
	}
	for i := 0; i < min(len(toks), 6); i++ {
		if isName(&toks[i], i == 0) && i+1 < len(toks) && acts(toks[i+1].form) {
			from := i
			for from > 0 && isName(&toks[from-1], from == 1) {
				from--
			}
			return span{toks[from].start, toks[i].end}, x.text[toks[from].start:toks[i].end]
		}
	}
	for i := 0; i+1 < len(toks); i++ { // "(Ines, 21 June)"
		if toks[i].form == "(" && isName(&toks[i+1], false) && i > 2 {
			return span{toks[i+1].start, toks[i+1].end}, x.text[toks[i+1].start:toks[i+1].end]
		}
	}
	return span{}, ""
}

func speaksOfItself(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool { return subjectFeatures[t.form] == "subj:i" })
}

func isName(t *token, first bool) bool {
	return t.kind == word && t.upper && len(t.form) > 1 && !is(t.form, roleCommon|roleWhen) &&
		(!first || wordLists()[t.form] == 0)
}

// acts reports whether a word after a name says that somebody does something.
func acts(form string) bool {
	return is(form, roleActs) || strings.HasSuffix(form, "'ll")
}

func (x *extractor) mentions(c *Candidate, u *unit) {
	toks := x.toks[u.block][u.from:u.to]
	seen := map[string]bool{}
	for i := 0; i < len(toks) && len(seen) < maxMentions; i++ {
		t := &toks[i]
		at := span{t.start, t.end}
		value := x.text[t.start:t.end]
		switch t.kind {
		case code:
			value = strings.Trim(value, "`")
		case link, file, mention:
		case word:
			if !isName(t, i == 0) || i == 0 && x.page.langs&language.German == 0 && (i+1 >= len(toks) ||
				!acts(toks[i+1].form)) ||
				x.page.langs&language.German != 0 && i > 0 && !identifierLike(value) && !acts(after1(toks, i)) {
				continue
			}
			for i+1 < len(toks) && isName(&toks[i+1], false) && toks[i+1].start == toks[i].end+1 {
				i++
			}
			at.end = toks[i].end
			value = x.text[at.start:at.end]
		default:
			continue
		}
		if value == "" || seen[value] {
			continue
		}
		seen[value] = true
		x.connect(c, Mentions)(at, value)
	}
}

func after1(toks []token, i int) string {
	if i+1 < len(toks) {
		return toks[i+1].form
	}
	return ""
}

// identifierLike reports whether a word has a capital letter or a digit within: a product or an identifier.
func identifierLike(s string) bool {
	return strings.ContainsAny(s[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
}

// supersedesWithin is how many units after a choice that no longer holds the new one may stand.
const supersedesWithin = 6

// How much speaks for a statement that takes the place of another.
const (
	isChoice     = 2 // it is a decision
	isReversal   = 1 // it has a word such as "instead"
	isAbout      = 1 // it has a word of the other
	isFormer     = 1 // the other begins with a word such as "originally"
	leastReplace = 3
	leastOld     = 3 // words of what is replaced
)

// supersessions connects each decision with the choice before it that no longer holds.
func (x *extractor) supersessions() {
	byUnit := make(map[int]int, len(x.found))
	for i, k := range x.owners {
		if _, ok := byUnit[k]; !ok { // a proposal may begin with the same unit as what the rules found
			byUnit[k] = i
		}
	}
	for k := range x.units {
		if !x.traits[k].has(cueSuperseded) || x.rulings[k].why == WhyInstruction || x.units[k].kind != statement ||
			x.traits[k].words < leastOld {
			continue
		}
		best, top := -1, leastReplace-1
		about := x.content(&x.units[k])
		old := 0
		if x.traits[k].front[cueSuperseded] {
			old = isFormer
		}
		for n := k + 1; n <= k+supersedesWithin && n < len(x.units); n++ {
			if i, ok := byUnit[n]; ok {
				v := old + x.replaces(i, n, about)
				if n == k+1 && x.traits[n].has(cueReversal) {
					v += isReversal
				}
				if v > top {
					best, top = i, v
				}
			}
		}
		if best >= 0 {
			from, to := x.core(x.owners[best], true), x.core(k, false)
			if next := k + 1; x.traits[k].words <= leastLead && next < x.owners[best] &&
				x.units[next].block == x.units[k].block {
				to.end = x.units[next].end // "originally I said | we would fly"
			}
			x.rel = append(x.rel, Relation{Type: Supersedes, From: Span{Start: from.start, End: from.end},
				To: Span{Start: to.start, End: to.end}, Value: x.text[to.start:to.end]})
		}
	}
}

// replaces is how much speaks for it that a candidate takes the place of a statement about some words.
func (x *extractor) replaces(i, unit int, about map[string]bool) (v int) {
	if x.found[i].Kind == loci.CandidateDecision {
		v += isChoice
	}
	if x.traits[unit].has(cueReversal) {
		v += isReversal
	}
	for w := range x.content(&x.units[unit]) {
		if about[w] {
			return v + isAbout
		}
	}
	return v
}

// How many bytes are left of a statement of which a part is left out, and how many tokens its first clause has.
const (
	leastCore = 12
	leastLead = 4
)

// core returns a statement without a reason before it, and what is replaced without what was said about it.
func (x *extractor) core(k int, isNew bool) span {
	u := &x.units[k]
	s := u.span
	toks := x.toks[u.block]
	hits := x.hitsIn(u.block, u.from, u.to)
	cause := slices.IndexFunc(hits, func(h hit) bool { return h.class == cueRationale || h.class == cueCause })
	for n := u.from; n < u.to; n++ {
		if form := toks[n].form; form != "," && form != "、" || toks[n].start-s.start < leastCore {
			continue
		}
		switch {
		case !isNew && n-u.from >= leastLead:
			s.end = toks[n].start
		case isNew && cause >= 0 && hits[cause].from <= n && s.end-toks[n].end >= leastCore:
			s.start = toks[n].end
		}
		return s.trimmed(x.text)
	}
	return s
}

// trimmed returns a span without spaces at its ends.
func (s span) trimmed(text string) span {
	inner := strings.TrimLeftFunc(text[s.start:s.end], unicode.IsSpace)
	s.start = s.end - len(inner)
	s.end = s.start + len(strings.TrimRightFunc(inner, unicode.IsSpace))
	return s
}

// contradictsWithin is how many candidates back a statement is compared with.
const contradictsWithin = 30

// contradictions connects statements about the same thing of which one denies the other. The later one takes its place.
func (x *extractor) contradictions() {
	bags := make([]map[string]bool, len(x.found))
	for i := range x.found {
		bags[i] = x.content(&x.units[x.owners[i]])
		if x.found[i].Kind != loci.CandidateClaim && x.found[i].Kind != loci.CandidateDecision || len(bags[i]) < 2 {
			continue
		}
		for k := max(0, i-contradictsWithin); k < i; k++ {
			if x.found[k].Kind != x.found[i].Kind || len(bags[k]) < 2 || !x.denies(i, k) || !similar(bags[i], bags[k]) {
				continue
			}
			x.rel = append(x.rel, Relation{Type: Contradicts, From: x.found[i].Span, To: x.found[k].Span,
				Value: x.found[k].Content},
				Relation{Type: Supersedes, From: x.found[i].Span, To: x.found[k].Span, Value: x.found[k].Content})
		}
	}
}

// denies reports whether one of two candidates is negative and the other is not.
func (x *extractor) denies(i, k int) bool {
	return x.traits[x.owners[i]].has(cueNegation) != x.traits[x.owners[k]].has(cueNegation)
}

// similar reports whether most words of the shorter statement are in the other.
func similar(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return both >= 2 && both*2 > len(a)
}

// content returns the words of a unit that carry its meaning.
func (x *extractor) content(u *unit) map[string]bool {
	bag := map[string]bool{}
	toks := x.toks[u.block][u.from:u.to]
	for i := range toks {
		t := &toks[i]
		switch {
		case t.kind == code || t.kind == file || t.kind == link:
			bag[x.text[t.start:t.end]] = true
		case t.kind == number:
			bag[t.form] = true
		case t.kind == ideograph && i+1 < len(toks) && toks[i+1].kind == ideograph:
			bag[t.form+toks[i+1].form] = true
		case t.kind == word && len(t.form) > 2 && !language.Stop(t.form, x.langs) && !is(t.form, roleCommon):
			bag[t.form] = true
		}
	}
	return bag
}
