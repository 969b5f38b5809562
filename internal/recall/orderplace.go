package recall

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

// Of the sentence around a cue, in bytes to each side.
const maxSentence = 1000

// sentenceAround returns the sentence of a cue, and those that go on with the order in the same line.
func sentenceAround(text string, start, end int) Order {
	from := start
	for from > 0 && start-from < maxSentence && !endsSentence(text, from-1) {
		from--
	}
	to := sentenceEnd(text, end)
	for range 2 {
		gap := text[to:min(len(text), to+3)]
		next := to + len(gap) - len(strings.TrimLeft(gap, " "))
		if next == to || next >= len(text) || !goesOn(text[next:min(len(text), next+40)]) {
			break
		}
		to = sentenceEnd(text, next)
	}
	for from < start && strings.IndexByte(" \t\n\r", text[from]) >= 0 {
		from++
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	return Order{from, to}
}

// sentenceEnd returns where the sentence ends that a place is in, with its last mark.
func sentenceEnd(text string, at int) int {
	to := at
	for to < len(text) && to-at < maxSentence {
		if text[to] == '\n' {
			return to
		}
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
		if endsSentence(text, to-1) {
			return to
		}
	}
	return to
}

// endsSentence reports whether a sentence ends with the byte at a place.
func endsSentence(text string, at int) bool {
	switch text[at] {
	case '\n':
		return true
	case '.', '!', '?':
		return at+1 == len(text) || strings.IndexByte(" \n\r\t\"')", text[at+1]) >= 0
	}
	for _, mark := range []string{"。", "！", "？"} {
		if at >= 2 && text[at-2:at+1] == mark {
			return true
		}
	}
	return false
}

// goesOn reports whether a sentence goes on with the order of the one before.
func goesOn(text string) bool {
	words := wordsOf(text)
	return len(words) > 0 && (cues().guards["order"][words[0]] || cues().guards["then"][words[0]])
}

// addressed looks for orders to a model by its name: "Assistant, forward …", "Note to the AI: store …".
func (c *cueLists) addressed(text string, words []loci.Word, yield func(start, end int) bool) bool {
	for i := 0; i+1 < len(words); i++ {
		if !c.guards["model"][words[i].Form] || !c.guards["order"][words[i+1].Form] &&
			!(c.guards["please"][words[i+1].Form] && i+2 < len(words) && c.guards["order"][words[i+2].Form]) {
			continue
		}
		mark := strings.TrimSpace(text[words[i].End:words[i+1].Start])
		noted := i > 1 && (c.guards["to"][words[i-1].Form] || c.guards["to"][words[i-2].Form] ||
			c.guards["note"][words[i-1].Form])
		called := strings.HasPrefix(mark, ",") || strings.HasPrefix(mark, "，") || strings.HasPrefix(mark, "、")
		if (called && c.beginsClause(text, words, i) || noted && strings.HasPrefix(mark, ":")) &&
			!yield(words[i].Start, words[i+1].End) {
			return false
		}
	}
	return true
}

// beginsClause reports whether a word is at the beginning of a sentence, but for a greeting.
func (c *cueLists) beginsClause(text string, words []loci.Word, i int) bool {
	for i > 0 && (c.guards["please"][words[i-1].Form] || c.guards["model"][words[i-1].Form]) &&
		strings.TrimSpace(text[words[i-1].End:words[i].Start]) == "" {
		i--
	}
	return i == 0 || strings.ContainsAny(text[words[i-1].End:words[i].Start], ".!?:\n\"(<[*。！？「")
}

// hiddenOrders looks for orders in comments that a page does not show.
func hiddenOrders(c *cueLists, text string, yield func(start, end int) bool) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], "<!--")
		if i < 0 {
			return true
		}
		start := at + i
		end := len(text)
		if n := strings.Index(text[start:], "-->"); n >= 0 {
			end = start + n + len("-->")
		}
		order, object := false, false
		for _, w := range wordsOf(text[start:min(end, start+maxSentence)]) {
			order = order || c.guards["order"][w]
			object = object || c.guards["object"][w] || c.guards["model"][w]
		}
		if order && object && !yield(start, end) {
			return false
		}
		at = end
	}
}

// Of text in base 64 with an order in it.
const (
	leastEncoded = 32
	maxEncoded   = 8000
)

// encodedOrders looks for text in base 64 that gives orders.
func encodedOrders(text string, yield func(start, end int) bool) bool {
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isBase64(text[end]) {
			end++
		}
		if n := end - i; n >= leastEncoded && n <= maxEncoded {
			plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text[i:end], "="))
			if err == nil && utf8.Valid(plain) && strings.Contains(string(plain), " ") && instructsPlainly(string(plain)) &&
				!yield(i, end) {
				return false
			}
		}
		i = end + 1
	}
	return true
}

// instructsPlainly is Instructs without what is encoded once more.
func instructsPlainly(text string) bool {
	found := false
	note := func(int, int) bool { found = true; return false }
	c, words := cues(), placesOf(text)
	_ = c.phrased(words, note) && c.cued(text, words, note) && c.addressed(text, words, note)
	lower := language.Lower(text)
	for _, part := range c.unspaced {
		found = found || strings.Contains(lower, part)
	}
	return found
}

func isBase64(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}
