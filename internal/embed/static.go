package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/loci-memory/loci"
)

// Static is a model that has a vector for each token, and makes that of a text from their mean, as Model2Vec does
// (https://github.com/MinishLab/model2vec). It needs no network and no graphics card.
type Static struct {
	name   string
	tokens *tokenizer
	table  tensor // a vector in each row
	dims   int
	rows   []int32 // which row of the table each token has; nil: its own
	weight tensor  // of each token; without data: 1
	most   int     // tokens of a text; the rest of a longer one is left out
}

// MaxDims is how many dimensions a vector has at most. A search packs no more.
const MaxDims = 4096

// usualTokens is how many tokens of a text a model reads if it does not say.
const usualTokens = 512

// static returns the model whose tokens have the vectors of a table.
func (f *folder) static(table tensor) (FolderModel, error) {
	s := &Static{most: usualTokens, tokens: f.tokens, table: table}
	var config struct {
		Most *int `json:"max_length"`
	}
	if err := json.Unmarshal(f.config, &config); err != nil && f.config != nil {
		return nil, f.fault(configFile, fmt.Errorf("cannot be read: %w", err))
	}
	if config.Most != nil && *config.Most > 0 {
		s.most = *config.Most
	}
	if err := s.load(f.all); err != nil {
		return nil, f.fault(weightsFile, err)
	}
	s.name = f.name(staticKind)
	return s, nil
}

// load takes the tensors over.
func (s *Static) load(all map[string]tensor) error {
	table := s.table
	switch {
	case len(table.shape) != 2 || table.shape[0] == 0 || table.shape[1] == 0 || table.shape[1] > MaxDims:
		return errors.New("has embeddings of an unusable shape")
	case width(table.dtype) == 0:
		return errors.New("has embeddings of the type " + table.dtype + ", which Loci does not read")
	}
	s.dims = table.shape[1]
	rows, tokens := table.shape[0], int(s.tokens.highest)+1
	for _, name := range []string{"mapping", "weights"} {
		t, ok := all[name]
		if n, _ := t.count(); ok && (n < tokens || width(t.dtype) == 0) {
			return fmt.Errorf("has %s for too few tokens", name)
		}
		if name == "weights" {
			s.weight = t
			continue
		}
		for i := 0; ok && i < tokens; i++ {
			x := t.at(i)
			if x < 0 || x >= float64(rows) {
				return errors.New("has a mapping to rows that it does not have")
			}
			s.rows = append(s.rows, int32(x))
		}
	}
	if s.rows == nil && rows < tokens {
		return errors.New("has fewer embeddings than the tokenizer has tokens")
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
	text = loci.FirstRunes(text, s.most*max(s.tokens.median, 1))
	sum := make([]float32, s.dims)
	for _, id := range s.tokens.encode(text, s.most) {
		row, weight := int(id), float32(1)
		if s.rows != nil {
			row = int(s.rows[id])
		}
		if s.weight.data != nil {
			weight = float32(s.weight.at(int(id)))
		}
		s.table.addTo(sum, row, weight)
	}
	return toUnit(sum)
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
