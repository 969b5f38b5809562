package index

import (
	"encoding/binary"
	"iter"
	"slices"
	"sort"

	"github.com/loci-memory/loci/internal/language"
)

// table is a sorted list of distinct strings. A string's number is its place in the list. Strings are stored in
// blocks of which each string but the first is stored as its difference to the one before.
type table struct {
	count  uint32
	starts []byte // uint32 a block: where it begins in keys
	keys   []byte
	heads  []uint64 // of each block: how its first string begins, so that most searches look at one block only
}

const tableBlock = 16

// encodeTable writes strings, which must be sorted and distinct.
func encodeTable(list []string) []byte {
	var starts, keys []byte
	for i, s := range list {
		shared := 0
		if i%tableBlock == 0 {
			starts = binary.LittleEndian.AppendUint32(starts, uint32(len(keys)))
		} else {
			shared = sharedPrefix(list[i-1], s)
			keys = binary.AppendUvarint(keys, uint64(shared))
		}
		keys = binary.AppendUvarint(keys, uint64(len(s)-shared))
		keys = append(keys, s[shared:]...)
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(list)))
	return append(append(out, starts...), keys...)
}

func sharedPrefix[T, U ~string | ~[]byte](a T, b U) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func decodeTable(data []byte) (table, error) {
	if len(data) < 4 {
		return table{}, errDamaged
	}
	t := table{count: binary.LittleEndian.Uint32(data)}
	blocks := (int(t.count) + tableBlock - 1) / tableBlock
	if len(data) < 4+4*blocks {
		return table{}, errDamaged
	}
	t.starts, t.keys = data[4:4+4*blocks], data[4+4*blocks:]
	t.heads = make([]uint64, blocks)
	for i := range t.heads {
		start := u32(t.starts, uint32(i))
		if uint64(start) >= uint64(len(t.keys)) {
			return table{}, errDamaged
		}
		n, size := binary.Uvarint(t.keys[start:])
		if size <= 0 || n > uint64(len(t.keys)-int(start)-size) {
			return table{}, errDamaged
		}
		t.heads[i] = head(t.keys[int(start)+size:][:n])
	}
	return t, nil
}

// search returns the number of the first string that is not before s.
func (t *table) search(s string) uint32 {
	n, _ := t.find(s)
	return n
}

// find returns the number of a string, or of the first one after it. It builds none of the strings: it keeps how
// much of s is at the beginning of the last one, which is before s.
func (t *table) find(s string) (number uint32, ok bool) {
	block := t.blockOf(s)
	if block < 0 {
		return 0, false
	}
	c, matched := cursor{rest: t.keys[u32(t.starts, uint32(block)):]}, 0
	number = uint32(block) * tableBlock
	for end := min(number+tableBlock, t.count); number < end; number++ {
		shared := 0
		if number%tableBlock != 0 {
			shared = int(c.uvarint())
		}
		n := int(c.uvarint())
		key := c.rest[:n]
		c.rest = c.rest[n:]
		switch {
		case shared > matched:
			continue // it begins with what made the one before come before s
		case shared < matched:
			return number, false
		}
		rest := s[matched:]
		n = sharedPrefix(key, rest)
		switch {
		case n == len(key) && n == len(rest):
			return number, true
		case n == len(rest), n < len(key) && key[n] > rest[n]:
			return number, false
		}
		matched += n
	}
	return number, false
}

// blockOf returns the last block that begins with s or with a string before it, or -1.
func (t *table) blockOf(s string) int {
	h := head(s)
	from, _ := slices.BinarySearch(t.heads, h)
	alike := sort.Search(len(t.heads)-from, func(i int) bool { return t.heads[from+i] > h })
	return from + sort.Search(alike, func(i int) bool { return string(t.first(uint32(from+i))) > s }) - 1
}

// head returns the first eight bytes of a string as a number. Numbers are in the order of their strings; equal ones say
// nothing.
func head[S ~string | ~[]byte](s S) (h uint64) {
	for i := range min(len(s), 8) {
		h |= uint64(s[i]) << (56 - 8*i)
	}
	return h
}

// first returns the first string of a block.
func (t *table) first(block uint32) []byte {
	rest := t.keys[u32(t.starts, block):]
	n, size := binary.Uvarint(rest)
	return rest[size : size+int(n)]
}

func (t *table) at(number uint32) string {
	var c cursor
	c.seek(t, number)
	return string(c.key)
}

// from yields the strings from a number on. A string is valid until the next one.
func (t *table) from(number uint32) iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		if number >= t.count {
			return
		}
		var c cursor
		c.seek(t, number)
		for more := true; more && yield(c.number, c.key); {
			more = c.next(t)
		}
	}
}

// cursor walks a table.
type cursor struct {
	number uint32
	key    []byte
	rest   []byte
}

// start moves to the first string of a block.
func (c *cursor) start(t *table, block uint32) {
	c.rest, c.key, c.number = t.keys[u32(t.starts, block):], c.key[:0], block*tableBlock
	c.read(0)
}

func (c *cursor) seek(t *table, number uint32) {
	for c.start(t, number/tableBlock); c.number < number; {
		c.next(t)
	}
}

// to moves to the string with a number, which must not be lower than that of the last call, and returns it.
func (c *cursor) to(t *table, number uint32) []byte {
	if c.key == nil || number/tableBlock != c.number/tableBlock {
		c.start(t, number/tableBlock)
	}
	for c.number < number {
		c.next(t)
	}
	return c.key
}

// next moves to the next string, or reports that there is none.
func (c *cursor) next(t *table) bool {
	if c.number+1 >= t.count {
		return false
	}
	c.number++
	shared := uint64(0)
	if c.number%tableBlock != 0 {
		shared = c.uvarint()
	}
	c.read(int(shared))
	return true
}

func (c *cursor) read(shared int) {
	n := int(c.uvarint())
	c.key = append(c.key[:shared], c.rest[:n]...)
	c.rest = c.rest[n:]
}

func (c *cursor) uvarint() uint64 {
	n, size := binary.Uvarint(c.rest)
	c.rest = c.rest[size:]
	return n
}

// lookupWriter collects a table whose strings stand for forms. Strings arrive in order.
type lookupWriter struct {
	keys          []string
	offsets, data []byte
}

// begin begins the list of a string.
func (w *lookupWriter) begin(key string, size int) {
	w.keys = append(w.keys, key)
	w.offsets = binary.LittleEndian.AppendUint32(w.offsets, uint32(len(w.data)))
	w.data = binary.AppendUvarint(w.data, uint64(size))
}

// add adds a string with its forms, which ascend.
func (w *lookupWriter) add(key string, forms []uint32) {
	w.begin(key, len(forms))
	last := uint32(0)
	for _, n := range forms {
		w.data = binary.AppendUvarint(w.data, uint64(n-last))
		last = n
	}
}

// encode writes the table and the lists: uint32 offsets, and then of each list its size and its numbers as
// differences.
func (w *lookupWriter) encode() (keys, lists []byte) {
	return encodeTable(w.keys), append(w.offsets, w.data...)
}

// readList calls yield for each number of list i, of count lists.
func readList(data []byte, count, i uint32, yield func(uint32)) {
	rest := data[4*count+u32(data, i):]
	n, size := binary.Uvarint(rest)
	rest = rest[size:]
	last := uint32(0)
	for range n {
		delta, size := binary.Uvarint(rest)
		rest = rest[size:]
		last += uint32(delta)
		yield(last)
	}
}

// A form has a stem in some languages, and a row is in some languages. A row has the stem of a form only
// if one of its own languages says so. Otherwise it would depend on the rows beside it in the segment,
// also on hidden ones, whether it is found.

// stemmed is a form with a stem, and the languages in which that is its stem.
type stemmed struct {
	form  uint32
	langs language.Languages
}

// addStemmed adds a form, which is the last one of the list or comes after it.
func addStemmed(list []stemmed, s stemmed) []stemmed {
	if n := len(list); n > 0 && list[n-1].form == s.form {
		list[n-1].langs |= s.langs
		return list
	}
	return append(list, s)
}

// addStem adds a stem with its forms, which ascend. Each has its languages after it.
func (w *lookupWriter) addStem(key string, forms []stemmed) {
	w.begin(key, len(forms))
	last := uint32(0)
	for _, s := range forms {
		w.data = binary.AppendUvarint(w.data, uint64(s.form-last))
		w.data = binary.AppendUvarint(w.data, uint64(s.langs))
		last = s.form
	}
}

// sameStem adds the forms with a stem.
func (s *Segment) sameStem(key string, weight float64, found *[]weighted) {
	if n, ok := s.stems.find(key); ok {
		s.stemmed(n, func(f stemmed) { addForm(found, weighted{f.form, float32(weight), f.langs}) })
	}
}

// stemmed calls yield for each form with stem n.
func (s *Segment) stemmed(n uint32, yield func(stemmed)) {
	data := s.parts[secStemForms]
	rest, last := data[4*s.stems.count+u32(data, n):], uint32(0)
	number := func() uint32 {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		return uint32(n)
	}
	for range number() {
		last += number()
		yield(stemmed{last, language.Languages(number())})
	}
}

// addForm adds a form, or languages to one that is there.
func addForm(found *[]weighted, f weighted) {
	for i := range *found {
		if known := &(*found)[i]; known.form == f.form {
			if known.langs != 0 && f.langs != 0 {
				known.langs |= f.langs
			}
			return
		}
	}
	*found = append(*found, f)
}

// in reports whether a row has a form for a term: always, if it is the form itself.
func (s *Segment) in(doc uint32, f *weighted) bool {
	return f.langs == 0 || language.Languages(u32(s.parts[secLangs], doc))&f.langs != 0
}

// inLanguages removes the entries from the given one on of rows that do not have a form.
func (s *Segment) inLanguages(e *entries, f *weighted) {
	if f.langs == 0 {
		return
	}
	kept := 0
	for i, doc := range e.docs {
		if s.in(doc, f) {
			e.docs[kept], e.values[kept] = doc, e.values[i]
			kept++
		}
	}
	e.docs, e.values = e.docs[:kept], e.values[:kept]
}
