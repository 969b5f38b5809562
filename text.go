package loci

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// OneLine makes a text safe to show on one line to a person or a model. It replaces each run of
// white space by one space. It removes everything that could control a terminal, reorder the line
// or start a new one.
func OneLine(s string) string { return strings.Join(strings.Fields(Printable(s)), " ") }

// Shorten returns at most n characters of s. If it cuts s, the last one is an ellipsis.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	end, count := 0, 0
	for i := range s {
		if count == n {
			return s[:end] + "…"
		}
		if count++; count == n {
			end = i // this character makes room for the ellipsis
		}
	}
	return s
}

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

// Visible makes a text safe to show to a model. Control characters, and characters that reorder,
// hide or smuggle text, become their number in brackets, such as [U+202E], so that nothing in the
// text goes unseen. Line breaks, tabs, and the joiners of scripts and emoji stay.
func Visible(s string) string {
	if strings.IndexFunc(s, invisible) < 0 {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if invisible(r) {
			fmt.Fprintf(&out, "[U+%04X]", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Legible makes a text safe to show to a person. It shows the characters that Visible shows by their
// number, and converts every kind of line break to "\n".
func Legible(s string) string { return Printable(Visible(s)) }

func invisible(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r', r == '\u200c', r == '\u200d':
		return false
	case r == '\u2028', r == '\u2029', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r >= 0x80
}

// byteUnits are powers of 1024.
var byteUnits = []string{"B", "KiB", "MiB", "GiB", "TiB"}

// ShowBytes formats a size for a person.
func ShowBytes(n int64) string {
	f, unit := float64(n), 0
	for f >= 1024 && unit < len(byteUnits)-1 {
		f, unit = f/1024, unit+1
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return fmt.Sprintf("%.1f %s", f, byteUnits[unit])
}

// ParseBytes parses a size such as 1048576, 50MiB or 2G. Its error names the field.
func ParseBytes(field, s string) (int64, error) {
	number := strings.TrimRight(s, "KkMmGgTtIiBb ")
	power := int64(1)
	switch strings.ToLower(strings.TrimSpace(s[len(number):])) {
	case "", "b":
	case "k", "kb", "kib":
		power = 1 << 10
	case "m", "mb", "mib":
		power = 1 << 20
	case "g", "gb", "gib":
		power = 1 << 30
	case "t", "tb", "tib":
		power = 1 << 40
	default:
		number = ""
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/power {
		return 0, FieldErrorf(field, "must be a size like 1048576, 50MiB or 2GiB")
	}
	return n * power, nil
}

// Plural returns a count with its noun, such as "1 memory" or "100,000 memories".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// Thousands formats n with commas between groups of three digits.
func Thousands(n int) string {
	if n < 0 {
		return "-" + Thousands(-n)
	}
	if n < 1000 {
		return strconv.Itoa(n)
	}
	rest := strconv.Itoa(n % 1000)
	return Thousands(n/1000) + "," + strings.Repeat("0", 3-len(rest)) + rest
}
