package eval

import (
	"math"
	"slices"
)

// noteSums are what is counted in each note. All figures with an interval are computed from their sums, or from their
// averages, which have the same ratios.
type noteSums struct {
	kinds   []kindSums // in the order of noteKinds
	bins    [confidenceBins]binSums
	squares float64 // of the differences between confidence and outcome

	secrets, secretsFound float64
}

type kindSums struct{ given, right, must, mustFound float64 }

// binSums are of the candidates with about the same confidence.
type binSums struct{ given, confidence, right float64 }

// confidenceBins is how many bins the calibration has.
const confidenceBins = 10

func binOf(confidence float64) int {
	for b := range confidenceBins {
		if confidence < float64(b+1)/confidenceBins {
			return b
		}
	}
	return confidenceBins - 1
}

// values returns the sums as a list, and read is its inverse.
func (s *noteSums) values() (list []float64) {
	for _, k := range s.kinds {
		list = append(list, k.given, k.right, k.must, k.mustFound)
	}
	for _, b := range s.bins {
		list = append(list, b.given, b.confidence, b.right)
	}
	return append(list, s.squares, s.secrets, s.secretsFound)
}

func (s *noteSums) read(list []float64) {
	s.kinds = s.kinds[:0]
	for range noteKinds {
		s.kinds = append(s.kinds, kindSums{list[0], list[1], list[2], list[3]})
		list = list[4:]
	}
	for b := range s.bins {
		s.bins[b] = binSums{list[0], list[1], list[2]}
		list = list[3:]
	}
	s.squares, s.secrets, s.secretsFound = list[0], list[1], list[2]
}

// noteFigures are the figures that have an interval. One is NaN if there is nothing to divide by.
type noteFigures struct {
	kinds         []kindFigures // in the order of noteKinds, and the sum of all
	macro         float64
	brier, ece    float64
	base          float64 // the Brier score of the same confidence for all
	secretsRecall float64
}

type kindFigures struct{ precision, recall, f1 float64 }

func (s *noteSums) figures() (f noteFigures) {
	var all kindSums
	macro, of := 0.0, 0.0
	for _, k := range s.kinds {
		one := k.figures()
		f.kinds = append(f.kinds, one)
		if k.must > 0 {
			macro += one.f1
			of++
		}
		all.given, all.right = all.given+k.given, all.right+k.right
		all.must, all.mustFound = all.must+k.must, all.mustFound+k.mustFound
	}
	f.kinds = append(f.kinds, all.figures())
	f.macro = macro / of
	f.secretsRecall = s.secretsFound / s.secrets
	var sum binSums
	for _, b := range s.bins {
		f.ece += math.Abs(b.confidence - b.right)
		sum.given, sum.right = sum.given+b.given, sum.right+b.right
	}
	f.ece, f.brier = f.ece/sum.given, s.squares/sum.given
	f.base = ratio(sum.right, sum.given) * (1 - ratio(sum.right, sum.given))
	return f
}

func (k kindSums) figures() (f kindFigures) {
	f.precision, f.recall = k.right/k.given, k.mustFound/k.must
	precision, recall := ratio(k.right, k.given), ratio(k.mustFound, k.must)
	f.f1 = ratio(2*precision*recall, precision+recall)
	return f
}

// ratio is 0 if there is nothing to divide by.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func (f *noteFigures) values() (list []float64) {
	for _, k := range f.kinds {
		list = append(list, k.precision, k.recall, k.f1)
	}
	return append(list, f.macro, f.brier, f.ece, f.secretsRecall)
}

// intervals returns the figures of rows of sums with their intervals, in the order of noteFigures.values. The bootstrap
// draws notes. A sample without anything to divide by, such as one without secrets, does not count for that figure. A
// figure that is NaN becomes 0.
func intervals(rows []row, total noteFigures) []Figure {
	values := total.values()
	spread := make([][]float64, len(values))
	var s noteSums
	eachResample(rows, len(new(noteSums).withKinds().values()), func(averages []float64) {
		s.read(averages)
		f := s.figures()
		for i, v := range f.values() {
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

func (s *noteSums) withKinds() *noteSums {
	s.kinds = make([]kindSums, len(noteKinds))
	return s
}
