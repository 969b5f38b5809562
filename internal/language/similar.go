package language

import (
	"iter"
	"slices"
	"unicode/utf8"
)

// minSwapped is how many letters a word has in which swapped letters are looked for.
const minSwapped = 4

// Swaps yields the spellings of a form in which two neighbouring letters are swapped.
func Swaps(form string) iter.Seq[string] {
	return func(yield func(string) bool) {
		letters := []rune(form)
		for i := 0; len(letters) >= minSwapped && i+1 < len(letters); i++ {
			if letters[i] == letters[i+1] {
				continue
			}
			letters[i], letters[i+1] = letters[i+1], letters[i]
			if !yield(string(letters)) {
				return
			}
			letters[i], letters[i+1] = letters[i+1], letters[i]
		}
	}
}

// maxLetters is how many letters of a form Similarity compares.
const maxLetters = MaxForm

// Similarity says how alike two forms are, from 0 to 1, for words that have no match otherwise: how
// much of the one is in the other, and how much of both they share. A short word is not similar to
// a long one that happens to contain it: "cat" and "category", "form" and "platform".
func Similarity(query, form string) float64 {
	if query == form {
		return 1
	}
	var qb, fb [maxLetters]rune
	q, f := runes(query, qb[:0]), runes(form, fb[:0])
	if len(q) == 0 || len(f) == 0 {
		return 0
	}
	return max(shared(q, f), overlap(q, f))
}

func runes(s string, out []rune) []rune {
	for _, r := range s {
		if len(out) == cap(out) {
			break
		}
		out = append(out, r)
	}
	return out
}

// shared weighs the longest piece that both words have: it counts fully if both begin with it, less
// if only one of them begins or ends there.
func shared(q, f []rune) float64 {
	length, qAt, fAt := longestCommon(q, f)
	short, long := min(len(q), len(f)), max(len(q), len(f))
	least := 4
	if 5*length >= 3*long {
		least = 3
	}
	anchor := 1.0
	switch qEnd, fEnd := qAt+length == len(q), fAt+length == len(f); {
	case qAt == 0 && fAt == 0:
	case qEnd && fEnd, qAt == 0 && fEnd, fAt == 0 && qEnd:
		anchor, least = .8, max(least, 4)
		if length == 4 || long-length < 3 {
			anchor = .4 // "platform" is no form, and "stable" no table
		}
	default:
		anchor, least = .7, max(least, 6)
	}
	if length < least {
		return 0
	}
	of := float64(length) / float64(short)
	return anchor * of * of * (.5 + .5*float64(length)/float64(long))
}

// longestCommon returns the longest piece that both words have, and where it begins.
func longestCommon(q, f []rune) (length, qAt, fAt int) {
	var row [maxLetters + 1]uint8 // row[j]: the length of the common piece that ends at f[j-1]
	for i := range q {
		diagonal := uint8(0)
		for j := range f {
			above := row[j+1]
			if q[i] == f[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = 0
			}
			diagonal = above
			if n := int(row[j+1]); n > length {
				length, qAt, fAt = n, i+1-n, j+1-n
			}
		}
	}
	return length, qAt, fAt
}

// overlap is the share of neighbouring pairs of letters that both words have, for spellings that
// differ in the middle. Half of the pairs count for nothing.
func overlap(q, f []rune) float64 {
	if len(q) < 4 || len(f) < 4 {
		return 0
	}
	used := [maxLetters + 1]bool{}
	both := 0
	for i := -1; i < len(q); i++ {
		for j := -1; j < len(f); j++ {
			if !used[j+1] && at(q, i) == at(f, j) && at(q, i+1) == at(f, j+1) {
				used[j+1] = true
				both++
				break
			}
		}
	}
	dice := float64(2*both) / float64(len(q)+len(f)+2)
	return max(0, 2*dice-1)
}

// at returns the letter at i, or a mark outside the word.
func at(word []rune, i int) rune {
	if i < 0 || i >= len(word) {
		return '^'
	}
	return word[i]
}

// Grams appends the sequences of three letters of a form, with "^" at its beginning and "$" at its
// end, by which similar forms are found in a vocabulary. Each appears once.
func Grams(form string, out []string) []string {
	first := len(out)
	marked := "^" + form + "$"
	var starts [MaxForm + 4]int
	n := 0
	for i := range marked {
		if n == len(starts)-1 {
			break
		}
		starts[n] = i
		n++
	}
	starts[n] = len(marked)
	if !utf8.ValidString(form) {
		return out
	}
	for i := 0; i+3 <= n; i++ {
		gram := marked[starts[i]:starts[i+3]]
		if !slices.Contains(out[first:], gram) {
			out = append(out, gram)
		}
	}
	return out
}
