package embedtest

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Folder writes a small Model2Vec model into a folder: a vector for each of the words, which are also the tokens.
func Folder(dir string, words []string, vectors [][]float32) error {
	vocab := map[string]int{"[PAD]": 0, "[UNK]": 1}
	table := append([][]float32{make([]float32, len(vectors[0])), make([]float32, len(vectors[0]))}, vectors...)
	for i, w := range words {
		vocab[w] = i + 2
	}
	tokenizer := map[string]any{"normalizer": map[string]any{"type": "BertNormalizer", "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": vocab}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(tokenizer)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "tokenizer.json"), text, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"normalize": true, "max_length": 512}`), 0o600)
	}
	if err != nil {
		return err
	}
	weights := Tensors(map[string]Table{"embeddings": {[]int{len(table), len(table[0])}, slices.Concat(table...)}})
	return os.WriteFile(filepath.Join(dir, "model.safetensors"), weights, 0o600)
}

// Table is a tensor of 32-bit numbers.
type Table struct {
	Shape  []int
	Values []float32
}

// Tensors returns a safetensors file with these tables.
func Tensors(tables map[string]Table) []byte {
	var data []byte
	header := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		from, t := len(data), tables[name]
		for _, x := range t.Values {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		header[name] = map[string]any{"dtype": "F32", "shape": t.Shape, "data_offsets": []int{from, len(data)}}
	}
	text, _ := json.Marshal(header) // cannot fail
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(out, text...), data...)
}
