package sensitive

import "strings"

// Map leads from places in a text to the same places in the text without its secrets, and back.
type Map struct{ parts []part }

// part is a piece that was replaced, in both texts.
type part struct{ start, end, newStart, newEnd int }

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
		p := part{start: f.Start, end: f.End, newStart: b.Len()}
		b.WriteString(mark + string(f.Type) + "]")
		p.newEnd = b.Len()
		m.parts = append(m.parts, p)
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
func (m Map) ToRedacted(offset int) int {
	p, inside := m.before(offset, true)
	switch {
	case p == nil:
		return offset
	case inside:
		return p.newStart
	}
	return offset - p.end + p.newEnd
}

// ToOriginal returns the place in the original of a place in the redacted text. Within a mark it is where the secret
// begins.
func (m Map) ToOriginal(offset int) int {
	p, inside := m.before(offset, false)
	switch {
	case p == nil:
		return offset
	case inside:
		return p.start
	}
	return offset - p.newEnd + p.end
}

// RedactedSpan returns the span in the redacted text of one in the original. It has whole marks only.
func (m Map) RedactedSpan(start, end int) (from, to int) {
	from, to = m.ToRedacted(start), m.ToRedacted(end)
	if p, inside := m.before(end, true); inside && end > p.start {
		to = p.newEnd
	}
	return from, to
}

// span returns the span in the original of one in the redacted text. It has whole secrets only.
func (m Map) span(start, end int) (from, to int) {
	from, to = m.ToOriginal(start), m.ToOriginal(end)
	if p, inside := m.before(end, false); inside && end > p.newStart {
		to = p.end
	}
	return from, to
}

// OriginalSpan returns the span in the original of one in the redacted text. whole is false if the span begins or ends
// within a mark.
func (m Map) OriginalSpan(start, end int) (from, to int, whole bool) {
	within := func(offset int) bool {
		p, inside := m.before(offset, false)
		return inside && offset > p.newStart
	}
	from, to = m.span(start, end)
	return from, to, !within(start) && !within(end)
}

// before returns the last replaced piece that begins at or before an offset, and whether the offset lies in it.
func (m Map) before(offset int, original bool) (p *part, inside bool) {
	low, high := 0, len(m.parts)
	for low < high {
		mid := (low + high) / 2
		at := m.parts[mid].newStart
		if original {
			at = m.parts[mid].start
		}
		if at <= offset {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return nil, false
	}
	p = &m.parts[low-1]
	if original {
		return p, offset < p.end
	}
	return p, offset < p.newEnd
}
