package loci

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// ChangedLines shows what differs between two texts: the lines of before from the first to the last
// one that differs, then those of after, and not what is around them.
func ChangedLines(before, after []byte) string {
	x, y := slices.Collect(bytes.Lines(before)), slices.Collect(bytes.Lines(after))
	from := 0
	for from < len(x) && from < len(y) && bytes.Equal(x[from], y[from]) {
		from++
	}
	endX, endY := len(x), len(y)
	for endX > from && endY > from && bytes.Equal(x[endX-1], y[endY-1]) {
		endX, endY = endX-1, endY-1
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@@ line %d @@\n", from+1)
	for _, l := range x[from:endX] {
		fmt.Fprintf(&b, "-%s\n", bytes.TrimRight(l, "\r\n"))
	}
	for _, l := range y[from:endY] {
		fmt.Fprintf(&b, "+%s\n", bytes.TrimRight(l, "\r\n"))
	}
	return b.String()
}
