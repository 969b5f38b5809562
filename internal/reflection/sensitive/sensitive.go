// Package sensitive finds secrets and personal data in a text, and takes the secrets out.
//
// It knows the formats that vendors give their keys, the check digits of cards, accounts and identity numbers, and
// the words by which people introduce a password or a code in seven languages. It leaves out names and addresses,
// and it asks nobody whether a secret is in use. It prefers to miss a word that may be a password to calling a
// sentence about passwords a secret. Its work grows with the length of the text, whatever the text is.
package sensitive

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// Type is what kind of sensitive text a match is.
type Type string

// The types. Those up to CardNumber are redacted before anything is kept; the others are flagged only.
const (
	PrivateKey       Type = "private_key"
	Webhook          Type = "webhook"
	ConnectionString Type = "connection_string"
	APIKey           Type = "api_key"
	Token            Type = "token"
	Password         Type = "password"
	AccessCode       Type = "access_code"
	CardNumber       Type = "card_number"
	IBAN             Type = "iban"
	IDNumber         Type = "id_number"
	Passport         Type = "passport"
	Email            Type = "email"
	Phone            Type = "phone"
)

// ranks are the types in the order in which one wins over another that was found in the same place.
var ranks = []Type{PrivateKey, Webhook, ConnectionString, APIKey, Token, CardNumber, Password, AccessCode, IBAN,
	IDNumber, Passport, Email, Phone}

// Types returns all types.
func Types() []Type { return slices.Clone(ranks) }

// Redacted reports whether text of this type is taken out of what is kept.
func (t Type) Redacted() bool { return slices.Index(ranks, t) < slices.Index(ranks, IBAN) }

// Match is a piece of sensitive text, in bytes.
type Match struct {
	Type       Type
	Start, End int
}

// maxRounds is how often a text is looked through again after its secrets were taken out.
const maxRounds = 4

// Find returns the sensitive parts of a text in order. They do not overlap, and begin and end between characters.
// The text that Redact makes of them has no secret that Find finds.
func Find(text string) []Match {
	found := find(text)
	for range maxRounds {
		redacted, m := Redact(text, found)
		if len(m.parts) == 0 {
			break
		}
		more := slices.DeleteFunc(find(redacted), func(f Match) bool { return !f.Type.Redacted() })
		if len(more) == 0 {
			break
		}
		for _, f := range more {
			start, end := m.span(f.Start, f.End, false)
			found = append(found, Match{f.Type, start, end})
		}
		found = resolve(found)
	}
	return found
}

// scan is one look through a text.
type scan struct {
	text     string
	fold     string // the text in lower case, byte for byte
	words    []word
	cues     map[string][]hit // the phrases of the lexicon, by kind
	found    []Match
	accounts []Match // the numbers of accounts, in order
	long     int     // where the last value ends that is so long that labels in it are parts of it
}

func find(text string) []Match {
	s := &scan{text: text, fold: language.Lower(text)}
	s.pem()
	s.vendorKeys()
	s.markedKeys()
	s.tokens()
	s.botTokens()
	s.urls()
	s.connections()
	s.splitWords()
	s.labels()
	s.ibans()
	s.numbers()
	s.emails()
	return resolve(s.found)
}

func (s *scan) add(t Type, start, end int) {
	for start > 0 && !utf8.RuneStart(s.text[start]) {
		start--
	}
	for end < len(s.text) && !utf8.RuneStart(s.text[end]) {
		end++
	}
	if start < end {
		s.found = append(s.found, Match{t, start, end})
	}
}

// resolve makes one match of secrets that overlap, and drops what lies over a secret or over a match that is surer.
func resolve(found []Match) []Match {
	slices.SortFunc(found, func(a, b Match) int { return cmp.Or(a.Start-b.Start, b.End-a.End, rank(a.Type)-rank(b.Type)) })
	var secrets, others []Match
	for _, m := range found {
		list := &others
		if m.Type.Redacted() {
			list = &secrets
		}
		if n := len(*list) - 1; n >= 0 && m.Start < (*list)[n].End {
			(*list)[n] = joined((*list)[n], m)
			continue
		}
		*list = append(*list, m)
	}
	all := secrets
	i := 0
	for _, m := range others {
		for i < len(secrets) && secrets[i].End <= m.Start {
			i++
		}
		if i == len(secrets) || secrets[i].Start >= m.End {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b Match) int { return a.Start - b.Start })
	return all
}

func rank(t Type) int { return slices.Index(ranks, t) }

// joined returns what two matches that overlap are together.
func joined(a, b Match) Match {
	best := a
	if rank(b.Type) < rank(a.Type) {
		best = b
	}
	if a.Type.Redacted() {
		best.Start, best.End = min(a.Start, b.Start), max(a.End, b.End)
	}
	return best
}

// Map leads from places in a text to the same places in the text without its secrets, and back.
type Map struct{ parts []part }

// part is a piece that was replaced, in both texts.
type part struct{ original, redacted span }

type span struct{ start, end int }

// Redact replaces the secrets and card numbers of matches, which must be in order and apart, as Find returns them.
// It puts "[redacted password]" there, and so on. It leaves what is flagged only.
func Redact(text string, matches []Match) (redacted string, m Map) {
	var b strings.Builder
	last := 0
	for _, f := range matches {
		if !f.Type.Redacted() || f.Start < last || f.End > len(text) {
			continue
		}
		b.WriteString(text[last:f.Start])
		at := b.Len()
		b.WriteString(mark + string(f.Type) + "]")
		m.parts = append(m.parts, part{span{f.Start, f.End}, span{at, b.Len()}})
		last = f.End
	}
	if last == 0 {
		return text, m
	}
	b.WriteString(text[last:])
	return b.String(), m
}

// mark begins what stands for a secret.
const mark = "[redacted "

// ToRedacted returns the place in the redacted text of a place in the original. Within a secret it is where the mark
// of the secret begins.
func (m Map) ToRedacted(offset int) int { return m.place(offset, true) }

// ToOriginal returns the place in the original of a place in the redacted text. Within a mark it is where the secret
// begins.
func (m Map) ToOriginal(offset int) int { return m.place(offset, false) }

func (m Map) place(offset int, original bool) int {
	here, there := m.before(offset, original)
	if offset < here.end {
		return there.start
	}
	return offset - here.end + there.end
}

// RedactedSpan returns the span in the redacted text of one in the original. It has whole marks only.
func (m Map) RedactedSpan(start, end int) (from, to int) { return m.span(start, end, true) }

// span returns the span in the other text of one in the original or in the redacted text. It has whole secrets and
// marks only.
func (m Map) span(start, end int, original bool) (from, to int) {
	from, to = m.place(start, original), m.place(end, original)
	if here, there := m.before(end, original); here.start < end && end < here.end {
		to = there.end
	}
	return from, to
}

// OriginalSpan returns the span in the original of one in the redacted text. whole is false if the span begins or ends
// within a mark.
func (m Map) OriginalSpan(start, end int) (from, to int, whole bool) {
	within := func(offset int) bool {
		here, _ := m.before(offset, false)
		return here.start < offset && offset < here.end
	}
	from, to = m.span(start, end, false)
	return from, to, !within(start) && !within(end)
}

// before returns the last replaced piece that begins at or before an offset, and what it is in the other text. Before
// the first one, both are empty.
func (m Map) before(offset int, original bool) (here, there span) {
	sides := func(p part) (here, there span) {
		if original {
			return p.original, p.redacted
		}
		return p.redacted, p.original
	}
	i := sort.Search(len(m.parts), func(i int) bool {
		here, _ := sides(m.parts[i])
		return here.start > offset
	})
	if i == 0 {
		return here, there
	}
	return sides(m.parts[i-1])
}
