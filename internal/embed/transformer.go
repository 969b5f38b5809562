package embed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/loci-memory/loci"
)

// Transformer is a model of the BERT family (Devlin and others, "BERT", 2019). It needs no network and no graphics
// card. Texts of memories have one processor at most, and wait for questions after each layer.
type Transformer struct {
	name    string
	tokens  *tokenizer
	before  []int32 // tokens
	after   []int32
	most    int // tokens of a text; the rest of a longer one is left out
	prompts Prompts
	encoder encoder
	making  *semaphore.Weighted // one call about documents at a time
	asked   sync.RWMutex        // held for reading by questions
}

// transformerConfig is the part of config.json that Loci reads.
type transformerConfig struct {
	Type      string  `json:"model_type"`
	From      string  `json:"_name_or_path"`
	Layers    int     `json:"num_hidden_layers"`
	Heads     int     `json:"num_attention_heads"`
	Act       string  `json:"hidden_act"`
	Epsilon   float64 `json:"layer_norm_eps"`
	Positions string  `json:"position_embedding_type"`
	Decoder   bool    `json:"is_decoder"`
	Pad       int     `json:"pad_token_id"`
}

// elsewhere is the way out for a model that Loci cannot run.
const elsewhere = ", which Loci cannot run, but a server can (see embed.base_url)"

// check returns the end of a sentence about what Loci cannot run.
func (c *transformerConfig) check() error {
	switch {
	case c.Type == "":
		return errors.New("names no model_type, and " + weightsFile + " is no static model: it has no embeddings")
	case !slices.Contains([]string{"bert", "roberta", "xlm-roberta"}, c.Type):
		return fmt.Errorf("names the architecture %q%s", c.Type, elsewhere)
	case c.Decoder:
		return errors.New("describes a decoder" + elsewhere)
	case c.Act != "gelu":
		return fmt.Errorf("names the activation %q%s", c.Act, elsewhere)
	case c.Positions != "" && c.Positions != "absolute":
		return fmt.Errorf("names the positions %q%s", c.Positions, elsewhere)
	case c.Layers < 1 || c.Layers > 100 || c.Heads < 1:
		return fmt.Errorf("names %d layers and %d attention heads%s", c.Layers, c.Heads, elsewhere)
	}
	return nil
}

// transformer returns the model with the tensors of the folder.
func (f *folder) transformer(prompts Prompts) (FolderModel, error) {
	c := transformerConfig{Epsilon: 1e-12}
	switch err := json.Unmarshal(f.config, &c); {
	case f.config == nil:
		return nil, f.fault(configFile, errors.New("is missing"))
	case err != nil:
		return nil, f.fault(configFile, fmt.Errorf("cannot be read: %w", err))
	}
	if err := c.check(); err != nil {
		return nil, f.fault(configFile, err)
	}
	t := &Transformer{tokens: f.tokens, prompts: prompts, making: semaphore.NewWeighted(1)}
	t.tokens.keepsUnknown = true
	var err error
	if t.before, t.after, err = t.tokens.around.tokens(); err != nil {
		return nil, f.fault(tokenizerJSON, err)
	}
	if err := t.encoder.load(&c, f.all); err != nil {
		return nil, f.fault(weightsFile, err)
	}
	highest := max(t.tokens.highest, t.tokens.unknown)
	for _, id := range slices.Concat(t.before, t.after) {
		if highest = max(highest, id); id < 0 {
			return nil, f.fault(tokenizerJSON, errors.New("has a token with a negative id"))
		}
	}
	if int(highest) >= t.encoder.words.shape[0] {
		return nil, f.fault(weightsFile, errors.New("has fewer embeddings than the tokenizer has tokens"))
	}
	if err := f.settings(t, &c); err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(f.hash, "%q", t.prompts)
	t.name = f.name(transformerKind)
	return t, nil
}

// settings reads the files that say how texts become vectors.
func (f *folder) settings(t *Transformer, c *transformerConfig) error {
	var modules []struct {
		Type string `json:"type"`
	}
	var modes map[string]any
	var sentence struct {
		Most int `json:"max_seq_length"`
	}
	var saved struct {
		Prompts map[string]string `json:"prompts"`
	}
	for _, file := range []struct {
		name string
		out  any
	}{{modulesFile, &modules}, {poolingFile, &modes}, {sentenceFile, &sentence}, {promptsFile, &saved}} {
		if err := f.readJSON(file.name, file.out); err != nil {
			return err
		}
	}
	for _, m := range modules {
		kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]
		if !slices.Contains([]string{"Transformer", "Pooling", "Normalize"}, kind) {
			return f.fault(modulesFile, fmt.Errorf("names the module %q%s", kind, elsewhere))
		}
	}
	if t.most = len(t.encoder.places) / t.Dims(); sentence.Most > 0 {
		t.most = min(t.most, sentence.Most)
	}
	if t.most <= len(t.before)+len(t.after) {
		return f.fault(sentenceFile, errors.New("leaves no place for a text"))
	}
	switch p := saved.Prompts; {
	case t.prompts != Prompts{}:
	case len(p) > 0:
		t.prompts = Prompts{Query: p["query"], Document: cmp.Or(p["document"], p["passage"])}
	case isE5(filepath.Base(f.dir)), isE5(c.From):
		t.prompts = Prompts{Query: "query: ", Document: "passage: "}
	}
	var chosen []string
	for name, value := range modes {
		if mode, ok := strings.CutPrefix(name, "pooling_mode_"); ok && value == true {
			chosen = append(chosen, mode)
		}
	}
	slices.Sort(chosen)
	t.encoder.pool = strings.Join(chosen, " and ")
	if !slices.Contains([]string{"", "mean_tokens", "mean_sqrt_len_tokens", poolFirst, poolMax}, t.encoder.pool) {
		return f.fault(poolingFile, fmt.Errorf("names the mode %s%s", t.encoder.pool, elsewhere))
	}
	return nil
}

// isE5 reports whether a name is that of an E5 model, whose folders do not have the prompts that it needs.
func isE5(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("-_./ ", r) })
	return slices.Contains(words, "e5") && !slices.Contains(words, "instruct")
}

// Name implements Model: the name of the folder, and a hash of the files.
func (t *Transformer) Name() string { return t.name }

// Dims returns how many dimensions the vectors have.
func (t *Transformer) Dims() int { return t.encoder.words.shape[1] }

// Embed implements Model. It fails only if ctx ends, which it notices after each layer.
func (t *Transformer) Embed(ctx context.Context, kind Kind, texts []string) ([][]float32, error) {
	rest := ctx.Err // between layers
	if kind == Query {
		t.asked.RLock()
		defer t.asked.RUnlock()
	} else {
		if err := t.making.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer t.making.Release(1)
		rest = func() error {
			runtime.Gosched()
			t.asked.Lock() // questions come first; a new one waits at most for those that have begun
			defer t.asked.Unlock()
			return ctx.Err()
		}
	}
	out, s := make([][]float32, len(texts)), &scratch{}
	for i, text := range texts {
		vector, err := t.encoder.encode(t.split(t.prompts[kind]+text), s, rest)
		if err != nil {
			return out, err
		}
		out[i] = toUnit(vector)
	}
	return out, nil
}

// longestToken is more characters than a token usually has.
const longestToken = 100

// split returns the tokens of a text and those around it.
func (t *Transformer) split(text string) []int32 {
	room := t.most - len(t.before) - len(t.after)
	return slices.Concat(t.before, t.tokens.encode(loci.FirstRunes(text, room*longestToken), room), t.after)
}

// tensorsOf takes tensors of a known shape. The first error stays; it is the end of a sentence about the file.
type tensorsOf struct {
	all    map[string]tensor
	prefix string // of the names
	err    error
}

// take returns a tensor that has as many dimensions, each with this size unless that is 0, and removes it.
func (l *tensorsOf) take(name string, shape ...int) (t tensor) {
	t, ok := l.all[l.prefix+name]
	fits := len(t.shape) == len(shape)
	for i := 0; fits && i < len(shape); i++ {
		fits = t.shape[i] > 0 && (shape[i] == 0 || t.shape[i] == shape[i])
	}
	switch {
	case l.err != nil:
	case !ok:
		l.err = fmt.Errorf("has no tensor %q", l.prefix+name)
	case !fits:
		l.err = fmt.Errorf("has the tensor %q with the shape %v instead of %v", l.prefix+name, t.shape, shape)
	case !slices.Contains([]string{"F64", "F32", "F16", "BF16"}, t.dtype):
		l.err = fmt.Errorf("has the tensor %q with the type %s; Loci reads F32, F16 and BF16", l.prefix+name, t.dtype)
	}
	delete(l.all, l.prefix+name)
	return t
}

// floats is take for the numbers of a tensor.
func (l *tensorsOf) floats(name string, shape ...int) []float32 {
	t := l.take(name, shape...)
	if l.err != nil {
		return nil
	}
	n, _ := t.count()
	out := make([]float32, n)
	t.addTo(out, 0, 1)
	return out
}

// linear takes a matrix and what is added to its products.
func (l *tensorsOf) linear(name string, rows, in int) linear {
	return linear{in, l.floats(name+".weight", rows, in), l.floats(name+".bias", rows)}
}

func (l *tensorsOf) norm(name string, dims int, epsilon float64) layerNorm {
	return layerNorm{l.floats(name+".weight", dims), l.floats(name+".bias", dims), float32(math.Max(epsilon, 1e-12))}
}
