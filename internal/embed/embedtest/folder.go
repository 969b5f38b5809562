package embedtest

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
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
	return os.WriteFile(filepath.Join(dir, "model.safetensors"), Tensor("embeddings", table), 0o600)
}

// Tensor returns a safetensors file with one table of 32-bit numbers.
func Tensor(name string, table [][]float32) []byte {
	var data []byte
	for _, row := range table {
		for _, x := range row {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	}
	header, _ := json.Marshal(map[string]any{name: map[string]any{"dtype": "F32",
		"shape": []int{len(table), len(table[0])}, "data_offsets": []int{0, len(data)}}}) // cannot fail
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}
