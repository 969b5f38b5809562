package embed

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"
)

// wordPieces takes words apart into the longest known pieces from the left.
type wordPieces struct {
	prefix  string // of pieces that continue a word
	most    int    // characters of a word; a longer one is unknown
	longest int    // bytes of a token
	skips   bool   // unknown characters are left out; else a word with one is unknown
}

func (t *tokenizer) wordPiece(f *tokenizerFile, lines string) error {
	if lines != "" {
		t.known = sortedVocabulary(lines)
	} else if err := json.Unmarshal(f.Model.Vocab, &t.known.ids); err != nil {
		return fmt.Errorf("has a vocabulary that cannot be read: %w", err)
	}
	if f.Model.Unk != nil {
		if id, ok := t.known.id(*f.Model.Unk); ok {
			t.unknown = id
		}
	}
	w := wordPieces{prefix: "##", most: 100, skips: f.Model.Skips}
	if f.Model.Prefix != nil {
		w.prefix = *f.Model.Prefix
	}
	if f.Model.Most > 0 {
		w.most = f.Model.Most
	}
	for token := range t.known.all() {
		w.longest = max(w.longest, len(token))
	}
	t.pieces = w
	return nil
}

// word adds the pieces of a word, or the unknown token if it cannot be taken apart. A text in Chinese or Japanese is
// one word up to the next sign, so that one rare character must not make it unknown.
func (w wordPieces) word(t *tokenizer, word string, add func(int32) bool) bool {
	if id, ok := t.known.id(word); ok && len(word) <= w.most {
		return add(id)
	}
	if utf8.RuneCountInString(word) > w.most {
		return add(t.unknown)
	}
	var places [32]int32
	found := places[:0]
	for from := 0; from < len(word); {
		key, prefix := word[from:min(len(word), from+w.longest)], 0
		if from > 0 {
			key, prefix = w.prefix+key, len(w.prefix)
		}
		id, end := int32(-1), len(key)
		for ; end > prefix; end-- {
			if known, ok := t.known.id(key[:end]); ok {
				id = known
				break
			}
		}
		if id < 0 && w.skips {
			_, size := utf8.DecodeRuneInString(word[from:])
			from += size
			continue
		}
		if id < 0 {
			return add(t.unknown)
		}
		found, from = append(found, id), from+end-prefix
	}
	for _, id := range found {
		if !add(id) {
			return false
		}
	}
	return true
}

// unigramPieces takes a word apart so that the sum of the scores of the pieces is the highest (Kudo, "Subword
// Regularization", 2018).
type unigramPieces struct {
	scores  []float64
	longest int // bytes of a token
	worst   float64
}

// unknownPenalty is how much less than the worst token an unknown character counts.
const unknownPenalty = 10

func (t *tokenizer) unigram(f *tokenizerFile) error {
	var vocab [][2]any
	if err := json.Unmarshal(f.Model.Vocab, &vocab); err != nil {
		return fmt.Errorf("has a vocabulary that cannot be read: %w", err)
	}
	if f.Model.ByteFallback {
		return fmt.Errorf("has a Unigram tokenizer with byte_fallback, which Loci does not know")
	}
	u := &unigramPieces{worst: math.Inf(1), scores: make([]float64, 0, len(vocab))}
	t.known.ids = make(map[string]int32, len(vocab))
	for i, v := range vocab {
		token, ok := v[0].(string)
		score, isNumber := v[1].(float64)
		if !ok || !isNumber {
			return fmt.Errorf("has a vocabulary that cannot be read: entry %d is no token with its score", i)
		}
		t.known.ids[token] = int32(i)
		u.scores, u.longest, u.worst = append(u.scores, score), max(u.longest, len(token)), min(u.worst, score)
	}
	if f.Model.UnkID != nil {
		t.unknown = *f.Model.UnkID
	}
	t.pieces = u
	return nil
}

// step is the best way to a place of a word.
type step struct {
	score float64
	from  int
	id    int32
}

// mostOfWord is how many bytes of a word are taken apart together.
const mostOfWord = 4 << 10

func (u *unigramPieces) word(t *tokenizer, word string, add func(int32) bool) bool {
	for len(word) > mostOfWord {
		end := mostOfWord
		for end > 1 && !utf8.RuneStart(word[end]) {
			end--
		}
		if !u.word(t, word[:end], add) {
			return false
		}
		word = word[end:]
	}
	best := make([]step, len(word)+1)
	for i := range best {
		best[i].score = math.Inf(-1)
	}
	best[0].score = 0
	for from := 0; from < len(word); {
		_, size := utf8.DecodeRuneInString(word[from:])
		u.reach(best, from, from+size, u.worst-unknownPenalty, t.unknown)
		for end := from + 1; end <= min(len(word), from+u.longest); end++ {
			if id, ok := t.known.ids[word[from:end]]; ok && int(id) < len(u.scores) {
				u.reach(best, from, end, u.scores[id], id)
			}
		}
		from += size
	}
	var ids []int32
	for end := len(word); end > 0; end = best[end].from {
		ids = append(ids, best[end].id)
	}
	for i := len(ids) - 1; i >= 0; i-- {
		if i+1 < len(ids) && ids[i] == t.unknown && ids[i+1] == t.unknown {
			continue // several unknown characters are one token
		}
		if !add(ids[i]) {
			return false
		}
	}
	return true
}

func (u *unigramPieces) reach(best []step, from, end int, score float64, id int32) {
	if sum := best[from].score + score; sum > best[end].score {
		best[end] = step{sum, from, id}
	}
}
