package loci

import (
	"strconv"
	"strings"
)

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
