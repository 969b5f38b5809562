package embedded

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
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

// position is a place in the order in which events were stored. The zero position is before all.
type position struct {
	epoch [epochBytes]byte
	seq   int64
	n     int64   // of changes
	check [4]byte // the end of the id of the event at seq, because a restored backup may have another there
}

const placeBytes = 8 + 8 + 4

// place returns what follows the epoch.
func (p position) place() []byte {
	b := make([]byte, 0, placeBytes)
	b = binary.BigEndian.AppendUint64(b, uint64(p.seq)) // #nosec G115 -- not negative
	b = binary.BigEndian.AppendUint64(b, uint64(p.n))   // #nosec G115 -- not negative
	return append(b, p.check[:]...)
}

func positionAt(epoch [epochBytes]byte, place []byte) (p position, err error) {
	if len(place) != placeBytes {
		return p, errPosition
	}
	p.epoch = epoch
	p.seq = int64(binary.BigEndian.Uint64(place))   // #nosec G115 -- checked when it is used
	p.n = int64(binary.BigEndian.Uint64(place[8:])) // #nosec G115 -- checked when it is used
	copy(p.check[:], place[16:])
	return p, nil
}

// positions is how positions look, in the log with state s.
type positions interface {
	format(s *state, p position) (eventlog.Position, error)
	parse(s *state, text eventlog.Position) (position, error)
}

// hidden positions are for callers.
type hidden struct{ cursors cursors }

func (h hidden) format(s *state, p position) (eventlog.Position, error) {
	c, err := h.cursors.seal(s, p.place())
	return h.cursors.format(c), err
}

func (h hidden) parse(s *state, text eventlog.Position) (position, error) {
	c, err := h.cursors.parse(text)
	if err != nil {
		return position{}, err
	}
	place, err := h.cursors.open(s, c)
	if err != nil || place == nil {
		return position{}, err
	}
	return positionAt(s.epoch, place)
}

// plain positions are for followers, who see everything. They can be read without a key, because a
// follower must learn that its log was deleted, or that another one is in its place.
type plain struct{}

const plainMark = "p"

func (plain) format(_ *state, p position) (eventlog.Position, error) {
	return plainText(slices.Concat(p.epoch[:], p.place())), nil
}

func (plain) parse(_ *state, text eventlog.Position) (position, error) {
	raw, err := plainBytes(text, epochBytes+placeBytes)
	if err != nil {
		return position{}, err
	}
	return positionAt([epochBytes]byte(raw), raw[epochBytes:])
}

func plainText(raw []byte) eventlog.Position {
	return eventlog.Position(plainMark + base64.RawURLEncoding.EncodeToString(raw))
}

func plainBytes(text eventlog.Position, size int) ([]byte, error) {
	body, marked := strings.CutPrefix(string(text), plainMark)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(body)
	if err != nil || !marked || len(raw) != size {
		return nil, errPosition
	}
	return raw, nil
}

var errLost = loci.Errorf(loci.Conflict, "the event log doesn't know this position any more; begin again")

// end returns the position after everything.
func (r *reader) end() (p position, err error) {
	p = position{epoch: r.state.epoch, seq: r.state.next() - 1}
	if p.n, err = r.lastChange(); err != nil {
		return p, err
	}
	id, err := r.idAt(p.seq)
	p.at(p.seq, id)
	return p, err
}

// at moves p to an event.
func (p *position) at(seq int64, id loci.EventID) {
	p.seq = seq
	copy(p.check[:], id[len(id)-len(p.check):])
}

// lastChange returns the highest n that a change ever had.
func (r *reader) lastChange() (n int64, err error) {
	_, err = r.c.One("SELECT seq FROM sqlite_sequence WHERE name = 'changes'", nil, readNumber(&n))
	return n, err
}

// idAt returns the id of the event at seq, or zero.
func (r *reader) idAt(seq int64) (id loci.EventID, err error) {
	_, err = r.c.One("SELECT id FROM events WHERE seq = ?", sqlitedb.Args{seq}, func(row *sqlitedb.Row) error {
		id = row.ID(0)
		return nil
	})
	return id, err
}

// known fails with errLost if something after p is not in the log any more, or if p is of another log.
func (r *reader) known(p *position) error {
	if *p == (position{}) {
		p.epoch = r.state.epoch
	}
	n, err := r.lastChange()
	if err != nil {
		return err
	}
	id, err := r.idAt(p.seq)
	if err != nil {
		return err
	}
	there := *p
	there.at(p.seq, id)
	if p.epoch != r.state.epoch || p.seq < r.state.sealed || p.seq >= r.state.next() ||
		p.n < r.state.forgotten || p.n > n || !id.IsZero() && there.check != p.check {
		return errLost
	}
	return nil
}
