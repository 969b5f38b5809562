package eval

import (
	"math"
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

// noteSums is what is counted in each note: of each of noteKinds, of each bin of confidence, and then of the whole
// note. All figures with an interval are computed from its sums, or from their averages, which have the same ratios.
type noteSums []float64

// The places of what is counted of a kind.
const (
	kindGiven = iota
	kindRight
	kindMust
	kindMustFound
	ofKind // how many there are
)

// The places of what is counted of the candidates with about the same confidence.
const (
	binGiven = iota
	binConfidence
	binRight
	ofBin
)

// The places of what is counted of the whole note, from the end of the list.
const (
	squares = 3 - iota // of the differences between confidence and outcome
	secrets
	secretsFound
	ofNote = 3
)

// confidenceBins is how many bins the calibration has.
const confidenceBins = 10

func newNoteSums() noteSums { return make(noteSums, ofKind*len(noteKinds)+ofBin*confidenceBins+ofNote) }

func (s noteSums) kind(k int) []float64 { return s[ofKind*k:][:ofKind] }

func (s noteSums) bin(b int) []float64 { return s[ofKind*len(noteKinds)+ofBin*b:][:ofBin] }

func (s noteSums) whole(place int) *float64 { return &s[len(s)-place] }

func addTo(sums, more []float64) {
	for i, v := range more {
		sums[i] += v
	}
}

func binOf(confidence float64) int {
	for b := range confidenceBins {
		if confidence < float64(b+1)/confidenceBins {
			return b
		}
	}
	return confidenceBins - 1
}

// figures returns the figures that have an interval: precision, recall and F1 of each kind and of all, the average F1,
// the Brier score, the ECE and the recall of secrets. One is NaN if there is nothing to divide by.
func (s noteSums) figures() (list []float64) {
	all, macro, of := make([]float64, ofKind), 0.0, 0.0
	for k := range noteKinds {
		list = appendFigures(list, s.kind(k))
		if s.kind(k)[kindMust] > 0 {
			macro += list[len(list)-1]
			of++
		}
		addTo(all, s.kind(k))
	}
	given, ece := 0.0, 0.0
	for b := range confidenceBins {
		given += s.bin(b)[binGiven]
		ece += math.Abs(s.bin(b)[binConfidence] - s.bin(b)[binRight])
	}
	return append(appendFigures(list, all), macro/of, *s.whole(squares)/given, ece/given,
		*s.whole(secretsFound) / *s.whole(secrets))
}

func appendFigures(list, kind []float64) []float64 {
	precision, recall := ratio(kind[kindRight], kind[kindGiven]), ratio(kind[kindMustFound], kind[kindMust])
	return append(list, kind[kindRight]/kind[kindGiven], kind[kindMustFound]/kind[kindMust],
		ratio(2*precision*recall, precision+recall))
}

// ratio is 0 if there is nothing to divide by.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// intervals returns the figures of rows of sums with their intervals, in the order of noteSums.figures. The bootstrap
// draws notes. A sample without anything to divide by, such as one without secrets, does not count for that figure. A
// figure that is NaN becomes 0.
func intervals(rows []row, total noteSums) []Figure {
	values := total.figures()
	spread := make([][]float64, len(values))
	eachResample(rows, len(total), func(averages []float64) {
		for i, v := range noteSums(averages).figures() {
			if !math.IsNaN(v) {
				spread[i] = append(spread[i], v)
			}
		}
	})
	list := make([]Figure, len(values))
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		slices.Sort(spread[i])
		list[i].Value = v
		list[i].Low, list[i].High = interval(spread[i])
	}
	return list
}
