package mcpserver

import (
	"bytes"
	"encoding/json"

	"github.com/loci-memory/loci"
)

// These are the limits of the budget of an answer, in tokens.
const (
	DefaultAnswerTokens = 8_000
	MinAnswerTokens     = 1_000
	MaxAnswerTokens     = 100_000
)

// CheckAnswerTokens returns an Invalid error unless n can be the budget of an answer.
func CheckAnswerTokens(n int) error {
	if n < MinAnswerTokens || n > MaxAnswerTokens {
		return loci.FieldErrorf("answer_tokens", loci.RangeText, MinAnswerTokens, MaxAnswerTokens)
	}
	return nil
}

// signQuarters are the quarters of a token that a digit or a punctuation mark costs.
const signQuarters = 2

// tokens estimates how many tokens of a model's context a text takes.
func tokens[T ~string | ~[]byte](text T) int { return loci.Tokens(string(text)) }

func quarters[T ~string | ~[]byte](text T) int { return loci.TokenQuarters(string(text)) }

// textSteps are the lengths to which the texts of an answer are cut, one after the other. A list
// that is still too long then gets fewer items.
var textSteps = []int{16_000, 8_000, 4_000, 2_000, 1_000}

// shortestText is the length below which texts become useless.
const shortestText = 160

// shorten returns the answer with its longest texts cut so far that it fits, or nil if even the
// last step is too long.
func (t *tree) shorten(budget int, steps ...int) json.RawMessage {
	for _, most := range steps {
		var out bytes.Buffer
		t.write(&out, most)
		if tokens(out.Bytes()) <= budget {
			return out.Bytes()
		}
	}
	return nil
}

// drop removes items from the end of the longest lists until the answer fits, and counts the
// removed ones of list x as x_left. It is for answers that no smaller limit shortens.
func (t *tree) drop(budget int) json.RawMessage {
	for {
		if body := t.shorten(budget, unlimited, 1_000, shortestText); body != nil {
			return body
		}
		name, longest := "", 0
		for _, m := range t.lists() {
			if n := len(*m.value.list); n > longest {
				name, longest = m.name, n
			}
		}
		if longest < 1 {
			return t.shorten(budget, 80, 40, 10)
		}
		list := t.get(name)
		kept := longest / 2
		left := longest - kept
		*list.list = (*list.list)[:kept]
		if before := t.get(name + "_left"); before != nil {
			var n int
			if json.Unmarshal(before.raw, &n) == nil {
				left += n
			}
		}
		t.set(name+"_left", left)
	}
}

func (t *tree) lists() (lists []member) {
	if t.members == nil {
		return nil
	}
	for _, m := range *t.members {
		if m.value.list != nil {
			lists = append(lists, m)
		}
	}
	return lists
}
