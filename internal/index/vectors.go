package index

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Vectors have what rows mean: a vector for each row that has one. They are kept with one byte for each dimension, so
// that a search can look at all of them. They are safe for concurrent use.
type Vectors struct {
	dims int

	mu      sync.RWMutex
	slots   map[[16]byte]int32 // where the vector of a row is
	chunks  []chunk
	used    int    // slots, those of replaced vectors included
	version uint64 // counts the changes
}

// chunk has the vectors of chunkSlots slots. A slot never changes once it is used, so searches read without a lock.
type chunk struct {
	values []int8
	scales []float32 // what the values of each slot are multiplied by; 0: the vector says nothing
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

// Packed is a vector of the length 1 with one byte for each dimension, and what these are multiplied by.
type Packed struct {
	Values []int8
	Scale  float32
}

// Pack packs a vector. A vector of zeros has the scale 0.
func Pack(vector []float32) Packed {
	most := float32(0)
	for _, x := range vector {
		most = max(most, x, -x)
	}
	p := Packed{Values: make([]int8, len(vector)), Scale: most / math.MaxInt8}
	if p.Scale == 0 {
		return p
	}
	for i, x := range vector {
		p.Values[i] = int8(math.Round(float64(x / p.Scale)))
	}
	return p
}

// Put sets the vector of a row. It panics if the vector has other dimensions.
func (v *Vectors) Put(id [16]byte, p Packed) {
	if len(p.Values) != v.dims {
		panic("index: a vector of other dimensions")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	in := v.used % chunkSlots
	if in == 0 {
		v.chunks = append(v.chunks, chunk{make([]int8, chunkSlots*v.dims), make([]float32, chunkSlots)})
	}
	c := &v.chunks[len(v.chunks)-1]
	copy(c.values[in*v.dims:], p.Values)
	c.scales[in] = p.Scale
	v.slots[id] = int32(v.used)
	v.used++
	v.version++
}

// Remove takes the vector of a row out.
func (v *Vectors) Remove(id [16]byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.slots[id]; ok {
		delete(v.slots, id)
		v.version++
	}
}

// placed says where the vectors of the rows of a segment are, as of a version.
type placed struct {
	of      *Vectors
	version uint64
	chunks  []chunk
	slots   []int32     // of each row; -1: it has none
	bySlot  []uint32    // the rows that have one, in the order of their slots, in which memory is read fastest
	sums    [][]float64 // of each class: the sum of its vectors
	counts  []float64   // of each class: how many there are
}

// placement is the placed of a segment that was used last.
type placement struct{ last atomic.Pointer[placed] }

// place returns where the vectors of a segment are.
func (v *Vectors) place(s *Segment) *placed {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if last := s.placement.last.Load(); last != nil && last.of == v && last.version == v.version {
		return last
	}
	p := &placed{of: v, version: v.version, chunks: append([]chunk(nil), v.chunks...), slots: make([]int32, s.rows),
		sums: make([][]float64, len(s.classes)), counts: make([]float64, len(s.classes))}
	for i, c := range s.classes {
		p.sums[i] = make([]float64, v.dims)
		for doc := c.begin; doc < c.end; doc++ {
			slot, ok := v.slots[s.id(doc)]
			if p.slots[doc] = -1; !ok {
				continue
			}
			p.bySlot = append(p.bySlot, doc)
			if p.slots[doc] = slot; p.add(p.sums[i], slot, 1) {
				p.counts[i]++
			}
		}
	}
	slices.SortFunc(p.bySlot, func(x, y uint32) int { return cmp.Compare(p.slots[x], p.slots[y]) })
	s.placement.last.Store(p)
	return p
}

// at returns the vector in a slot.
func (p *placed) at(slot int32) Packed {
	c, in, dims := &p.chunks[slot/chunkSlots], int(slot%chunkSlots), p.of.dims
	return Packed{c.values[in*dims : in*dims+dims], c.scales[in]}
}

// add adds a vector to a sum, times a factor. It reports whether the vector says something.
func (p *placed) add(sum []float64, slot int32, times float64) bool {
	v := p.at(slot)
	scale := float64(v.Scale) * times
	for i, x := range v.Values {
		sum[i] += float64(x) * scale
	}
	return scale != 0
}
