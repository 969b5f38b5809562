package index

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loci-memory/loci/internal/index/packing"
)

// Vectors have what rows mean: a vector for each row that has one. They are kept with one byte for each dimension, so
// that a search can look at many of them, and with a code that tells which of them are worth it. They are safe for
// concurrent use.
type Vectors struct {
	dims int

	mu      sync.RWMutex
	slots   map[[16]byte]int32 // where the vector of a row is
	chunks  []chunk
	used    int      // slots, those of replaced vectors included
	version uint64   // counts the changes
	changes []change // the last ones
}

// change is a row whose vector is in another slot now, or that has none any more (-1).
type change struct {
	id   [16]byte
	slot int32
}

// mostChanges is how many changes a placed is brought up to date with. With more, it is made again.
const mostChanges = 4 << 10

// changed notes a change. The caller has the lock.
func (v *Vectors) changed(id [16]byte, slot int32) {
	v.version++
	if len(v.changes) == 2*mostChanges {
		v.changes = slices.Delete(v.changes, 0, mostChanges)
	}
	v.changes = append(v.changes, change{id, slot})
}

// chunk has the vectors of chunkSlots slots. A slot never changes once it is used, so searches read without a lock.
type chunk struct {
	values []int8
	scales []float32 // what the values of each slot are multiplied by; 0: the vector says nothing
	codes  []uint64
}

const chunkSlots = 1 << 10

// NewVectors returns an empty Vectors for vectors of so many dimensions.
func NewVectors(dims int) *Vectors {
	return &Vectors{dims: dims, slots: map[[16]byte]int32{}}
}

// Dims returns how many dimensions each vector has.
func (v *Vectors) Dims() int { return v.dims }

// Len returns how many rows have a vector.
func (v *Vectors) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.slots)
}

// Wasted returns how many slots are of replaced or removed vectors. Only a new Vectors is without them.
func (v *Vectors) Wasted() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.used - len(v.slots)
}

// Put sets the vector of a row. It panics if the vector has other dimensions.
func (v *Vectors) Put(id [16]byte, p packing.Vector) {
	if len(p.Values) != v.dims {
		panic("index: a vector of other dimensions")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	in := v.used % chunkSlots
	if in == 0 {
		v.chunks = append(v.chunks, chunk{make([]int8, chunkSlots*v.dims), make([]float32, chunkSlots),
			make([]uint64, chunkSlots*packing.CodeWords(v.dims))})
	}
	c, words := &v.chunks[len(v.chunks)-1], packing.CodeWords(v.dims)
	copy(c.values[in*v.dims:], p.Values)
	c.scales[in] = p.Scale
	packing.Encode(c.codes[in*words:in*words+words], p)
	v.slots[id] = int32(v.used)
	v.changed(id, int32(v.used))
	v.used++
}

// Remove takes the vector of a row out.
func (v *Vectors) Remove(id [16]byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.slots[id]; ok {
		delete(v.slots, id)
		v.changed(id, -1)
	}
}

// placed says where the vectors of the rows of a segment are, as of a version. It is immutable.
type placed struct {
	of      *Vectors
	version uint64
	chunks  []chunk
	slots   []int32   // of each row; -1: it has none. nil: no row has one
	codes   []uint64  // of the rows, one after the other, because searches read all of them
	sums    [][]int64 // of each class: the sum of its vectors, in steps of 1/sumSteps; nil: it has none
	counts  []int     // of each class: how many there are that say something
}

// sumSteps is how many steps of a sum the value 1 has. Sums are whole numbers, so a vector can be taken off again
// without a trace, and their order changes nothing.
const sumSteps = 1 << 32

// placement is the placed of a segment that was used last.
type placement struct {
	last   atomic.Pointer[placed]
	making sync.Mutex // held while the next one is made, so that searches at the same time do not all make it
}

func (v *Vectors) place(s *Segment) *placed {
	if p := s.placement.last.Load(); v.isCurrent(p) {
		return p
	}
	s.placement.making.Lock()
	defer s.placement.making.Unlock()
	last := s.placement.last.Load()
	if v.isCurrent(last) {
		return last
	}
	p, changes, ok := v.since(last)
	if ok {
		p.apply(s, changes)
	} else {
		p = v.placeAll(s)
	}
	s.placement.last.Store(p)
	return p
}

func (v *Vectors) isCurrent(p *placed) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return p != nil && p.of == v && p.version == v.version
}

// since returns a copy of a placed, and the changes that it lacks. ok is false if they are not known.
func (v *Vectors) since(last *placed) (p *placed, changes []change, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if last == nil || last.of != v || v.version-last.version > uint64(min(len(v.changes), mostChanges)) {
		return nil, nil, false
	}
	next := *last
	next.version, next.chunks = v.version, slices.Clone(v.chunks)
	return &next, slices.Clone(v.changes[len(v.changes)-int(v.version-last.version):]), true
}

// placeAll looks for the vector of each row. The lock is only held for that: sums take longer.
func (v *Vectors) placeAll(s *Segment) *placed {
	p := &placed{of: v, slots: make([]int32, s.rows), sums: make([][]int64, len(s.classes)),
		counts: make([]int, len(s.classes))}
	some := false
	v.mu.RLock()
	p.version, p.chunks = v.version, slices.Clone(v.chunks)
	for doc := range s.rows {
		slot, ok := v.slots[s.id(doc)]
		if p.slots[doc] = -1; ok {
			p.slots[doc], some = slot, true
		}
	}
	v.mu.RUnlock()
	if !some {
		p.slots = nil
	}
	p.codes = make([]uint64, len(p.slots)*packing.CodeWords(v.dims))
	for doc, slot := range p.slots {
		p.copyCode(doc, slot)
	}
	for i, c := range s.classes {
		for doc := c.begin; doc < c.end && p.slots != nil; doc++ {
			if slot := p.slots[doc]; slot >= 0 {
				p.count(i, slot, 1)
			}
		}
	}
	return p
}

// apply brings a copy of a placed up to date. It copies what it changes, because searches use the other one.
func (p *placed) apply(s *Segment, changes []change) {
	now := map[uint32]int32{}
	for _, c := range changes {
		if doc, ok := s.find(c.id); ok {
			now[doc] = c.slot
		}
	}
	if len(now) == 0 {
		return
	}
	if p.slots == nil {
		p.slots = slices.Repeat([]int32{-1}, int(s.rows))
		p.codes = make([]uint64, len(p.slots)*packing.CodeWords(p.of.dims))
	} else {
		p.slots, p.codes = slices.Clone(p.slots), slices.Clone(p.codes)
	}
	p.sums, p.counts = slices.Clone(p.sums), slices.Clone(p.counts)
	own := map[int]bool{} // classes whose sum was copied
	for doc, slot := range now {
		class := s.class(doc)
		if !own[class] {
			own[class], p.sums[class] = true, slices.Clone(p.sums[class])
		}
		if old := p.slots[doc]; old >= 0 {
			p.count(class, old, -1)
		}
		p.copyCode(int(doc), slot)
		if p.slots[doc] = slot; slot >= 0 {
			p.count(class, slot, 1)
		}
	}
}

func (p *placed) packed(slot int32) packing.Vector {
	c, in, dims := &p.chunks[slot/chunkSlots], int(slot%chunkSlots), p.of.dims
	return packing.Vector{Values: c.values[in*dims : in*dims+dims], Scale: c.scales[in]}
}

// copyCode copies the code of a slot to a row.
func (p *placed) copyCode(doc int, slot int32) {
	if words := packing.CodeWords(p.of.dims); slot >= 0 {
		in := int(slot%chunkSlots) * words
		copy(p.codes[doc*words:][:words], p.chunks[slot/chunkSlots].codes[in:])
	}
}

// count adds a vector to the sum of a class, times 1 or -1.
func (p *placed) count(class int, slot int32, times int) {
	if p.sums[class] == nil {
		p.sums[class] = make([]int64, p.of.dims)
	}
	if p.add(p.sums[class], slot, times) {
		p.counts[class] += times
	}
}

// add adds a vector to a sum, times 1 or -1. It reports whether the vector says something.
func (p *placed) add(sum []int64, slot int32, times int) bool {
	v := p.packed(slot)
	steps := int64(math.Round(float64(v.Scale)*sumSteps)) * int64(times)
	for i, x := range v.Values {
		sum[i] += int64(x) * steps
	}
	return v.Scale != 0
}
