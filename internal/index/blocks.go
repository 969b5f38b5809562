package index

import (
	"bytes"
	"cmp"
	"sort"
)

// Place orders the rows of a conversation.
type Place struct {
	Time int64 // in microseconds since 1970
	ID   [16]byte
}

// PlaceOf returns the place of a row.
func PlaceOf(r *Row) Place { return Place{micros(r.Time), r.ID} }

// Compare orders places.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Time, q.Time), bytes.Compare(p.ID[:], q.ID[:]))
}

// Block is the rows of a session that are each other's context.
type Block struct {
	Class Class
	First Place
	view  *View
	first uint32
}

const blockEntry = 16 + 4

// Blocks returns the blocks of a conversation that the view has, in no particular order. A block goes as a whole, as
// NewView requires.
func (v *View) Blocks(of [16]byte) (list []Block) {
	all := v.parts[secBlocks]
	at := sort.Search(len(all)/blockEntry, func(i int) bool { return bytes.Compare(all[i*blockEntry:][:16], of[:]) >= 0 })
	for all = all[at*blockEntry:]; len(all) > 0 && [16]byte(all) == of; all = all[blockEntry:] {
		if first := u32(all[16:], 0); !v.gone.has(first) {
			list = append(list, Block{v.classes[v.class(first)].class, v.place(first), v, first})
		}
	}
	return list
}

// Rows returns the places of the rows.
func (b *Block) Rows() []Place {
	list := []Place{b.First}
	for doc := b.first + 1; b.view.follows(doc); doc++ {
		list = append(list, b.view.place(doc))
	}
	return list
}

func (s *Segment) place(doc uint32) Place { return Place{s.time(doc), s.id(doc)} }

// conversations returns the conversations of the blocks, by their first rows.
func (s *Segment) conversations() map[uint32][]byte {
	of := map[uint32][]byte{}
	for all := s.parts[secBlocks]; len(all) > 0; all = all[blockEntry:] {
		of[u32(all[16:], 0)] = all[:16]
	}
	return of
}
