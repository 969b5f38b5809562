package reflection

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/loci-memory/loci"
)

var (
	update = flag.Bool("update", false, "fit the weights to testdata/notes*.jsonl and write weights.txt")
	sets   = flag.String("sets", "", "files to fit to, in place of those in testdata, divided by commas")
	cross  = flag.Bool("cross", false, "print figures of cross-validation")
)

// labelled is a note with what a careful reader keeps.
type labelled struct {
	ID        string
	Lang      string
	Intent    string
	Content   string
	Expected  []expected
	Forbidden []forbidden
	set       string
}

type expected struct {
	Kind      string
	AltKinds  []string `json:"alt_kinds"`
	Must      bool
	SpanStart int `json:"span_start"`
	SpanEnd   int `json:"span_end"`
	CoreStart int `json:"core_start"`
	CoreEnd   int `json:"core_end"`
	Group     string
}

type forbidden struct {
	Kinds     []string
	Hard      bool
	SpanStart int `json:"span_start"`
	SpanEnd   int `json:"span_end"`
}

func (e *expected) accepts(kind string) bool {
	return e.Kind == kind || slices.Contains(e.AltKinds, kind)
}

// overlap is how well a span matches, as the evaluation defines it: 0 if it does not.
func (e *expected) overlap(start, end int) float64 {
	both := max(0, min(end, e.SpanEnd)-max(start, e.SpanStart))
	iou := float64(both) / float64(end-start+e.SpanEnd-e.SpanStart-both)
	switch {
	case iou >= 0.5:
		return iou
	case start <= e.CoreStart && end >= e.CoreEnd && end-start <= 3*(e.SpanEnd-e.SpanStart):
		return max(iou, 0.5)
	}
	return 0
}

func loadNotes(t *testing.T, path string) (notes []labelled) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		n := labelled{set: path}
		if err := json.Unmarshal([]byte(line), &n); err != nil {
			t.Fatal(err)
		}
		notes = append(notes, n)
	}
	return notes
}

func fitNotes(t *testing.T) (notes []labelled) {
	t.Helper()
	paths, _ := filepath.Glob("testdata/notes*.jsonl")
	if *sets != "" {
		paths = strings.Split(*sets, ",")
	}
	for _, p := range paths {
		notes = append(notes, loadNotes(t, p)...)
	}
	return notes
}

// plain are statements without traps. The labelled notes have so many traps that the fit would learn from
// them alone that
// "we decided" is seldom a decision. They are in each fit and in no figure.
var plain = sync.OnceValue(func() (notes []*prepared) {
	text, err := os.ReadFile("testdata/plain.jsonl")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		var n labelled
		if err := json.Unmarshal([]byte(line), &n); err != nil {
			panic(err)
		}
		notes = append(notes, prepare(n))
	}
	return notes
})

// loadPriors returns what priors.txt says about features.
func loadPriors() map[string]*scores {
	text, err := os.ReadFile("priors.txt")
	if err != nil {
		panic(err)
	}
	table := map[string]*scores{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		k := slices.Index(kinds, loci.CandidateKind(f[1]))
		if k < 0 {
			k = kindNone
		}
		v, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			panic(err)
		}
		if table[f[0]] == nil {
			table[f[0]] = &scores{}
		}
		table[f[0]][k] = v
	}
	return table
}

// example is a unit with the kinds that are right for it.
type example struct {
	names  []string
	right  [kindCount]bool
	weight float64
	priors *scores
}

// prepared is a note that was read and aligned with its labels.
type prepared struct {
	note     labelled
	x        *extractor
	examples []example
}

// prepare reads a note and finds out which kinds are right for each unit.
func prepare(n labelled) *prepared {
	x := &extractor{page: read(n.Content), note: Note{Content: n.Content, Intent: loci.Intent(n.Intent)}, model: &model{}}
	p := &prepared{note: n, x: x}
	bounds := runeBounds(n.Content)
	best := make([]int, len(n.Expected)) // the unit that matches each label best
	for i := range n.Expected {
		best[i] = -1
		top := 0.0
		for k := range x.units {
			if v := n.Expected[i].overlap(bounds[x.units[k].start], bounds[x.units[k].end]); v > top {
				top, best[i] = v, k
			}
		}
	}
	for k := range x.units {
		names := slices.Clone(x.traitsOf(k, nil).names)
		e := example{names: names, weight: 1, priors: priorsOf(loci.Intent(n.Intent))}
		matched := false
		for i, b := range best {
			if b != k {
				continue
			}
			matched = true
			for kind, name := range kinds {
				e.right[kind] = e.right[kind] || n.Expected[i].accepts(string(name))
			}
			if !n.Expected[i].Must {
				e.right[kindNone] = true
			}
		}
		if !matched {
			e.right[kindNone] = true
		}
		p.examples = append(p.examples, e)
	}
	return p
}

// runeBounds maps each byte to its character.
func runeBounds(s string) []int {
	bounds := make([]int, len(s)+1)
	n := 0
	for i := range s {
		bounds[i] = n
		n++
	}
	bounds[len(s)] = n
	return bounds
}

const (
	fitSteps = 400
	fitRate  = 0.05
)

var ridge = flag.Float64("ridge", 1.6, "how much the fit prefers small weights")

// wordRidge is by how much smaller weights of single words should be than those of concepts.
var wordRidge = flag.Float64("word-ridge", 4, "how much more the fit prefers small weights of single words")

// single reports whether a feature is a single word.
func single(feature string) bool { return strings.HasPrefix(feature, "w:") }

// fit returns the weights that explain the examples best. It always takes the same steps, so it is deterministic.
func fit(notes []*prepared) *model {
	notes = append(slices.Clone(notes), plain()...)
	prior, count := loadPriors(), map[string]int{}
	for n := range prior {
		count[n] += 0
	}
	index := map[string]int{"bias": 0}
	names := []string{"bias"}
	for _, p := range notes {
		for _, e := range p.examples {
			for _, n := range e.names {
				count[n]++
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(count)) {
		if count[n] >= 3 && (!single(n) || count[n] >= 8) || prior[n] != nil {
			index[n] = len(names)
			names = append(names, n)
		}
	}
	var rows [][]int
	var examples []*example
	for _, p := range notes {
		for i := range p.examples {
			row := []int{0}
			for _, n := range p.examples[i].names {
				if at, ok := index[n]; ok {
					row = append(row, at)
				}
			}
			rows = append(rows, row)
			examples = append(examples, &p.examples[i])
		}
	}
	start := make([]scores, len(names))
	for i, n := range names {
		if p := prior[n]; p != nil {
			start[i] = *p
		}
	}
	pull := make([]float64, len(names))
	for i, n := range names {
		if pull[i] = *ridge; single(n) {
			pull[i] *= *wordRidge
		}
	}
	weights := descend(rows, examples, start, pull)
	m := &model{weights: map[string]*scores{}, threshold: 0.4, slope: 1}
	for i, n := range names {
		m.weights[n] = &weights[i]
	}
	return m
}

// descend is gradient descent with momentum over the logarithm of the probability of what is right.
func descend(rows [][]int, examples []*example, start []scores, pull []float64) []scores {
	size := len(start)
	w, mean, square := slices.Clone(start), make([]scores, size), make([]scores, size)
	for step := 1; step <= fitSteps; step++ {
		grad := make([]scores, size)
		for i, e := range examples {
			sum := *e.priors
			for _, at := range rows[i] {
				for k := range sum {
					sum[k] += w[at][k]
				}
			}
			p := softmax(sum)
			right := 0.0
			for k := range p {
				if e.right[k] {
					right += p[k]
				}
			}
			for k := range p {
				d := p[k]
				if e.right[k] {
					d -= p[k] / right
				}
				for _, at := range rows[i] {
					grad[at][k] += d * e.weight
				}
			}
		}
		for at := range w {
			for k := range w[at] {
				g := grad[at][k]
				if at > 0 {
					g += pull[at] * (w[at][k] - start[at][k])
				}
				mean[at][k] = 0.9*mean[at][k] + 0.1*g
				square[at][k] = 0.999*square[at][k] + 0.001*g*g
				fix1, fix2 := 1-math.Pow(0.9, float64(step)), 1-math.Pow(0.999, float64(step))
				w[at][k] -= fitRate * (mean[at][k] / fix1) / (math.Sqrt(square[at][k]/fix2) + 1e-8)
			}
		}
	}
	return w
}

// run extracts with a model.
func (p *prepared) run(m *model) []Candidate {
	x := &extractor{page: p.x.page, note: p.x.note, model: m}
	x.rule()
	x.choose()
	return x.finish().Candidates
}

const folds = 6

// crossValidate scores each note with weights that were fitted without its fold.
func crossValidate(notes []*prepared, threshold float64) *outcome {
	var o outcome
	for f, m := range foldModels(notes) {
		m.threshold = threshold
		for i, p := range notes {
			if i%folds == f {
				o.score(&p.note, p.run(m))
			}
		}
	}
	return &o
}

var foldCache []*model

func foldModels(notes []*prepared) []*model {
	if foldCache == nil {
		for f := range folds {
			var rest []*prepared
			for i, p := range notes {
				if i%folds != f {
					rest = append(rest, p)
				}
			}
			foldCache = append(foldCache, fit(rest))
		}
	}
	return foldCache
}

// calibrate returns the slope and the offset that make probabilities true.
func calibrate(o *outcome) (slope, offset float64) {
	slope = 1
	for range 5000 {
		var gs, gb float64
		for i, p := range o.probability {
			p = min(max(p, 1e-6), 1-1e-6)
			z := math.Log(p / (1 - p))
			d := 1/(1+math.Exp(-(slope*z+offset))) - 0.0
			if o.wasRight[i] {
				d--
			}
			gs += d * z
			gb += d
		}
		slope -= 0.5 * gs / float64(len(o.probability))
		offset -= 0.5 * gb / float64(len(o.probability))
	}
	return slope, offset
}

func TestFit(t *testing.T) {
	if !*update && !*cross {
		return // a tool: -update fits the weights, and -cross prints the figures of the cross-validation
	}
	var notes []*prepared
	for _, n := range fitNotes(t) {
		notes = append(notes, prepare(n))
	}
	if *cross {
		crossAuthors(t, notes)
	}
	bestThreshold := chooseThreshold(t, notes)
	o := crossValidate(notes, bestThreshold)
	for _, k := range slices.Sorted(maps.Keys(o.perKind)) {
		t.Logf("%-10s found %d right %d must %d kept %d", k, o.perKind[k][0], o.perKind[k][1], o.perKind[k][2],
			o.perKind[k][3])
	}
	if *cross {
		for _, n := range o.notes {
			t.Log(n)
		}
	}
	slope, offset := calibrate(foreign(notes, bestThreshold))
	t.Logf("slope %.3f offset %.3f", slope, offset)
	if !*update {
		return
	}
	m := fit(notes)
	m.threshold, m.slope, m.offset = bestThreshold, slope, offset
	writeModel(t, m)
}

// chooseThreshold returns the highest threshold of those with about the best F1: notes of a new author lose more
// precision than recall, and what is proposed in vain costs people time.
func chooseThreshold(t *testing.T, notes []*prepared) float64 {
	const about = 0.01
	type figures struct{ threshold, f1 float64 }
	var all []figures
	best := 0.0
	for th := 0.20; th < 0.61; th += 0.05 {
		o := crossValidate(notes, th)
		p, r, f := o.figures()
		t.Logf("threshold %.2f: P %.3f R %.3f F1 %.3f forbidden %d hard %d of %d found", th, p, r, f, o.forbidden, o.hard,
			o.found)
		all = append(all, figures{th, f})
		best = max(best, f)
	}
	all = slices.DeleteFunc(all, func(f figures) bool { return f.f1 < best-about })
	return slices.MaxFunc(all, func(a, b figures) int { return cmp.Compare(a.threshold, b.threshold) }).threshold
}

// Weights below these are left out, because weights.txt is part of the program: of any feature, and all of a word.
const (
	leastWeight = 0.06
	leastWord   = 0.15
)

func largest(w *scores) (top float64) {
	for _, v := range w {
		top = max(top, math.Abs(v))
	}
	return top
}

// shortNumber writes a weight with two digits behind the point and none before it if that is zero: "-.4", ".25".
func shortNumber(v float64) string {
	if math.Abs(v) < leastWeight {
		return "0"
	}
	text := strings.TrimRight(strconv.FormatFloat(math.Abs(v), 'f', 2, 64), "0")
	text = strings.TrimPrefix(strings.TrimSuffix(text, "."), "0")
	if v < 0 {
		return "-" + text
	}
	return text
}

func writeModel(t *testing.T, m *model) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# The weights of the features for decision, plan, idea, claim, artifact, procedure, session\n" +
		"# and none.\n" +
		"# go test ./internal/reflection -run TestFit -update writes this file.\n")
	fmt.Fprintf(&b, "threshold %.2f\nslope %.3f\noffset %.3f\n", m.threshold, m.slope, m.offset)
	for _, n := range slices.Sorted(maps.Keys(m.weights)) {
		if top := largest(m.weights[n]); single(n) && top < leastWord || top < leastWeight {
			continue
		}
		b.WriteString(n)
		for _, v := range m.weights[n] {
			b.WriteString(" " + shortNumber(v))
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile("weights.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
