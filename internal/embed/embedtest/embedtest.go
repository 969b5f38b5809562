// Package embedtest has a model of embeddings for tests, which needs no file and no network. Its vectors depend on the
// words of a text alone, so a test knows which texts are similar: words of one group mean the same.
package embedtest

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/loci-memory/loci/internal/embed"
)

// Model is an embed.Model and an embed.Source of itself. Its fields may be set before it is used.
type Model struct {
	// ID is the name. Default: test.
	ID string
	// Dims is how many dimensions the vectors have. Default: 64.
	Dims int
	// Known is how many of the last dimensions of a question are there at once.
	Known int
	// Groups are words that mean the same.
	Groups [][]string
	// Fail returns the error of a call; nil: none fails.
	Fail func(texts []string) error

	mu    sync.Mutex
	texts []string
}

// Name implements embed.Model.
func (m *Model) Name() string {
	if m.ID == "" {
		return "test"
	}
	return m.ID
}

// Texts returns all texts of which vectors were made.
func (m *Model) Texts() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.texts...)
}

// Embed implements embed.Model.
func (m *Model) Embed(ctx context.Context, _ embed.Kind, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Fail != nil {
		if err := m.Fail(texts); err != nil {
			return nil, err
		}
	}
	m.texts = append(m.texts, texts...)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = m.vector(t)
	}
	return out, ctx.Err()
}

// Current implements embed.Source.
func (m *Model) Current(context.Context) (embed.Model, error) { return m, nil }

// ByName implements embed.Source.
func (m *Model) ByName(_ context.Context, name string) (embed.Model, error) {
	if name != m.Name() {
		return nil, nil
	}
	return m, nil
}

// Quick implements embed.Source.
func (m *Model) Quick(name, question string) []float32 {
	if name != m.Name() || m.Known == 0 {
		return nil
	}
	v := m.vector(question)
	return v[len(v)-m.Known:]
}

func (m *Model) vector(text string) []float32 {
	dims := cmp.Or(m.Dims, 64)
	v, length := make([]float32, dims), 0.0
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < '0' || r == '?' }) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(m.Name() + m.concept(word)))
		seed := h.Sum64()
		for d := range v {
			seed = seed*6364136223846793005 + 1442695040888963407
			v[d] += float32(int32(seed>>32)) / math.MaxInt32
		}
	}
	for _, x := range v {
		length += float64(x) * float64(x)
	}
	if length == 0 {
		return v
	}
	for d := range v {
		v[d] /= float32(math.Sqrt(length))
	}
	return v
}

// concept returns the first word of the group of a word.
func (m *Model) concept(word string) string {
	for _, g := range m.Groups {
		if slices.Contains(g, word) {
			return g[0]
		}
	}
	return word
}
