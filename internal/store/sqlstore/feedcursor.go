package sqlstore

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// feedPlace is a reader's place in the feed: the last row that was read for it.
type feedPlace struct{ seq, at int64 }

// feedPositionSize is two blocks: first random bytes and the row number, then the time and a hash
// of the viewer. The blocks are chained, so that two positions of one place look unrelated. Parts
// of different positions, put together, decrypt to another viewer and are rejected.
const feedPositionSize = 2 * aes.BlockSize

var noIV [aes.BlockSize]byte // random bytes come first instead

func (p Positions) encodeFeed(at feedPlace, v loci.Viewer) store.Position {
	var b [feedPositionSize]byte
	_, _ = rand.Read(b[:8]) // cannot fail
	binary.BigEndian.PutUint64(b[8:], uint64(at.seq))
	b[8], b[9] = positionFormat, feedPosition // numbers stay far below 2^48
	binary.BigEndian.PutUint64(b[16:], uint64(at.at))
	copy(b[24:], viewerHash(v))
	cipher.NewCBCEncrypter(p.block, noIV[:]).CryptBlocks(b[:], b[:])
	return store.Position(base64.RawURLEncoding.EncodeToString(b[:]))
}

// decodeFeed returns Conflict for a position that belongs to another viewer.
func (p Positions) decodeFeed(s store.Position, v loci.Viewer) (feedPlace, error) {
	b, err := base64.RawURLEncoding.DecodeString(string(s))
	if err != nil || len(b) != feedPositionSize {
		return feedPlace{}, badPosition()
	}
	cipher.NewCBCDecrypter(p.block, noIV[:]).CryptBlocks(b, b)
	if b[8] != positionFormat || b[9] != feedPosition {
		return feedPlace{}, badPosition()
	}
	if !bytes.Equal(b[24:], viewerHash(v)) {
		return feedPlace{}, beginAnew()
	}
	b[8], b[9] = 0, 0
	return feedPlace{int64(binary.BigEndian.Uint64(b[8:])), int64(binary.BigEndian.Uint64(b[16:]))}, nil
}

func beginAnew() error {
	return loci.Errorf(loci.Conflict,
		"what has changed since then is not known any more, or what you may see has changed; read everything again, and "+
			"go on from there")
}

// ruleVersion must increase when a change of the visibility rule shows more to someone. Rows they
// could not see before were missing from their feed, so they have to start over.
const ruleVersion = 2

// viewerHash returns a hash over everything that decides what v may see.
func viewerHash(v loci.Viewer) []byte {
	h := sha256.New()
	h.Write([]byte{ruleVersion})
	for _, s := range []string{string(v.OrgID), string(v.Vendor)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	for _, id := range [][16]byte{v.UserID, v.TeamID, v.WorkspaceID, v.AgentID} {
		h.Write(id[:])
	}
	if v.OnlyProjects {
		h.Write([]byte{1})
	}
	ids := slices.SortedFunc(slices.Values(ProjectIDs(v)), func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	for _, id := range slices.Compact(ids) {
		h.Write(id[:])
	}
	return h.Sum(nil)[:8]
}
