package loci

import (
	"unicode"
	"unicode/utf8"
)

// FoldRune returns the smallest of the characters that Unicode's case folding treats as equal to r: in
// ASCII the capital letter. Texts that differ only in case are equal after it.
func FoldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	if caseless(r) {
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

// caseless reports whether r is in a range of scripts without case, so that nothing has to be looked up.
func caseless(r rune) bool {
	return r >= 0x0590 && r < 0x10A0 || r >= 0x2E80 && r < 0xA640 || r >= 0xAC00 && r < 0xD7B0
}
