package embedded

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// position is a place in the order in which events were stored. The zero position is before all.
type position struct {
	epoch [8]byte
	seq   int64
	n     int64   // of changes
	check [4]byte // the end of the id of the event at seq, because a restored backup may have another there
}

const positionBytes = 8 + 8 + 8 + 4

func (p position) format() eventlog.Position {
	b := append(make([]byte, 0, positionBytes), p.epoch[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(p.seq)) // #nosec G115 -- not negative
	b = binary.BigEndian.AppendUint64(b, uint64(p.n))   // #nosec G115 -- not negative
	return eventlog.Position("p" + base64.RawURLEncoding.EncodeToString(append(b, p.check[:]...)))
}

func parsePosition(text eventlog.Position) (p position, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(string(text[1:]))
	if err != nil || text[0] != 'p' || len(raw) != positionBytes {
		return p, errPosition
	}
	copy(p.epoch[:], raw)
	p.seq = int64(binary.BigEndian.Uint64(raw[8:])) // #nosec G115 -- checked when it is used
	p.n = int64(binary.BigEndian.Uint64(raw[16:]))  // #nosec G115 -- checked when it is used
	copy(p.check[:], raw[24:])
	return p, nil
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
