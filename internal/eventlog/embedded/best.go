package embedded

import (
	"container/heap"

	"github.com/loci-memory/loci"
)

// best keeps the first events of an order, at most limit, whatever order they come in. It is a heap with
// the last of them on top.
type best struct {
	desc   bool
	limit  int // at least 1
	events []*loci.Event
}

var _ heap.Interface = (*best)(nil)

// Len implements heap.Interface.
func (b *best) Len() int { return len(b.events) }

// Less implements heap.Interface.
func (b *best) Less(i, j int) bool { return b.isBefore(b.events[j].ID, b.events[i].ID) }

// Swap implements heap.Interface.
func (b *best) Swap(i, j int) { b.events[i], b.events[j] = b.events[j], b.events[i] }

// Push implements heap.Interface.
func (b *best) Push(e any) { b.events = append(b.events, e.(*loci.Event)) }

// Pop implements heap.Interface.
func (b *best) Pop() any {
	last := len(b.events) - 1
	e := b.events[last]
	b.events = b.events[:last]
	return e
}

func (b *best) isBefore(id, other loci.EventID) bool {
	if b.desc {
		id, other = other, id
	}
	return less(id, other)
}

func (b *best) isFull() bool { return len(b.events) >= b.limit }

func (b *best) last() loci.EventID { return b.events[0].ID }

func (b *best) admits(id loci.EventID) bool { return !b.isFull() || b.isBefore(id, b.last()) }

func (b *best) add(e *loci.Event) {
	if !b.isFull() {
		if b.events = append(b.events, e); b.isFull() { // until then, nothing asks for the last one
			heap.Init(b)
		}
		return
	}
	b.events[0] = e
	heap.Fix(b, 0)
}
