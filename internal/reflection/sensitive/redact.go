package sensitive

import (
	"sort"
	"strings"
)

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
