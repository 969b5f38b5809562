package embed_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/embed"
)

// countsOf returns how often each token is in a text, by the tokens of tokenizer.json. The vector of each token has
// only a 1 in its own place.
func countsOf(t *testing.T, tokenizer, text string) string {
	t.Helper()
	var f struct {
		Model struct {
			Type  string          `json:"type"`
			Vocab json.RawMessage `json:"vocab"`
		} `json:"model"`
		Added []struct {
			ID      int    `json:"id"`
			Content string `json:"content"`
		} `json:"added_tokens"`
	}
	if err := json.Unmarshal([]byte(tokenizer), &f); err != nil {
		t.Fatal(err)
	}
	names, rows := map[int]string{}, 0
	if f.Model.Type == "Unigram" {
		var list [][2]any
		_ = json.Unmarshal(f.Model.Vocab, &list)
		for i, v := range list {
			names[i] = v[0].(string)
		}
	} else {
		var list map[string]int
		_ = json.Unmarshal(f.Model.Vocab, &list)
		for name, i := range list {
			names[i] = name
		}
	}
	for _, a := range f.Added {
		names[a.ID] = a.Content
	}
	for id := range names {
		rows = max(rows, id+1)
	}
	dir := t.TempDir()
	write(t, dir, "tokenizer.json", tokenizer)
	write(t, dir, "model.safetensors", string(unitRows(rows)))
	list, err := open(t, dir).Embed(t.Context(), embed.Document, []string{text})
	if err != nil {
		t.Fatal(err)
	}
	least := float32(math.MaxFloat32)
	for _, x := range list[0] {
		if x > 0 {
			least = min(least, x)
		}
	}
	var out []string
	for i, x := range list[0] {
		if x > 0 {
			out = append(out, fmt.Sprintf("%s×%.0f", names[i], x/least))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func unitRows(n int) []byte {
	data := make([]float32, n*n)
	for i := range n {
		data[i*n+i] = 1
	}
	return tensors(part{"embeddings", "F32", []int{n, n}, floats(data...)})
}

// part is a tensor of a file.
type part struct {
	name, dtype string
	shape       []int
	data        []byte
}

func tensors(list ...part) []byte {
	header, body := map[string]any{}, []byte{}
	for _, p := range list {
		header[p.name] = map[string]any{"dtype": p.dtype, "shape": p.shape, "data_offsets": []int{len(body),
			len(body) + len(p.data)}}
		body = append(body, p.data...)
	}
	text, _ := json.Marshal(header)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(out, text...), body...)
}

func floats(list ...float32) (out []byte) {
	for _, x := range list {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

const (
	words = `"model":{"type":"WordPiece","unk_token":"?","vocab":{"?":0,"tea":1,"##pot":2,"é":3,"e":4,"!":5,"T":6,"日":7,
		"$":8}}`
	unigram = `"model":{"type":"Unigram","unk_id":0,"vocab":[["?",0],["▁tea",-1],["▁",-2],["pot",-2],["tea",-3],["t",-9],
		[".",-2],["\n",-3]]}`
	bert   = `"pre_tokenizer":{"type":"BertPreTokenizer"}`
	always = `"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}`
	first  = `"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"}`
	never  = `"pre_tokenizer":{"type":"Metaspace","replacement":"▁","add_prefix_space":false}`
)

// TestTokens has what tokenizers of Hugging Face return for the same files.
func TestTokens(t *testing.T) {
	norm := func(rules string) string { return `"normalizer":{"type":"Sequence","normalizers":[` + rules + `]}` }
	added := func(more string) string { return `"added_tokens":[{"id":9,"content":"<x>"` + more + `}]` }
	for _, tt := range []struct{ file, text, want string }{
		{bert + "," + words, "teapot tea! tea日", "!×1 ##pot×1 tea×2"}, // no rule puts spaces around 日
		{bert + "," + words + `,"normalizer":{"type":"BertNormalizer"}`, "TEA\tÉ日é tea\u200b$", "$×1 e×2 tea×2 日×1"},
		{bert + "," + words + `,"normalizer":{"type":"BertNormalizer","lowercase":false}`, "É é T tea", "T×1 tea×1 é×1"},
		{bert + "," + words + `,"normalizer":{"type":"BertNormalizer","lowercase":false,"strip_accents":true}`,
			"é é T", "T×1 e×2"},
		{bert + "," + words + `,"normalizer":{"type":"BertNormalizer","strip_accents":false}`, "É", "é×1"},
		{bert + "," + words + `,"normalizer":{"type":"BertNormalizer","handle_chinese_chars":false}`, "tea日", ""},
		{bert + "," + words + "," + norm(`{"type":"NFD"},{"type":"StripAccents"},{"type":"Lowercase"}`), "É TEA",
			"e×1 tea×1"},
		{`"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Punctuation"}]},` + words,
			"tea!\u2003e", "!×1 e×1 tea×1"},
		{`"pre_tokenizer":{"type":"Whitespace"},` + words, "tea! e$", "!×1 $×1 e×1 tea×1"},
		{bert + "," + words + "," + added(""), "tea<x>pot tea", "<x>×1 tea×2"},
		{bert + "," + words + "," + added(`,"single_word":true`), "tea<x> e <x> ", "<x>×1 e×1 tea×1"},
		{always + "," + unigram, "tea  teapot tea", "pot×1 ▁tea×3 ▁×1"},
		{always + "," + unigram, "zz tea", "▁tea×1 ▁×1"},
		{never + "," + unigram, "tea tea", "tea×1 ▁tea×1"},
		{first + "," + unigram + "," + added(""), "tea<x>tea <x>", "<x>×2 tea×1 ▁tea×1 ▁×1"},
		{always + "," + unigram + "," + added(`,"lstrip":true,"rstrip":true`), "tea <x> tea", "<x>×1 ▁tea×2"},
		{always + "," + unigram + "," + added(`,"normalized":true`) + "," + norm(`{"type":"Lowercase"}`), "TEA<X>",
			"<x>×1 ▁tea×1"},
		{always + "," + unigram + "," + norm(`{"type":"Precompiled"}`), "ｔｅａ\ntea", "▁tea×1"},
		{always + "," + unigram, "tea\ntea", "\n×1 tea×1 ▁tea×1"},
		{always + "," + unigram + "," + norm(`{"type":"Replace","pattern":{"String":"."},"content":" . "},
			{"type":"Replace","pattern":{"Regex":"\\s+"},"content":" "},{"type":"Strip","strip_left":false}`),
			"tea.\u00a0tea ", ".×1 ▁tea×2 ▁×1"},
		{never + "," + unigram + "," + norm(`{"type":"Prepend","prepend":"▁"},{"type":"NFKC"}`), "tea", "▁tea×1"},
	} {
		if got := countsOf(t, "{"+tt.file+"}", tt.text); got != tt.want {
			t.Errorf("%q with %s:\ngot  %s\nwant %s", tt.text, tt.file, got, tt.want)
		}
	}
}

// TestTypesOfNumbers reads the same rows from each type, also those that a mapping and weights choose.
func TestTypesOfNumbers(t *testing.T) {
	double := binary.LittleEndian.AppendUint64(nil, math.Float64bits(-3))
	double = binary.LittleEndian.AppendUint64(double, math.Float64bits(4))
	for dtype, row := range map[string][]byte{"F32": floats(-3, 4), "F64": double, "F16": {0x00, 0xc2, 0x00, 0x44},
		"BF16": {0x40, 0xc0, 0x80, 0x40}, "I8": {0xfd, 4}} {
		zero := make([]byte, len(row))
		other := slices.Concat(row[len(row)/2:], row[:len(row)/2]) // which weighs nothing
		for name, file := range map[string][]byte{
			"plain": tensors(part{"embeddings", dtype, []int{2, 2}, append(slices.Clone(zero), row...)}),
			"mapped": tensors(part{"embedding.weight", dtype, []int{2, 2}, slices.Concat(row, other)},
				part{"mapping", "I32", []int{2}, []byte{1, 0, 0, 0, 0, 0, 0, 0}},
				part{"weights", "F32", []int{2}, floats(0, 0.5)}),
		} {
			dir := filepath.Join(t.TempDir(), "0_StaticEmbedding")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "tokenizer.json", `{`+bert+`,"model":{"type":"WordPiece","vocab":{"?":0,"tea":1}}}`)
			write(t, dir, "model.safetensors", string(file))
			list, err := open(t, filepath.Dir(dir)).Embed(t.Context(), embed.Query, []string{"tea ? tea"})
			if err != nil || math.Abs(float64(list[0][0]+0.6)) > 1e-6 || math.Abs(float64(list[0][1]-0.8)) > 1e-6 {
				t.Errorf("%s %s: got %v, %v", dtype, name, list, err)
			}
		}
	}
}
