package embedded

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// A cursor is a Position for callers. Its place is encrypted with the key of the log, because a page may
// end at an event that the caller must not know of. It is encrypted differently each time, so a caller
// who gets two doesn't learn whether hidden events were stored in between.
type cursor struct {
	epoch  [epochBytes]byte // of the log; zero: the beginning of the list, whatever log there is
	sealed []byte
}

func (c cursor) isBegin() bool { return c.epoch == [epochBytes]byte{} }

// list is what a cursor belongs to, besides its org. Their cursors look alike, but none is valid in another.
type list byte

const (
	newestFirst list = 'd'
	oldestFirst list = 'a'
	asStored    list = 't'
)

func listOf(desc bool) list {
	if desc {
		return newestFirst
	}
	return oldestFirst
}

// listOfOthers is a list of a log that has its events elsewhere. It is none of the lists above.
func listOfOthers(name eventlog.List) list { return list(name) | 0x80 }

// cursors makes and reads the cursors of one list of an org.
type cursors struct {
	org  loci.OrgID
	list list
}

const (
	epochBytes = 8
	sumBytes   = 8
)

// name is different for each list of each org.
func (cs cursors) name() []byte { return append([]byte{byte(cs.list)}, cs.org...) }

// sum tells the cursors of this list from everything else without the key, also if the log was deleted
// with it. Only the key tells whether a cursor was forged.
func (cs cursors) sum(rest []byte) []byte {
	sum := sha256.Sum256(slices.Concat(cs.name(), []byte{0}, rest))
	return sum[:sumBytes]
}

func (cs cursors) format(c cursor) eventlog.Position {
	rest := slices.Concat(c.epoch[:], c.sealed)
	return eventlog.Position(base64.RawURLEncoding.EncodeToString(append(cs.sum(rest), rest...)))
}

// parse returns the zero cursor for "".
func (cs cursors) parse(text eventlog.Position) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(text))
	if err != nil || len(raw) < sumBytes+epochBytes || !slices.Equal(raw[:sumBytes], cs.sum(raw[sumBytes:])) {
		return c, errPosition
	}
	copy(c.epoch[:], raw[sumBytes:])
	c.sealed = raw[sumBytes+epochBytes:]
	if c.isBegin() && len(c.sealed) > 0 {
		return c, errPosition
	}
	return c, nil
}

// seal returns the cursor of a place in the log with state s. A log without a state is empty.
func (cs cursors) seal(s *state, place []byte) (c cursor, err error) {
	if s.epoch == c.epoch {
		return c, nil
	}
	sealer, err := s.sealer()
	if err == nil {
		c = cursor{s.epoch, sealer.Seal(nil, nil, place, cs.name())}
	}
	return c, err
}

// open returns the place of a cursor, or nil for the beginning. It fails with errLost if the cursor is of
// another log of the org, and with errPosition if no log made it.
func (cs cursors) open(s *state, c cursor) ([]byte, error) {
	if c.isBegin() {
		return nil, nil
	}
	if c.epoch != s.epoch {
		return nil, errLost
	}
	sealer, err := s.sealer()
	if err != nil {
		return nil, err
	}
	place, err := sealer.Open(nil, nil, c.sealed, cs.name())
	if err != nil {
		return nil, errPosition
	}
	return place, nil
}

func (s *state) sealer() (cipher.AEAD, error) {
	block, err := aes.NewCipher(s.key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

var errPosition = loci.Errorf(loci.Invalid, "the cursor is not one of this query; use next_cursor unchanged, and the "+
	"same order and filter")

// The connections of side files have small caches, because many files may be open.
const sideCacheKiB = 512

func sideKey(org loci.OrgID, name string) string { return string(org) + "/" + name }

func newSideFile(key string) *sideFile {
	org, name, _ := strings.Cut(key, "/")
	return &sideFile{org: loci.OrgID(org), name: name}
}

func (l *Log) openSide(ctx context.Context, f *sideFile) (err error) {
	f.DB, err = sqlitedb.Open(ctx, sqlitedb.Options{Path: l.path(f.org, f.name), Migrations: migrations("month"),
		Now: l.opts.Now, CacheKiB: sideCacheKiB, ReadOnly: l.opts.ReadOnly})
	return err
}

// withSide runs fn on a side file, and creates the file if create is set. Otherwise found is false if there is none.
func (l *Log) withSide(ctx context.Context, org loci.OrgID, name string, create bool, fn func(*sqlitedb.DB) error) (
	found bool, err error) {
	for {
		if !create {
			if found, err = l.exists(org, name); !found || err != nil {
				return false, err
			}
		}
		f, err := l.sides.Acquire(ctx, sideKey(org, name))
		if err != nil {
			return true, err
		}
		if errors.Is(f.DB.InPlace(), sqlitedb.ErrGone) { // another process removed the file, and may have made a new one
			l.sides.Discard(f)
			l.sides.Release(f)
			continue
		}
		defer l.sides.Release(f)
		return true, fn(f.DB)
	}
}

func (l *Log) removeSide(ctx context.Context, org loci.OrgID, name string) error {
	return errors.Join(l.sides.Drop(sideKey(org, name)), sqlitedb.Remove(ctx, l.path(org, name)))
}
