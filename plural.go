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
	return thousands(n) + " " + many
}

// thousands formats n with commas between groups of three digits.
func thousands(n int) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	if n < 1000 {
		return strconv.Itoa(n)
	}
	rest := strconv.Itoa(n % 1000)
	return thousands(n/1000) + "," + strings.Repeat("0", 3-len(rest)) + rest
}
