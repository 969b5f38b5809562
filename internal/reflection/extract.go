// Package reflection proposes memories from notes. Extract reads raw notes and returns the decisions, plans, ideas,
// claims, artifacts, procedures and checkpoints in them, each with its span, its cue and a calibrated confidence, and a
// list of what looked relevant and was left out.
//
// It works in steps, one file each: blocks (blocks.go), sentences (sentence.go), tokens (token.go), units, which are
// what can become a candidate (units.go), cues (cues.go), features (features.go), the model, its weights and the choice
// of a kind (model.go), then titles, relations and what is left.
//
// The rules exclude (a question is no decision), and a small logistic model chooses among what is left. Its weights are
// in weights.txt. To fit them to the labelled notes in testdata, starting from priors.txt, run
//
//	go test ./internal/reflection -run TestFit -update
//
// and with -cross -v for the figures of cross-validation. The cues are lists of package language, cue-*.txt.
//
// The package calls no service and stores nothing. One rule always holds: the result depends on nothing but the note,
// so the same note gives the same candidates with the same ids.
package reflection

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// Note is what somebody hands in.
type Note struct {
	Content string
	Intent  loci.Intent
	Limit   int       // the most candidates, 0 for no limit
	At      time.Time // when it was written; without it, days such as "Friday" are kept as words only
}

// Span is a part of a note: in bytes and in characters, half-open.
type Span struct {
	Start, End         int
	RuneStart, RuneEnd int
}

// Cue is what in a note made a candidate likely.
type Cue struct {
	Text string
	Name string // which list it is in
	Span
}

// Candidate is a memory that a note could become.
type Candidate struct {
	Span
	ID         string // depends on the note, the span and the kind only
	Kind       loci.CandidateKind
	Title      string
	Content    string // the note from Start to End
	Reason     string // for people: why it was proposed
	Confidence float64
	Cue        Cue    // empty if its form alone made it likely
	Parts      []Span // the choice and its reason, if they are several sentences
	Negative   bool   // it is against something
	Hedged     bool
	Speaker    string // who said it, in a transcript
	Proposed   bool   // the rules did not find it; it is one of the proposals of ExtractWith
}

// Left is what looked relevant and was left out.
type Left struct {
	Span
	Kind loci.CandidateKind // what it looked like
	Why  Why
	Text string
}

// Extraction is what Extract finds.
type Extraction struct {
	Candidates []Candidate // those that the intent asks for first
	Left       []Left      // in the order of the note
	Relations  []Relation
}

// Extract proposes candidates. The same note gives the same result.
func Extract(n Note) *Extraction {
	x, _ := ExtractWith(n, nil)
	return x
}

// ExtractWith works like Extract, and adds proposals that somebody else made, such as a model. It returns how many of
// them it refused. See Proposal.
func ExtractWith(n Note, proposals []Proposal) (found *Extraction, refused int) {
	x := extractor{page: read(n.Content), note: n, model: fitted()}
	x.rule()
	x.choose()
	refused = x.adopt(proposals)
	x.relate()
	return x.finish(), refused
}

// extractor holds what is known about a note while it is read.
type extractor struct {
	*page
	note    Note
	model   *model
	traits  []*traits
	rulings []ruling
	found   []Candidate
	owners  []int // the unit of each candidate
	left    []Left
	rel     []Relation
	said    map[string]bool // what was said, to find what is said twice
}

func (x *extractor) rule() {
	priors := priorsOf(x.note.Intent)
	x.traits = make([]*traits, len(x.units))
	x.rulings = make([]ruling, len(x.units))
	for k := range x.units {
		x.traits[k] = x.traitsOf(k, nil)
		x.rulings[k] = judge(x.model, &x.units[k], x.traits[k], priors)
		x.traits[k].names = nil
	}
	x.said = map[string]bool{}
	x.quarantine()
}

// choose makes candidates of the units that are likely enough.
func (x *extractor) choose() {
	for k := 0; k < len(x.units); k++ {
		r := &x.rulings[k]
		if r.kind == kindNone || r.p < x.model.threshold {
			x.leave(k)
			continue
		}
		c, first := x.candidate(k), k
		if n := x.reasons(k); n > 0 {
			last := x.units[k+n]
			c.Parts = []Span{{Start: x.units[k].start, End: x.units[k].end}, {Start: x.units[k+1].start, End: last.end}}
			c.End = last.end
			c.Content = x.text[c.Start:c.End]
			k += n
		}
		if x.repeats(&c, first) {
			continue
		}
		x.found = append(x.found, c)
		x.owners = append(x.owners, first)
	}
}

// repeats reports whether the note says the same in an earlier candidate of the same kind, with the same words.
func (x *extractor) repeats(c *Candidate, k int) bool {
	words := slices.Sorted(maps.Keys(x.content(&x.units[k])))
	if len(words) < 2 {
		return false
	}
	key := string(c.Kind) + " " + strings.Join(words, " ")
	if x.said[key] {
		x.left = append(x.left, Left{Span: c.Span, Kind: c.Kind, Why: WhyRepeated, Text: c.Content})
		return true
	}
	x.said[key] = true
	return false
}

func (x *extractor) candidate(k int) Candidate {
	u, r := &x.units[k], &x.rulings[k]
	s := x.trim(u)
	c := Candidate{Span: Span{Start: s.start, End: s.end}, Kind: kinds[r.kind], Content: x.text[s.start:s.end],
		Confidence: x.model.confidence(r.p)}
	x.tell(&c, k)
	c.Cue = x.cueOf(k)
	c.Title = x.title(k)
	c.Reason = reason(&c, x, k)
	return c
}

// tell says how a candidate is meant that begins with a unit, and who says it.
func (x *extractor) tell(c *Candidate, k int) {
	t, b := x.traits[k], &x.blocks[x.units[k].block]
	decides := c.Kind == loci.CandidateDecision
	c.Hedged = t.has(cueHedge)
	c.Negative = t.has(cueRefusal) && (decides || c.Kind == loci.CandidatePlan) || decides && t.has(cueNegation)
	if x.talk && !b.speaker.empty() {
		c.Speaker = x.text[b.speaker.start:b.speaker.end]
	}
}

// trim returns the span of a unit without the label that says nothing about it: "Session notes: …".
func (x *extractor) trim(u *unit) span {
	s := u.span
	if !u.label.found || u.label.class != labelSession && u.label.class != labelClaim || u.from+u.label.end >= u.to {
		return s
	}
	s.start = x.toks[u.block][u.from+u.label.end].start
	return s
}

// finish orders the candidates, cuts them at the limit, and counts characters. What the rules did not find comes last,
// so that it takes no place of what they found.
func (x *extractor) finish() *Extraction {
	emphasis := emphasisOf(x.note.Intent)
	order := make([]int, len(x.found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &x.found[a], &x.found[b]
		return cmp.Or(one(x.Proposed)-one(y.Proposed),
			cmp.Compare(y.Confidence+emphasis[y.Kind], x.Confidence+emphasis[x.Kind]))
	})
	out := &Extraction{Left: x.left, Relations: x.rel}
	for n, i := range order {
		c := x.found[i]
		if x.note.Limit > 0 && n >= x.note.Limit {
			out.Left = append(out.Left, Left{Span: c.Span, Kind: c.Kind, Why: WhyLimit, Text: c.Content})
			continue
		}
		out.Candidates = append(out.Candidates, c)
	}
	slices.SortStableFunc(out.Left, func(a, b Left) int { return a.Start - b.Start })
	x.countRunes(out)
	text := sha256.Sum256([]byte(x.text))
	for i := range out.Candidates {
		c := &out.Candidates[i]
		c.ID = identify(text[:], c)
	}
	return out
}

func identify(text []byte, c *Candidate) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%x %d %d %s", text, c.Start, c.End, c.Kind))
	return hex.EncodeToString(h[:10])
}

// countRunes fills in the characters of all spans, with one pass over the note.
func (x *extractor) countRunes(e *Extraction) {
	var spans []*Span
	for i := range e.Candidates {
		c := &e.Candidates[i]
		spans = append(spans, &c.Span, &c.Cue.Span)
		for k := range c.Parts {
			spans = append(spans, &c.Parts[k])
		}
	}
	for i := range e.Left {
		spans = append(spans, &e.Left[i].Span)
	}
	for i := range e.Relations {
		spans = append(spans, &e.Relations[i].From, &e.Relations[i].To)
	}
	type edge struct {
		at int
		to *int
	}
	edges := make([]edge, 0, 2*len(spans))
	for _, s := range spans {
		edges = append(edges, edge{s.Start, &s.RuneStart}, edge{s.End, &s.RuneEnd})
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return a.at - b.at })
	at, runes := 0, 0
	for _, e := range edges {
		runes += utf8.RuneCountInString(x.text[at:e.at])
		at = e.at
		*e.to = runes
	}
}

// leave notes a unit that looked relevant and is no candidate.
func (x *extractor) leave(k int) {
	r, u := &x.rulings[k], &x.units[k]
	best := r.scores.best()
	p, why := r.scores[best], r.why
	if why == "" || !r.banned[best] {
		why = WhyUnsure
	}
	if why == WhyUnsure && p < x.model.threshold/2 {
		return
	}
	if why != WhyInstruction && p < x.model.threshold/3 && why != WhyQuestion && why != WhyUndecided {
		return
	}
	x.left = append(x.left, Left{Span: Span{Start: u.start, End: u.end}, Kind: kinds[best], Why: why,
		Text: loci.Shorten(x.text[u.start:u.end], 300)})
}

// maxTitle is how many characters a title may have.
const maxTitle = 86

// title returns the first clause of a unit without marks, labels and speakers.
func (x *extractor) title(k int) string {
	u := &x.units[k]
	s := x.text[u.start:u.end]
	if u.label.found && u.from+u.label.end < u.to {
		s = x.text[x.toks[u.block][u.from+u.label.end].start:u.end]
	}
	if u.kind == listing || u.kind == steps {
		if line, _, ok := strings.Cut(s, "\n"); ok && len(line) > 8 {
			s = line
		}
	}
	return cmp.Or(TitleOf(s), cutTitle(cmp.Or(loci.OneLine(x.text[u.start:u.end]), "Untitled")))
}

// TitleOf returns the first clause of a text without marks around it, or "".
func TitleOf(s string) string {
	return cutTitle(strings.Trim(loci.OneLine(s), " \t#>*-•|`:;,._\"“”"))
}

// cutTitle cuts a title at the end of a clause or of a word.
func cutTitle(s string) string {
	short := loci.Shorten(s, maxTitle)
	if short == s {
		return s
	}
	short = strings.TrimRight(short, "…. ")
	for _, mark := range [...]string{"; ", ". ", " – ", " — ", ", ", "，", "、"} {
		if n := strings.LastIndex(short, mark); n > 30 {
			return short[:n]
		}
	}
	if n := strings.LastIndexByte(short, ' '); n > maxTitle/2 {
		return short[:n] + "…"
	}
	return short + "…"
}

// signsOf are the cues that speak for each kind, the strongest first.
var signsOf = [kindNone][]class{
	kindDecision:  {cueDecision, cueRefusal, cueChoice, cueStanding, cueReversal},
	kindPlan:      {cuePlan, cueSchedule, cueNeed, cueFuture, cueOrder, cueImperative, cueWhen},
	kindIdea:      {cueIdea, cueGuess, cueHedge},
	kindClaim:     {cueFinding, cueCause, cuePreference, cuePersonal, cueMeasure, cueState, cueCompleted},
	kindArtifact:  {cueArtifact},
	kindProcedure: {cueProcedure, cueImperative},
	kindSession:   {cueSession, cueCompleted},
}

// cueOf returns the cue that speaks most for the kind of a unit: the longest of the strongest class.
func (x *extractor) cueOf(k int) (cue Cue) {
	u := &x.units[k]
	toks := x.toks[u.block]
	if u.label.found {
		cue = x.cueAt(classNames[u.label.class], toks[u.from].start, toks[min(u.from+u.label.end, u.to)-1].end)
	}
	for _, c := range signsOf[x.rulings[k].kind] {
		length := 0
		for _, hit := range x.hitsIn(u.block, u.from, u.to) {
			if hit.class != c || hit.to > u.to || hit.start && hit.from > x.body(u) {
				continue
			}
			if n := toks[hit.to-1].end - toks[hit.from].start; n > length {
				length = n
				cue = x.cueAt(classNames[c], toks[hit.from].start, toks[hit.to-1].end)
			}
		}
		if length > 0 {
			return cue
		}
	}
	return cue
}

func (x *extractor) cueAt(name string, start, end int) Cue {
	return Cue{Text: x.text[start:end], Name: name, Span: Span{Start: start, End: end}}
}

// reason says for people why a candidate was proposed.
func reason(c *Candidate, x *extractor, k int) string {
	u := &x.units[k]
	why := fmt.Sprintf("The form of the statement makes it likely that it is %s.", article(c.Kind))
	switch {
	case u.kind == steps:
		why = "These are the steps of one procedure."
	case u.kind == listing:
		why = "This is code with a lead that says what it is for."
	case c.Cue.Text != "":
		why = fmt.Sprintf("The words %q are a sign of %s.", loci.Shorten(loci.OneLine(c.Cue.Text), 60), article(c.Kind))
	case x.blocks[u.block].kind == todo:
		why = "This is an open item of a checklist."
	case x.blocks[u.block].kind == done:
		why = "This is a ticked item of a checklist."
	}
	return why
}

func article(k loci.CandidateKind) string {
	switch k {
	case loci.CandidateIdea, loci.CandidateArtifact:
		return "an " + string(k)
	case loci.CandidateSession:
		return "a checkpoint of the session"
	}
	return "a " + string(k)
}
