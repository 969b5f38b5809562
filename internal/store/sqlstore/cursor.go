package sqlstore

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"math"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Positions encrypts places for callers. A plain row number would reveal how many rows the reader cannot see. So a
// position is one block, encrypted with a key of the org. A position from another org or list does not decrypt.
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

// paging is where a page of a list begins, and its length.
type paging struct {
	kind  byte // of the list's positions
	after store.Position
	limit int
}

// newestPage returns a page, the newest rows first, and the position at which the next page begins. ask selects rows
// with numbers below before, one more than the page has. That one tells whether another page follows.
func newestPage[T any](tx *Tx, p paging, scan func(Row) (int64, T, error),
	ask func(q *Query, before int64, limit int)) (list []T, next store.Position, err error) {
	if p.limit < 1 {
		return nil, "", loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	last := Place{Seq: math.MaxInt64}
	if p.after != "" {
		if last, err = tx.Positions.decode(p.after, p.kind); err != nil {
			return nil, "", err
		}
	}
	var q Query
	ask(&q, last.Seq, p.limit+1)
	err = tx.c.Query(q.String(), q.Args, func(r Row) error {
		seq, one, err := scan(r)
		if err != nil {
			return err
		}
		if len(list) == p.limit {
			next = tx.Positions.encode(last, p.kind)
			return ErrStop
		}
		last.Seq, list = seq, append(list, one)
		return nil
	})
	return list, next, err
}

func badPosition() error {
	return loci.Errorf(loci.Invalid, "the cursor does not belong to this list; start again without it")
}

// Index is what an engine derives from memories in order to find them, in one transaction. It
// only proposes rows. The shared statements apply the visibility rule again to each of them.
type Index interface {
	// Change updates what is derived from row seq. old is nil for a new row, now is nil for an erased one.
	Change(seq int64, old, now *loci.Memory) error
	// Adopt moves all rows without a workspace into w.
	Adopt(w loci.WorkspaceID) error
	// Near returns a viewer that sees the same rows in this transaction and is cheaper to query for.
	Near(v loci.Viewer, f *store.Filter) (loci.Viewer, error)
	// Walk begins a list.
	Walk(l Listing) (Walk, error)
	// Tagged returns those of tags that rows of a list have, without the one with that id.
	Tagged(l Listing, tags []string, except loci.MemoryID) ([]string, error)
	// Within runs fn and stops its statements when ctx ends. The transaction remains usable.
	Within(ctx context.Context, fn func() error) error
	// Rebuild drops the derived data and derives it again. Check compares it with the rows.
	Rebuild(ctx context.Context) error
	Check(ctx context.Context) ([]string, error)
}

// Listing is the content and order of a list.
type Listing struct {
	Viewer loci.Viewer
	Filter *store.Filter
	Oldest bool // oldest first
	Now    time.Time
}

// Walk goes through the places of one list in order. It may return places of rows that the viewer cannot see.
type Walk interface {
	// Parts returns how many statements the places take, most often one.
	Parts() int
	// Select adds the statement of one part: at most n places after the given one, in order, as the columns at and seq.
	Select(q *Query, part int, after Place, n int)
	// Total counts the rows of the whole list, up to limit.
	Total(limit int) (int, error)
}

// Place is a place in a list: the time and number of the last row shown.
type Place struct{ At, Seq int64 }
