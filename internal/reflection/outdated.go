package reflection

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// Outdating is where a text says of something else that it no longer holds. It never says anything about the text
// itself: a decision that gives the reason "since the implicit flow is deprecated" is as good as any other.
type Outdating struct {
	// ID is the id of what the text replaces, as written, or "".
	ID string
	// Subject is what is out of date, in the words of the text: "the implicit flow".
	Subject    string
	Start, End int // of the id or the subject, in bytes
}

// outdatedLists are the words of the list "lifecycle".
var outdatedLists = sync.OnceValue(func() *outdatedPatterns {
	lists := map[string][]string{}
	for _, line := range language.Lines("lifecycle") {
		kind, phrases, _ := strings.Cut(line, ":")
		for p := range strings.SplitSeq(phrases, ",") {
			lists[kind] = append(lists[kind], strings.TrimSpace(p))
		}
	}
	any := func(kind string) string {
		list := slices.Clone(lists[kind])
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
		for i, p := range list {
			list[i] = strings.ReplaceAll(regexp.QuoteMeta(p), " ", `\s+`)
		}
		return "(?:" + strings.Join(list, "|") + ")"
	}
	return &outdatedPatterns{
		id: regexp.MustCompile(`(?i)(?:^|[^\pL])` + any("supersede") +
			`\s+(?:(?:the\s+)?(?:memory|decision|note|die\s+Notiz)\s+)?` +
			`([a-z]{2,12}[-_][0-9a-z_-]{3,}|#\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-HJKMNP-TV-Z]{26})`),
		stale: regexp.MustCompile(`(?i)\s+(?:` + any("copula") + `\s+` + any("stale") + `|` + any("stale") +
			`\s+(?:ist|sind)|` + any("verb") + `)(?:$|[^\pL])`),
		clause: regexp.MustCompile(`(?i)(?:^|[^\pL])` + any("clause") + `\s+`),
		iffy:   regexp.MustCompile(`(?i)(?:^|[^\pL])` + any("if") + `\s+`),
		wide:   lists["unspaced"],
		ids:    lists["supersede"],
		words:  slices.Concat(lists["stale"], lists["verb"]),
	}
})

type outdatedPatterns struct {
	id, stale, clause, iffy *regexp.Regexp
	wide                    []string
	ids, words              []string // without one of which the patterns find nothing
}

// besides is how much of a text to both sides of a word is searched.
const besides = 60

// eachWindow calls fn with the pieces of a text around the words.
func eachWindow(lower string, words []string, fn func(from, to int)) {
	for _, w := range words {
		for at := 0; ; {
			i := strings.Index(lower[at:], w)
			if i < 0 {
				break
			}
			from, to := max(0, at+i-besides), min(len(lower), at+i+len(w)+besides)
			for from > 0 && !utf8.RuneStart(lower[from]) {
				from--
			}
			for to < len(lower) && !utf8.RuneStart(lower[to]) {
				to++
			}
			fn(from, to)
			at += i + len(w)
		}
	}
}

// maxSubject is how many bytes a subject has at most.
const maxSubject = 80

// Outdated returns what a text says is replaced or no longer holds, in order.
func Outdated(text string) (list []Outdating) {
	x := outdatedLists()
	lower := language.Lower(text)
	seen := map[int]bool{}
	add := func(o Outdating) {
		if o.Start < o.End && !seen[o.Start] {
			seen[o.Start] = true
			list = append(list, o)
		}
	}
	eachWindow(lower, x.ids, func(from, to int) {
		for _, m := range x.id.FindAllStringSubmatchIndex(text[from:to], -1) {
			id := strings.TrimRight(text[from+m[2]:from+m[3]], "-_")
			add(Outdating{ID: id, Start: from + m[2], End: from + m[2] + len(id)})
		}
	})
	eachWindow(lower, x.words, func(from, to int) {
		for _, m := range x.stale.FindAllStringIndex(text[from:to], -1) {
			start, end := x.subject(text, from+m[0])
			add(Outdating{Subject: text[start:end], Start: start, End: end})
		}
	})
	for _, p := range x.wide {
		for at := 0; ; {
			i := strings.Index(text[at:], p)
			if i < 0 {
				break
			}
			start, end := wideSubject(text, at+i)
			add(Outdating{Subject: text[start:end], Start: start, End: end})
			at += i + len(p)
		}
	}
	slices.SortFunc(list, func(a, b Outdating) int { return a.Start - b.Start })
	return list
}

// subject returns the words before a place up to the beginning of their clause, and nothing for a condition.
func (x *outdatedPatterns) subject(text string, end int) (start, to int) {
	low := max(0, end-maxSubject)
	for low < end && low > 0 && text[low]&0xc0 == 0x80 {
		low++
	}
	window := text[low:end]
	if i := strings.LastIndexAny(window, ".,;:!?\n(–—\""); i >= 0 {
		cut := i + len(string([]rune(window[i:])[0]))
		low, window = low+cut, window[cut:]
	}
	if x.iffy.MatchString(window) {
		return 0, 0
	}
	if all := x.clause.FindAllStringIndex(window, -1); all != nil {
		last := all[len(all)-1][1]
		low, window = low+last, window[last:]
	}
	trimmed := strings.TrimLeft(window, " \t*-#>")
	return low + len(window) - len(trimmed), low + len(strings.TrimRight(window, " \t*`"))
}

// wideSubject returns the characters of a clause before a place, in a script without spaces.
func wideSubject(text string, end int) (start, to int) {
	start = end
	for start > 0 && end-start < maxSubject {
		runes := []rune(text[max(0, start-4):start])
		r := runes[len(runes)-1]
		if r < 0x3040 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		start -= len(string(r))
	}
	for _, because := range []string{"因为", "由于", "ので", "から"} {
		if i := strings.LastIndex(text[start:end], because); i >= 0 {
			start += i + len(because)
		}
	}
	return start, end
}

// Outdates reports whether what a text says is out of date is what an old statement is about: the old one has all
// words of the subject.
func (o Outdating) Outdates(old *Statement) bool {
	if o.Subject == "" {
		return false
	}
	subject := Prepare(o.Subject)
	c := match(subject, old)
	return c.shared > 0 && weigh(c.oldLeft) == 0 && len(c.removed) == 0 && len(c.replaced) == 0
}
