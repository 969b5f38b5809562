package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Append implements eventlog.Log.
func (l *Log) Append(ctx context.Context, v loci.Viewer, events []*loci.Event, d eventlog.Dedup) (
	[]eventlog.Outcome, error) {
	return l.append(ctx, v, events, d, false)
}

// append is Append, or with queue set Queue.
func (l *Log) append(ctx context.Context, v loci.Viewer, events []*loci.Event, d eventlog.Dedup, queue bool) (
	[]eventlog.Outcome, error) {
	if len(events) > loci.MaxEvents {
		return nil, loci.Errorf(loci.Invalid, "%d events are too many; send at most %d at once", len(events), loci.MaxEvents)
	}
	a, err := prepare(v, events, d, &l.access)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	a.now, a.queue = l.opts.Now(), queue
	err = l.write(ctx, v.OrgID, func(f *orgLog) error {
		a.known = &f.known
		return f.DB.Update(ctx, a.run)
	})
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		err = loci.WrapError(loci.Conflict, err, "an event with this id exists")
	}
	if err != nil {
		return nil, err
	}
	return a.outcomes, nil
}

type appending struct {
	viewer   loci.Viewer
	events   []*loci.Event
	window   time.Duration
	since    time.Time // events recorded before make nothing a duplicate
	now      time.Time
	rows     []newRow // one for each event
	keys     []streamKey
	known    *known
	outcomes []eventlog.Outcome
	queue    bool // the events enter the queue

	// These belong to one run of the transaction.
	c       *sqlitedb.Conn
	streams []int64 // of keys
	numbers numbers // of entries of the queue
}

// newRow is what Append computes before its transaction.
type newRow struct {
	digest [32]byte
	hash   int64 // the beginning of digest
	stream int   // index of keys
	body   []byte
}

func prepare(v loci.Viewer, events []*loci.Event, d eventlog.Dedup, access *lastAccess) (*appending, error) {
	if d.Window > eventlog.MaxWindow {
		return nil, loci.Errorf(loci.Invalid, "duplicates are found for at most %s", eventlog.MaxWindow)
	}
	a := &appending{viewer: v, events: events, window: d.Window, rows: make([]newRow, len(events))}
	size := 0
	for _, e := range events {
		size += len(e.Content) + len(e.Metadata) + 64
	}
	bodies := make([]byte, 0, size)
	for i, e := range events {
		if err := check(v, e); err != nil {
			return nil, err
		}
		if since := e.RecordedAt.Add(-d.Window); i == 0 || since.Before(a.since) {
			a.since = since
		}
		row := &a.rows[i]
		row.digest = e.Digest()
		row.hash = int64(binary.BigEndian.Uint64(row.digest[:8])) // #nosec G115 -- only its bits count
		begin := len(bodies)
		bodies = appendBody(bodies, e)
		row.body = bodies[begin:len(bodies):len(bodies)]
	}
	return a, a.group(access)
}

// group finds the streams of the events.
func (a *appending) group(access *lastAccess) error {
	indexes := map[streamKey]int{}
	for i, e := range a.events {
		if i > 0 && sameStream(e, a.events[i-1]) {
			a.rows[i].stream = a.rows[i-1].stream
			continue
		}
		own, err := access.encode(&e.EventAccess)
		if err != nil {
			return err
		}
		key := streamKey{e.SessionID, e.AgentID, e.Origin, own}
		n, known := indexes[key]
		if !known {
			n = len(a.keys)
			indexes[key] = n
			a.keys = append(a.keys, key)
		}
		a.rows[i].stream = n
	}
	return nil
}

// sameStream is the quick way to see that two events belong to one stream.
func sameStream(a, b *loci.Event) bool {
	return a.SessionID == b.SessionID && a.AgentID == b.AgentID && a.Origin == b.Origin &&
		a.SameAccess(&b.EventAccess)
}

// check rejects what callers must not pass.
func check(v loci.Viewer, e *loci.Event) error {
	if e.OrgID != v.OrgID {
		return loci.Errorf(loci.Invalid, "event %s belongs to another org", e.ID)
	}
	if at, ok := loci.EventTime(e.ID); !ok || !at.Equal(e.Time) {
		return loci.Errorf(loci.Invalid, "event %s has the id of another time", e.ID)
	}
	return nil
}

// run is the transaction. It may run twice.
func (a *appending) run(c *sqlitedb.Conn) (err error) {
	a.c, a.streams = c, a.streams[:0]
	a.outcomes = make([]eventlog.Outcome, 0, len(a.events))
	if err = a.known.follow(c, a.since); err != nil {
		return err
	}
	if err := a.resolve(); err != nil {
		return err
	}
	if a.queue {
		if a.numbers, err = newNumbers(c, a.now); err != nil {
			return err
		}
	}
	seq := a.known.state.next()
	for i := range a.events {
		duplicate, err := a.append(i, seq)
		if err != nil {
			return err
		}
		if !duplicate {
			seq++
		}
	}
	if a.queue {
		if err := a.numbers.save(c); err != nil {
			return err
		}
	}
	if err := a.known.hashes.flush(c, a.since, a.now); err != nil {
		return err
	}
	return a.known.leave(c, seq-1)
}

// resolve finds the streams of the events. It fails if a session is closed.
func (a *appending) resolve() error {
	for _, k := range a.keys {
		n, err := a.known.stream(a.c, k)
		if err != nil {
			return err
		}
		a.streams = append(a.streams, n)
	}
	return nil
}

const insertEvent = `INSERT INTO events (seq, id, stream, class, type, importance, recorded, hash, body)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// append stores one event unless it is a duplicate.
func (a *appending) append(i int, seq int64) (duplicate bool, err error) {
	e, row := a.events[i], &a.rows[i]
	if a.window > 0 {
		id, found, err := a.duplicateOf(e, row)
		if err != nil {
			return false, err
		}
		if found {
			a.outcomes = append(a.outcomes, eventlog.Outcome{ID: id, Duplicate: true})
			return true, nil
		}
	}
	recorded := e.RecordedAt.UnixMicro()
	err = a.c.Exec(insertEvent, seq, [16]byte(e.ID), a.streams[row.stream], string(e.Class), e.Type, e.Importance,
		recorded, row.hash, row.body)
	if err != nil {
		return false, err
	}
	if a.queue {
		if err := a.c.Exec(enqueue, a.numbers.next(), seq, [16]byte(e.ID), row.digest[:]); err != nil {
			return false, err
		}
	}
	a.known.hashes.add(entry{row.hash, seq}, e.ID, recorded)
	a.outcomes = append(a.outcomes, eventlog.Outcome{ID: e.ID})
	return false, nil
}
