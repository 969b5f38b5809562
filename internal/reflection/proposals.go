package reflection

import (
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

// Proposal is a passage of a note that somebody else than the rules would keep, such as a model.
//
// A candidate of it has whole statements: those that the passage touches. So a passage cannot leave out the "not" of a
// sentence, and two answers of a model that differ by a word have one id. If the rules have found that already, theirs
// stays as it is. A proposal is refused if it touches no statement, one that reads like an order to a model, or one
// that the rules left out because it is not meant as it stands, such as a question.
type Proposal struct {
	Kind       loci.CandidateKind
	Start, End int     // in bytes
	Confidence float64 // from 0 to 1
}

// MaxProposed is the highest confidence of a candidate that the rules have not found. It is below the least threshold
// with which the dream-cycle promotes.
const MaxProposed = 0.7

// adopt adds proposals to what the rules found, and returns how many it refused.
func (x *extractor) adopt(proposals []Proposal) (refused int) {
	for _, p := range proposals {
		kind := slices.Index(kinds, p.Kind)
		first, last := x.touched(p.Start, p.End)
		if kind < 0 || first > last {
			refused++
			continue
		}
		c := x.proposed(&p, first, last)
		if x.has(&c) {
			continue
		}
		if x.excludes(kind, first, last) {
			refused++
			continue
		}
		x.left = slices.DeleteFunc(x.left, func(l Left) bool { return same(l.Span, c.Span) })
		x.found = append(x.found, c)
		x.owners = append(x.owners, first)
	}
	return refused
}

// touched returns the first and the last unit of a passage. If there are none, the first is after the last.
func (x *extractor) touched(start, end int) (first, last int) {
	first, last = len(x.units), -1
	for k := range x.units {
		if u := &x.units[k]; u.start < end && start < u.end {
			first, last = min(first, k), k
		}
	}
	return first, last
}

// excludes reports whether the rules speak against one of these units as a proposal of a kind.
func (x *extractor) excludes(kind, first, last int) bool {
	for k := first; k <= last; k++ {
		r := &x.rulings[k]
		if r.banned[kind] && r.why != "" {
			return true
		}
		if found := r.kind != kindNone && r.p >= x.model.threshold; !found && (r.unmeant() || x.takenBack(kind, k)) {
			return true
		}
	}
	return false
}

// unmeant reports whether a unit looks most like a kind that the rules ban, because nobody says it for themselves, in
// earnest and of today. Without what is around it, it would read as if somebody did.
func (r *ruling) unmeant() bool {
	switch r.why {
	case WhyInstruction, WhyQuestion, WhyQuoted, WhyHypothetical, WhyReported, WhySuperseded, WhyJoke, WhyTemplate:
	default:
		return false
	}
	return r.banned[r.scores.best()]
}

// takenBack reports whether a unit stands under a heading or a lead that is against what follows, leaves it open or
// says that it is over: "Rejected ideas:", "Open questions:", "Initially:". What is over may still be a claim.
func (x *extractor) takenBack(kind, k int) bool {
	if t := x.traits[k]; t.head && t.under == labelQuestion {
		return true
	}
	for up, n := x.blocks[x.units[k].block].under, 0; up >= 0 && n < 3; up, n = x.blocks[up].under, n+1 {
		for _, h := range x.hits[up] {
			switch begins := h.from == 0; {
			case h.start && !begins:
			case h.class == cueRefusal, h.class == cueNegation && begins:
				return true
			case h.class == cueSuperseded && (kind == kindDecision || kind == kindPlan):
				return true
			}
		}
	}
	return false
}

// proposed makes a candidate of units. Nothing in it but the kind and the confidence is of whoever proposed it.
func (x *extractor) proposed(p *Proposal, first, last int) Candidate {
	s := x.trim(&x.units[first])
	s.end = max(s.end, x.units[last].end)
	c := Candidate{Span: Span{Start: s.start, End: s.end}, Kind: p.Kind, Content: x.text[s.start:s.end], Proposed: true,
		Confidence: MaxProposed * min(max(p.Confidence, 0), 1), Title: x.title(first),
		Reason: "A model proposed it. The rules did not find it."}
	x.tell(&c, first)
	return c
}

// has reports whether a candidate says the same as one that was found, or the same again that the note says before.
func (x *extractor) has(c *Candidate) bool {
	for i := range x.found {
		if f := &x.found[i]; same(f.Span, c.Span) || f.Kind == c.Kind && f.Start < c.End && c.Start < f.End {
			return true
		}
	}
	return slices.ContainsFunc(x.left, func(l Left) bool { return l.Why == WhyRepeated && same(l.Span, c.Span) })
}

// same reports whether two passages are one statement: they share at least half of the shorter one, and the longer one
// is at most three times as long.
func same(a, b Span) bool {
	shared := min(a.End, b.End) - max(a.Start, b.Start)
	short, long := min(a.End-a.Start, b.End-b.Start), max(a.End-a.Start, b.End-b.Start)
	return 2*shared >= short && shared > 0 && long <= 3*short
}

// quarantine excludes what reads like an order to a model, and what stands around it in the same quotation.
func (x *extractor) quarantine() {
	for k := 0; k < len(x.units); k++ {
		u := &x.units[k]
		if !x.traits[k].has(cueInjection) && !recall.Instructs(x.text[u.start:u.end]) {
			continue
		}
		x.outlaw(k)
		for n := k - 1; n >= 0 && x.sameQuote(n, k); n-- {
			x.outlaw(n)
		}
		for k+1 < len(x.units) && x.follows(k) {
			k++
			x.outlaw(k)
		}
	}
}

func (x *extractor) outlaw(k int) {
	r := &x.rulings[k]
	r.kind, r.p, r.why = kindNone, 0, WhyInstruction
	for i := range r.banned {
		r.banned[i] = true
	}
}

// sameQuote reports whether an earlier unit stands in the same quotation.
func (x *extractor) sameQuote(n, k int) bool {
	if x.units[n].block != x.units[k].block {
		return x.units[n].block == x.units[k].block-1 && x.blocks[x.units[n].block].kind == quote &&
			x.blocks[x.units[k].block].kind == quote
	}
	return x.units[k].quoted && x.units[n].quoted
}

// follows reports whether the unit after k goes on with the text that unit k is from.
func (x *extractor) follows(k int) bool {
	u, next := &x.units[k], &x.units[k+1]
	a, b := &x.blocks[u.block], &x.blocks[next.block]
	if u.block != next.block {
		return a.kind == quote && b.kind == quote && next.block == u.block+1
	}
	if a.kind == quote || a.kind == row {
		return true
	}
	if strings.ContainsAny(x.text[u.start:u.end], "\"“”„«»「」『』") {
		end := x.text[max(u.start, u.end-8):u.end]
		return !strings.ContainsAny(end, "\"”“»」』")
	}
	t := x.traits[k+1]
	return t.has(cueInjection) || t.front[cueImperative] || t.has(cueStanding) || t.has(cueNegation)
}
