package reflection

import (
	"fmt"
	"math"
	"slices"
)

// outcome is what an extraction of a note got right.
type outcome struct {
	found, right    int
	must, kept      int
	forbidden, hard int
	probability     []float64
	wasRight        []bool
	perKind         map[string]*[4]int // found, right, must, kept
	notes           []string
}

func (o *outcome) kind(name string) *[4]int {
	if o.perKind == nil {
		o.perKind = map[string]*[4]int{}
	}
	if o.perKind[name] == nil {
		o.perKind[name] = &[4]int{}
	}
	return o.perKind[name]
}

// score compares candidates with the labels of a note, as the evaluation does.
func (o *outcome) score(n *labelled, found []Candidate) {
	type pair struct {
		v    float64
		c, e int
	}
	var all []pair
	for c := range found {
		for e := range n.Expected {
			v := n.Expected[e].overlap(found[c].RuneStart, found[c].RuneEnd)
			if v == 0 || !n.Expected[e].accepts(string(found[c].Kind)) {
				continue
			}
			if n.Expected[e].Kind == string(found[c].Kind) {
				v += 0.001
			}
			all = append(all, pair{v, c, e})
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int {
		switch {
		case a.v != b.v:
			return int(math.Copysign(1, b.v-a.v))
		case a.c != b.c:
			return a.c - b.c
		}
		return a.e - b.e
	})
	matchedC, matchedE, groups := map[int]bool{}, map[int]bool{}, map[string]bool{}
	for _, p := range all {
		g := n.Expected[p.e].Group
		if matchedC[p.c] || matchedE[p.e] || g != "" && groups[g] {
			continue
		}
		matchedC[p.c], matchedE[p.e] = true, true
		if g != "" {
			groups[g] = true
		}
	}
	seen := map[string]bool{}
	for i, e := range n.Expected {
		if e.Group != "" && seen[e.Group] {
			continue
		}
		seen[e.Group] = true
		if e.Must {
			o.must++
			o.kind(e.Kind)[2]++
			if matchedE[i] || e.Group != "" && groups[e.Group] {
				o.kept++
				o.kind(e.Kind)[3]++
			} else {
				o.notes = append(o.notes, fmt.Sprintf("MISS %s %s %q", n.ID, e.Kind, cutRunes(n.Content, e.SpanStart, e.SpanEnd)))
			}
		}
	}
	for c := range found {
		o.found++
		o.kind(string(found[c].Kind))[0]++
		if matchedC[c] {
			o.right++
			o.kind(string(found[c].Kind))[1]++
		} else {
			o.notes = append(o.notes, fmt.Sprintf("FP   %s %s %.2f %q", n.ID, found[c].Kind, found[c].Confidence,
				found[c].Content))
		}
		o.probability = append(o.probability, found[c].Confidence)
		o.wasRight = append(o.wasRight, matchedC[c])
		for _, f := range n.Forbidden {
			both := min(found[c].RuneEnd, f.SpanEnd) - max(found[c].RuneStart, f.SpanStart)
			if slices.Contains(f.Kinds, string(found[c].Kind)) && both*2 >= f.SpanEnd-f.SpanStart && (f.Hard || !matchedC[c]) {
				o.forbidden++
				if f.Hard {
					o.hard++
				}
				o.notes = append(o.notes, fmt.Sprintf("FORB %s %s %q", n.ID, found[c].Kind, found[c].Content))
			}
		}
	}
}

func cutRunes(s string, from, to int) string { return string([]rune(s)[from:to]) }

func (o *outcome) figures() (precision, recall, f1 float64) {
	precision, recall = float64(o.right)/float64(max(1, o.found)), float64(o.kept)/float64(max(1, o.must))
	return precision, recall, 2 * precision * recall / max(1e-9, precision+recall)
}

// ece is the calibration error over ten bins.
func (o *outcome) ece() (total float64) {
	var n, sum, right [10]float64
	for i, p := range o.probability {
		b := min(9, int(p*10))
		n[b]++
		sum[b] += p
		if o.wasRight[i] {
			right[b]++
		}
	}
	for b := range n {
		if n[b] > 0 {
			total += math.Abs(sum[b]-right[b]) / float64(len(o.probability))
		}
	}
	return total
}
