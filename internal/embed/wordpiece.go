package embed

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordPieces takes words apart into the longest known pieces from the left.
type wordPieces struct {
	prefix string // of pieces that continue a word
	most   int    // characters of a word; a longer one is unknown
}

func (t *tokenizer) wordPiece(f *tokenizerFile) error {
	if err := json.Unmarshal(f.Model.Vocab, &t.ids); err != nil {
		return fmt.Errorf("has a vocabulary that cannot be read: %w", err)
	}
	if p := f.PreTokenizer; p == nil || p.Type != "BertPreTokenizer" {
		return fmt.Errorf("has a pre-tokenizer that Loci does not know; WordPiece needs BertPreTokenizer")
	}
	if id, ok := t.ids[f.Model.Unk]; ok {
		t.unknown = id
	}
	w := wordPieces{prefix: "##", most: 100}
	if f.Model.Prefix != nil {
		w.prefix = *f.Model.Prefix
	}
	if f.Model.Most > 0 {
		w.most = f.Model.Most
	}
	t.pieces = w
	return nil
}

func (w wordPieces) split(t *tokenizer, text string, add func(int32) bool) {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case unicode.IsSpace(r):
			text = text[size:]
			continue
		case !punctuation(r):
			size = strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || punctuation(r) })
			if size < 0 {
				size = len(text)
			}
		}
		if !w.word(t, text[:size], add) {
			return
		}
		text = text[size:]
	}
}

// punctuation is what stands alone: also signs that Unicode does not call punctuation, such as $ and ^.
func punctuation(r rune) bool {
	return r < 0x80 && r > ' ' && r != 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsPunct(r)
}

// word adds the pieces of a word, or the unknown token if it cannot be taken apart.
func (w wordPieces) word(t *tokenizer, word string, add func(int32) bool) bool {
	var list [32]int32
	found := list[:0]
	if utf8.RuneCountInString(word) > w.most {
		return add(t.unknown)
	}
	for from := 0; from < len(word); {
		id, end := int32(-1), len(word)
		for ; end > from; end-- {
			if !utf8.RuneStart(at(word, end)) {
				continue
			}
			key := word[from:end]
			if from > 0 {
				key = w.prefix + key
			}
			if known, ok := t.ids[key]; ok {
				id = known
				break
			}
		}
		if id < 0 {
			return add(t.unknown)
		}
		found, from = append(found, id), end
	}
	for _, id := range found {
		if !add(id) {
			return false
		}
	}
	return true
}

// at returns the byte of a text, or the beginning of a character at its end.
func at(text string, i int) byte {
	if i == len(text) {
		return 0
	}
	return text[i]
}

// unigramPieces takes a text apart so that the sum of the scores of the pieces is the highest (Kudo, "Subword
// Regularization", 2018).
type unigramPieces struct {
	scores  []float64
	longest int // bytes of a token
	worst   float64
	space   string // what stands for a space
}

// unknownPenalty is how much less than the worst token an unknown character counts.
const unknownPenalty = 10

func (t *tokenizer) unigram(f *tokenizerFile) error {
	var vocab [][2]any
	if err := json.Unmarshal(f.Model.Vocab, &vocab); err != nil {
		return fmt.Errorf("has a vocabulary that cannot be read: %w", err)
	}
	u := &unigramPieces{worst: math.Inf(1), space: "▁"}
	for i, v := range vocab {
		token, ok := v[0].(string)
		score, isNumber := v[1].(float64)
		if !ok || !isNumber {
			return fmt.Errorf("has a vocabulary that cannot be read: entry %d is no token with its score", i)
		}
		t.ids[token] = int32(i)
		u.scores, u.longest, u.worst = append(u.scores, score), max(u.longest, len(token)), min(u.worst, score)
	}
	if f.Model.UnkID != nil {
		t.unknown = *f.Model.UnkID
	}
	rules := []rule{}
	if p := f.PreTokenizer; p != nil {
		if rules = append(rules, *p); p.Type == "Sequence" {
			rules = p.PreTokenizers
		}
	}
	for _, r := range rules {
		switch r.Type {
		case "Metaspace":
			if r.Replacement != "" {
				u.space = r.Replacement
			}
			t.normal.prepend = r.PrependScheme != "never" && (r.AddPrefix == nil || *r.AddPrefix)
		case "WhitespaceSplit", "Whitespace":
		default:
			return fmt.Errorf("has a pre-tokenizer of the type %q; Unigram needs Metaspace", r.Type)
		}
	}
	t.pieces = u
	return nil
}

func (u *unigramPieces) split(t *tokenizer, text string, add func(int32) bool) {
	for i, word := range strings.Fields(text) {
		if i > 0 || t.normal.prepend {
			word = u.space + word
		}
		if !u.word(t, word, add) {
			return
		}
	}
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
		for !utf8.RuneStart(word[end]) {
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
	for from := 0; from < len(word); from++ {
		if !utf8.RuneStart(word[from]) {
			continue
		}
		_, size := utf8.DecodeRuneInString(word[from:])
		u.reach(best, from, from+size, u.worst-unknownPenalty, t.unknown)
		for end := from + 1; end <= min(len(word), from+u.longest); end++ {
			if id, ok := t.ids[word[from:end]]; ok {
				u.reach(best, from, end, u.scores[id], id)
			}
		}
	}
	var ids []int32
	for end := len(word); end > 0; end = best[end].from {
		ids = append(ids, best[end].id)
	}
	for i := len(ids) - 1; i >= 0; i-- {
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
