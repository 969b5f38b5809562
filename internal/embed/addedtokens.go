package embed

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
