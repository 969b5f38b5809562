package loci

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// OneLine makes a text safe to show on one line to a person or a model: it replaces each run of
// white space of a legible text by one space.
func OneLine(s string) string { return strings.Join(strings.Fields(Legible(s)), " ") }

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

// Legible makes a text safe to show to a person: visible, with every kind of line break as "\n".
func Legible(s string) string {
	if strings.ContainsAny(s, "\r\u2028\u2029") {
		s = lineBreaks.Replace(s)
	}
	return Visible(s)
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

// Visible makes a text safe to show to a model. Control characters, and characters that reorder, hide or smuggle
// text, become their number in brackets, such as [U+202E], so that nothing in the text goes unseen. Line breaks and
// tabs stay, and so do the joiners and variants that a script or an emoji needs.
func Visible(s string) string {
	if strings.IndexFunc(s, invisible) < 0 {
		return s
	}
	var out strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if invisible(r) && !shapes(runes, i) {
			fmt.Fprintf(&out, "[U+%04X]", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func invisible(r rune) bool {
	switch {
	case r >= ' ' && r <= '~', r == '\n', r == '\t', r == '\r':
		return false
	case r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// shapes reports whether the invisible character at a place changes the shape of a visible neighbour: a joiner beside a
// letter of a script that joins or separates letters, a joiner between two emoji, or the variant of a sign.
func shapes(text []rune, at int) bool {
	r, before, after := text[at], neighbour(text, at-1), neighbour(text, at+1)
	switch {
	case unicode.Is(unicode.Variation_Selector, r):
		keycap := strings.ContainsRune("0123456789#*", before) && after == '\u20e3'
		return keycap || before > '~' && !invisible(before) &&
			unicode.In(before, unicode.Han, unicode.S, unicode.P, joining)
	case r < '\u200b' || r > '\u200d':
		return false
	case unicode.Is(unicode.Variation_Selector, before):
		before = neighbour(text, at-2)
	}
	if invisible(before) || invisible(after) {
		return false
	}
	emoji := r == '\u200d' && min(before, after) > '~' && unicode.Is(unicode.S, before) && unicode.Is(unicode.S, after)
	return emoji || unicode.Is(joining, before) || unicode.Is(joining, after)
}

// neighbour returns a space beyond the ends of a text.
func neighbour(text []rune, at int) rune {
	if at < 0 || at >= len(text) {
		return ' '
	}
	return text[at]
}

// joining are the blocks of the scripts whose spelling needs joiners, and of those that separate words by U+200B.
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x0620, Hi: 0x109f, Stride: 1}, {Lo: 0x1780, Hi: 0x18af, Stride: 1},
		{Lo: 0x1900, Hi: 0x1cff, Stride: 1}, {Lo: 0xa800, Hi: 0xabff, Stride: 1}, {Lo: 0xfb50, Hi: 0xfdff, Stride: 1},
		{Lo: 0xfe70, Hi: 0xfefc, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x10a00, Hi: 0x11fff, Stride: 1}, {Lo: 0x1e900, Hi: 0x1e95f, Stride: 1}},
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

// IsASCII reports whether s has only ASCII characters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Label returns a new name, key, tag or category as Loci stores it: in Unicode form NFC, without blanks around it and
// without characters that have no width, so that names that look the same are the same. It leaves joiners, which
// change how letters and emoji look.
func Label(name string) string {
	if !utf8.ValidString(name) {
		return strings.TrimSpace(name) // CheckText rejects it
	}
	return strings.TrimSpace(norm.NFC.String(widthless.Replace(name)))
}

// widthless removes characters without width. It is made once, because that takes longer than most labels.
var widthless = strings.NewReplacer("\u200b", "", "\u2060", "", "\ufeff", "", "\u00ad", "")

// Labels returns each of these as a Label, without repetitions.
func Labels(names []string) []string {
	if names == nil {
		return nil
	}
	return Unique(Mapped(names, Label))
}

// Look returns what is the same in names that differ only in case, blanks or characters without width.
func Look(name string) string {
	name = strings.NewReplacer("\u200c", "", "\u200d", "").Replace(Label(name))
	return strings.ToLower(strings.ToUpper(strings.Join(strings.Fields(name), " "))) // ς is σ
}

// TwinHint returns a hint at the first of names that differs from name, that of a new thing, only in case, blanks or
// characters without width. It returns "" without one.
func TwinHint(noun, name string, names ...string) string {
	own := Look(name)
	for _, twin := range names {
		if twin != name && Look(twin) == own {
			return fmt.Sprintf("The %s %q exists already; only case or blanks differ. If you mean that one, use it.", noun, twin)
		}
	}
	return ""
}

// Nearest returns at most n of the names that the caller probably meant by name, nearest first.
// These are names that differ by few letters, contain name or are part of it. It ignores case.
func Nearest(name string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	want := []rune(strings.ToLower(name))
	limit := max(1, len(want)/3)
	var found []candidate
	for _, other := range Unique(names) {
		lower := strings.ToLower(other)
		d := distance(want, []rune(lower), limit)
		if d > limit && len(want) > 2 && len(lower) > 2 &&
			(strings.Contains(lower, string(want)) || strings.Contains(string(want), lower)) {
			d = limit + 1
		} else if d > limit {
			continue
		}
		found = append(found, candidate{other, d})
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, c := range found[:min(n, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// distance returns the number of letters to insert, delete, replace or swap with their neighbour
// (optimal string alignment). If that is more than limit, it returns some number above limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next[0] = i + 1
		best := i + 1
		for j := range b {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
			best = min(best, next[j+1])
		}
		if best > limit {
			return limit + 1
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
