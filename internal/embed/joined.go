package embed

import (
	"context"
	"math"
	"strings"
)

// joined is a transformer with the built-in model: the vector of a text is that of the transformer, followed by that of
// the built-in model. Together they find more than each alone, and a question can be asked with the last part only.
type joined struct {
	*Transformer
	builtIn *Static
}

// builtInShare is how much of a similarity comes from the built-in model. docs/embeddings.md has the figures.
const builtInShare = 0.2

// join joins a transformer with the built-in model. Other models stay alone.
func (s *Selector) join(m FolderModel) FolderModel {
	t, ok := m.(*Transformer)
	if !ok || t.Dims()+s.builtIn().dims > MaxDims {
		return m
	}
	return &joined{t, s.builtIn()}
}

// nameEnd is the end of the Name of a transformer that is joined with this model.
func (s *Static) nameEnd() string { return "+" + s.name[strings.LastIndexByte(s.name, '@')+1:] }

// Quick implements Source. The built-in model has the end of the vectors of a transformer, or is the model.
func (s *Selector) Quick(name, question string) []float32 {
	if !Local(name) {
		return nil
	}
	b := s.builtIn()
	switch {
	case name == b.name:
		return b.embed(question)
	case strings.HasSuffix(name, b.nameEnd()):
		return scaled(b.embed(question), builtInShare)
	}
	return nil
}

// Name implements Model: the transformer's, and the hash of the built-in model.
func (j *joined) Name() string { return j.Transformer.Name() + j.builtIn.nameEnd() }

// Dims returns how many dimensions the vectors have.
func (j *joined) Dims() int { return j.Transformer.Dims() + j.builtIn.dims }

// Embed implements Model. It fails only if ctx ends.
func (j *joined) Embed(ctx context.Context, kind Kind, texts []string) ([][]float32, error) {
	list, err := j.Transformer.Embed(ctx, kind, texts)
	for i, v := range list {
		if v != nil {
			list[i] = toUnit(append(scaled(v, 1-builtInShare), scaled(j.builtIn.embed(texts[i]), builtInShare)...))
		}
	}
	return list, err
}

// scaled gives a vector of the length 1 a part of a similarity.
func scaled(v []float32, share float64) []float32 {
	for i := range v {
		v[i] *= float32(math.Sqrt(share))
	}
	return v
}
