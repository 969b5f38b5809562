package reflection

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/loci-memory/loci"
)

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
