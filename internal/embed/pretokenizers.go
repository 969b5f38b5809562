package embed

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitter splits words. start is set for those at the start of a text.
type splitter func(words []string, start bool) []string

// preTokenizers appends how a rule splits words.
func preTokenizers(list []splitter, r *rule) ([]splitter, error) {
	switch r.Type {
	case "Sequence":
		var err error
		for i := range r.PreTokenizers {
			if list, err = preTokenizers(list, &r.PreTokenizers[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case "BertPreTokenizer":
		return append(list, each(bertWords)), nil
	case "WhitespaceSplit":
		return append(list, each(func(words []string, text string) []string {
			return append(words, strings.FieldsFunc(text, unicode.IsSpace)...)
		})), nil
	case "Whitespace":
		return append(list, each(wordsAndSigns)), nil
	case "Punctuation":
		if r.Behavior == "" || r.Behavior == "Isolated" {
			return append(list, each(aroundPunctuation)), nil
		}
	case "Metaspace":
		return append(list, metaspace(r)), nil
	}
	return nil, fmt.Errorf("has a pre-tokenizer of the type %q, which Loci does not know", r.Type)
}

// each does the same with each word.
func each(f func(words []string, text string) []string) splitter {
	return func(list []string, _ bool) []string {
		words := make([]string, 0, max(len(list), 64))
		for _, text := range list {
			words = f(words, text)
		}
		return words
	}
}

// bertWords splits at white space and around each sign.
func bertWords(words []string, text string) []string {
	start := -1 // of the word
	for i, r := range text {
		space, sign := isSpace(r), punctuation(r)
		if !space && !sign {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			words, start = append(words, text[start:i]), -1
		}
		if sign {
			words = append(words, text[i:i+utf8.RuneLen(r)])
		}
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	return words
}

func isSpace(r rune) bool { return r == ' ' || r != utf8.RuneError && unicode.IsSpace(r) }

// punctuation is what stands alone: also signs that Unicode does not call punctuation, such as $ and ^.
func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.IsPunct(r)
}

func aroundPunctuation(words []string, text string) []string {
	for text != "" {
		end := strings.IndexFunc(text, punctuation)
		switch {
		case end < 0:
			return append(words, text)
		case end == 0:
			_, end = utf8.DecodeRuneInString(text)
		}
		words, text = append(words, text[:end]), text[end:]
	}
	return words
}

// wordsAndSigns returns the runs of letters and digits, and those of other signs.
func wordsAndSigns(words []string, text string) []string {
	for _, field := range strings.FieldsFunc(text, unicode.IsSpace) {
		for field != "" {
			first, _ := utf8.DecodeRuneInString(field)
			end := strings.IndexFunc(field, func(r rune) bool { return inWord(r) != inWord(first) })
			if end < 0 {
				end = len(field)
			}
			words, field = append(words, field[:end]), field[end:]
		}
	}
	return words
}

// metaspace puts a mark in the place of spaces and at the start, and splits before each mark.
func metaspace(r *rule) splitter {
	mark, split := cmp.Or(r.Replacement, "▁"), or(r.Split, true)
	prepend := cmp.Or(r.PrependScheme, "always")
	if !or(r.AddPrefix, true) {
		prepend = "never"
	}
	return func(list []string, start bool) (words []string) {
		for i, text := range list {
			text = strings.ReplaceAll(text, " ", mark)
			if (prepend == "always" || prepend == "first" && start && i == 0) && !strings.HasPrefix(text, mark) {
				text = mark + text
			}
			for split && text != "" {
				from := 0
				if strings.HasPrefix(text, mark) {
					from = len(mark)
				}
				end := strings.Index(text[from:], mark)
				if end < 0 {
					break
				}
				words, text = append(words, text[:from+end]), text[from+end:]
			}
			if text != "" {
				words = append(words, text)
			}
		}
		return words
	}
}
