package embed

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenizer takes texts apart as the tokenizer.json of a model says: first around added tokens, then the rest is
// normalised, split into words, and each word into tokens.
type tokenizer struct {
	known   vocabulary
	highest int32 // id of all tokens
	unknown int32 // the token for what is not in the vocabulary; -1: there is none
	raw     addedTokens
	cooked  addedTokens // these are looked for in the normalised text
	normal  []func(string) string
	words   []splitter
	pieces  pieces
	around  *around // the tokens before and after a text; nil: there are none
	// keepsUnknown is set if the unknown token counts like any other one.
	keepsUnknown bool
	median       int // characters of a token
}

// pieces takes a word apart. It calls add with each token, until add returns false, and reports whether it did not.
type pieces interface {
	word(t *tokenizer, word string, add func(int32) bool) bool
}

// tokenizerFile is the part of tokenizer.json that Loci reads.
type tokenizerFile struct {
	Added        []addedToken `json:"added_tokens"`
	Normalizer   *rule        `json:"normalizer"`
	PreTokenizer *rule        `json:"pre_tokenizer"`
	Around       *around      `json:"post_processor"`
	Model        struct {
		Type         string          `json:"type"`
		Vocab        json.RawMessage `json:"vocab"`
		Unk          *string         `json:"unk_token"`
		UnkID        *int32          `json:"unk_id"`
		Prefix       *string         `json:"continuing_subword_prefix"`
		Most         int             `json:"max_input_chars_per_word"`
		ByteFallback bool            `json:"byte_fallback"`
		Skips        bool            `json:"skip_unknown"` // only the built-in model has it
	} `json:"model"`
}

// rule is a normalizer or a pre-tokenizer of tokenizer.json.
type rule struct {
	Type          string `json:"type"`
	CleanText     *bool  `json:"clean_text"`
	Chinese       *bool  `json:"handle_chinese_chars"`
	StripAccents  *bool  `json:"strip_accents"`
	Lowercase     *bool  `json:"lowercase"`
	StripLeft     *bool  `json:"strip_left"`
	StripRight    *bool  `json:"strip_right"`
	Prepend       string `json:"prepend"`
	Content       string `json:"content"`
	Replacement   string `json:"replacement"`
	PrependScheme string `json:"prepend_scheme"`
	AddPrefix     *bool  `json:"add_prefix_space"`
	Split         *bool  `json:"split"`
	Behavior      string `json:"behavior"`
	Pattern       struct {
		String *string
		Regex  *string
	} `json:"pattern"`
	Normalizers   []rule `json:"normalizers"`
	PreTokenizers []rule `json:"pretokenizers"`
}

// newTokenizer reads tokenizer.json. If there are lines, they are the vocabulary, in the order of their bytes.
func newTokenizer(file io.ReadSeeker, lines string) (*tokenizer, error) {
	var f tokenizerFile
	if err := decode(file, &f); err != nil {
		return nil, err
	}
	t := &tokenizer{unknown: -1, around: f.Around}
	var err error
	switch f.Model.Type {
	case "WordPiece":
		err = t.wordPiece(&f, lines)
	case "Unigram":
		err = t.unigram(&f)
	default:
		err = fmt.Errorf("has a tokenizer of the type %q; Loci reads WordPiece and Unigram", f.Model.Type)
	}
	if err == nil && f.Normalizer != nil {
		t.normal, err = normalizers(nil, f.Normalizer)
	}
	if err == nil && f.PreTokenizer != nil {
		t.words, err = preTokenizers(nil, f.PreTokenizer)
	}
	if err != nil {
		return nil, err
	}
	if t.known.size() == 0 {
		return nil, errors.New("has no vocabulary")
	}
	return t, t.count(f.Added)
}

// count takes added tokens over, and works out what is known of all tokens.
func (t *tokenizer) count(added []addedToken) error {
	lengths := make([]int, 0, t.known.size()+len(added))
	count := func(token string, id int32) bool {
		t.highest = max(t.highest, id)
		lengths = append(lengths, utf8.RuneCountInString(token))
		return id >= 0
	}
	ok := true
	for token, id := range t.known.all() {
		ok = count(token, id) && ok
	}
	seen := map[string]bool{}
	for _, a := range added {
		if _, isKnown := t.known.id(a.Content); !isKnown && !seen[a.Content] {
			ok = count(a.Content, a.ID) && ok
		}
		seen[a.Content] = true
		t.highest = max(t.highest, a.ID) // also of one that the vocabulary has with another id
		ok = ok && a.ID >= 0
		if a.Normalized {
			a.Content = t.normalize(a.Content)
			t.cooked.add(a)
		} else {
			t.raw.add(a)
		}
	}
	if !ok {
		return errors.New("has a token with a negative id")
	}
	slices.Sort(lengths)
	t.median = (lengths[(len(lengths)-1)/2] + lengths[len(lengths)/2]) / 2
	return nil
}

func (t *tokenizer) normalize(text string) string {
	for _, f := range t.normal {
		text = f(text)
	}
	return text
}

// encode returns at most so many tokens of a text, without those around it. Those that stand for unknown words are left
// out unless t.keepsUnknown.
func (t *tokenizer) encode(text string, most int) (list []int32) {
	n := 0
	add := func(id int32) bool {
		if id != t.unknown || t.keepsUnknown && id >= 0 {
			list = append(list, id)
		}
		n++
		return n < most
	}
	t.raw.split(text, add, func(part string, start bool) bool {
		return t.cooked.split(t.normalize(part), add, func(part string, inner bool) bool {
			words := []string{part}
			for _, f := range t.words {
				words = f(words, start && inner)
			}
			for _, w := range words {
				if !t.pieces.word(t, w, add) {
					return false
				}
			}
			return true
		})
	})
	return list
}

// addedToken is a token that is found as it is written, wherever it stands in a text, such as [MASK].
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only if no letter is beside it
	Left       bool   `json:"lstrip"`      // takes the white space before it
	Right      bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"` // it is looked for in the normalised text
}

// addedTokens are tokens by their first byte, the longest first.
type addedTokens [256][]addedToken

func (list *addedTokens) add(a addedToken) {
	if a.Content == "" {
		return // nothing is left of it
	}
	of := &list[a.Content[0]]
	at, _ := slices.BinarySearchFunc(*of, a, func(b, a addedToken) int {
		return cmp.Compare(len(a.Content), len(b.Content))
	})
	*of = slices.Insert(*of, at, a)
}

// split calls add with the tokens and rest with what is between them, until one returns false, and reports whether none
// did.
func (list *addedTokens) split(text string, add func(int32) bool, rest func(part string, start bool) bool) bool {
	from := 0
	for i := 0; i < len(text); i++ {
		a := list.at(text, i)
		if a == nil {
			continue
		}
		before, after := text[from:i], text[i+len(a.Content):]
		if a.Left {
			before = strings.TrimRightFunc(before, unicode.IsSpace)
		}
		if a.Right {
			after = strings.TrimLeftFunc(after, unicode.IsSpace)
		}
		if before != "" && !rest(before, from == 0) || !add(a.ID) {
			return false
		}
		from = len(text) - len(after)
		i = from - 1
	}
	return from == len(text) || rest(text[from:], from == 0)
}

// at returns the longest token that begins there, or nil.
func (list *addedTokens) at(text string, i int) *addedToken {
	of := list[text[i]]
	for j := range of {
		if !strings.HasPrefix(text[i:], of[j].Content) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(of[j].Content):])
		if of[j].SingleWord && (inWord(before) || inWord(after)) {
			return nil
		}
		return &of[j]
	}
	return nil
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || r == 0x200c || r == 0x200d ||
		unicode.In(r, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic))
}
