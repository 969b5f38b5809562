package embed

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tokenizer takes texts apart as the tokenizer.json of a model says.
type tokenizer struct {
	ids     map[string]int32
	unknown int32 // the token for what is not in the vocabulary; -1: there is none
	normal  normalizer
	pieces  pieces
	median  int // characters of a token
}

// pieces takes a normalised text apart.
type pieces interface {
	// split calls add with each token, until add returns false.
	split(t *tokenizer, text string, add func(int32) bool)
}

// normalizer says how a text is changed before.
type normalizer struct {
	clean, chinese, accents, lower, compose bool // accents: they are removed; compose: NFKC
	prepend                                 bool // a space comes before the text
}

// tokenizerFile is the part of tokenizer.json that Loci reads.
type tokenizerFile struct {
	Normalizer   *rule `json:"normalizer"`
	PreTokenizer *rule `json:"pre_tokenizer"`
	Model        struct {
		Type   string          `json:"type"`
		Vocab  json.RawMessage `json:"vocab"`
		Unk    string          `json:"unk_token"`
		UnkID  *int32          `json:"unk_id"`
		Prefix *string         `json:"continuing_subword_prefix"`
		Most   int             `json:"max_input_chars_per_word"`
	} `json:"model"`
}

// rule is a normalizer or a pre-tokenizer of tokenizer.json.
type rule struct {
	Type          string `json:"type"`
	CleanText     *bool  `json:"clean_text"`
	Chinese       *bool  `json:"handle_chinese_chars"`
	StripAccents  *bool  `json:"strip_accents"`
	Lowercase     *bool  `json:"lowercase"`
	Replacement   string `json:"replacement"`
	PrependScheme string `json:"prepend_scheme"`
	AddPrefix     *bool  `json:"add_prefix_space"`
	Normalizers   []rule `json:"normalizers"`
	PreTokenizers []rule `json:"pretokenizers"`
}

func newTokenizer(file []byte) (*tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(file, &f); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	t := &tokenizer{ids: map[string]int32{}, unknown: -1}
	if f.Normalizer != nil {
		if err := t.normal.add(f.Normalizer); err != nil {
			return nil, err
		}
	}
	var err error
	switch f.Model.Type {
	case "WordPiece":
		err = t.wordPiece(&f)
	case "Unigram":
		err = t.unigram(&f)
	default:
		err = fmt.Errorf("has a tokenizer of the type %q; Loci reads WordPiece and Unigram", f.Model.Type)
	}
	if err == nil && len(t.ids) == 0 {
		err = fmt.Errorf("has no vocabulary")
	}
	t.median = medianLength(t.ids)
	return t, err
}

// add takes a rule of the normalizer over.
func (n *normalizer) add(r *rule) error {
	or := func(b *bool, fallback bool) bool {
		if b == nil {
			return fallback
		}
		return *b
	}
	switch r.Type {
	case "BertNormalizer":
		n.clean, n.chinese, n.lower = or(r.CleanText, true), or(r.Chinese, true), or(r.Lowercase, true)
		n.accents = or(r.StripAccents, n.lower)
	case "Lowercase":
		n.lower = true
	case "StripAccents":
		n.accents = true
	case "NFC", "NFD", "NFKC", "NFKD", "Precompiled":
		n.compose = true
	case "Prepend":
		n.prepend = true
	case "Replace", "Strip": // of spaces, which separate pieces in any case
	case "Sequence":
		for i := range r.Normalizers {
			if err := n.add(&r.Normalizers[i]); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("has a normalizer of the type %q, which Loci does not know", r.Type)
	}
	return nil
}

func (n *normalizer) apply(text string) string {
	if n.compose {
		text = norm.NFKC.String(text)
	}
	if n.clean {
		text = strings.Map(cleaned, text)
	}
	if n.chinese {
		text = spaced(text)
	}
	if n.accents {
		text = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(text))
	}
	if n.lower {
		text = strings.ToLower(text)
	}
	return text
}

// cleaned drops control characters, and makes any white space a space.
func cleaned(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || unicode.IsSpace(r):
		return ' '
	case r == 0 || r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return -1
	}
	return r
}

// spaced puts spaces around ideographs, each of which is a word.
func spaced(text string) string {
	if !strings.ContainsFunc(text, ideograph) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if ideograph(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func ideograph(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x2fa1f ||
		r >= 0xf900 && r <= 0xfaff
}

// encode returns at most so many tokens of a text, without those that stand for unknown words.
func (t *tokenizer) encode(text string, most int) (list []int32) {
	n := 0
	t.pieces.split(t, t.normal.apply(text), func(id int32) bool {
		if id != t.unknown {
			list = append(list, id)
		}
		n++
		return n < most
	})
	return list
}

// medianLength returns the median of the lengths of the tokens, in characters.
func medianLength(ids map[string]int32) int {
	counts := map[int]int{}
	for token := range ids {
		counts[utf8.RuneCountInString(token)]++
	}
	for n, seen := 0, 0; ; n++ {
		if seen += counts[n]; 2*seen >= len(ids) {
			return n
		}
	}
}
