package eval

import (
	"math"
	"slices"
)

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
