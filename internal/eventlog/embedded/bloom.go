package embedded

import (
	"encoding/binary"
	"math/bits"
)

// bloom is a Bloom filter whose bits for one key are in one block of 64 bytes, so that a question
// costs one access to memory (Putze, Sanders, Singler 2007). With 16 bits a key, it is wrong about
// one of several hundred keys.
type bloom []byte

const (
	bloomBits  = 16 // a key
	bloomBlock = 64 // bytes: eight words, in each of which a key has one bit
)

func newBloom(keys int) bloom {
	blocks := max(1, (keys*bloomBits+8*bloomBlock-1)/(8*bloomBlock))
	return make(bloom, blocks*bloomBlock)
}

// block returns the block of a key. The first bits of a hash choose it, the last ones the bits in it.
func (b bloom) block(hash int64) []byte {
	at, _ := bits.Mul64(uint64(hash), uint64(len(b)/bloomBlock)) // #nosec G115 -- only the bits count
	return b[at*bloomBlock : (at+1)*bloomBlock]
}

func (b bloom) add(hash int64) {
	block := b.block(hash)
	for i := range 8 {
		word := block[8*i : 8*i+8]
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|1<<(hash>>(6*i)&63))
	}
}

// has reports whether the key may have been added. An empty filter knows nothing.
func (b bloom) has(hash int64) bool {
	if len(b) == 0 {
		return true
	}
	block := b.block(hash)
	for i := range 8 {
		if binary.LittleEndian.Uint64(block[8*i:8*i+8])&(1<<(hash>>(6*i)&63)) == 0 {
			return false
		}
	}
	return true
}
