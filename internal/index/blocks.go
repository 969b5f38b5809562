package index

import (
	"bytes"
	"sort"
)

// blockEntry is the size of an entry of secBlocks.
const blockEntry = 16 + 4

// Block is the rows of a session that are each other's context, in their order.
type Block struct {
	view  *View
	first uint32
}

// Blocks returns the blocks of a conversation that the view has, in no particular order. A block goes as a whole, as
// NewView requires.
func (v *View) Blocks(of [16]byte) (list []Block) {
	all := v.parts[secBlocks]
	entry := func(i int) []byte { return all[i*blockEntry : (i+1)*blockEntry] }
	i := sort.Search(len(all)/blockEntry, func(i int) bool { return bytes.Compare(entry(i)[:16], of[:]) >= 0 })
	for ; i < len(all)/blockEntry && [16]byte(entry(i)) == of; i++ {
		if first := u32(entry(i)[16:], 0); !v.gone.has(first) {
			list = append(list, Block{v, first})
		}
	}
	return list
}

// Class returns the class of the rows.
func (b Block) Class() Class { return b.view.classes[b.view.class(b.first)].class }

// First returns the id of the first row.
func (b Block) First() [16]byte { return b.view.id(b.first) }

// Rows returns the ids of the rows.
func (b Block) Rows() [][16]byte {
	list := [][16]byte{b.First()}
	for doc := b.first + 1; b.view.follows(doc); doc++ {
		list = append(list, b.view.id(doc))
	}
	return list
}

// conversations returns the conversations of the blocks, by their first rows.
func (s *Segment) conversations() map[uint32][]byte {
	of := map[uint32][]byte{}
	for all := s.parts[secBlocks]; len(all) > 0; all = all[blockEntry:] {
		of[u32(all[16:], 0)] = all[:16]
	}
	return of
}
