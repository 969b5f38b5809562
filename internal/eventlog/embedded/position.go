package embedded

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

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
