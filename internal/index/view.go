package index

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/loci-memory/loci/internal/language"
)

// View is a segment without the rows that have changed or gone since it was built. It is immutable
// and safe for concurrent use.
type View struct {
	*Segment
	gone     bitmap
	live     int                  // rows that are not gone
	count    []totals             // of each class, without the rows that are gone
	langs    []language.Languages // of each class: those that all of its rows are in
	speakers []speaker            // sorted by person, then by class
}

// speaker is how many rows of a person a class has, without the rows that are gone.
type speaker struct{ actor, class, rows uint32 }

func (s speaker) compare(o speaker) int {
	return cmp.Or(cmp.Compare(s.actor, o.actor), cmp.Compare(s.class, o.class))
}

// totals are what BM25 needs to know of a collection: how many rows and sessions it has, and how
// long they are. All of them are whole numbers.
type totals struct{ rows, words, context, groups float64 }

func (t *totals) add(o totals) {
	t.rows, t.words, t.context, t.groups = t.rows+o.rows, t.words+o.words, t.context+o.context, t.groups+o.groups
}

func (t *totals) subtract(o totals) {
	t.rows, t.words, t.context, t.groups = t.rows-o.rows, t.words-o.words, t.context-o.context, t.groups-o.groups
}

// NewView returns the segment without the rows that have these ids. If one row of a session has changed, all of its
// rows must be gone, and be in a newer segment. Otherwise their neighbours are not those that the rows have now.
func NewView(s *Segment, gone ...[16]byte) *View {
	v := &View{Segment: s, live: int(s.rows), count: make([]totals, len(s.classes)),
		langs: make([]language.Languages, len(s.classes))}
	last := make([]int, len(s.actors)) // where each person is in v.speakers
	for i, c := range s.classes {
		v.langs[i] = ^language.Languages(0)
		for doc := c.begin; doc < c.end; doc++ {
			v.count[i].add(v.totals(doc))
			v.langs[i] &= language.Languages(u32(s.parts[secLangs], doc))
			who := speaker{actor: uint32(u16(s.parts[secActors], doc)), class: uint32(i)}
			at := last[who.actor]
			if at == len(v.speakers) || v.speakers[at].compare(who) != 0 {
				at = len(v.speakers)
				last[who.actor], v.speakers = at, append(v.speakers, who)
			}
			v.speakers[at].rows++
		}
	}
	slices.SortFunc(v.speakers, speaker.compare)
	return v.Without(gone...)
}

// Without returns the view without more rows, as NewView does. It takes time for each id, but not for each row.
func (v *View) Without(ids ...[16]byte) *View {
	w := *v
	for _, id := range ids {
		doc, ok := v.find(id)
		if !ok || w.gone.has(doc) {
			continue
		}
		if w.live == v.live {
			w.gone, w.count, w.speakers = v.gone.clone(v.rows), slices.Clone(v.count), slices.Clone(v.speakers)
		}
		w.gone.set(doc)
		w.live--
		class := v.class(doc)
		w.count[class].subtract(v.totals(doc))
		who := speaker{actor: uint32(u16(v.parts[secActors], doc)), class: uint32(class)}
		at, _ := slices.BinarySearchFunc(w.speakers, who, speaker.compare)
		w.speakers[at].rows--
	}
	return &w
}

// Live returns how many rows are not gone.
func (v *View) Live() int { return v.live }

// Has reports whether a row is there and not gone.
func (v *View) Has(id [16]byte) bool {
	doc, ok := v.find(id)
	return ok && !v.gone.has(doc)
}

// Had reports whether the segment has a row, which may be gone.
func (v *View) Had(id [16]byte) bool {
	_, ok := v.find(id)
	return ok
}

// Each yields the ids of the rows that are not gone, in ascending order.
func (v *View) Each(yield func(id [16]byte) bool) {
	for i := range v.rows {
		if doc := u32(v.parts[secByID], i); !v.gone.has(doc) && !yield(v.id(doc)) {
			return
		}
	}
}

// Knows reports whether a person said something in a class that sees admits, in a row that is found
// now. Names are in lower case.
func Knows(views []*View, sees func(Class) bool, now time.Time, name string) bool {
	for _, v := range views {
		actor, ok := v.actors[name]
		if ok && name != "" && v.knows(sees, now, uint32(actor)) {
			return true
		}
	}
	return false
}

func (v *View) knows(sees func(Class) bool, now time.Time, actor uint32) bool {
	at, _ := slices.BinarySearchFunc(v.speakers, speaker{actor: actor}, speaker.compare)
	for ; at < len(v.speakers) && v.speakers[at].actor == actor; at++ {
		s := v.speakers[at]
		class := v.classes[s.class]
		if s.rows == 0 || !sees(class.class) {
			continue
		}
		for doc := range v.keptOut(class.span, now) {
			if uint32(u16(v.parts[secActors], doc)) == actor {
				s.rows--
			}
		}
		if s.rows > 0 {
			return true
		}
	}
	return false
}

// keptOut yields the rows of a span that a limit keeps out now, and that are not gone.
func (v *View) keptOut(in span, now time.Time) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for rest := v.limits(in); len(rest) >= limitSize; rest = rest[limitSize:] {
			if l := readLimit(rest); !l.admits(micros(now)) && !v.gone.has(l.doc) && !yield(l.doc) {
				return
			}
		}
	}
}

// totals returns what one row adds. Sessions go as a whole, so a session counts with its first row.
func (v *View) totals(doc uint32) totals {
	t := totals{rows: 1, words: float64(v.length(doc)), context: float64(v.context(doc))}
	if doc == 0 || v.group(doc-1) != v.group(doc) {
		t.groups = 1
	}
	return t
}

// visible returns the rows of the classes that sees admits, as few spans as possible, and what they
// come to at a time. hidden has the rows of the spans that are gone then, and those with a limit
// that keeps them out. It may have others.
func (v *View) visible(sees func(Class) bool, now time.Time) (spans []span, sum totals, hidden bitmap) {
	rows := uint32(0)
	for i, c := range v.classes {
		if v.count[i].rows == 0 || !sees(c.class) {
			continue
		}
		sum.add(v.count[i])
		rows += c.end - c.begin
		if n := len(spans); n > 0 && spans[n-1].end == c.begin {
			spans[n-1].end = c.end
		} else {
			spans = append(spans, c.span)
		}
	}
	if float64(rows) > sum.rows {
		hidden = v.gone
	}
	copied := false
	for _, s := range spans {
		for doc := range v.keptOut(s, now) {
			if !copied {
				copied, hidden = true, hidden.clone(v.rows)
			}
			hidden.set(doc)
			sum.subtract(v.totals(doc))
		}
	}
	return spans, sum, hidden
}

// Group calls fn with each row of the session of a row that the view has, itself included.
func (v *View) Group(id [16]byte, fn func([16]byte)) {
	doc, ok := v.find(id)
	if !ok || v.gone.has(doc) {
		return
	}
	first, last := doc, doc
	for first > 0 && v.group(first-1) == v.group(doc) {
		first--
	}
	for last+1 < v.rows && v.group(last+1) == v.group(doc) {
		last++
	}
	for ; first <= last; first++ {
		if !v.gone.has(first) {
			fn(v.id(first))
		}
	}
}

// Updated returns the last change of a row that the view has, in microseconds since 1970.
func (v *View) Updated(id [16]byte) (at int64, ok bool) {
	doc, ok := v.find(id)
	if !ok || v.gone.has(doc) {
		return 0, false
	}
	return int64(u64(v.parts[secUpdated], doc)), true
}
