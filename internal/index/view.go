package index

import "time"

// View is a segment without the rows that have changed or gone since it was built. It is immutable
// and safe for concurrent use.
type View struct {
	*Segment
	gone  bitmap
	count []totals // of each class, without the rows that are gone
	alone bool     // no row has neighbours
	// people are the classes in which each person said something, by the person's number.
	people [][]uint32
}

// totals are what BM25 needs to know of a collection: how many rows and sessions it has, and how
// long they are.
type totals struct{ rows, words, context, groups float64 }

func (t *totals) add(o totals) {
	t.rows, t.words, t.context, t.groups = t.rows+o.rows, t.words+o.words, t.context+o.context, t.groups+o.groups
}

// NewView returns the segment without the rows that have these ids. If one row of a session has
// changed, all of its rows must be gone, and be in a newer segment. Otherwise their neighbours are
// not those that the rows have now.
func NewView(s *Segment, gone ...[16]byte) *View {
	v := &View{Segment: s}
	for _, id := range gone {
		if doc, ok := s.find(id); ok {
			if v.gone == nil {
				v.gone = newBitmap(s.rows)
			}
			v.gone.set(doc)
		}
	}
	v.alone = s.rows == 0 || s.group(s.rows-1) == s.rows-1
	v.count = make([]totals, len(s.classes))
	for i, c := range s.classes {
		v.count[i] = v.sum(c.span)
	}
	v.people = v.speakers()
	return v
}

// speakers returns in which classes each person said something.
func (v *View) speakers() [][]uint32 {
	people := make([][]uint32, len(v.actors))
	for i, c := range v.classes {
		for doc := c.begin; doc < c.end; doc++ {
			n := u16(v.parts[secActors], doc)
			if l := people[n]; (len(l) == 0 || l[len(l)-1] != uint32(i)) && !v.gone.has(doc) {
				people[n] = append(l, uint32(i))
			}
		}
	}
	return people
}

// Knows reports whether a person said something in a class that sees admits. Names are in lower
// case.
func Knows(views []*View, sees func(Class) bool, name string) bool {
	for _, v := range views {
		n, ok := v.actors[name]
		if !ok || name == "" {
			continue
		}
		for _, class := range v.people[n] {
			if sees(v.classes[class].class) {
				return true
			}
		}
	}
	return false
}

// sum adds up the rows of a class that are not gone. Sessions go as a whole, so a session counts if
// its first row does.
func (v *View) sum(s span) (t totals) {
	for doc := s.begin; doc < s.end; doc++ {
		if !v.gone.has(doc) {
			t.add(v.totals(doc))
		}
	}
	return t
}

func (v *View) totals(doc uint32) totals {
	t := totals{rows: 1, words: float64(v.length(doc)), context: float64(v.context(doc))}
	if doc == 0 || v.group(doc-1) != v.group(doc) {
		t.groups = 1
	}
	return t
}

// visible returns the rows of the classes that sees admits, as few spans as possible, and what they
// come to at a time. hidden has the rows that are gone then, and those with a limit that keeps them
// out.
func (v *View) visible(sees func(Class) bool, now time.Time) (spans []span, sum totals, hidden bitmap) {
	for i, c := range v.classes {
		if !sees(c.class) {
			continue
		}
		sum.add(v.count[i])
		if n := len(spans); n > 0 && spans[n-1].end == c.begin {
			spans[n-1].end = c.end
		} else {
			spans = append(spans, c.span)
		}
	}
	hidden = v.gone
	copied, rest := false, spans
	for limits := v.parts[secLimits]; len(limits) >= limitSize; limits = limits[limitSize:] {
		l := readLimit(limits)
		for len(rest) > 0 && rest[0].end <= l.doc {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		if l.doc < rest[0].begin || l.admits(micros(now)) || hidden.has(l.doc) {
			continue
		}
		if !copied {
			copied, hidden = true, append(newBitmap(v.rows)[:0], hidden...)[:(v.rows+63)/64]
		}
		hidden.set(l.doc)
		t := v.totals(l.doc)
		sum.add(totals{-t.rows, -t.words, -t.context, -t.groups})
	}
	return spans, sum, hidden
}
