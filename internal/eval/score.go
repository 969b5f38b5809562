package eval

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/recall"
)

// Apart is the type of questions that have no answer in the conversation. They are reported, but are not part of the
// overall figures.
const Apart = "adversarial"

// allTypes is the name of the overall group.
const allTypes = "all"

// depths are where rankings are cut.
var depths = []int{5, 10, 20}

// Metrics returns the names of all figures, in the order of a report. With k the number after @:
//   - recall@k: which part of the units that answer a question are among the first k
//   - all@k: whether all of them are; hit@k: whether any of them is
//   - mrr: 1 divided by the rank of the first of them
//   - ndcg@10: the discounted gain of the first 10, divided by the best possible one
//   - session_recall@k, session_all@k: the same for their sessions, ranked by their first unit. A set in which a unit
//     has no session lacks these figures.
func Metrics() []string { return slices.Clone(metrics) }

var metrics = []string{"recall@5", "recall@10", "recall@20", "all@5", "all@10", "all@20", "hit@5", "hit@10", "hit@20",
	"mrr", "ndcg@10", "session_recall@5", "session_recall@10", "session_recall@20", "session_all@5", "session_all@10",
	"session_all@20"}

// unitMetrics is how many metrics do not need sessions. These are the first ones.
var unitMetrics = slices.Index(metrics, "ndcg@10") + 1

// Result is how well a search answered the questions of a set.
type Result struct {
	Set     string  `json:"set"`
	All     Group   `json:"all"`     // without the type Apart
	Types   []Group `json:"types"`   // by name, Apart last
	Missing int     `json:"missing"` // questions that a run file lacks
	Cost    *Cost   `json:"cost,omitempty"`
	// Confidence is that of the hits, if the search is a Judge.
	Confidence *Confidence `json:"confidence,omitempty"`

	Outcomes []Outcome `json:"-"` // of each question, in the order of the set

	metrics []string // those that the set has
}

// Group is the figures of the questions of one type, each an average over these questions.
type Group struct {
	Type          string            `json:"type"`
	Questions     int               `json:"questions"`
	Conversations int               `json:"conversations"`
	Figures       map[string]Figure `json:"figures"` // by the names of Metrics, from 0 to 1
}

// Figure is an average with its 95 % interval.
type Figure struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Outcome is the answer to one question.
type Outcome struct {
	Question Question
	Ranked   []string // as the search returned it
	Ranks    []int    // of each of Question.Gold, counted from 1; 0: not found
	figures  []float64
}

// Score computes the figures of the rankings of a set, by id of the question. Of an id that a ranking has twice, only
// the first counts.
func Score(set Set, ranked map[string][]string) *Result {
	r := &Result{Set: set.Name, metrics: metrics}
	if !set.hasSessions() {
		r.metrics = metrics[:unitMetrics]
	}
	for i := range set.Conversations {
		c := &set.Conversations[i]
		session := make(map[string]string, len(c.Units))
		for _, u := range c.Units {
			session[u.ID] = u.Session
		}
		for _, q := range c.Questions {
			ids, there := ranked[q.ID]
			if !there {
				r.Missing++
			}
			o := outcome(q, ids, session)
			o.figures = o.figures[:len(r.metrics)]
			r.Outcomes = append(r.Outcomes, o)
		}
	}
	r.summarize()
	return r
}

func (s Set) hasSessions() bool {
	found := false
	for _, c := range s.Conversations {
		for _, u := range c.Units {
			if u.Session == "" {
				return false
			}
			found = true
		}
	}
	return found
}

func outcome(q Question, ids []string, session map[string]string) Outcome {
	o := Outcome{Question: q, Ranked: ids, Ranks: recall.RanksOf(q.Gold, loci.Unique(ids))}
	if len(q.Gold) == 0 { // no turn answers it
		o.figures = make([]float64, len(metrics))
		return o
	}
	var found, wanted []string
	for _, id := range ids {
		if s, known := session[id]; known {
			found = append(found, s)
		}
	}
	for _, id := range q.Gold {
		wanted = append(wanted, session[id])
	}
	sessions := recall.RanksOf(loci.Unique(wanted), loci.Unique(found))
	each := func(of func(k int) float64) {
		for _, k := range depths {
			o.figures = append(o.figures, of(k))
		}
	}
	each(func(k int) float64 { return recall.ShareWithin(o.Ranks, k) })
	each(func(k int) float64 { return math.Floor(recall.ShareWithin(o.Ranks, k)) })
	each(func(k int) float64 { return math.Ceil(recall.ShareWithin(o.Ranks, k)) })
	o.figures = append(o.figures, recall.Reciprocal(o.Ranks), gain(o.Ranks, 10))
	each(func(k int) float64 { return recall.ShareWithin(sessions, k) })
	each(func(k int) float64 { return math.Floor(recall.ShareWithin(sessions, k)) })
	return o
}

// gain is nDCG with a gain of 1 for each wanted unit.
func gain(ranks []int, depth int) float64 {
	sum, ideal := 0.0, 0.0
	for _, rank := range slices.Sorted(slices.Values(ranks)) {
		if rank > 0 && rank <= depth {
			sum += 1 / math.Log2(float64(rank)+1)
		}
	}
	for rank := 1; rank <= min(depth, len(ranks)); rank++ {
		ideal += 1 / math.Log2(float64(rank)+1)
	}
	return sum / ideal
}

func (r *Result) summarize() {
	types := map[string][]*Outcome{}
	var all []*Outcome
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		types[o.Question.Type] = append(types[o.Question.Type], o)
		if o.Question.Type != Apart {
			all = append(all, o)
		}
	}
	r.All = r.group(allTypes, all)
	names := slices.Sorted(maps.Keys(types))
	if i := slices.Index(names, Apart); i >= 0 {
		names = append(slices.Delete(names, i, i+1), Apart)
	}
	for _, name := range names {
		r.Types = append(r.Types, r.group(name, types[name]))
	}
}

func (r *Result) group(name string, outcomes []*Outcome) Group {
	g := Group{Type: name, Questions: len(outcomes), Figures: map[string]Figure{}}
	rows := loci.Mapped(outcomes, func(o *Outcome) row { return row{o.Question.Conv, o.figures} })
	var spread [][]float64
	spread, g.Conversations = resample(rows, len(r.metrics))
	for m, name := range r.metrics {
		g.Figures[name] = figureOf(rows, m, spread[m])
	}
	return g
}

// ReadRun scores a run file against the questions of a set: JSON lines of {"qid": "…", "ranked": ["ID", …]}, best
// first. A question that the file lacks counts as one for which nothing was found, and Result.Missing counts these.
// Other fields and questions that the set does not have are ignored. Invalid, with file and line, for a line of another
// form or a question that appears twice.
func ReadRun(set Set, file string) (*Result, error) {
	ranked := map[string][]string{}
	err := eachLine(file, false, func(_ int, in runLine) error {
		if err := present("qid", in.QID); err != nil {
			return err
		}
		if _, twice := ranked[in.QID]; twice {
			return loci.FieldErrorf("qid", "%q appears twice", in.QID)
		}
		ranked[in.QID] = in.Ranked
		return nil
	})
	if err != nil {
		return nil, err
	}
	return Score(set, ranked), nil
}

type runLine struct {
	QID    string   `json:"qid"`
	Ranked []string `json:"ranked"`
}

// WriteRun writes the ranking of each question in the form that ReadRun reads.
func WriteRun(file string, r *Result) error {
	lines := loci.Mapped(r.Outcomes, func(o Outcome) runLine { return runLine{o.Question.ID, o.Ranked} })
	return writeLines(file, lines)
}

func writeLines[T any](file string, lines []T) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("write the run: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriter(f)
	for _, line := range lines {
		if err := jsonlines.Write(out, line); err != nil {
			return err
		}
	}
	return out.Flush()
}

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
