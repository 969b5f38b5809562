package eval

import (
	"cmp"
	"slices"
)

// maxBloat is how many times as long as the label a candidate may be that only contains its core.
const maxBloat = 3

// wholeNote is the part of a note from which on a session is about the whole of it.
const wholeNote = 0.8

// noteMatch is which candidates of a note match which labels.
type noteMatch struct {
	note   *LabelledNote
	answer *NoteAnswer

	label     []int  // of each candidate, -1 for none
	satisfied []bool // each label, by its own match or one of its group
	neutral   []bool // each candidate: a session that is the whole note, neither right nor wrong
	hits      []trapHit
	wrongKind [][2]int // candidate and label with the same span and another kind
}

// trapHit is a candidate on a span that must not become one.
type trapHit struct {
	candidate int
	trap      *LabelledTrap
}

// matchNote matches the candidates of a note with its labels, one to one, those with the best overlap first.
func matchNote(n *LabelledNote, a *NoteAnswer) *noteMatch {
	m := &noteMatch{note: n, answer: a, label: make([]int, len(a.Candidates)), satisfied: make([]bool, len(n.Expected)),
		neutral: make([]bool, len(a.Candidates))}
	m.pair()
	for i, c := range a.Candidates {
		m.neutral[i] = m.label[i] < 0 && c.Kind == "session" && !n.NoSession &&
			float64(c.End-c.Start) >= wholeNote*float64(len(n.text))
	}
	m.findHits()
	m.findWrongKinds()
	return m
}

func (m *noteMatch) pair() {
	type possible struct {
		fit              float64
		candidate, label int
	}
	var list []possible
	for c := range m.answer.Candidates {
		m.label[c] = -1
		for e := range m.note.Expected {
			given, label := &m.answer.Candidates[c], &m.note.Expected[e]
			fit := spanFit(given, label)
			if fit == 0 || !label.accepts(given.Kind) {
				continue
			}
			if given.Kind == label.Kind {
				fit += 0.001
			}
			list = append(list, possible{fit, c, e})
		}
	}
	slices.SortFunc(list, func(a, b possible) int {
		return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(a.candidate, b.candidate), cmp.Compare(a.label, b.label))
	})
	groups := map[string]bool{}
	for _, p := range list {
		group := m.note.Expected[p.label].Group
		if m.label[p.candidate] >= 0 || m.satisfied[p.label] || groups[group] {
			continue
		}
		m.label[p.candidate], m.satisfied[p.label] = p.label, true
		groups[group] = group != ""
	}
	for i, e := range m.note.Expected {
		m.satisfied[i] = m.satisfied[i] || groups[e.Group]
	}
}

func (m *noteMatch) findHits() {
	for c, given := range m.answer.Candidates {
		if m.neutral[c] {
			continue
		}
		for f := range m.note.Forbidden {
			trap := &m.note.Forbidden[f]
			both := overlap(given.Start, given.End, trap.Start, trap.End)
			soft := m.label[c] >= 0 && !trap.Hard
			if slices.Contains(trap.Kinds, given.Kind) && 2*both >= trap.End-trap.Start && !soft {
				m.hits = append(m.hits, trapHit{c, trap})
			}
		}
	}
}

func (m *noteMatch) findWrongKinds() {
	for c := range m.answer.Candidates {
		if m.label[c] >= 0 || m.neutral[c] {
			continue
		}
		for e := range m.note.Expected {
			if !m.satisfied[e] && spanFit(&m.answer.Candidates[c], &m.note.Expected[e]) > 0 {
				m.wrongKind = append(m.wrongKind, [2]int{c, e})
				break
			}
		}
	}
}

func (e *LabelledCandidate) accepts(kind string) bool {
	return kind == e.Kind || slices.Contains(e.AltKinds, kind)
}

// spanFit is how well a candidate covers a label: from 0.5 to 1, or 0 if it does not match.
func spanFit(c *NoteCandidate, e *LabelledCandidate) float64 {
	shared := shareOf(c.Start, c.End, e.Start, e.End)
	if shared >= 0.5 {
		return shared
	}
	if c.Start <= *e.CoreStart && c.End >= *e.CoreEnd && c.End-c.Start <= maxBloat*(e.End-e.Start) {
		return 0.5
	}
	return 0
}

func overlap(a, b, c, d int) int { return max(0, min(b, d)-max(a, c)) }

// shareOf is the overlap of two spans divided by what they cover together.
func shareOf(a, b, c, d int) float64 {
	both := overlap(a, b, c, d)
	all := b - a + d - c - both
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}
