package loci

import (
	"strings"
	"unicode"
)

// OneLine makes a text safe to show on one line to a person or a model. It replaces each run of
// white space by one space. It removes everything that could control a terminal, reorder the line
// or start a new one.
func OneLine(s string) string { return strings.Join(strings.Fields(Printable(s)), " ") }

// Printable removes control characters, and characters that reorder the text. It keeps line breaks
// and tabs, and converts every kind of line break to "\n".
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == '\u2028' || r == '\u2029' || r == '\r' {
			return '\n'
		}
		if unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}
