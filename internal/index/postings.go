package index

import (
	"encoding/binary"
	"iter"
	"sort"
)

// postingsBlock is how many rows a block of postings has. A reader skips blocks without rows that
// it sees.
const postingsBlock = 128

// once is the value of a word that occurs once in a field of weight 1. Values count halves.
const once = 2

// listWriter collects the postings of one form. Rows arrive in ascending order.
type listWriter struct {
	count     uint32
	last      uint32
	docs      []byte
	positions []byte
	blocks    []blockStart
}

// blockStart is where a block begins: its first row and its places in docs and positions.
type blockStart struct{ doc, docs, positions uint32 }

func (w *listWriter) add(doc, value uint32, positions []uint32) {
	if w.count%postingsBlock == 0 {
		w.blocks = append(w.blocks, blockStart{doc, uint32(len(w.docs)), uint32(len(w.positions))})
		w.last = doc
	}
	head := uint64(doc-w.last) << 1
	w.last = doc
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

// write appends the list to the two sections.
func (w *listWriter) write(postings, positions []byte) (newPostings, newPositions []byte) {
	postings = binary.AppendUvarint(postings, uint64(w.count))
	postings = binary.AppendUvarint(postings, uint64(len(positions)))
	for _, b := range w.blocks {
		postings = binary.LittleEndian.AppendUint32(postings, b.doc)
		postings = binary.LittleEndian.AppendUint32(postings, b.docs)
		postings = binary.LittleEndian.AppendUint32(postings, b.positions)
	}
	return append(postings, w.docs...), append(positions, w.positions...)
}

// list is the postings of one form.
type list struct {
	count     uint32
	blocks    []byte // blockStart, 12 bytes each
	docs      []byte
	positions []byte
}

func (s *Segment) list(form uint32) list {
	rest := s.parts[secPostings][u64(s.parts[secDirectory], form):]
	count, n := binary.Uvarint(rest)
	rest = rest[n:]
	positions, n := binary.Uvarint(rest)
	rest = rest[n:]
	size := 12 * ((int(count) + postingsBlock - 1) / postingsBlock)
	return list{uint32(count), rest[:size], rest[size:], s.parts[secPositions][positions:]}
}

func (l *list) block(i int) blockStart {
	b := l.blocks[12*i:]
	return blockStart{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]),
		binary.LittleEndian.Uint32(b[8:])}
}

// entries are the rows that contain a term, ascending, and the weighted count of the term in each.
type entries struct {
	docs   []uint32
	values []float32
}

func (e *entries) reset() { e.docs, e.values = e.docs[:0], e.values[:0] }

// len returns the number of rows of block i.
func (l *list) len(i int) int { return min(int(l.count)-i*postingsBlock, postingsBlock) }

// end returns the first row after block i, or the highest number if there is none.
func (l *list) end(i int) uint32 {
	if 12*(i+1) == len(l.blocks) {
		return ^uint32(0)
	}
	return l.block(i + 1).doc
}

// blockOf returns the block that has a row if any has. The first block is that of earlier rows, too.
func (l *list) blockOf(doc uint32) int {
	return max(sort.Search(len(l.blocks)/12, func(i int) bool { return l.block(i).doc > doc })-1, 0)
}

// blocksIn yields the blocks that may have rows in one of the spans, each with the spans from there
// on.
func (l *list) blocksIn(spans []span) iter.Seq2[int, []span] {
	return func(yield func(int, []span) bool) {
		for i := 0; 12*i < len(l.blocks); i++ {
			for first := l.block(i).doc; len(spans) > 0 && spans[0].end <= first; {
				spans = spans[1:]
			}
			if len(spans) == 0 {
				return
			}
			if begin := spans[0].begin; begin >= l.end(i) {
				i = l.blockOf(begin) - 1
				continue
			}
			if !yield(i, spans) {
				return
			}
		}
	}
}

// read appends the rows of the list that lie in one of the spans and are not gone.
func (l *list) read(spans []span, gone bitmap, scale float32, out *entries) {
	for i, rest := range l.blocksIn(spans) {
		if rest[0].begin <= l.block(i).doc && l.end(i) <= rest[0].end && gone == nil {
			l.readAll(i, scale, out)
			continue
		}
		l.readSome(i, rest, gone, scale, out)
	}
}

// readAll appends a whole block.
func (l *list) readAll(i int, scale float32, out *entries) {
	b := l.block(i)
	rest, doc := l.docs[b.docs:], b.doc
	for range l.len(i) {
		var value uint32
		doc, value, rest = readEntry(rest, doc)
		out.docs = append(out.docs, doc)
		out.values = append(out.values, float32(value)*scale)
	}
}

// readSome appends the rows of a block that lie in one of the spans and are not gone.
func (l *list) readSome(i int, spans []span, gone bitmap, scale float32, out *entries) {
	b := l.block(i)
	rest, doc := l.docs[b.docs:], b.doc
	for range l.len(i) {
		var value uint32
		doc, value, rest = readEntry(rest, doc)
		for len(spans) > 0 && spans[0].end <= doc {
			spans = spans[1:]
		}
		if len(spans) == 0 {
			return
		}
		if doc >= spans[0].begin && !gone.has(doc) {
			out.docs = append(out.docs, doc)
			out.values = append(out.values, float32(value)*scale)
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
		out = l.placesIn(i, docs, out)
		end := l.end(i)
		docs = docs[sort.Search(len(docs), func(j int) bool { return docs[j] >= end }):]
	}
	return out
}

// placesIn appends the places of block i.
func (l *list) placesIn(i int, docs []uint32, out []uint64) []uint64 {
	b := l.block(i)
	rest, places, at := l.docs[b.docs:], l.positions[b.positions:], b.doc
	for range l.len(i) {
		at, _, rest = readEntry(rest, at)
		for docs[0] < at {
			if docs = docs[1:]; len(docs) == 0 {
				return out
			}
		}
		if at < docs[0] {
			places = skipPlaces(places)
			continue
		}
		place := uint64(at) << 32
		for more := true; more; {
			n, size := binary.Uvarint(places)
			places = places[size:]
			place += n >> 1
			more = n&1 == 1
			out = append(out, place)
		}
	}
	return out
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

// clone returns a copy for so many rows.
func (b bitmap) clone(rows uint32) bitmap { return append(newBitmap(rows)[:0], b...)[:(rows+63)/64] }

func (b bitmap) set(doc uint32) { b[doc/64] |= 1 << (doc % 64) }
