package eval

import (
	"slices"

	"github.com/loci-memory/loci"
)

type noteScorer struct {
	result    *NoteResult
	total     noteSums // of all notes
	rows      []row    // the sums of each note
	languages map[string]*Found
	traps     map[string]*Found
	confusion map[Confusion]int
}

func (s *noteScorer) note(m *noteMatch) {
	sums := newNoteSums()
	s.candidates(m, sums)
	s.labels(m, sums)
	s.hits(m)
	s.secrets(m, sums)
	s.relations(m)
	s.rows = append(s.rows, row{m.note.ID, sums})
	addTo(s.total, sums)
}

func (s *noteScorer) candidates(m *noteMatch, sums noteSums) {
	given := 0
	for c, candidate := range m.answer.Candidates {
		if m.neutral[c] {
			continue
		}
		given++
		kind, right := sums.kind(slices.Index(noteKinds, candidate.Kind)), 0.0
		if m.label[c] >= 0 {
			right = 1
			s.confuse(m, c, m.label[c])
		} else {
			s.fault(m, Wrong, candidate.Kind, candidate.Start, candidate.End)
		}
		addTo(kind, []float64{kindGiven: 1, kindRight: right})
		if candidate.Confidence != nil {
			addTo(sums.bin(binOf(*candidate.Confidence)),
				[]float64{binGiven: 1, binConfidence: *candidate.Confidence, binRight: right})
			*sums.whole(squares) += (*candidate.Confidence - right) * (*candidate.Confidence - right)
		}
	}
	for _, w := range m.wrongKind {
		s.confuse(m, w[0], w[1])
	}
	s.result.WrongKind += len(m.wrongKind)
	if len(m.note.Expected) == 0 {
		s.result.Nothing.Of++
		s.result.Nothing.Found += one(given > 0)
	}
}

// confuse counts a candidate whose kind is not that of its label.
func (s *noteScorer) confuse(m *noteMatch, candidate, label int) {
	c := Confusion{Label: m.note.Expected[label].Kind, Given: m.answer.Candidates[candidate].Kind}
	if c.Label != c.Given {
		s.confusion[c]++
	}
}

// labels counts what should have been given. The labels of a group count once.
func (s *noteScorer) labels(m *noteMatch, sums noteSums) {
	groups := map[string]bool{}
	for i, e := range m.note.Expected {
		if e.Must && !m.satisfied[i] {
			s.fault(m, Missed, e.Kind, e.Start, e.End)
		}
		if groups[e.Group] {
			continue
		}
		groups[e.Group] = e.Group != ""
		found := one(m.satisfied[i])
		k := slices.Index(noteKinds, e.Kind)
		result := &s.result.Kinds[k]
		result.Labels++
		result.Found += found
		if !e.Must {
			continue
		}
		addTo(sums.kind(k), []float64{kindMust: 1, kindMustFound: float64(found)})
		language := named(s.languages, shortLanguage(m.note.Language))
		language.Of++
		language.Found += found
	}
}

func (s *noteScorer) hits(m *noteMatch) {
	type once struct{ candidate, start int }
	seen := map[once]bool{}
	f := &s.result.Forbidden
	f.Spans += len(m.note.Forbidden)
	for _, h := range m.hits {
		seen[once{h.candidate, h.trap.Start}] = true
		kind := m.answer.Candidates[h.candidate].Kind
		f.ByKind[kind]++
		f.Hard += one(h.trap.Hard)
		s.fault(m, Forbidden, kind, h.trap.Start, h.trap.End)
	}
	f.Hits += len(seen)
	for _, name := range m.note.Traps {
		trap := named(s.traps, name)
		trap.Of++
		trap.Found += one(len(m.hits) > 0)
	}
}

func (s *noteScorer) secrets(m *noteMatch, sums noteSums) {
	used := make([]bool, len(m.answer.Sensitive))
	r := &s.result.Secrets
	for _, label := range m.note.Sensitive {
		*sums.whole(secrets)++
		found, typed := false, false
		for i, given := range m.answer.Sensitive {
			if 2*overlap(given.Start, given.End, label.Start, label.End) < label.End-label.Start {
				continue
			}
			used[i], found = true, true
			typed = typed || given.Type == label.Type
		}
		*sums.whole(secretsFound) += float64(one(found))
		r.TypeRight += one(typed)
	}
	r.Given += len(used)
	for _, u := range used {
		r.FalseAlarms += one(!u)
	}
}

func (s *noteScorer) relations(m *noteMatch) {
	r := &s.result.Relations
	r.Given += len(m.answer.Relations)
	for _, label := range m.note.Relations {
		r.Of++
		for _, given := range m.answer.Relations {
			if given.Type == label.Type &&
				shareOf(given.FromStart, given.FromEnd, label.FromStart, label.FromEnd) >= 0.5 &&
				shareOf(given.ToStart, given.ToEnd, label.ToStart, label.ToEnd) >= 0.5 {
				r.Found++
				break
			}
		}
	}
}

func (s *noteScorer) fault(m *noteMatch, fault, kind string, start, end int) {
	s.result.Details = append(s.result.Details, NoteDetail{m.note.ID, fault, kind,
		loci.Shorten(loci.OneLine(string(m.note.text[start:end])), 90)})
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func named(all map[string]*Found, name string) *Found {
	if all[name] == nil {
		all[name] = &Found{Name: name}
	}
	return all[name]
}
