package loci

import (
	"strings"
	"unicode"
)

// OneLine makes a text safe for one line of something that a person or a model
// reads: white space is one space, and what could command a terminal, reorder
// the line or begin a new one is gone.
func OneLine(s string) string { return strings.Join(strings.Fields(Printable(s)), " ") }

// Printable drops control characters and those that reorder what is shown.
// Line breaks and tabs stay; a line break is "\n", however it was written.
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
