package eval

import (
	"math/rand/v2"
	"slices"

	"github.com/loci-memory/loci"
)

// A bootstrap draws conversations with replacement, because the questions about one conversation are not independent.
// If there is only one conversation, it draws questions. The seed is fixed, so that the same answers always give the
// same interval.
const (
	resamples = 10_000
	seed      = 7
)

type row struct {
	conv   string
	values []float64
}

// cluster is the sums of the values of rows that are drawn together.
type cluster struct {
	rows int
	sums []float64
}

// resample returns the sorted averages of each of n values over all resamples, and the number of conversations.
func resample(rows []row, n int) (spread [][]float64, conversations int) {
	spread = make([][]float64, n)
	conversations = eachResample(rows, n, func(averages []float64) {
		for i, average := range averages {
			spread[i] = append(spread[i], average)
		}
	})
	for _, list := range spread {
		slices.Sort(list)
	}
	return spread, conversations
}

// eachResample calls use with the averages of each of n values in each resample, and returns the number of
// conversations. use must not keep the slice. Without rows, it is never called.
func eachResample(rows []row, n int, use func(averages []float64)) (conversations int) {
	clusters := clustersOf(rows, n, func(i int) any { return rows[i].conv })
	conversations = len(clusters)
	if conversations == 1 {
		clusters = clustersOf(rows, n, func(i int) any { return i })
	}
	if conversations == 0 {
		return 0
	}
	draw := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // must be the same each time
	sums := make([]float64, n)
	for range resamples {
		clear(sums)
		drawn := 0
		for range clusters {
			c := clusters[draw.IntN(len(clusters))]
			drawn += c.rows
			for i, sum := range c.sums {
				sums[i] += sum
			}
		}
		for i := range sums {
			sums[i] /= float64(drawn)
		}
		use(sums)
	}
	return conversations
}

// clustersOf joins the rows with the same key, in the order of the first of each.
func clustersOf(rows []row, n int, key func(i int) any) (clusters []cluster) {
	at := map[any]int{}
	for i, r := range rows {
		k, known := at[key(i)]
		if !known {
			k = len(clusters)
			at[key(i)] = k
			clusters = append(clusters, cluster{sums: make([]float64, n)})
		}
		clusters[k].rows++
		for j, v := range r.values {
			clusters[k].sums[j] += v
		}
	}
	return clusters
}

// interval returns the bounds of the middle 95 % of sorted values.
func interval(sorted []float64) (low, high float64) {
	n := len(sorted)
	return sorted[n*25/1000], sorted[n*975/1000-1]
}

// figureOf returns the average of one value of rows, and its interval from the sorted averages of its resamples.
// Without rows, it is zero.
func figureOf(rows []row, i int, sorted []float64) (f Figure) {
	if len(rows) == 0 {
		return f
	}
	sum := 0.0
	for _, r := range rows {
		sum += r.values[i]
	}
	f.Value = sum / float64(len(rows))
	f.Low, f.High = interval(sorted)
	return f
}

// Comparison is how the overall figures of two results differ.
type Comparison struct {
	Questions     int          `json:"questions"`
	Conversations int          `json:"conversations"`
	Differences   []Difference `json:"differences"` // in the order of Metrics
}

// Difference is one figure of two results. Low and High bound the 95 % interval of B - A.
type Difference struct {
	Metric string  `json:"metric"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	Diff   float64 `json:"diff"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	P      float64 `json:"p"`      // two-sided
	Better int     `json:"better"` // questions for which B is better
	Worse  int     `json:"worse"`
}

// Compare returns how b differs from a, over the questions that are not of the type Apart. The bootstrap is paired: it
// draws the differences of questions. Invalid if the two have other questions.
func Compare(a, b *Result) (*Comparison, error) {
	if len(a.Outcomes) != len(b.Outcomes) {
		return nil, loci.Errorf(loci.Invalid, "cannot compare results with %d and %d questions", len(a.Outcomes),
			len(b.Outcomes))
	}
	names := a.metrics[:min(len(a.metrics), len(b.metrics))]
	var rows []row
	for i := range a.Outcomes {
		x, y := &a.Outcomes[i], &b.Outcomes[i]
		if x.Question.ID != y.Question.ID {
			return nil, loci.Errorf(loci.Invalid, "cannot compare results of two sets: %q and %q differ", x.Question.ID,
				y.Question.ID)
		}
		if x.Question.Type == Apart {
			continue
		}
		diff := make([]float64, len(names))
		for m := range names {
			diff[m] = y.figures[m] - x.figures[m]
		}
		rows = append(rows, row{x.Question.Conv, diff})
	}
	c := &Comparison{Questions: len(rows)}
	var spread [][]float64
	spread, c.Conversations = resample(rows, len(names))
	for m, name := range names {
		if len(rows) > 0 {
			c.Differences = append(c.Differences, difference(a, b, name, rows, m, spread[m]))
		}
	}
	return c, nil
}

func difference(a, b *Result, name string, rows []row, m int, spread []float64) Difference {
	f := figureOf(rows, m, spread)
	d := Difference{Metric: name, A: a.All.Figures[name].Value, B: b.All.Figures[name].Value, Diff: f.Value, Low: f.Low,
		High: f.High}
	below, above := 0, 0
	for _, x := range spread {
		if x <= 0 {
			below++
		}
		if x >= 0 {
			above++
		}
	}
	d.P = min(1, 2*float64(min(below, above))/float64(len(spread)))
	for _, r := range rows {
		switch v := r.values[m]; {
		case v > 0:
			d.Better++
		case v < 0:
			d.Worse++
		}
	}
	return d
}
