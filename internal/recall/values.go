package recall

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/loci-memory/loci/internal/language"
)

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
