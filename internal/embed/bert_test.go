package embed_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/embed/embedtest"
)

// bertSize says how large a transformer is.
type bertSize struct{ words, dims, heads, layers, inner, places int }

// tiny has fewer numbers in a row than the processor multiplies at a time, and its texts have more tokens than that.
var tiny = bertSize{words: 12, dims: 20, heads: 4, layers: 2, inner: 37, places: 70}

// bertFolder is a transformer with random numbers, as files and tensors.
type bertFolder struct {
	dir     string
	size    bertSize
	files   map[string]string
	tensors map[string]embedtest.Table
}

// The tokens of bertFolder: [PAD], [UNK], [CLS], [SEP], and then w0, w1, ….
const unk, cls, sep, firstWord = 1, 2, 3, 4

const template = `{"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
	{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
	"special_tokens": {"[CLS]": {"ids": [2]}, "[SEP]": {"ids": [3]}}}`

// tokenizerWith returns a tokenizer of n words with a post-processor.
func tokenizerWith(n int, around string) string {
	vocab := map[string]int{"[PAD]": 0, "[UNK]": unk, "[CLS]": cls, "[SEP]": sep}
	for i := range n {
		vocab[fmt.Sprint("w", i)] = firstWord + i
	}
	list, _ := json.Marshal(vocab)
	return `{"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": ` +
		around + `, "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": ` + string(list) + `}}`
}

// newBert makes a transformer. Its numbers are always the same.
func newBert(s bertSize) *bertFolder {
	r := rand.New(rand.NewPCG(3, 4))
	f := &bertFolder{size: s, tensors: map[string]embedtest.Table{}, files: map[string]string{
		"tokenizer.json": tokenizerWith(s.words, template),
		"config.json": fmt.Sprintf(`{"model_type": "bert", "num_hidden_layers": %d, "num_attention_heads": %d,
			"hidden_act": "gelu", "layer_norm_eps": 1e-12, "pad_token_id": 0, "position_embedding_type": "absolute"}`,
			s.layers, s.heads)}}
	table := func(name string, spread float32, shape ...int) {
		n := shape[0]
		if len(shape) > 1 {
			n *= shape[1]
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = spread * (2*r.Float32() - 1)
			if strings.HasSuffix(name, "LayerNorm.weight") {
				values[i]++
			}
		}
		f.tensors[name] = embedtest.Table{Shape: shape, Values: values}
	}
	linear := func(name string, rows, in int) {
		table(name+".weight", 3/float32(math.Sqrt(float64(in))), rows, in)
		table(name+".bias", 0.5, rows)
	}
	norm := func(name string) {
		table(name+".LayerNorm.weight", 0.5, s.dims)
		table(name+".LayerNorm.bias", 0.5, s.dims)
	}
	table("embeddings.word_embeddings.weight", 1, firstWord+s.words, s.dims)
	table("embeddings.position_embeddings.weight", 1, s.places, s.dims)
	table("embeddings.token_type_embeddings.weight", 1, 2, s.dims)
	norm("embeddings")
	for i := range s.layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"query", "key", "value"} {
			linear(at+"attention.self."+part, s.dims, s.dims)
		}
		linear(at+"attention.output.dense", s.dims, s.dims)
		norm(at + "attention.output")
		linear(at+"intermediate.dense", s.inner, s.dims)
		linear(at+"output.dense", s.dims, s.inner)
		norm(at + "output")
	}
	return f
}

// write writes the folder and returns its path.
func (f *bertFolder) write(t testing.TB) string {
	t.Helper()
	if f.dir == "" {
		f.dir = filepath.Join(t.TempDir(), "small")
	}
	if f.tensors != nil {
		f.files["model.safetensors"] = string(embedtest.Tensors(f.tensors))
	}
	for name, text := range f.files {
		path := filepath.Join(f.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			write(t, filepath.Dir(path), filepath.Base(path), text)
		}
	}
	return f.dir
}

// row returns a row of a table in 64 bits.
func (f *bertFolder) row(name string, i int) []float64 {
	t, out := f.tensors[name], []float64(nil)
	n := t.Shape[len(t.Shape)-1]
	for _, x := range t.Values[i*n : (i+1)*n] {
		out = append(out, float64(x))
	}
	return out
}

func plus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}

func times(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func (f *bertFolder) linear(name string, x []float64) []float64 {
	out := f.row(name+".bias", 0)
	for i := range out {
		out[i] += times(f.row(name+".weight", i), x)
	}
	return out
}

func (f *bertFolder) norm(name string, x []float64) []float64 {
	mean, variance, out := 0.0, 0.0, make([]float64, len(x))
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	scale, shift := f.row(name+".LayerNorm.weight", 0), f.row(name+".LayerNorm.bias", 0)
	for i, v := range x {
		out[i] = (v-mean)/math.Sqrt(variance)*scale[i] + shift[i]
	}
	return out
}

// reference works the last layer out in 64 bits, as the paper says and not as fast as one can. first is the place of
// the first token.
func (f *bertFolder) reference(tokens []int, first int) [][]float64 {
	var x [][]float64
	for i, id := range tokens {
		v := plus(f.row("embeddings.word_embeddings.weight", id), f.row("embeddings.position_embeddings.weight", first+i))
		x = append(x, f.norm("embeddings", plus(v, f.row("embeddings.token_type_embeddings.weight", 0))))
	}
	size := f.size.dims / f.size.heads
	for l := range f.size.layers {
		at := fmt.Sprintf("encoder.layer.%d.", l)
		var next [][]float64
		parts := map[string][][]float64{}
		for _, name := range []string{"query", "key", "value"} {
			for i := range x {
				parts[name] = append(parts[name], f.linear(at+"attention.self."+name, x[i]))
			}
		}
		for i := range x {
			var mixed []float64
			for h := range f.size.heads {
				part := func(name string, of int) []float64 { return parts[name][of][h*size : (h+1)*size] }
				sum, shares := make([]float64, size), 0.0
				for j := range x {
					share := math.Exp(times(part("query", i), part("key", j)) / math.Sqrt(float64(size)))
					shares += share
					for d, v := range part("value", j) {
						sum[d] += share * v
					}
				}
				for d := range sum {
					mixed = append(mixed, sum[d]/shares)
				}
			}
			y := f.norm(at+"attention.output", plus(x[i], f.linear(at+"attention.output.dense", mixed)))
			inner := f.linear(at+"intermediate.dense", y)
			for d, v := range inner {
				inner[d] = v * (1 + math.Erf(v/math.Sqrt2)) / 2
			}
			next = append(next, f.norm(at+"output", plus(y, f.linear(at+"output.dense", inner))))
		}
		x = next
	}
	return x
}

// pool returns the vector of a text with the length 1.
func pool(mode string, x [][]float64) []float64 {
	out := append([]float64(nil), x[0]...)
	for _, v := range x[1:] {
		for d := range v {
			switch mode {
			case "mean":
				out[d] += v[d]
			case "max":
				out[d] = max(out[d], v[d])
			}
		}
	}
	length := math.Sqrt(times(out, out))
	for d := range out {
		out[d] /= length
	}
	return out
}
