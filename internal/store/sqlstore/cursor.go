package sqlstore

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Positions encrypts places for callers. A plain row number would reveal how many rows the reader
// cannot see. So a position is one block, encrypted with a key of the org. A position from
// another org or list does not decrypt.
type Positions struct{ block cipher.Block }

// positionFormat identifies the layout of the block.
const positionFormat = 1

// NewPositions takes the org's key.
func NewPositions(key [16]byte) (Positions, error) {
	block, err := aes.NewCipher(key[:])
	return Positions{block}, err
}

// listKind keeps a position from being used with another sort order.
func listKind(q *store.ListQuery) byte {
	kind := byte(q.Lifecycle) << 1
	if q.Oldest {
		kind |= 1
	}
	if !q.When.IsZero() {
		kind |= 1 << 7
	}
	return kind
}

func (p Positions) encode(at Place, kind byte) store.Position {
	var b [aes.BlockSize]byte
	binary.BigEndian.PutUint64(b[:], uint64(at.At))
	binary.BigEndian.PutUint64(b[8:], uint64(at.Seq))
	b[8], b[9] = positionFormat, kind // numbers stay far below 2^48
	p.block.Encrypt(b[:], b[:])
	return store.Position(base64.RawURLEncoding.EncodeToString(b[:]))
}

func (p Positions) decode(s store.Position, kind byte) (Place, error) {
	b, err := base64.RawURLEncoding.DecodeString(string(s))
	if err != nil || len(b) != aes.BlockSize {
		return Place{}, badPosition()
	}
	p.block.Decrypt(b, b)
	if b[8] != positionFormat || b[9] != kind {
		return Place{}, badPosition()
	}
	b[8], b[9] = 0, 0
	return Place{int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))}, nil
}

func badPosition() error {
	return loci.Errorf(loci.Invalid, "the cursor does not belong to this list; start again without it")
}
