package index

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// postingsBlock is how many rows a block of postings has. A reader skips blocks without rows that it sees.
const postingsBlock = 128

// once is the value of a word that occurs once in a field of weight 1. Values count halves.
const once = 2

// listWriter collects the postings of one form. Rows arrive in ascending order.
type listWriter struct {
	count     uint32
	last      uint32
	before    [2]uint32 // the values of the last row and of the row right before it
	docs      []byte
	positions []byte
	blocks    []block
}

// block is where a block begins, and how much its rows can have of a word at most.
type block struct {
	doc, docs, positions uint32
	most                 bound
}

// bound is the highest value of a word, in one row and in three rows one after the other, and the lowest
// length of the rows that have it, and of those with their neighbours. So no row has more of the word, and
// none has it in a shorter text.
type bound struct{ value, length, near, context uint16 }

func (b *bound) add(o bound) {
	b.value, b.near = max(b.value, o.value), max(b.near, o.near)
	b.length, b.context = min(b.length, o.length), min(b.context, o.context)
}

// unbounded is what no row adds to.
var unbounded = bound{length: math.MaxUint16, context: math.MaxUint16}

// lengths are those of rows, as a bound has them.
type lengths struct{ own, near []uint16 }

func lengthsOf(parts *[sections][]byte) (l lengths) {
	rows := uint32(len(parts[secLengths]) / 2)
	group := func(doc uint32) uint32 { return u32(parts[secGroups], doc) }
	for doc := range rows {
		near := u16(parts[secContext], doc)
		if doc > 0 && group(doc-1) == group(doc) {
			near = min(near, u16(parts[secContext], doc-1))
		}
		if doc+1 < rows && group(doc+1) == group(doc) {
			near = min(near, u16(parts[secContext], doc+1))
		}
		l.own, l.near = append(l.own, u16(parts[secLengths], doc)), append(l.near, near)
	}
	return l
}

// add adds a row. length is that of the row, and context the lowest one of the row and of those beside it
// with their neighbours.
func (w *listWriter) add(doc, value uint32, positions []uint32, length, context uint16) {
	near := value
	if w.count > 0 && doc-w.last <= 2 {
		near += w.before[0]
		if doc-w.last == 1 {
			near += w.before[1]
		}
	}
	if w.count%postingsBlock == 0 {
		w.blocks = append(w.blocks, block{doc, uint32(len(w.docs)), uint32(len(w.positions)), unbounded})
	}
	w.blocks[len(w.blocks)-1].most.add(bound{halves(value), length, halves(near), context})
	head := uint64(doc-w.last) << 1
	if w.count%postingsBlock == 0 {
		head = 0
	}
	if w.before[1] = 0; w.count > 0 && doc-w.last == 1 {
		w.before[1] = w.before[0]
	}
	w.before[0], w.last = value, doc
	w.count++
	if value == once {
		w.docs = binary.AppendUvarint(w.docs, head)
	} else {
		w.docs = binary.AppendUvarint(w.docs, head|1)
		w.docs = binary.AppendUvarint(w.docs, uint64(value))
	}
	before := uint32(0)
	for i, p := range positions {
		n := uint64(p-before) << 1
		if i+1 < len(positions) {
			n |= 1
		}
		w.positions = binary.AppendUvarint(w.positions, n)
		before = p
	}
}

func halves(value uint32) uint16 { return uint16(min(value, math.MaxUint16)) }

const blockSize = 20

// write appends the list to the two sections. A list of one block has no table: only its first row.
func (w *listWriter) write(postings, positions []byte) (newPostings, newPositions []byte) {
	le := binary.LittleEndian
	postings = binary.AppendUvarint(postings, uint64(w.count))
	postings = binary.AppendUvarint(postings, uint64(len(positions)))
	if len(w.blocks) == 1 {
		postings = binary.AppendUvarint(postings, uint64(w.blocks[0].doc))
	} else {
		for _, b := range w.blocks {
			postings = le.AppendUint32(le.AppendUint32(le.AppendUint32(postings, b.doc), b.docs), b.positions)
			postings = le.AppendUint16(le.AppendUint16(postings, b.most.value), b.most.length)
			postings = le.AppendUint16(le.AppendUint16(postings, b.most.near), b.most.context)
		}
	}
	return append(postings, w.docs...), append(positions, w.positions...)
}

// list is the postings of one form.
type list struct {
	rows      uint32 // of the segment
	count     uint32
	first     uint32 // the first row, if there is one block
	table     []byte // blocks, if there are several
	docs      []byte
	positions []byte
}

func (s *Segment) list(form uint32) list {
	rest := s.parts[secPostings][u64(s.parts[secDirectory], form):]
	number := func() uint32 {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		return uint32(n)
	}
	l := list{rows: s.rows, count: number()}
	l.positions = s.parts[secPositions][number():]
	if n := l.blocks(); n > 1 {
		l.table, rest = rest[:blockSize*n], rest[blockSize*n:]
	} else {
		l.first = number()
	}
	l.docs = rest
	return l
}

func (l *list) blocks() int { return (int(l.count) + postingsBlock - 1) / postingsBlock }

// begin returns the first row of block i.
func (l *list) begin(i int) uint32 {
	if l.table == nil {
		return l.first
	}
	return binary.LittleEndian.Uint32(l.table[blockSize*i:])
}

// unlimited is a bound that says nothing.
var unlimited = bound{value: math.MaxUint16, near: math.MaxUint16}

// block returns block i. A single one is not worth a bound.
func (l *list) block(i int) block {
	if l.table == nil {
		return block{doc: l.first, most: unlimited}
	}
	b := l.table[blockSize*i : blockSize*(i+1)]
	le := binary.LittleEndian
	return block{le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:]),
		bound{le.Uint16(b[12:]), le.Uint16(b[14:]), le.Uint16(b[16:]), le.Uint16(b[18:])}}
}

// entries are the rows that contain a term, ascending, and the weighted count of the term in each.
type entries struct {
	docs   []uint32
	values []float32
}

func (e *entries) reset() { e.docs, e.values = e.docs[:0], e.values[:0] }

// len returns the number of rows of block i.
func (l *list) len(i int) int { return min(int(l.count)-i*postingsBlock, postingsBlock) }

// end returns the first row of the block after block i, or how many rows there are.
func (l *list) end(i int) uint32 {
	if i+1 == l.blocks() {
		return l.rows
	}
	return l.begin(i + 1)
}

// blockOf returns the block that has a row if any has. The first block is that of earlier rows, too.
func (l *list) blockOf(doc uint32) int {
	return max(sort.Search(l.blocks(), func(i int) bool { return l.begin(i) > doc })-1, 0)
}

// blocksIn yields the blocks that may have rows in one of the spans, each with the spans from there on.
func (l *list) blocksIn(spans []span) iter.Seq2[int, []span] {
	return func(yield func(int, []span) bool) {
		for i, n := 0, l.blocks(); i < n; i++ {
			for first := l.begin(i); len(spans) > 0 && spans[0].end <= first; {
				spans = spans[1:]
			}
			if len(spans) == 0 {
				return
			}
			if begin := spans[0].begin; begin >= l.end(i) {
				if i+1 == n {
					return
				}
				i = l.blockOf(begin) - 1
				continue
			}
			if !yield(i, spans) {
				return
			}
		}
	}
}

// within reports whether all rows of block i are in the first span.
func (l *list) within(i int, spans []span) bool {
	return spans[0].begin <= l.begin(i) && l.end(i) <= spans[0].end
}

// countIn returns how many rows of the list lie in one of the spans. It uses e.
func (l *list) countIn(spans []span, e *entries) (n int) {
	for i, rest := range l.blocksIn(spans) {
		if l.within(i, rest) {
			n += l.len(i)
			continue
		}
		e.reset()
		l.readSome(i, rest, nil, 1, e)
		n += len(e.docs)
	}
	return n
}

// read appends the rows of the list that lie in one of the spans and are not gone.
func (l *list) read(spans []span, gone bitmap, scale float32, out *entries) {
	for i, rest := range l.blocksIn(spans) {
		if l.within(i, rest) && !gone.hasAny(l.begin(i), l.end(i)) {
			l.readAll(i, scale, out)
			continue
		}
		l.readSome(i, rest, gone, scale, out)
	}
}

// readAll appends a whole block.
func (l *list) readAll(i int, scale float32, out *entries) {
	b, n := l.block(i), l.len(i)
	at, doc := l.docs[b.docs:], b.doc
	from := len(out.docs)
	out.docs, out.values = slices.Grow(out.docs, n)[:from+n], slices.Grow(out.values, n)[:from+n]
	docs, values := out.docs[from:], out.values[from:]
	next, usual := 0, once*scale
	for k := range docs {
		head := uint32(at[next])
		next++
		if head >= 0x80 { // rare in long lists
			n, size := binary.Uvarint(at[next-1:])
			head, next = uint32(n), next-1+size
		}
		doc += head >> 1
		docs[k], values[k] = doc, usual
		if head&1 == 1 {
			n, size := binary.Uvarint(at[next:])
			values[k] = float32(n) * scale
			next += size
		}
	}
}

// readSome appends the rows of a block that lie in one of the spans and are not gone.
func (l *list) readSome(i int, spans []span, gone bitmap, scale float32, out *entries) {
	b := l.block(i)
	at, doc, next, end := l.docs[b.docs:], b.doc, 0, l.end(i)
	in := spans[0]
	for range l.len(i) {
		head, value := uint32(at[next]), uint64(once)
		next++
		if head >= 0x80 {
			n, size := binary.Uvarint(at[next-1:])
			head, next = uint32(n), next-1+size
		}
		doc += head >> 1
		if head&1 == 1 {
			value = uint64(at[next])
			next++
			if value >= 0x80 {
				n, size := binary.Uvarint(at[next-1:])
				value, next = n, next-1+size
			}
		}
		if doc < in.begin {
			continue
		}
		for doc >= in.end {
			if spans = spans[1:]; len(spans) == 0 || spans[0].begin >= end {
				return
			}
			in = spans[0]
		}
		if doc >= in.begin && !gone.has(doc) {
			out.docs, out.values = append(out.docs, doc), append(out.values, float32(value)*scale)
		}
	}
}

// readEntry reads one row of a block. Most heads take one byte.
func readEntry(b []byte, doc uint32) (next, value uint32, rest []byte) {
	head := uint64(b[0])
	n := 1
	if head >= 0x80 {
		head, n = binary.Uvarint(b)
	}
	doc += uint32(head >> 1)
	if head&1 == 0 {
		return doc, once, b[n:]
	}
	v, m := binary.Uvarint(b[n:])
	return doc, uint32(v), b[n+m:]
}

// places appends where the form occurs in the rows of docs, which are ascending. A place is a row,
// shifted by 32 bits, and a position.
func (l *list) places(docs []uint32, out []uint64) []uint64 {
	for len(docs) > 0 && l.count > 0 {
		i := l.blockOf(docs[0])
		out, _ = l.placesIn(i, docs, out)
		end := l.end(i)
		docs = docs[sort.Search(len(docs), func(j int) bool { return docs[j] >= end }):]
	}
	return out
}

// placesIn appends the places of block i. sum is the value of the rows that have some.
func (l *list) placesIn(i int, docs []uint32, out []uint64) (list []uint64, sum uint32) {
	b := l.block(i)
	rest, places, at, value := l.docs[b.docs:], l.positions[b.positions:], b.doc, uint32(0)
	for range l.len(i) {
		at, value, rest = readEntry(rest, at)
		for docs[0] < at {
			if docs = docs[1:]; len(docs) == 0 {
				return out, sum
			}
		}
		if at < docs[0] {
			places = skipPlaces(places)
			continue
		}
		sum += value
		place, next := uint64(at)<<32, 0
		for more := true; more; {
			n := uint64(places[next])
			next++
			if n >= 0x80 {
				large, size := binary.Uvarint(places[next-1:])
				n, next = large, next-1+size
			}
			place += n >> 1
			more = n&1 == 1
			out = append(out, place)
		}
		places = places[next:]
	}
	return out, sum
}

// skipPlaces skips the positions of one row. The lowest bit of each number, which is in its first
// byte, says whether another one follows.
func skipPlaces(places []byte) []byte {
	i := 0
	for more := true; more; i++ {
		for more = places[i]&1 == 1; places[i] >= 0x80; {
			i++
		}
	}
	return places[i:]
}

// span is a range of rows, without end.
type span struct{ begin, end uint32 }

// bitmap is a set of rows. A nil bitmap is empty.
type bitmap []uint64

func newBitmap(rows uint32) bitmap { return make(bitmap, (rows+63)/64) }

func (b bitmap) has(doc uint32) bool { return b != nil && b[doc/64]&(1<<(doc%64)) != 0 }

// in yields the rows of a span that the bitmap has.
func (b bitmap) in(s span) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for w := s.begin / 64; 64*w < s.end && w < uint32(len(b)); w++ {
			for word := b[w]; word != 0; word &= word - 1 {
				if doc := 64*w + uint32(bits.TrailingZeros64(word)); doc >= s.begin && doc < s.end && !yield(doc) {
					return
				}
			}
		}
	}
}

// hasAny reports whether the bitmap may have a row from begin on and before end.
func (b bitmap) hasAny(begin, end uint32) bool {
	for w := begin / 64; w < uint32(len(b)) && 64*w < end; w++ {
		if b[w] != 0 {
			return true
		}
	}
	return false
}

// clone returns a copy for so many rows.
func (b bitmap) clone(rows uint32) bitmap { return append(newBitmap(rows)[:0], b...)[:(rows+63)/64] }

func (b bitmap) set(doc uint32) { b[doc/64] |= 1 << (doc % 64) }
