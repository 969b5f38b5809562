package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// Found is a row that Having found, and its last change in microseconds since 1970.
type Found struct {
	ID      [16]byte
	Updated int64
}

func (f Found) lastChanged(o Found) int {
	return cmp.Or(cmp.Compare(o.Updated, f.Updated), bytes.Compare(f.ID[:], o.ID[:]))
}

// Having returns the rows that have all terms of a group, the last changed first, at most limit of each
// group. A group is the bits of its terms, which are words. It reads nothing of the query but Terms, Sees
// and Now.
func Having(views []*View, q *Query, groups []uint32, limit int) []Found {
	found := make([][]Found, len(groups))
	var rows entries
	views = slices.Clone(views)
	slices.SortFunc(views, func(x, y *View) int { return cmp.Compare(y.newest(), x.newest()) })
	for _, v := range views {
		h := having{View: v, q: q, terms: make([]occurrences, len(q.Terms))}
		if h.spans, _, h.hidden = v.visible(q.Sees, q.Now); len(h.spans) == 0 {
			continue
		}
		for i, group := range groups {
			if n := len(found[i]); n >= limit && (n == 0 || found[i][n-1].Updated > v.newest()) {
				continue // all rows from here on come later
			}
			h.read(group, &rows)
			for _, doc := range rows.docs {
				found[i] = append(found[i], Found{v.id(doc), v.updated(doc)})
			}
			slices.SortFunc(found[i], Found.lastChanged)
			found[i] = found[i][:min(limit, len(found[i]))]
		}
	}
	return slices.Concat(found...)
}

func (s *Segment) updated(doc uint32) int64 { return int64(u64(s.parts[secUpdated], doc)) }

// lastChange returns the last change of any row, in microseconds since 1970.
func (s *Segment) lastChange() (at int64) {
	for doc := range s.rows {
		at = max(at, s.updated(doc))
	}
	return at
}

// having is the search in one view.
type having struct {
	*View
	q      *Query
	spans  []span
	hidden bitmap
	terms  []occurrences
}

// occurrences are the forms of a term in a view. They are looked up once a group needs them.
type occurrences struct {
	known bool
	forms []weighted
	lists []walk
	rows  uint32 // at most so many have one of the forms
}

func (h *having) occurrences(t int) *occurrences {
	o := &h.terms[t]
	if o.known {
		return o
	}
	o.known, o.forms = true, h.match(&h.q.Terms[t], 1)
	for _, f := range o.forms {
		l := h.list(f.form)
		o.lists = append(o.lists, walk{list: l})
		o.rows += l.count
	}
	return o
}

// read sets out to the rows that have all terms of a group, in ascending order. Only the rows of the rarest
// term are read. The others are looked up.
func (h *having) read(group uint32, out *entries) {
	out.reset()
	rarest := -1
	for rest := group; rest != 0; rest &= rest - 1 {
		t := bits.TrailingZeros32(rest)
		o := h.occurrences(t)
		if o.rows == 0 {
			return
		}
		if rarest < 0 || o.rows < h.terms[rarest].rows {
			rarest = t
		}
	}
	if rarest < 0 {
		return
	}
	h.readAny(&h.terms[rarest], out)
	for rest := group &^ (1 << rarest); rest != 0; rest &= rest - 1 {
		o := &h.terms[bits.TrailingZeros32(rest)]
		for i := range o.lists {
			o.lists[i].begin()
		}
		out.docs = slices.DeleteFunc(out.docs, func(doc uint32) bool { return !h.hasAny(o, doc) })
	}
}

// readAny sets out to the visible rows that have one of the forms of a term.
func (h *having) readAny(o *occurrences, out *entries) {
	var one entries
	for i := range o.forms {
		one.reset()
		o.lists[i].read(h.spans, h.hidden, 1, &one)
		h.inLanguages(&one, &o.forms[i])
		out.docs = append(out.docs, one.docs...)
	}
	if len(o.forms) > 1 {
		slices.Sort(out.docs)
		out.docs = slices.Compact(out.docs)
	}
}

// hasAny reports whether a row has one of the forms of a term. It must be called for rows in ascending order.
func (h *having) hasAny(o *occurrences, doc uint32) bool {
	for i := range o.lists {
		if o.lists[i].has(doc) && h.in(doc, &o.forms[i]) {
			return true
		}
	}
	return false
}

// walk looks up rows of a list in ascending order.
type walk struct {
	list
	block int
	left  int // rows of the block that have not been read
	doc   uint32
	rest  []byte
}

func (w *walk) begin() { w.seek(0) }

func (w *walk) seek(block int) {
	w.block, w.left = block, w.len(block)
	b := w.list.block(block)
	w.doc, w.rest = b.doc, w.docs[b.docs:]
	w.next()
}

func (w *walk) next() {
	w.doc, _, w.rest = readEntry(w.rest, w.doc)
	w.left--
}

// has reports whether the list has a row, which must not come before that of the last call.
func (w *walk) has(doc uint32) bool {
	if doc >= w.end(w.block) {
		w.seek(w.blockOf(doc))
	}
	for w.doc < doc && w.left > 0 {
		w.next()
	}
	return w.doc == doc
}
