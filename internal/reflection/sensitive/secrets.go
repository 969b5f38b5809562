package sensitive

import (
	"hash/maphash"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// clean has the hashes of texts without a secret, because lists show the same texts again and again. With a random
// seed, no text can be made that has the hash of another.
var clean = struct {
	sync.Mutex
	seed maphash.Seed
	has  map[uint64]bool
}{seed: maphash.MakeSeed(), has: map[uint64]bool{}}

// mostClean is how many there are at most: a few megabytes.
const mostClean = 1 << 16

// Secrets returns the secrets and card numbers of a text that is stored as it was sent, as Find does. A text that
// cannot have one costs little more than reading it once, and one that was looked at before costs less.
func Secrets(text string) []Match {
	hash := maphash.String(clean.seed, text)
	clean.Lock()
	known := clean.has[hash]
	clean.Unlock()
	if known {
		return nil
	}
	var found []Match
	if suspect(text) {
		found = slices.DeleteFunc(Find(text), func(m Match) bool { return !m.Type.Redacted() })
	}
	if len(found) == 0 {
		clean.Lock()
		defer clean.Unlock()
		if len(clean.has) >= mostClean {
			clear(clean.has)
		}
		clean.has[hash] = true
	}
	return found
}

// Masked stands for a secret on screens that mask it.
const Masked = "[secret]"

// Removed stands for a secret that a person has removed.
const Removed = "[secret removed]"

// Values returns the secrets of some texts.
func Values(texts ...string) (values []string) {
	for _, text := range texts {
		for _, m := range Secrets(text) {
			values = append(values, text[m.Start:m.End])
		}
	}
	return values
}

// Adds reports whether the texts now have a secret that those before did not have.
func Adds(before, now []string) bool {
	had := Values(before...)
	return slices.ContainsFunc(Values(now...), func(value string) bool { return !slices.Contains(had, value) })
}

// Replacer returns a function that replaces these values in a text by the text by, whatever their case.
func Replacer(values []string, by string) func(string) string {
	if len(values) == 0 {
		return func(text string) string { return text }
	}
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	known := `(?i)\Q` + by + `\E` // what has been replaced stays as it is
	for _, value := range values {
		known += "|" + regexp.QuoteMeta(value)
	}
	either := regexp.MustCompile(known)
	return func(text string) string { return either.ReplaceAllLiteralString(text, by) }
}

// Mask returns a text with Masked in the place of each of its secrets, or the text itself if they are kept.
func Mask(text string, kept bool) string {
	if kept {
		return text
	}
	return Replacer(Values(text), Masked)(text)
}

// Named returns which types of secrets the texts have, in the order of their names.
func Named(texts ...string) (types []string) {
	for _, text := range texts {
		for _, m := range Secrets(text) {
			types = append(types, string(m.Type))
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Of a text that may have a secret: how long a run of letters and digits is, of letters alone, and how many digits of a
// card and of a code there are.
const (
	leastRun     = 10
	leastLetters = 24
	leastCard    = 12
)

// openers are the longest words of phrases that introduce a secret which is not a long key. Those of codes are false:
// they need digits, too.
var openers = sync.OnceValue(func() map[string]bool {
	x, all := lexicons(), map[string]bool{"basic": true, "mysql": true}
	put := func(word, kind string) {
		switch kind {
		case "password", "pass", "login", "network", "keyword", "seed":
			all[word] = true
		case "code", "anycode", "place", "lock", "opens", "opened":
			if !all[word] {
				all[word] = false // known, for codes alone
			}
		}
	}
	for word, list := range x.first {
		for _, p := range list {
			longest := word
			for _, w := range p.rest {
				if len(w) > len(longest) {
					longest = w
				}
			}
			put(longest, p.kind)
		}
	}
	return all
})

// opener reports whether a word introduces a secret, and whether it does so with digits behind it.
func opener(word []byte) (certain, known bool) {
	x, words := lexicons(), openers()
	certain, known = words[string(word)]
	for _, length := range x.lengths {
		if len(word) <= length {
			break
		}
		if kind := x.endings[string(word[len(word)-length:])]; kind != "" {
			certain, known = certain || kind == "password", true
		}
	}
	return certain, known
}

// signed reports whether a text has a sign that needs no word: an address with a password, a key in its armour.
func signed(text string) bool {
	if strings.Contains(text, "@") && (strings.Contains(text, "://") || strings.Contains(text, " / ")) {
		return true
	}
	return slices.ContainsFunc([]string{"-----", "://hooks.", " -u ", "PuTTY-User"}, func(sign string) bool {
		return strings.Contains(text, sign)
	})
}

// suspect reports whether a text may have a secret. It looks at each byte once and at each word of the lexicon.
func suspect(text string) bool {
	if signed(text) {
		return true
	}
	var low [32]byte
	n, letters, numbers, symbols := 0, 0, 0, 0 // of the word, and of the run between blanks
	card, all := 0, 0                          // digits in a row of groups, and in the text
	unspaced, ascii, code := false, false, false
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = text[i]
		}
		if alnum[c] || c >= 0x80 {
			if n < len(low) {
				low[n] = c | 0x20
				if c >= 0x80 || digits[c] {
					low[n] = c
				}
			}
			n++
			switch {
			case digits[c]:
				numbers, card, all = numbers+1, card+1, all+1
			case c < 0x80:
				letters, card = letters+1, 0
			case c >= 0xe3:
				unspaced = true
			}
			ascii = ascii || c < 0x80
			if letters+numbers >= leastRun && letters > 0 && numbers > 0 || letters >= leastLetters || card >= leastCard {
				return true
			}
			continue
		}
		if n > 0 && n <= len(low) {
			certain, known := opener(low[:n])
			if certain {
				return true
			}
			code = code || known
		}
		n = 0
		switch {
		case strings.IndexByte(" \t\r\n/\"'`,;()[]{}<>|", c) >= 0:
			letters, numbers, symbols = 0, 0, 0
		case strings.IndexByte("!@#$%^&*+?~", c) >= 0:
			symbols++
		}
		if symbols > 0 && letters > 0 && numbers > 0 && letters+numbers+symbols >= 6 {
			return true
		}
		if c != ' ' && c != '-' {
			card = 0
		}
	}
	return unspaced && ascii || code && all >= leastCode
}
