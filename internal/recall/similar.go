package recall

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

// How much of two texts must be the same. A contradiction is measured without what contradicts, as a
// short text may have little else.
const (
	nearEnough  = 0.8
	restEnough  = 0.7
	longEnough  = 0.85 // of a longer text, of which two other words are a small part
	leastWorth  = 0.3  // below it a score is not worked out
	maxEdits    = 400  // two texts that differ in more words are not compared to their ends
	almostEqual = 0.999
	rounding    = 1e-9 // more than 1-0.8 lacks of 0.2
)

// Compare returns how two texts relate, and how much of them is the same, 0 to 1. It returns "" if they are not
// alike. It reads words, numbers and signs, not meanings: texts that differ in a number, a date, a unit, a negation
// or one of two opposites ("on", "off") are never duplicates, in any language for which Loci has these words. Texts
// that differ in another word are only nearly the same.
func Compare(a, b string) (score float64, like loci.Likeness) {
	x, y := Read(a), Read(b)
	if a == b && a != "" && x.empty() {
		return 1, loci.Duplicate
	}
	return x.Compare(y)
}

// Compare is to texts that were read what the function of that name is to others. One without words, numbers and signs
// is like none.
func (r *Text) Compare(s *Text) (score float64, like loci.Likeness) {
	if r.empty() || s.empty() {
		return 0, ""
	}
	if r.same(s) {
		return 1, loci.Duplicate
	}
	// Most texts that are compared are not alike: the question that rejects the most for the least work comes first.
	surplus, how := valuesDiffer(r, s)
	switch how {
	case turnedTwice: // "not open" and "closed": a paraphrase as often as not
		return 0, ""
	case equalValues:
		if score = r.share(s, nearEnough); score < nearEnough {
			return 0, ""
		}
		return score, loci.NearDuplicate
	}
	if !otherwiseSame(r, s, surplus) {
		return 0, ""
	}
	return r.share(s, leastWorth), loci.Contradiction
}

// Excludes reports whether two texts about one thing state values of which only one can hold, such as
// "on Friday" and "Tuesdays", and say nothing else.
func (r *Text) Excludes(s *Text) bool {
	surplus, how := valuesDiffer(r, s)
	return how == otherValues && r.unspaced+s.unspaced == "" && len(r.numbers()) == len(s.numbers()) &&
		slices.Equal(r.rest(surplus), s.rest(surplus))
}

// How many telling words two reworded texts share at least, and which part of them.
const (
	leastShared    = 5
	rewordedEnough = 0.75
)

// Reworded returns which part of their telling words two texts share, in any order and with or without negations, if
// that is much, and 0 otherwise. Texts with other numbers, or of which one has the opposite of a word, share nothing.
func (r *Text) Reworded(s *Text) float64 {
	surplus, _ := valuesDiffer(r, s)
	for w := range surplus {
		negates := func(v Value) bool { return v.Group == negation }
		if len(spaced()[w]) > 0 && !slices.ContainsFunc(spaced()[w], negates) {
			return 0
		}
	}
	if r.unspaced+s.unspaced != "" || numbersDiffer(r.numbers(), s.numbers()) || unitsDiffer(r, s) {
		return 0
	}
	a, b, shared := slices.Compact(r.rest(surplus)), slices.Compact(s.rest(surplus)), 0
	for _, w := range a {
		if _, both := slices.BinarySearch(b, w); both {
			shared++
		}
	}
	part := 2 * float64(shared) / float64(max(len(a)+len(b), 1))
	if shared < leastShared || part < rewordedEnough {
		return 0
	}
	return math.Round(1000*min(almostEqual, part)) / 1000
}

// rest returns the words besides these values that are not common ones, in alphabetical order.
func (r *Text) rest(values map[string]bool) (list []string) {
	for _, t := range r.tokens {
		if t.kind == wordToken && !values[t.key] && !stopWords[t.text] {
			list = append(list, t.key)
		}
	}
	slices.Sort(list)
	return list
}

// otherwiseSame reports whether two texts without their values are one sentence: at most two words
// differ, or more in a long text. Where a character is a word, a negation changes several.
func otherwiseSame(r, s *Text, values map[string]bool) bool {
	a, b := r.keys(values), s.keys(values)
	enough := nearEnough
	if r.unspaced == "" {
		enough = max(restEnough, min(longEnough, 1-2/float64(len(a)+len(b))-rounding))
	}
	return alike(a, b, enough) >= enough
}

// share returns how much of the texts is the same, or 0 if it is less than enough.
func (r *Text) share(s *Text, enough float64) float64 {
	return math.Round(1000*min(almostEqual, alike(r.keys(nil), s.keys(nil), enough))) / 1000
}

// alike returns the part of both lists that stands in both in the same order, or 0 if that is less
// than enough, or if more than maxEdits words are not.
//
// It counts edits as E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), does.
func alike(a, b []string, enough float64) float64 {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return 0
	}
	all := float64(n + m)
	limit := min(int((1-enough)*all+rounding), maxEdits)
	if n-m > limit || m-n > limit {
		return 0
	}
	reach := make([]int, 2*limit+3) // by diagonal: how far into a that many edits lead
	for edits := 0; edits <= limit; edits++ {
		for k := -edits; k <= edits; k += 2 {
			at := k + limit + 1
			i := reach[at-1] + 1
			if k == -edits || k != edits && reach[at-1] < reach[at+1] {
				i = reach[at+1]
			}
			j := i - k
			for i < n && j < m && a[i] == b[j] {
				i, j = i+1, j+1
			}
			reach[at] = i
			if i >= n && j >= m {
				return 1 - float64(edits)/all
			}
		}
	}
	return 0
}

// difference is how the values of two texts differ.
type difference byte

const (
	equalValues difference = iota
	otherValues
	turnedTwice // only in an even number of negations and opposites, which may say the same
)

// valuesDiffer reports whether the texts state different values: numbers, negations, or words of which only
// one can hold. surplus are the words that only one of them has of these.
func valuesDiffer(x, y *Text) (surplus map[string]bool, how difference) {
	surplus = map[string]bool{}
	counts := x.Values()
	for v, n := range y.Values() {
		counts[v] -= n
	}
	most, least := map[int]uint64{}, map[int]uint64{} // by group: the sides of which the first text has more, or less
	for v, n := range counts {
		switch {
		case n == 0:
			continue
		case v.Group != negation && n > 0:
			most[v.Group] |= 1 << v.Side
		case v.Group != negation:
			least[v.Group] |= 1 << v.Side
		}
	}
	turned, other := map[int]bool{}, numbersDiffer(x.numbers(), y.numbers()) || unitsDiffer(x, y)
	for group, a := range most {
		b := least[group]
		switch {
		case b == 0 || a == b && a&(a-1) == 0:
		case sides()[group] == 2:
			turned[group] = true
		default:
			other = true
		}
	}
	negations := 0
	for v, n := range counts {
		if v.Group == negation && !isOpposite(v.Word, turned) {
			negations += n
		}
		if n != 0 && (v.Group == negation || most[v.Group] != 0 && least[v.Group] != 0) {
			surplus[v.Word] = true
		}
	}
	turns := len(turned) + max(negations, -negations)
	if negated(x, y, surplus) {
		turns++
	}
	switch {
	case other || turns%2 == 1:
		return surplus, otherValues
	case turns > 0:
		return surplus, turnedTwice
	}
	return surplus, equalValues
}

// numbersDiffer reports whether each text has a number that the other lacks, or the same numbers stand in
// another order. A text that only has more numbers adds something and contradicts nothing.
func numbersDiffer(x, y []string) bool {
	counts := map[string]int{}
	for _, n := range x {
		counts[n]++
	}
	for _, n := range y {
		counts[n]--
	}
	more, less := false, false
	for _, n := range counts {
		more, less = more || n > 0, less || n < 0
	}
	return more == less && !slices.Equal(x, y)
}

// isOpposite reports whether a word is of one of the groups, as "without" is of "with": then it does
// not count as a negation as well.
func isOpposite(word string, groups map[int]bool) bool {
	in := func(v Value) bool { return groups[v.Group] }
	return slices.ContainsFunc(spaced()[word], in) || slices.ContainsFunc(unspaced()[word], in)
}

// negated reports whether one text has a word and the other the same with a beginning that turns it round, and adds
// them to surplus.
func negated(x, y *Text, surplus map[string]bool) (found bool) {
	a, b := x.words(y), y.words(x)
	for i, list := range []map[string]bool{a, b} {
		other := b
		if i == 1 {
			other = a
		}
		for word := range list {
			for _, rest := range turned(word) {
				if other[rest] {
					surplus[word], surplus[rest], found = true, true, true
				}
			}
		}
	}
	return found
}

// words are those that other does not have.
func (r *Text) words(other *Text) map[string]bool {
	list := map[string]bool{}
	for _, t := range r.tokens {
		if t.kind == wordToken {
			list[t.key] = true
		}
	}
	for _, t := range other.tokens {
		delete(list, t.key)
	}
	return list
}

// Value is a word of a text of which only one of several can hold, such as "on" and "off": a side of a group of
// opposites, or a negation.
type Value struct {
	Group, Side int // of a negation: -1, 0
	Word        string
}

// Denies reports whether the value is a negation.
func (v Value) Denies() bool { return v.Group == negation }

// Sides returns how many sides the group has.
func (v Value) Sides() int { return sides()[v.Group] }

const negation = -1

// numberWords maps words that are always numbers, by key.
var numberWords = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10"}

// The lists are built when the first two texts are compared, which most commands never do.
var (
	spaced = sync.OnceValue(func() map[string][]Value {
		return byWord("", 0, func(s string) string { return Read(s).tokens[0].key })
	})
	unspaced = sync.OnceValue(func() map[string][]Value {
		return byWord("-unspaced", len(language.Groups("opposites")), foldWord)
	})
	// sides is how many things exclude each other, by group.
	sides = sync.OnceValue(func() map[int]int {
		n := map[int]int{}
		for i, group := range slices.Concat(language.Groups("opposites"), language.Groups("opposites-unspaced")) {
			n[i] = len(group)
		}
		return n
	})
	// patterns are the words of unspaced, longest first.
	patterns = sync.OnceValue(func() []string {
		return slices.SortedFunc(maps.Keys(unspaced()), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
		})
	})
	// turning are beginnings that turn the meaning of a word round, by their first byte.
	turning = sync.OnceValue(func() *[256][]string {
		var list [256][]string
		for _, p := range language.Words("turning") {
			list[p[0]] = append(list[p[0]], p)
		}
		return &list
	})
	percents = sync.OnceValue(func() map[string]bool { return set(strings.Join(language.Words("percent"), " ")) })
)

// byWord returns the values of each word in the lexicons with that ending, keyed by key. Groups
// are numbered from first.
func byWord(ending string, first int, key func(string) string) map[string][]Value {
	list := map[string][]Value{}
	add := func(group, side int, words []string) {
		for _, w := range words {
			v := Value{group, side, key(w)}
			if !slices.Contains(list[v.Word], v) {
				list[v.Word] = append(list[v.Word], v)
			}
		}
	}
	add(negation, 0, language.Words("negations"+ending))
	for i, sides := range language.Groups("opposites" + ending) {
		for side, words := range sides {
			add(first+i, side, words)
		}
	}
	return list
}

// turned returns the words that a word may turn round, such as "possible" of "impossible". Nearly always there are
// none.
func turned(word string) (list []string) {
	if word == "" {
		return nil
	}
	for _, p := range turning()[word[0]] {
		if rest, ok := strings.CutPrefix(word, p); ok && len(rest) > 2 {
			list = append(list, rest)
		}
	}
	return list
}

// Values returns the values that Compare weighs, and how often each is there.
func (r *Text) Values() map[Value]int {
	counts := map[Value]int{}
	for _, t := range r.tokens {
		for _, v := range spaced()[t.key] {
			counts[v]++
		}
		if t.text == "!" || strings.HasPrefix(t.text, "n'") { // French: n'est
			counts[Value{Group: negation, Word: t.key}]++
		}
	}
	if r.unspaced == "" {
		return counts
	}
	text := r.unspaced
	for _, p := range patterns() {
		n := strings.Count(text, p)
		if n == 0 {
			continue
		}
		text = strings.ReplaceAll(text, p, "\x00")
		for _, v := range unspaced()[p] {
			counts[v] += n
		}
	}
	return counts
}
