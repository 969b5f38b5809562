package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/loci-memory/loci"
)

// Static is a model that has a vector for each token, and makes that of a text from their mean, as Model2Vec does
// (https://github.com/MinishLab/model2vec). It needs no network and no graphics card.
type Static struct {
	name   string
	tokens *tokenizer
	table  []float32 // a vector for each row
	dims   int
	rows   []int32   // which row of the table each token has; nil: its own
	weight []float32 // of each token; nil: 1
	most   int       // tokens of a text; the rest of a longer one is left out
}

// These are the files of a model in a folder.
const (
	configFile    = "config.json"
	tokenizerJSON = "tokenizer.json"
	weightsFile   = "model.safetensors"
	// nested is where models of sentence-transformers may have them.
	nested = "0_StaticEmbedding"
)

// usualTokens is how many tokens of a text a model reads if it does not say.
const usualTokens = 512

// OpenStatic reads a model from a folder. Invalid if a file is missing, damaged or of another format; the error names
// it.
func OpenStatic(dir string) (*Static, error) {
	at := dir
	if _, err := os.Stat(filepath.Join(dir, nested, weightsFile)); err == nil {
		at = filepath.Join(dir, nested)
	}
	s, hash := &Static{most: usualTokens}, sha256.New()
	read := func(name string) ([]byte, error) {
		data, err := os.ReadFile(filepath.Join(at, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, loci.WrapError(loci.Invalid, err, "cannot use the model in %s: the file %s is missing; pull the model "+
				"again, or choose the folder of a Model2Vec model", dir, name)
		}
		if err != nil {
			return nil, loci.WrapError(loci.Invalid, err, "cannot use the model in %s: cannot read %s", dir, name)
		}
		_, _ = hash.Write(data)
		return data, nil
	}
	damaged := func(name string, err error) error {
		return loci.WrapError(loci.Invalid, err, "cannot use the model in %s: %s %s; pull the model again, or choose a "+
			"Model2Vec model", dir, name, err)
	}
	text, err := read(tokenizerJSON)
	if err != nil {
		return nil, err
	}
	if s.tokens, err = newTokenizer(text); err != nil {
		return nil, damaged(tokenizerJSON, err)
	}
	if data, err := os.ReadFile(filepath.Join(at, configFile)); err == nil {
		_, _ = hash.Write(data)
		if err := s.configure(data); err != nil {
			return nil, damaged(configFile, err)
		}
	}
	data, err := read(weightsFile)
	if err != nil {
		return nil, err
	}
	if err := s.load(data); err != nil {
		return nil, damaged(weightsFile, err)
	}
	s.name = "static:" + loci.Shorten(filepath.Base(dir), 100) + "@" + hex.EncodeToString(hash.Sum(nil)[:8])
	return s, nil
}

func (s *Static) configure(data []byte) error {
	var c struct {
		Most *int `json:"max_length"`
	}
	err := json.Unmarshal(data, &c)
	if err == nil && c.Most != nil && *c.Most > 0 {
		s.most = *c.Most
	}
	return err
}

// MaxDims is how many dimensions a vector has at most. A search packs no more.
const MaxDims = 4096

// load takes the tensors over.
func (s *Static) load(data []byte) error {
	all, err := tensorsIn(data)
	if err != nil {
		return err
	}
	table, ok := all["embeddings"]
	if !ok {
		table, ok = all["embedding.weight"]
	}
	switch {
	case !ok:
		return errors.New("has no tensor named embeddings, so it is no static model")
	case len(table.shape) != 2 || table.shape[0] == 0 || table.shape[1] == 0 || table.shape[1] > MaxDims:
		return errors.New("has embeddings of an unusable shape")
	case width(table.dtype) == 0:
		return errors.New("has embeddings of the type " + table.dtype + ", which Loci does not read")
	}
	rows := table.shape[0]
	s.dims, s.table = table.shape[1], table.floats(0, rows*table.shape[1])
	tokens := len(s.tokens.ids)
	if m, ok := all["mapping"]; ok {
		if n, _ := m.count(); n < tokens || width(m.dtype) == 0 {
			return errors.New("has a mapping with too few tokens")
		}
		for i := range tokens {
			row := m.at(i)
			if row < 0 || row >= float64(rows) {
				return errors.New("has a mapping to rows that it does not have")
			}
			s.rows = append(s.rows, int32(row))
		}
	} else if rows < tokens {
		return errors.New("has fewer embeddings than the tokenizer has tokens")
	}
	if w, ok := all["weights"]; ok {
		if n, _ := w.count(); n < tokens || width(w.dtype) == 0 {
			return errors.New("has weights for too few tokens")
		}
		s.weight = w.floats(0, tokens)
	}
	for _, id := range s.tokens.ids {
		if id < 0 || int(id) >= tokens && (s.rows != nil || s.weight != nil || int(id) >= rows) {
			return errors.New("does not fit the tokenizer: a token has no embedding")
		}
	}
	return nil
}

// Name implements Model: the name of the folder, and a hash of the files.
func (s *Static) Name() string { return s.name }

// Dims returns how many dimensions the vectors have.
func (s *Static) Dims() int { return s.dims }

// Embed implements Model. It works on several texts at once, and fails only if ctx ends.
func (s *Static) Embed(ctx context.Context, _ Kind, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(texts)) {
		workers.Go(func() {
			for i := range next {
				out[i] = s.embed(texts[i])
			}
		})
	}
	for i := range texts {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return out, ctx.Err()
}

// embed returns the vector of a text. Its length is 1, whatever the model says, because searches compare directions.
func (s *Static) embed(text string) []float32 {
	text = firstCharacters(text, s.most*max(s.tokens.median, 1))
	sum := make([]float32, s.dims)
	for _, id := range s.tokens.encode(text, s.most) {
		row, weight := int(id), float32(1)
		if s.rows != nil {
			row = int(s.rows[id])
		}
		if s.weight != nil {
			weight = s.weight[id]
		}
		for d, x := range s.table[row*s.dims : row*s.dims+s.dims] {
			sum[d] += x * weight
		}
	}
	return toUnit(sum)
}

// firstCharacters returns the first n characters of a text.
func firstCharacters(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// toUnit gives a vector the length 1, unless it is zero. Numbers that are none make it zero.
func toUnit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		clear(v)
		return v
	}
	length := float32(math.Sqrt(sum))
	for i := range v {
		v[i] /= length
	}
	return v
}
