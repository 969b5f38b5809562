package embedded

import (
	"time"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// maxStreams limits how many streams a writer remembers.
const maxStreams = 10_000

// known is what the writer of a log has from its last transaction. Most transactions are Appends of
// few events, one after the other, and to look up what the one before has left would take longer than
// to store the events.
type known struct {
	version sqlitedb.Version // of the log that the rest belongs to; zero: it must be read
	state   state
	streams map[streamKey]int64 // those whose session is open
	hashes  hashes
}

// follow brings k up to the log of a transaction. The hashes are those since a time.
func (k *known) follow(c *sqlitedb.Conn, since time.Time) error {
	version, err := c.Version()
	if err != nil {
		return err
	}
	same := version == k.version
	k.version = sqlitedb.Version{} // until the transaction has done everything
	if !same {
		if k.state, err = newState(c); err != nil {
			return err
		}
		k.streams = map[streamKey]int64{}
	}
	if same && k.hashes.runs.reach(since) {
		return nil
	}
	return k.hashes.follow(c, &k.state, since)
}

// leave remembers the log as the transaction has made it. last is the seq of its last event.
func (k *known) leave(c *sqlitedb.Conn, last int64) (err error) {
	k.state.last = last
	k.version, err = c.Version()
	return err
}

// stream is putStream for a stream that k may know.
func (k *known) stream(c *sqlitedb.Conn, key streamKey) (n int64, err error) {
	n, found := k.streams[key]
	if found {
		return n, nil
	}
	if n, err = openStream(c, key); err == nil && len(k.streams) < maxStreams {
		k.streams[key] = n
	}
	return n, err
}
