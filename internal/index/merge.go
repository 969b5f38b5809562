package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/loci-memory/loci/internal/language"
)

// Merge makes one segment of the rows of several views that are not gone, as bytes for Open. It needs no
// texts. Words that only rows have had that are gone do not come along. Rows of a session that are in one
// view stay each other's context. A row must not be in two views, and rows of a session must be in one view
// and go as a whole, as NewView requires. Otherwise they are sessions of their own in the merged segment.
func Merge(views []*View) []byte {
	m := merger{views: views, docs: make([][]uint32, len(views)), forms: make([][]uint32, len(views)),
		walks: make([]postingWalk, len(views))}
	m.mergeRows()
	m.mergeForms()
	m.mergeStems()
	m.mergeGrams()
	return joinSections(&m.parts)
}

// none is the number of a row or form that does not come along, or that a table does not have.
const none = math.MaxUint32

type merger struct {
	views []*View
	parts [sections][]byte
	docs  [][]uint32 // of each view: the new numbers of its rows
	forms [][]uint32 // of each view: the new numbers of its forms
	// langs are the languages of the rows that have each form, and owner is the first view that has it.
	langs []language.Languages
	owner []int
	// lengths are those of the rows, for the bounds of postings.
	lengths lengths
	// These are for the form at hand.
	writer  listWriter
	walks   []postingWalk // of each view
	walking []*postingWalk
}

type viewClass struct {
	classRange
	view  int
	names []string          // of the people of the view
	of    map[uint32][]byte // conversations of the view
}

// mergeRows writes what the segment has of rows beside their words: of each class the rows of the first view,
// then those of the second, and so on.
func (m *merger) mergeRows() {
	var all []viewClass
	for i, v := range m.views {
		names, of := v.names(), v.conversations()
		for _, c := range v.classes {
			all = append(all, viewClass{c, i, names, of})
		}
		m.docs[i] = slices.Repeat([]uint32{none}, int(v.rows))
		m.forms[i] = slices.Repeat([]uint32{none}, int(v.Segment.forms.count))
	}
	slices.SortStableFunc(all, func(x, y viewClass) int { return cmp.Compare(x.class, y.class) })
	w := newRowWriter(&m.parts)
	for _, c := range all {
		m.mergeClass(w, &c)
	}
	w.finish()
	m.lengths = lengthsOf(&m.parts)
}

func (m *merger) mergeClass(w *rowWriter, c *viewClass) {
	v, group := m.views[c.view], uint32(none)
	limits := v.limits(c.span)
	for doc := c.begin; doc < c.end; doc++ {
		var l limit
		if len(limits) > 0 && readLimit(limits).doc == doc {
			l, limits = readLimit(limits), limits[limitSize:]
		}
		if v.gone.has(doc) {
			continue
		}
		m.docs[c.view][doc] = w.rows
		w.add(&encodedRow{id: v.parts[secIDs][16*doc : 16*doc+16], class: c.class, first: v.group(doc) != group,
			of: c.of[doc], length: u16(v.parts[secLengths], doc), context: u16(v.parts[secContext], doc),
			time: int64(u64(v.parts[secTimes], doc)), actor: w.people.number(c.names[u16(v.parts[secActors], doc)]),
			langs: language.Languages(u32(v.parts[secLangs], doc)), flags: v.parts[secFlags][doc],
			priority: v.parts[secPriority][doc], updated: int64(u64(v.parts[secUpdated], doc)), mark: v.mark(doc), limit: l})
		group = v.group(doc)
	}
}

func (s *Segment) names() []string {
	list := make([]string, len(s.actors))
	for name, n := range s.actors {
		list[n] = name
	}
	return list
}

// mergeForms writes the forms that rows have, and their postings.
func (m *merger) mergeForms() {
	var forms []string
	together(m.tables(func(s *Segment) *table { return &s.forms }), func(key []byte, numbers []uint32) {
		langs := m.mergePostings(numbers)
		if m.writer.count == 0 {
			return
		}
		m.parts[secDirectory] = binary.LittleEndian.AppendUint64(m.parts[secDirectory], uint64(len(m.parts[secPostings])))
		m.parts[secPostings], m.parts[secPositions] = m.writer.write(m.parts[secPostings], m.parts[secPositions])
		for i, n := range numbers {
			if n != none {
				m.forms[i][n] = uint32(len(forms))
			}
		}
		m.owner = append(m.owner, slices.IndexFunc(numbers, func(n uint32) bool { return n != none }))
		forms, m.langs = append(forms, string(key)), append(m.langs, langs)
	})
	m.parts[secForms] = encodeTable(forms)
}

// mergePostings sets m.writer to the postings of a form, which has these numbers in the views, and returns the
// languages of the rows that have it.
func (m *merger) mergePostings(numbers []uint32) (langs language.Languages) {
	w := &m.writer
	*w = listWriter{docs: w.docs[:0], positions: w.positions[:0], blocks: w.blocks[:0]}
	walking := m.walking[:0]
	for i, n := range numbers {
		if n == none {
			continue
		}
		walk := &m.walks[i]
		*walk = postingWalk{list: m.views[i].list(n), docs: m.docs[i], positions: walk.positions}
		if walk.next() {
			walking = append(walking, walk)
		}
	}
	m.walking = walking
	for len(walking) > 0 {
		end := uint32(none)
		if len(walking) > 1 {
			slices.SortFunc(walking, func(x, y *postingWalk) int { return cmp.Compare(x.doc, y.doc) })
			end = walking[1].doc
		}
		first, more := walking[0], true
		for ; more && first.doc < end; more = first.next() {
			langs |= language.Languages(u32(m.parts[secLangs], first.doc))
			w.add(first.doc, first.value, first.positions, m.lengths.own[first.doc], m.lengths.near[first.doc])
		}
		if !more {
			walking = walking[1:]
		}
	}
	return langs
}

// postingWalk walks the rows of a list that come along.
type postingWalk struct {
	list         list
	docs         []uint32 // new numbers of rows
	begun        int      // blocks
	left         int      // rows of the block
	rest, places []byte   // of the rows and of their positions
	at           uint32   // the old number of the row

	doc, value uint32
	positions  []uint32
}

// next moves to the next row, or reports that there is none.
func (w *postingWalk) next() bool {
	for {
		if w.left == 0 {
			if w.begun*postingsBlock >= int(w.list.count) {
				return false
			}
			b := w.list.block(w.begun)
			w.left, w.at = w.list.len(w.begun), b.doc
			w.rest, w.places = w.list.docs[b.docs:], w.list.positions[b.positions:]
			w.begun++
		}
		w.left--
		w.at, w.value, w.rest = readEntry(w.rest, w.at)
		if w.doc = w.docs[w.at]; w.doc != none {
			w.readPositions()
			return true
		}
		w.places = skipPlaces(w.places)
	}
}

func (w *postingWalk) readPositions() {
	w.positions = w.positions[:0]
	position := uint32(0)
	for more := true; more; {
		n, size := binary.Uvarint(w.places)
		w.places = w.places[size:]
		position += uint32(n >> 1)
		more = n&1 == 1
		w.positions = append(w.positions, position)
	}
}

// mergeStems writes the stems of the forms, each in the languages of the rows that have it.
func (m *merger) mergeStems() {
	var w lookupWriter
	var found, list []stemmed
	together(m.tables(func(s *Segment) *table { return &s.stems }), func(key []byte, numbers []uint32) {
		found, list = found[:0], list[:0]
		for i, n := range numbers {
			if n == none {
				continue
			}
			m.views[i].stemmed(n, func(f stemmed) {
				if f.form = m.forms[i][f.form]; f.form != none {
					found = append(found, stemmed{f.form, f.langs & m.langs[f.form]})
				}
			})
		}
		slices.SortFunc(found, func(x, y stemmed) int { return cmp.Compare(x.form, y.form) })
		for _, f := range found {
			if f.langs != 0 {
				list = addStemmed(list, f)
			}
		}
		if len(list) > 0 {
			w.addStem(string(key), list)
		}
	})
	m.parts[secStems], m.parts[secStemForms] = w.encode()
}

// mergeGrams writes the n-grams of the forms. A form has the same ones in each view, so they are read in one.
func (m *merger) mergeGrams() {
	var w lookupWriter
	var list []uint32
	together(m.tables(func(s *Segment) *table { return &s.grams }), func(key []byte, numbers []uint32) {
		list = list[:0]
		for i, n := range numbers {
			if n == none {
				continue
			}
			readList(m.views[i].parts[secGramForms], m.views[i].Segment.grams.count, n, func(form uint32) {
				if form = m.forms[i][form]; form != none && m.owner[form] == i {
					list = append(list, form)
				}
			})
		}
		if slices.Sort(list); len(list) > 0 {
			w.add(string(key), list)
		}
	})
	m.parts[secGrams], m.parts[secGramForms] = w.encode()
}

func (m *merger) tables(of func(*Segment) *table) []*table {
	list := make([]*table, len(m.views))
	for i, v := range m.views {
		list[i] = of(v.Segment)
	}
	return list
}

// together yields the strings of all tables in order, each once, with its number in each table or none. Both
// are valid until the next ones.
func together(tables []*table, yield func(key []byte, numbers []uint32)) {
	cursors := make([]cursor, len(tables))
	live := make([]int, 0, len(tables)) // tables that have more strings
	for i, t := range tables {
		if t.count > 0 {
			cursors[i].start(t, 0)
			live = append(live, i)
		}
	}
	numbers := make([]uint32, len(tables))
	var key []byte
	for len(live) > 0 {
		first := live[0]
		for _, i := range live[1:] {
			if bytes.Compare(cursors[i].key, cursors[first].key) < 0 {
				first = i
			}
		}
		key = append(key[:0], cursors[first].key...)
		for i := range numbers {
			numbers[i] = none
		}
		live = slices.DeleteFunc(live, func(i int) bool {
			c := &cursors[i]
			if !bytes.Equal(c.key, key) {
				return false
			}
			numbers[i] = c.number
			return !c.next(tables[i])
		})
		yield(key, numbers)
	}
}
