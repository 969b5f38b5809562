package embed

import "bytes"

// ReadWith lets the selector read folders with fn.
func (s *Selector) ReadWith(fn func(dir string) (FolderModel, error)) { s.read = fn }

// Accelerate lets models use the instructions of this processor, or not, and returns how it was.
func Accelerate(on bool) (before bool) {
	before, accelerated = accelerated, on
	return before
}

// TokensOf returns how a tokenizer.json takes texts apart. If there are lines, they are the vocabulary.
func TokensOf(file []byte, lines string) (encode func(text string) []int32, err error) {
	t, err := newTokenizer(bytes.NewReader(file), lines)
	if err != nil {
		return nil, err
	}
	return func(text string) []int32 { return t.encode(text, usualTokens) }, nil
}
