package reflection

import (
	"slices"

	"github.com/loci-memory/loci"
)

// Proposal is a passage of a note that somebody else than the rules would keep, such as a model.
//
// A candidate of it has whole statements: those that the passage touches. So a passage cannot leave out the "not" of a
// sentence, and two answers of a model that differ by a word have one id. If the rules have found that already, theirs
// stays as it is. A proposal is refused if it touches no statement, or one that reads like an order to a model.
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
		first, last, ok := x.touched(p.Start, p.End)
		if !ok || !slices.Contains(kinds, p.Kind) {
			refused++
			continue
		}
		c := x.proposed(&p, first, last)
		if x.has(&c) {
			continue
		}
		x.left = slices.DeleteFunc(x.left, func(l Left) bool { return same(l.Span, c.Span) })
		x.found = append(x.found, c)
		x.owners = append(x.owners, first)
	}
	return refused
}

// touched returns the first and the last unit of a passage. It returns false if there are none, or if one of them reads
// like an order to a model.
func (x *extractor) touched(start, end int) (first, last int, ok bool) {
	first = -1
	for k := range x.units {
		if u := &x.units[k]; u.start >= end || u.end <= start {
			continue
		}
		if x.rulings[k].why == WhyInstruction {
			return 0, 0, false
		}
		if first < 0 {
			first = k
		}
		last = k
	}
	return first, last, first >= 0
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
