package loci

// Quarters of a token that a character costs, so that English text comes to 4 bytes per token, as
// in cl100k. Other scripts take more tokens for their length. Ids, hashes and base64 take up to twice
// the estimate, so a limit that must hold uses TokenBound.
const (
	costLetter  = 1  // ASCII letters and spaces
	costSign    = 2  // digits and punctuation
	costAccent  = 2  // below U+0800: Latin with accents, Greek, Cyrillic, Hebrew, Arabic
	costSymbol  = 6  // below U+10000: Indic scripts, Thai, Chinese, Japanese, Korean
	costPicture = 12 // the rest: emoji
)

// QuartersInToken is how many of TokenQuarters are one token.
const QuartersInToken = 4

// Tokens estimates how many tokens of a model's context a text takes.
func Tokens(text string) int { return (TokenQuarters(text) + QuartersInToken - 1) / QuartersInToken }

// TokenQuarters is the estimate of Tokens in quarters of a token. The quarters of texts add up.
func TokenQuarters(text string) (n int) {
	for _, r := range text {
		n += runeQuarters(r)
	}
	return n
}

func runeQuarters(r rune) int {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == ' ':
		return costLetter
	case r < 0x80:
		return costSign
	case r < 0x800:
		return costAccent
	case r < 0x10000:
		return costSymbol
	}
	return costPicture
}

// These are what a character adds to TokenBound, in quarters of a token. A letter in the middle of a word adds little,
// and one after a digit or between others of another case adds much, because tokenizers take identifiers, hashes and
// base64 apart into short pieces.
const (
	boundMiddle   = 1 // a letter after a letter
	boundFirst    = 2 // a letter that begins a word
	boundChange   = 4 // a letter after a digit, a capital letter after a letter
	boundDigit    = 2
	boundMixed    = 5 // a digit after a letter
	boundSign     = 3 // punctuation, a line break
	boundLatin    = 4 // letters with accents
	boundGreek    = 6
	boundCyrillic = 3
	boundSemitic  = 5 // Armenian, Hebrew, Arabic
	boundIndic    = 6 // Devanagari
	boundThai     = 8
	boundRare     = 12 // scripts that tokenizers read byte by byte
	boundQuote    = 6  // typographic punctuation
	boundSymbol   = 8
	boundEast     = 6 // Chinese, Japanese, Korean
	boundPicture  = 12
)

// TokenBound is how many tokens a text takes at most: tokens_test.go compares it with the counts of tokenizers of
// OpenAI, Anthropic and Meta. English prose takes about half as many.
func TokenBound(text string) int {
	return (BoundQuarters(text) + QuartersInToken - 1) / QuartersInToken
}

// BoundQuarters is TokenBound in quarters of a token. The quarters of lines add up.
func BoundQuarters(text string) (n int) {
	last := '\n'
	for _, r := range text {
		n += boundOf(last, r)
		last = r
	}
	return n
}

func boundOf(last, r rune) int {
	if r >= 0x80 {
		return boundBeyondASCII(r)
	}
	afterLetter, afterDigit := isASCIILetter(last), last >= '0' && last <= '9'
	switch {
	case r == ' ':
		return boundMiddle
	case r >= '0' && r <= '9' && afterLetter:
		return boundMixed
	case r >= '0' && r <= '9':
		return boundDigit
	case !isASCIILetter(r):
		return boundSign
	case afterDigit, afterLetter && r <= 'Z':
		return boundChange
	case afterLetter:
		return boundMiddle
	}
	return boundFirst
}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// boundBeyondASCII goes by the blocks of Unicode.
func boundBeyondASCII(r rune) int {
	for _, block := range [...]struct {
		end   rune
		bound int
	}{{0x370, boundLatin}, {0x400, boundGreek}, {0x530, boundCyrillic}, {0x800, boundSemitic}, {0x900, boundRare},
		{0x980, boundIndic}, {0xe00, boundRare}, {0xe80, boundThai}, {0x2000, boundRare}, {0x2070, boundQuote},
		{0x2e80, boundSymbol}, {0x10000, boundEast}} {
		if r < block.end {
			return block.bound
		}
	}
	return boundPicture
}

// CutTokens returns the longest beginning of a text that costs at most so many quarters of TokenBound. If
// that is not the whole text, it ends with an ellipsis, for which the quarters also have room.
func CutTokens(text string, quarters int) string {
	const ellipsis = "…"
	end, used, last := 0, 0, '\n'
	for i, r := range text {
		if used += boundOf(last, r); used > quarters {
			if quarters < boundQuote {
				return ""
			}
			return text[:end] + ellipsis
		}
		if used <= quarters-boundQuote {
			end = i + len(string(r))
		}
		last = r
	}
	return text
}
