package loci

// Quarters of a token that a character costs, so that English text comes to 4 bytes per token, as
// in cl100k. Identifiers, JSON and other scripts take more tokens for their length. The estimate is
// meant to be too high rather than too low.
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

// CutTokens returns the longest beginning of a text that costs at most so many quarters of a token. If
// that is not the whole text, it ends with an ellipsis, for which the quarters also have room.
func CutTokens(text string, quarters int) string {
	const ellipsis = "…"
	end, used := 0, 0
	for i, r := range text {
		if used += runeQuarters(r); used > quarters {
			if quarters < costSymbol {
				return ""
			}
			return text[:end] + ellipsis
		}
		if used <= quarters-costSymbol {
			end = i + len(string(r))
		}
	}
	return text
}
