package embed_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
)

// folder makes a model with these words: "tea" and "coffee" are similar.
func folder(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	err := embedtest.Folder(dir, []string{"tea", "coffee", "car", "##pot", "cafe", "日", "!"},
		[][]float32{{1, 0, 0}, {0.9, 0.1, 0}, {0, 0, 2}, {0, 1, 0}, {0.5, 0.5, 0}, {0, 0, 1}, {0, -1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string) embed.FolderModel {
	t.Helper()
	m, err := embed.Open(dir, embed.Prompts{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStaticVectors(t *testing.T) {
	m := open(t, folder(t))
	half := float32(math.Sqrt(0.5))
	texts := []struct {
		text string
		want []float32
	}{
		{"tea", []float32{1, 0, 0}},
		{"TEA\tunknownword", []float32{1, 0, 0}},
		{"teapot", []float32{half, half, 0}},
		{"Café", []float32{half, half, 0}},
		{"car 日", []float32{0, 0, 1}},
		{"car日", []float32{0, 0, 1}},
		{"tea!", []float32{half, -half, 0}},
		{"", []float32{0, 0, 0}},
		{"nothing known", []float32{0, 0, 0}},
		{"tea" + strings.Repeat(" unknownword", 600) + " car", []float32{1, 0, 0}}, // cut before car
	}
	var list []string
	for _, tt := range texts {
		list = append(list, tt.text)
	}
	got, err := m.Embed(t.Context(), embed.Document, list)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range texts {
		for d := range tt.want {
			if math.Abs(float64(got[i][d]-tt.want[d])) > 1e-6 {
				t.Errorf("%.20q: got %v, want %v", tt.text, got[i], tt.want)
				break
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Embed(ctx, embed.Query, list); err == nil {
		t.Error("a call whose context has ended did not fail")
	}
}

// TestUnigram takes a text apart as the scores say.
func TestUnigram(t *testing.T) {
	dir := folder(t)
	write(t, dir, "tokenizer.json", `{"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled"}]},
		"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"},
		"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["▁tea",-1],["pot",-1],["▁",-3],
		["t",-5],["e",-5],["▁teap",-9]]}}`)
	m := open(t, dir)
	got, err := m.Embed(t.Context(), embed.Document, []string{"teapot", "tea  zzz tea"})
	if err != nil {
		t.Fatal(err)
	}
	// The rows are those of folder: 1 is zeros ([UNK] there), 2 is tea.
	if got[0][0] != 1 || got[1][0] < 0.99 || got[1][1] < 0.1 { // of the second, only the space before zzz counts: coffee
		t.Errorf("got %v", got)
	}
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBrokenModels has folders that are no model, or not a whole one. Each error names the folder, the file and a way
// out.
func TestBrokenModels(t *testing.T) {
	shape := func(name string, rows, dims int) []byte {
		return embedtest.Tensors(map[string]embedtest.Table{name: {Shape: []int{rows, dims},
			Values: make([]float32, rows*dims)}})
	}
	for name, tt := range map[string]struct {
		file, text string
		want       string
	}{
		"no weights":        {"model.safetensors", "", "model.safetensors is missing"},
		"no tokenizer":      {"tokenizer.json", "", "tokenizer.json is missing"},
		"truncated":         {"model.safetensors", string(shape("embeddings", 9, 3)[:60]), "truncated"},
		"a web page":        {"model.safetensors", "<html>not found</html>", "truncated or no safetensors"},
		"a transformer":     {"model.safetensors", string(shape("encoder.layer.0.weight", 9, 3)), "no static model"},
		"too few rows":      {"model.safetensors", string(shape("embeddings", 4, 3)), "fewer embeddings"},
		"too many columns":  {"model.safetensors", string(shape("embeddings", 9, 5000)), "unusable shape"},
		"another tokenizer": {"tokenizer.json", `{"model":{"type":"BPE","vocab":{"a":0}}}`, `type "BPE"`},
		"an unknown rule": {"tokenizer.json",
			`{"normalizer":{"type":"Odd"},"model":{"type":"WordPiece","vocab":{"a":0}}}`, `"Odd"`},
		"a token of no row": {"tokenizer.json", `{"added_tokens":[{"id":1000,"content":"[UNK]"}],` +
			`"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"tea":1}}}`, "fewer embeddings"},
		"no JSON":          {"tokenizer.json", "{", "cannot be read"},
		"a damaged config": {"config.json", "[", "config.json"},
		"a huge header":    {"model.safetensors", "\xff\xff\xff\xff\xff\xff\xff\x7f{}", "truncated or no safetensors"},
		"offsets that cross": {"model.safetensors",
			header(`{"embeddings":{"dtype":"F32","shape":[1,1],"data_offsets":[9,4]}}`), "truncated"},
		"tensors that overlap": {"model.safetensors",
			header(`{"embeddings":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"x":{"dtype":"F32","shape":[1],`+
				`"data_offsets":[4,8]}}`) + "12345678", "is damaged"},
		"an absurd shape": {"model.safetensors",
			header(`{"embeddings":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`), "damaged"},
	} {
		dir := folder(t)
		if tt.text == "" {
			if err := os.Remove(filepath.Join(dir, tt.file)); err != nil {
				t.Fatal(err)
			}
		} else {
			write(t, dir, tt.file, tt.text)
		}
		_, err := embed.Open(dir, embed.Prompts{})
		if loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "pull the model again") || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: got %v, want invalid with %q", name, err, tt.want)
		}
	}
	if _, err := embed.Open(filepath.Join(t.TempDir(), "absent"), embed.Prompts{}); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("a folder that is not there: got %v", err)
	}
}

func header(text string) string {
	return string([]byte{byte(len(text)), 0, 0, 0, 0, 0, 0, 0}) + text
}

// TestNameFollowsTheFiles changes one number of the weights.
func TestNameFollowsTheFiles(t *testing.T) {
	dir := folder(t)
	before := open(t, dir).Name()
	hash := sha256.New() // as in earlier versions, whose vectors stay of use
	for _, name := range []string{"tokenizer.json", "config.json", "model.safetensors"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(data)
	}
	if want := fmt.Sprintf("static:tiny@%x", hash.Sum(nil)[:8]); before != want {
		t.Errorf("the name is %s, want %s", before, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	write(t, dir, "model.safetensors", string(data))
	if after := open(t, dir).Name(); after == before || !strings.HasPrefix(after, "static:tiny@") {
		t.Errorf("the name stays %s", after)
	}
}

func FuzzStatic(f *testing.F) {
	dir := folder(f)
	weights, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		f.Fatal(err)
	}
	tokens, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(weights, tokens, "tea for two, teapot!")
	f.Add(weights, []byte(`{"model":{"type":"Unigram","vocab":[["a",-1],["b",-2]]}}`), "ab ba")
	f.Add(weights, []byte(`{"added_tokens":[{"id":1,"content":"b","lstrip":true}],
		"normalizer":{"type":"Replace","pattern":{"Regex":"\\s"},"content":" "},"pre_tokenizer":{"type":"Metaspace"},
		"model":{"type":"Unigram","vocab":[["▁a",-1],["b",-2]]}}`), "ab ba")
	f.Fuzz(func(t *testing.T, weights, tokens []byte, text string) {
		dir := t.TempDir()
		write(t, dir, "model.safetensors", string(weights))
		write(t, dir, "tokenizer.json", string(tokens))
		m, err := embed.Open(dir, embed.Prompts{})
		if err != nil {
			if loci.CodeOf(err) != loci.Invalid {
				t.Errorf("got %v, want invalid", err)
			}
			return
		}
		list, err := m.Embed(t.Context(), embed.Document, []string{text})
		if err != nil || len(list) != 1 || len(list[0]) != m.Dims() {
			t.Fatalf("got %v, %v", list, err)
		}
		sum := 0.0
		for _, x := range list[0] {
			sum += float64(x) * float64(x)
		}
		if sum != 0 && math.Abs(sum-1) > 1e-3 || math.IsNaN(sum) {
			t.Errorf("the vector has the length %v", math.Sqrt(sum))
		}
	})
}

// BenchmarkStatic makes the vectors of 10,000 memories of 60 words with a vocabulary of 30,000 and 256 dimensions.
func BenchmarkStatic(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	words, vectors := make([]string, 30_000), make([][]float32, 30_000)
	for i := range words {
		words[i], vectors[i] = fmt.Sprint("w", i), make([]float32, 256)
		for d := range vectors[i] {
			vectors[i][d] = r.Float32() - 0.5
		}
	}
	dir := b.TempDir()
	if err := embedtest.Folder(dir, words, vectors); err != nil {
		b.Fatal(err)
	}
	m := open(b, dir)
	texts := make([]string, 10_000)
	for i := range texts {
		var t bytes.Buffer
		for range 60 {
			fmt.Fprintf(&t, "%s ", words[r.IntN(len(words))])
		}
		texts[i] = t.String()
	}
	for b.Loop() {
		if _, err := m.Embed(b.Context(), embed.Document, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/10000")
}
