package language

import (
	"unicode"
	"unicode/utf8"
)

// Lower returns the text in lower case, with each character as long as it was, so that places in both are the same.
func Lower(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			out = append(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if low := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(low) == size {
			out = utf8.AppendRune(out, low)
		} else {
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return string(out)
}
