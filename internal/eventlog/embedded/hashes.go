package embedded

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// entry is the hash of an event and where the event is.
type entry struct{ hash, seq int64 }

// hashes finds events by their hashes, for the writer of a log. It has the newest ones in memory and
// the others in runs of the log. An index in the log would cost a third of the write speed, because
// each hash changes another page of it.
//
// A transaction that adds hashes may be rolled back, and other processes add some, too. So each
// transaction that does not begin where the last one ended first calls follow. If the newest event that
// hashes knows is there, all the others are as well, because they were stored before it.
type hashes struct {
	list     []entry // of events that are in no run
	bySeq    map[int64]int64
	more     map[int64][]int64 // other seqs of the same hash
	id       loci.EventID      // of the newest event
	recorded int64             // the latest time of an event in list
	runs     runs
}

// runSize is how many events stay in memory before they become a run.
const runSize = 8192

// follow brings h up to the events of the transaction. It finds those that were recorded since a time.
func (h *hashes) follow(c *sqlitedb.Conn, s *state, since time.Time) error {
	changed, err := h.runs.follow(c, since.UnixMicro())
	if err != nil {
		return err
	}
	if changed || !h.isNewest(c) {
		h.clear()
	}
	if s.next()-1 <= h.last() {
		return nil
	}
	return c.Query(`SELECT seq, hash, id, recorded FROM events WHERE seq > ?1 UNION ALL
		SELECT seq, hash, id, recorded FROM forgotten WHERE seq > ?1 ORDER BY seq`, sqlitedb.Args{h.last()},
		func(r *sqlitedb.Row) error {
			h.add(entry{r.Int64(1), r.Int64(0)}, r.ID(2), r.Int64(3))
			return nil
		})
}

// last returns the seq of the newest event that h knows.
func (h *hashes) last() int64 {
	if len(h.list) == 0 {
		return h.runs.last
	}
	return h.list[len(h.list)-1].seq
}

// isNewest reports whether the newest event that h knows is in the log, or has left it.
func (h *hashes) isNewest(c *sqlitedb.Conn) bool {
	if len(h.list) == 0 {
		return true
	}
	same := false
	_, err := c.One(`SELECT id = ?1 FROM events WHERE seq = ?2 UNION ALL
		SELECT id = ?1 FROM forgotten WHERE seq = ?2`, sqlitedb.Args{[16]byte(h.id), h.last()},
		func(r *sqlitedb.Row) error { same = r.Bool(0); return nil })
	return err == nil && same
}

func (h *hashes) clear() {
	h.list = h.list[:0]
	clear(h.bySeq)
	clear(h.more)
	h.recorded = 0
}

func (h *hashes) add(e entry, id loci.EventID, recorded int64) {
	if h.bySeq == nil {
		h.bySeq, h.more = make(map[int64]int64, runSize), map[int64][]int64{}
	}
	if _, taken := h.bySeq[e.hash]; taken {
		h.more[e.hash] = append(h.more[e.hash], e.seq)
	} else {
		h.bySeq[e.hash] = e.seq
	}
	h.list = append(h.list, e)
	h.id, h.recorded = id, max(h.recorded, recorded)
}

// find returns the seqs of events that may have a hash, in order.
func (h *hashes) find(c *sqlitedb.Conn, hash int64) ([]int64, error) {
	seqs, err := h.runs.find(c, hash)
	if err != nil {
		return nil, err
	}
	slices.Sort(seqs)
	if seq, found := h.bySeq[hash]; found {
		seqs = append(append(seqs, seq), h.more[hash]...)
	}
	return seqs, nil
}

// flush makes a run of the hashes in memory if there are many. since is that of follow.
func (h *hashes) flush(c *sqlitedb.Conn, since, now time.Time) error {
	if len(h.list) < runSize {
		return nil
	}
	last := h.last()
	slices.SortFunc(h.list, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
	if err := h.runs.add(c, h.list, run{last: last, recorded: h.recorded}); err != nil {
		return err
	}
	h.clear()
	if err := h.runs.tidy(c, now.Add(-keepRuns).UnixMicro()); err != nil {
		return err
	}
	_, err := h.runs.follow(c, since.UnixMicro())
	return err
}

// duplicateOf returns the first event that makes e a duplicate.
func (a *appending) duplicateOf(e *loci.Event, row *newRow) (id loci.EventID, found bool, err error) {
	seqs, err := a.known.hashes.find(a.c, row.hash)
	for _, seq := range seqs {
		if err != nil || found {
			break
		}
		found, err = a.isEqual(seq, e, row, &id)
	}
	return id, found, err
}

const selectEarlier = `SELECT e.id, e.type, e.body, s.agent, s.origin, c.access, NULL FROM events e
	JOIN streams s ON s.n = e.stream JOIN classes c ON c.n = s.class WHERE e.seq = ?1 AND e.recorded >= ?2
	UNION ALL SELECT f.id, '', NULL, s.agent, s.origin, c.access, f.digest FROM forgotten f
	JOIN streams s ON s.n = f.stream JOIN classes c ON c.n = s.class WHERE f.seq = ?1 AND f.recorded >= ?2`

// isEqual compares e with an earlier event, and asks whether its writer sees that.
func (a *appending) isEqual(seq int64, e *loci.Event, row *newRow, id *loci.EventID) (equal bool, err error) {
	since := e.RecordedAt.Add(-a.window).UnixMicro()
	_, err = a.c.One(selectEarlier, sqlitedb.Args{seq, since}, func(r *sqlitedb.Row) error {
		earlier := loci.Event{ID: r.ID(0), Type: r.Text(1), AgentID: r.ID(3)}
		access, err := decodeAccess(a.viewer.OrgID, r.Raw(5))
		if err != nil {
			return err
		}
		access.Origin = r.Text(4)
		earlier.Origin, earlier.UserID = access.Origin, access.UserID // without an agent, they are part of the digest
		if r.Null(6) {
			if err := readBody(r.Raw(2), &earlier); err != nil {
				return err
			}
			if earlier.Digest() != row.digest {
				return nil
			}
		} else if !bytes.Equal(r.Raw(6), row.digest[:]) {
			return nil
		}
		equal, *id = a.viewer.SeesEvent(&access), earlier.ID
		return nil
	})
	return equal, err
}

// keepRuns is how long runs stay after their last event, so that they cover eventlog.MaxWindow.
const keepRuns = eventlog.MaxWindow + 24*time.Hour
