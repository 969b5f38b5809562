package embed

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
)

// encoder is what a transformer does with tokens: layers of attention, each followed by a network for each token.
type encoder struct {
	words  tensor    // the vector of each token
	places []float32 // the vector of each place in a text, with that of the first segment
	norm   layerNorm
	layers []layer
	heads  int
	pool   string // how the vectors of tokens become that of a text
}

// layer is one layer. The rows of query are divided by the root of the size of a head.
type layer struct {
	query, key, value, mixed linear
	attended                 layerNorm
	inner, outer             linear
	done                     layerNorm
}

// These are modes of pooling. All others take the mean.
const (
	poolFirst = "cls_token"
	poolMax   = "max_tokens"
)

// wordsTensor ends the name of the tensor from which a transformer is recognised.
const wordsTensor = "embeddings.word_embeddings.weight"

// load takes the tensors of a file over. Its error is the end of a sentence about the file.
func (e *encoder) load(c *transformerConfig, all map[string]tensor) error {
	l := &tensorsOf{all: all}
	for name := range all {
		if strings.HasSuffix(name, wordsTensor) {
			l.prefix = strings.TrimSuffix(name, wordsTensor)
		}
	}
	e.words, e.heads = l.take(wordsTensor, 0, 0), c.Heads
	if l.err != nil {
		return l.err
	}
	dims := e.words.shape[1]
	if dims > MaxDims || dims%c.Heads != 0 {
		return fmt.Errorf("has embeddings of %d dimensions for %d attention heads", dims, c.Heads)
	}
	e.places = l.floats("embeddings.position_embeddings.weight", 0, dims)
	segment := l.floats("embeddings.token_type_embeddings.weight", 0, dims)
	e.norm = l.norm("embeddings.LayerNorm", dims, c.Epsilon)
	if c.Type != "bert" { // the first places are for padding
		e.places = e.places[min(len(e.places), max(c.Pad+1, 0)*dims):]
	}
	if l.err == nil && len(e.places) == 0 {
		l.err = errors.New("has no positions for a text")
	}
	for at := 0; l.err == nil && at < len(e.places); at += dims {
		vek32.Add_Inplace(e.places[at:at+dims], segment[:dims])
	}
	for i := 0; l.err == nil && i < c.Layers; i++ {
		e.layers = append(e.layers, l.layer(fmt.Sprintf("encoder.layer.%d.", i), dims, c))
	}
	return l.err
}

func (l *tensorsOf) layer(name string, dims int, c *transformerConfig) (y layer) {
	self := name + "attention.self."
	y.query, y.key = l.linear(self+"query", dims, dims), l.linear(self+"key", dims, dims)
	y.value = l.linear(self+"value", dims, dims)
	y.mixed = l.linear(name+"attention.output.dense", dims, dims)
	y.attended = l.norm(name+"attention.output.LayerNorm", dims, c.Epsilon)
	inner := l.floats(name+"intermediate.dense.bias", 0)
	y.inner = linear{dims, l.floats(name+"intermediate.dense.weight", len(inner), dims), inner}
	y.outer = l.linear(name+"output.dense", dims, len(inner))
	y.done = l.norm(name+"output.LayerNorm", dims, c.Epsilon)
	if l.err == nil {
		share := float32(1 / math.Sqrt(float64(dims/c.Heads)))
		vek32.MulNumber_Inplace(y.query.weight, share)
		vek32.MulNumber_Inplace(y.query.bias, share)
	}
	return y
}

// scratch has the numbers of one text. Calls use it again.
type scratch struct{ x, q, k, v, mixed, inner, scores []float32 }

// sized returns a slice of n numbers, which may have the memory of an older one.
func sized(old *[]float32, n int) []float32 {
	if cap(*old) < n {
		*old = make([]float32, n)
	}
	*old = (*old)[:n]
	return *old
}

// fastStep is how many numbers the processor multiplies at a time. Rows that are as long, or a multiple, go fastest.
const fastStep = 32

// encode returns the vector of a text, without the length 1. It calls rest before each layer, and ends if that fails.
func (e *encoder) encode(tokens []int32, s *scratch, rest func() error) ([]float32, error) {
	dims := e.words.shape[1]
	n := len(tokens)
	if n == 0 {
		return make([]float32, dims), rest()
	}
	x := sized(&s.x, n*dims)
	copy(x, e.places)
	for i, id := range tokens {
		e.words.addTo(x[i*dims:(i+1)*dims], int(id), 1)
	}
	e.norm.apply(x)
	for i := range e.layers {
		if err := rest(); err != nil {
			return nil, err
		}
		y := &e.layers[i]
		y.attend(x, n, e.heads, s)
		y.attended.apply(x)
		inner := sized(&s.inner, n*len(y.inner.bias))
		y.inner.apply(inner, x, len(y.inner.bias), 1)
		gelu(inner)
		y.outer.apply(s.q, inner, dims, 1)
		vek32.Add_Inplace(x, s.q)
		y.done.apply(x)
	}
	return e.pooled(x, dims), nil
}

// attend adds to each token of x what it takes from the others.
func (y *layer) attend(x []float32, n, heads int, s *scratch) {
	dims := len(x) / n
	size, room := dims/heads, (n+fastStep-1)/fastStep*fastStep
	q, k, v := sized(&s.q, n*dims), sized(&s.k, n*dims), sized(&s.v, dims*room)
	mixed, scores := sized(&s.mixed, n*dims), sized(&s.scores, room)
	clear(v)
	clear(scores)
	y.query.apply(q, x, dims, 1)
	y.key.apply(k, x, dims, 1)
	y.value.apply(v, x, 1, room) // the numbers of a dimension, not of a token, are neighbours
	for from := 0; from < dims; from += size {
		for i := range n {
			asks := q[i*dims+from:][:size]
			for j := range n {
				scores[j] = vek32.Dot(asks, k[j*dims+from:][:size])
			}
			softmax(scores[:n])
			for d := from; d < from+size; d++ {
				mixed[i*dims+d] = vek32.Dot(scores, v[d*room:][:room])
			}
		}
	}
	y.mixed.apply(q, mixed, dims, 1)
	vek32.Add_Inplace(x, q)
}

// softmax makes shares of scores, which add up to 1.
func softmax(x []float32) {
	vek32.AddNumber_Inplace(x, -vek32.Max(x))
	vek32.MaximumNumber_Inplace(x, -80) // Exp is wrong below -88, and this is as good as no share
	vek32.Exp_Inplace(x)
	vek32.DivNumber_Inplace(x, vek32.Sum(x))
}

func (e *encoder) pooled(x []float32, dims int) []float32 {
	out := append([]float32(nil), x[:dims]...)
	for at := dims; at < len(x) && e.pool != poolFirst; at += dims {
		if e.pool == poolMax {
			vek32.Maximum_Inplace(out, x[at:at+dims])
		} else {
			vek32.Add_Inplace(out, x[at:at+dims])
		}
	}
	return out
}

// layerNorm gives the numbers of a token the mean 0 and the variance 1, and then their own scale.
type layerNorm struct {
	weight, bias []float32
	epsilon      float32
}

func (o *layerNorm) apply(x []float32) {
	dims := len(o.weight)
	for ; len(x) > 0; x = x[dims:] {
		v := x[:dims]
		vek32.AddNumber_Inplace(v, -vek32.Mean(v))
		variance := vek32.Dot(v, v)/float32(dims) + o.epsilon
		vek32.MulNumber_Inplace(v, float32(1/math.Sqrt(float64(variance))))
		vek32.Mul_Inplace(v, o.weight)
		vek32.Add_Inplace(v, o.bias)
	}
}

// linear is a matrix with in numbers in each row, and what is added to the product with each row.
type linear struct {
	in           int
	weight, bias []float32
}

// tokensAtOnce is how many tokens meet a row of a matrix while it is in the processor's cache.
const tokensAtOnce = 32

// accelerated reports whether vek32 has instructions for this processor.
var accelerated = vek.Info().Acceleration

// apply sets out to the products with the tokens of x. The numbers of neighbouring tokens are perToken apart, and those
// of neighbouring rows perRow.
func (l *linear) apply(out, x []float32, perToken, perRow int) {
	n := len(x) / l.in
	for from := 0; from < n; from += tokensAtOnce {
		end := min(n, from+tokensAtOnce)
		for j, bias := range l.bias {
			row, at := l.weight[j*l.in:(j+1)*l.in], j*perRow
			t := from
			for ; !accelerated && t+4 <= end; t += 4 {
				for i, sum := range four(row, x[t*l.in:(t+4)*l.in]) {
					out[(t+i)*perToken+at] = bias + sum
				}
			}
			for ; t < end; t++ {
				out[t*perToken+at] = bias + vek32.Dot(row, x[t*l.in:(t+1)*l.in])
			}
		}
	}
}

// four returns the products of a row with four tokens: one sum waits for each number, four do not.
func four(row, x []float32) [4]float32 {
	n := len(row)
	a, b, c, d := x[:n], x[n:][:n], x[2*n:][:n], x[3*n:][:n]
	var p, q, r, s float32
	for i, w := range row {
		p += w * a[i]
		q += w * b[i]
		r += w * c[i]
		s += w * d[i]
	}
	return [4]float32{p, q, r, s}
}

const (
	geluReach = 8   // beyond, the normal distribution is 0 or 1
	geluSteps = 512 // of the table between two whole numbers
	geluSize  = 2*geluReach*geluSteps + 2
)

// normal has the normal distribution from -geluReach on.
var normal = sync.OnceValue(func() *[geluSize]float32 {
	var table [geluSize]float32
	for i := range table {
		table[i] = float32(math.Erfc((geluReach-float64(i)/geluSteps)/math.Sqrt2) / 2)
	}
	return &table
})

// gelu multiplies numbers with the normal distribution of them (Hendrycks and Gimpel, 2016).
func gelu(x []float32) {
	table := normal()
	for i, f := range x {
		switch {
		case f >= geluReach || f != f: // nothing to do
		case f <= -geluReach:
			x[i] = 0
		default:
			at := (f + geluReach) * geluSteps
			from := int(at)
			low := table[from]
			x[i] = f * (low + (at-float32(from))*(table[from+1]-low))
		}
	}
}
