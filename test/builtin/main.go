// Command builtin makes the files of the built-in model from the folder of a static model whose tokenizer is WordPiece:
//
//	go run ./test/builtin FOLDER
//
// It gives each token the id that is its place in the order of bytes, so that the program needs no table of them. The
// header of the weights has the SHA-256 of everything else.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const to = "internal/embed/builtin"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./test/builtin FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "builtin:", err)
		os.Exit(1)
	}
}

func run(from string) error {
	rules, vocab, err := tokens(filepath.Join(from, "tokenizer.json"))
	if err != nil {
		return err
	}
	all := slices.Sorted(maps.Keys(vocab))
	if strings.ContainsAny(strings.Join(all, ""), "\n") || slices.Contains(all, "") {
		return errors.New("a token is empty or has a line break")
	}
	lines := strings.Join(all, "\n") + "\n"
	ids := make([]int, len(all))
	for i, token := range all {
		ids[i] = vocab[token]
	}
	file, err := os.ReadFile(filepath.Join(from, "model.safetensors"))
	if err != nil {
		return err
	}
	packed, err := tensors(file, ids, rules, lines)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"tokenizer.json": rules, "vocabulary.txt": []byte(lines),
		"model.safetensors": packed} {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tokens returns the rules of a tokenizer without the vocabulary and what a static model does not use, and the
// vocabulary.
func tokens(path string) (rules []byte, vocab map[string]int, err error) {
	var file struct {
		Normalizer   json.RawMessage `json:"normalizer"`
		PreTokenizer json.RawMessage `json:"pre_tokenizer"`
		Model        struct {
			Type    string         `json:"type"`
			Unknown string         `json:"unk_token,omitempty"`
			Prefix  string         `json:"continuing_subword_prefix"`
			Most    int            `json:"max_input_chars_per_word,omitempty"`
			Skips   bool           `json:"skip_unknown"`
			Vocab   map[string]int `json:"vocab,omitempty"`
		} `json:"model"`
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err == nil && file.Model.Type != "WordPiece" {
		err = errors.New("the tokenizer is not WordPiece")
	}
	if err != nil {
		return nil, nil, err
	}
	vocab, file.Model.Vocab, file.Model.Skips = file.Model.Vocab, nil, true
	rules, err = json.MarshalIndent(file, "", "  ")
	return append(rules, '\n'), vocab, err
}

// tensors returns the rows of the embeddings and the weights in the order of these ids.
func tensors(file []byte, ids []int, rules []byte, lines string) ([]byte, error) {
	end := 8 + binary.LittleEndian.Uint64(file)
	var header map[string]struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(file[8:end], &header); err != nil {
		return nil, err
	}
	if header["embeddings"].DType != "I8" || len(header["mapping"].Shape) > 0 {
		return nil, errors.New("the embeddings must be of 8 bits and have a row for each token")
	}
	var data []byte
	next := map[string]any{}
	for _, name := range []string{"embeddings", "weights"} {
		h, ok := header[name]
		if !ok {
			continue
		}
		at, size := h.Offsets[0]+int(end), (h.Offsets[1]-h.Offsets[0])/h.Shape[0]
		h.Shape[0], h.Offsets[0] = len(ids), len(data)
		for _, id := range ids {
			data = append(data, file[at+id*size:][:size]...)
		}
		h.Offsets[1] = len(data)
		next[name] = h
	}
	next["__metadata__"] = map[string]string{"sha256": sum(rules, []byte(lines), data)}
	text, err := json.Marshal(next)
	if err != nil {
		return nil, err
	}
	text = append(text, strings.Repeat(" ", (8-len(text)%8)%8)...)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data), nil
}

// sum returns the SHA-256 of what follows each other.
func sum(parts ...[]byte) string { return fmt.Sprintf("%x", sha256.Sum256(slices.Concat(parts...))) }
