package embed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
)

// TestTransformerVectors compares the vectors of each kind of folder with those of the reference.
func TestTransformerVectors(t *testing.T) {
	long := strings.Repeat("w3 w1 nothing ", 30) // 90 tokens
	var cut []int
	for range 30 {
		cut = append(cut, firstWord+3, firstWord+1, unk)
	}
	around := func(words ...int) []int { return append(append([]int{cls}, words...), sep) }
	w0, w5 := firstWord, firstWord+5
	for _, tt := range []struct {
		name    string
		edit    func(f *bertFolder)
		prompts embed.Prompts
		kind    embed.Kind
		text    string
		tokens  []int
		first   int
		pool    string
	}{
		{name: "a plain folder", text: "w0 W5!", tokens: around(w0, w5, unk)},
		{name: "no text", tokens: around()},
		{name: "as many tokens as there are places", text: long, tokens: around(cut[:tiny.places-2]...)},
		{name: "a limit", text: long, tokens: around(cut[:38]...), edit: func(f *bertFolder) {
			f.files["sentence_bert_config.json"] = `{"max_seq_length": 40, "do_lower_case": false}`
		}},
		{name: "the first token", text: "w0 w5", tokens: around(w0, w5), pool: "first", edit: func(f *bertFolder) {
			f.files["1_Pooling/config.json"] = `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`
			f.files["modules.json"] = `[{"type": "sentence_transformers.models.Transformer"},
				{"type": "sentence_transformers.models.Pooling"}, {"type": "sentence_transformers.models.Normalize"}]`
		}},
		{name: "the highest numbers", text: "w0 w5", tokens: around(w0, w5), pool: "max", edit: func(f *bertFolder) {
			f.files["1_Pooling/config.json"] = `{"pooling_mode_max_tokens": true, "word_embedding_dimension": 20}`
		}},
		{name: "attention to one token only", text: long, tokens: around(cut[:tiny.places-2]...), edit: func(f *bertFolder) {
			for _, x := range []string{"0", "1"} {
				q := f.tensors["encoder.layer."+x+".attention.self.query.weight"].Values
				for i := range q {
					q[i] *= 30
				}
			}
		}},
		{name: "RoBERTa", text: "w0 w5", tokens: around(w0, w5), first: 2, edit: func(f *bertFolder) {
			f.files["config.json"] = strings.NewReplacer(`"bert"`, `"xlm-roberta"`, `"pad_token_id": 0`, `"pad_token_id": 1`).
				Replace(f.files["config.json"])
			f.files["tokenizer.json"] = tokenizerWith(tiny.words, `{"type": "Sequence", "processors":
				[{"type": "RobertaProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]}]}`)
		}},
		{name: "nothing around a text", text: "w0 w5", tokens: []int{w0, w5}, edit: func(f *bertFolder) {
			f.files["tokenizer.json"] = tokenizerWith(tiny.words, "null")
		}},
		{name: "names with the task", text: "w0", tokens: around(w0), edit: func(f *bertFolder) {
			for _, name := range keysOf(f.tensors) {
				f.tensors["bert."+name] = f.tensors[name]
			}
		}},
		{name: "a prompt for questions", kind: embed.Query, text: "w5", tokens: around(w0, w5), edit: func(f *bertFolder) {
			f.files["config_sentence_transformers.json"] = `{"prompts": {"query": "w0 ", "passage": "w1 "}}`
		}},
		{name: "a prompt for memories", text: "w5", tokens: around(firstWord+1, w5), edit: func(f *bertFolder) {
			f.files["config_sentence_transformers.json"] = `{"prompts": {"query": "w0 ", "passage": "w1 "}}`
		}},
		{name: "a setting", kind: embed.Query, text: "w5", tokens: around(w0, w0, w5),
			prompts: embed.Prompts{embed.Query: "w0 w0 "}, edit: func(f *bertFolder) {
				f.files["config_sentence_transformers.json"] = `{"prompts": {"query": "w1 "}}`
			}},
		{name: "E5", kind: embed.Query, text: "w5", tokens: around(unk, unk, w5), edit: func(f *bertFolder) {
			f.dir = filepath.Join(t.TempDir(), "multilingual-e5-tiny") // query: w5
		}},
	} {
		f := newBert(tiny)
		if tt.edit != nil {
			tt.edit(f)
		}
		if tt.pool == "" {
			tt.pool = "mean"
		}
		m, err := embed.Open(f.write(t), tt.prompts)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		want := pool(tt.pool, f.reference(tt.tokens, tt.first))
		for _, fast := range []bool{true, false} {
			before := embed.Accelerate(fast)
			embed.Accelerate(before && fast)
			got, err := m.Embed(t.Context(), tt.kind, []string{"w1", tt.text})
			embed.Accelerate(before)
			if err != nil || len(got) != 2 || len(got[1]) != tiny.dims || m.Dims() != tiny.dims {
				t.Fatalf("%s: got %v, %v", tt.name, got, err)
			}
			for d, x := range got[1] {
				if math.Abs(float64(x)-want[d]) > 2e-5 {
					t.Errorf("%s, accelerated %t: got %v, want %v", tt.name, fast, got[1], want)
					break
				}
			}
		}
	}
}

func keysOf(m map[string]embedtest.Table) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	return list
}

// TestTransformerTypes has the weights in 16 bits.
func TestTransformerTypes(t *testing.T) {
	f := newBert(tiny)
	for _, table := range f.tensors {
		for i := range table.Values { // numbers that both types have
			table.Values[i] = float32(math.Round(float64(table.Values[i])*8) / 8)
		}
	}
	want, err := open(t, f.write(t)).Embed(t.Context(), embed.Document, []string{"w0 w3"})
	if err != nil {
		t.Fatal(err)
	}
	for dtype, bits := range map[string]func(x float32) uint16{
		"BF16": func(x float32) uint16 { return uint16(math.Float32bits(x) >> 16) },
		"F16":  halfBits,
	} {
		other := newBert(tiny)
		var data []byte
		header := map[string]any{}
		for name, table := range f.tensors {
			from := len(data)
			for _, x := range table.Values {
				data = append(data, byte(bits(x)), byte(bits(x)>>8))
			}
			header[name] = map[string]any{"dtype": dtype, "shape": table.Shape, "data_offsets": []int{from, len(data)}}
		}
		text, _ := json.Marshal(header)
		size := len(text)
		other.tensors, other.files["model.safetensors"] = nil,
			string([]byte{byte(size), byte(size >> 8), 0, 0, 0, 0, 0, 0})+string(text)+string(data)
		got, err := open(t, other.write(t)).Embed(t.Context(), embed.Document, []string{"w0 w3"})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, %v, want %v", dtype, got, err, want)
		}
	}
}

// halfBits returns a number of 16 bits that has the same value.
func halfBits(x float32) uint16 {
	b := math.Float32bits(x)
	if x == 0 {
		return 0
	}
	return uint16(b>>16&0x8000) | uint16((b>>23&0xff)-112)<<10 | uint16(b>>13&0x3ff)
}

// TestBrokenTransformers has folders that Loci cannot use. Each error names the folder, the file, and a way out.
func TestBrokenTransformers(t *testing.T) {
	config := func(old, text string) func(f *bertFolder) {
		return func(f *bertFolder) { f.files["config.json"] = strings.Replace(f.files["config.json"], old, text, 1) }
	}
	file := func(name, text string) func(f *bertFolder) {
		return func(f *bertFolder) { f.files[name] = text }
	}
	tensor := func(name string, shape ...int) func(f *bertFolder) {
		return func(f *bertFolder) {
			table := embedtest.Table{Shape: shape, Values: []float32{0}}
			for _, n := range shape {
				table.Values = make([]float32, n*len(table.Values))
			}
			f.tensors[name] = table
		}
	}
	for name, tt := range map[string]struct {
		edit func(f *bertFolder)
		want string
	}{
		"no config": {file("config.json", ""), "config.json is missing"},
		"no object": {file("config.json", "[]"), "config.json cannot be read"},
		"nomic": {config(`"bert"`, `"nomic_bert"`),
			`config.json names the architecture "nomic_bert", which Loci cannot run`},
		"ModernBERT":  {config(`"bert"`, `"modernbert"`), `"modernbert"`},
		"a decoder":   {config(`"pad_token_id"`, `"is_decoder": true, "pad_token_id"`), "decoder"},
		"relative":    {config(`"absolute"`, `"relative_key"`), `names the positions "relative_key"`},
		"another act": {config(`"gelu"`, `"silu"`), `names the activation "silu"`},
		"no layers":   {config(`"num_hidden_layers": 2`, `"num_hidden_layers": 0`), "0 layers"},
		"many layers": {config(`"num_hidden_layers": 2`, `"num_hidden_layers": 3`), `no tensor "encoder.layer.2.`},
		"odd heads":   {config(`"num_attention_heads": 4`, `"num_attention_heads": 3`), "3 attention heads"},
		"all for padding": {func(f *bertFolder) {
			f.files["config.json"] = strings.NewReplacer(`"bert"`, `"roberta"`, `"pad_token_id": 0`, `"pad_token_id": 99`).
				Replace(f.files["config.json"])
		}, "has no positions"},
		"a Dense module": {file("modules.json", `[{"type": "sentence_transformers.models.Dense"}]`),
			`modules.json names the module "Dense"`},
		"the last token": {file("1_Pooling/config.json", `{"pooling_mode_lasttoken": true}`), "names the mode lasttoken"},
		"two modes": {file("1_Pooling/config.json", `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}`),
			"cls_token and mean_tokens"},
		"damaged pooling": {file("1_Pooling/config.json", `{`), "1_Pooling/config.json cannot be read"},
		"no place":        {file("sentence_bert_config.json", `{"max_seq_length": 2}`), "no place"},
		"damaged prompts": {file("config_sentence_transformers.json", `{"prompts": 1}`), "cannot be read"},
		"no query weights": {func(f *bertFolder) {
			delete(f.tensors, "encoder.layer.1.attention.self.query.weight")
		}, `no tensor "encoder.layer.1.attention.self.query.weight"`},
		"no words":         {func(f *bertFolder) { delete(f.tensors, "embeddings.word_embeddings.weight") }, "no tensor"},
		"another shape":    {tensor("encoder.layer.0.output.dense.weight", 20, 36), "[20 36] instead of [20 37]"},
		"no inner network": {tensor("encoder.layer.0.intermediate.dense.bias", 0), "shape [0]"},
		"a flat table":     {tensor("embeddings.word_embeddings.weight", 320), "shape [320]"},
		"too few words":    {tensor("embeddings.word_embeddings.weight", 9, 20), "fewer embeddings"},
		"odd around": {func(f *bertFolder) { f.files["tokenizer.json"] = tokenizerWith(12, `{"type": "ByteLevel"}`) },
			`tokenizer.json has a post-processor of the type "ByteLevel"`},
		"negative around": {func(f *bertFolder) {
			f.files["tokenizer.json"] = tokenizerWith(12, `{"type": "BertProcessing", "cls": ["a", -1], "sep": ["b", 2]}`)
		}, "negative id"},
		"integers": {func(f *bertFolder) {
			f.files["model.safetensors"] = strings.ReplaceAll(string(embedtest.Tensors(f.tensors)), `"F32"`, `"I32"`)
			f.tensors = nil
		}, "type I32"},
		"truncated": {func(f *bertFolder) {
			whole := embedtest.Tensors(f.tensors)
			f.tensors, f.files["model.safetensors"] = nil, string(whole[:len(whole)-9])
		}, "is truncated"},
	} {
		f := newBert(tiny)
		tt.edit(f)
		dir := f.write(t)
		_, err := embed.Open(dir, embed.Prompts{})
		if loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "pull the model again") {
			t.Errorf("%s: got %v, want invalid with %q", name, err, tt.want)
		}
	}
}

// TestTransformerName changes each of the files that change vectors.
func TestTransformerName(t *testing.T) {
	names := map[string]string{}
	for what, edit := range map[string]func(f *bertFolder){
		"nothing": func(*bertFolder) {},
		"a weight": func(f *bertFolder) {
			f.tensors["encoder.layer.1.output.LayerNorm.bias"].Values[3] += 1e-3
		},
		"pooling": func(f *bertFolder) { f.files["1_Pooling/config.json"] = `{"pooling_mode_max_tokens": true}` },
		"length":  func(f *bertFolder) { f.files["sentence_bert_config.json"] = `{"max_seq_length": 40}` },
		"prompts": func(f *bertFolder) { f.files["config_sentence_transformers.json"] = `{"prompts": {"query": "w0"}}` },
		"config":  func(f *bertFolder) { f.files["config.json"] += " " },
	} {
		f := newBert(tiny)
		edit(f)
		name := open(t, f.write(t)).Name()
		if other := names[name]; other != "" || !strings.HasPrefix(name, "transformer:small@") || !embed.Local(name) {
			t.Errorf("%s: the name is %s, like that with %s", what, name, other)
		}
		names[name] = what
	}
	f := newBert(tiny)
	m, err := embed.Open(f.write(t), embed.Prompts{embed.Query: "w0 "})
	if err != nil || names[m.Name()] != "" {
		t.Errorf("with a setting: %v, %v", m, err)
	}
}

// counted is a context that calls fn each time somebody asks whether it has ended.
type counted struct {
	context.Context
	fn func() error
}

func (c counted) Err() error { return c.fn() }

// TestTransformerEnds ends a call within the third text: the vectors of the first two are there.
func TestTransformerEnds(t *testing.T) {
	m := open(t, newBert(tiny).write(t))
	for kind := range embed.Kind(2) {
		asked := 0
		got, err := m.Embed(counted{t.Context(), func() error {
			if asked++; asked > 2*tiny.layers+1 {
				return context.Canceled
			}
			return nil
		}}, kind, []string{"w0", "w1", "w2", "w3"})
		if err == nil || len(got) != 4 || got[0] == nil || got[1] == nil || got[2] != nil || got[3] != nil {
			t.Errorf("kind %d: got %v, %v", kind, got, err)
		}
	}
}

// TestQuestionsComeFirst begins with a memory while a question is between two layers.
func TestQuestionsComeFirst(t *testing.T) {
	m := open(t, newBert(tiny).write(t))
	var isDone, overtaken atomic.Bool
	done := make(chan error)
	layer := 0
	_, err := m.Embed(counted{t.Context(), func() error {
		if layer++; layer == 1 {
			go func() {
				_, err := m.Embed(counted{t.Context(), func() error {
					overtaken.Store(overtaken.Load() || !isDone.Load())
					return nil
				}}, embed.Document, []string{"w1"})
				done <- err
			}()
		}
		for range 1000 {
			runtime.Gosched()
		}
		isDone.Store(layer == tiny.layers)
		return nil
	}}, embed.Query, []string{"w0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || overtaken.Load() {
		t.Errorf("the memory did not wait for the question: %v", err)
	}
}

func FuzzTransformer(f *testing.F) {
	b := newBert(bertSize{words: 2, dims: 4, heads: 2, layers: 1, inner: 3, places: 8})
	weights := embedtest.Tensors(b.tensors)
	f.Add(weights, []byte(b.files["tokenizer.json"]), []byte(b.files["config.json"]),
		[]byte(`{"pooling_mode_max_tokens": true}`), []byte(`{"max_seq_length": 6}`), "w0 w1 other w0 w0")
	f.Add(weights, []byte(tokenizerWith(2, `{"type": "BertProcessing", "cls": ["a", 2], "sep": ["b", 3]}`)),
		[]byte(strings.Replace(b.files["config.json"], `"bert"`, `"roberta"`, 1)), []byte(`{}`), []byte(`{}`), "")
	f.Add(weights, []byte(`{"model":{"type":"Unigram","unk_id":1,"vocab":[["a",-1],["<unk>",0],["b",-2]]}}`),
		[]byte(b.files["config.json"]), []byte(`[]`), []byte(`{}`), "ab zz ba")
	f.Fuzz(func(t *testing.T, weights, tokens, config, pooling, sentence []byte, text string) {
		b := &bertFolder{files: map[string]string{"model.safetensors": string(weights), "tokenizer.json": string(tokens),
			"config.json": string(config), "1_Pooling/config.json": string(pooling),
			"sentence_bert_config.json": string(sentence)}}
		m, err := embed.Open(b.write(t), embed.Prompts{})
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

// BenchmarkTransformer has a model as large as all-MiniLM-L6-v2, but for its vocabulary: a question of 12 words, and a
// memory of 60 tokens.
func BenchmarkTransformer(b *testing.B) {
	m := open(b, newBert(bertSize{words: 100, dims: 384, heads: 12, layers: 6, inner: 1536, places: 512}).write(b))
	for _, bb := range []struct {
		name   string
		kind   embed.Kind
		tokens int
	}{{"Question", embed.Query, 12}, {"Memory", embed.Document, 60}, {"Page", embed.Document, 256}} {
		text := strings.Repeat("w1 ", bb.tokens)
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Embed(b.Context(), bb.kind, []string{text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
