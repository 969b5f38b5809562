package indexing

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

const (
	// These bound how many events are read at a time, and about how many bytes they have.
	leastBatch, firstBatch = 10, 100
	batchBytes             = 1 << 20
	// followEvents is how often events are followed that no search has asked for. They come fast, and a search
	// has to follow what is left.
	followEvents = time.Second
)

// batch is how long the events were that somebody has read last.
type batch struct{ events, bytes int }

// limit returns how many events to read next: few if they may be long, because nobody else gets on meanwhile.
func (b batch) limit(most int) int {
	if b.events == 0 {
		return min(firstBatch, most)
	}
	return min(max(batchBytes*b.events/max(b.bytes, 1), leastBatch), most)
}

func (b *batch) learn(list []*loci.Event) {
	if len(list) == 0 {
		return
	}
	*b = batch{events: len(list)}
	for _, e := range list {
		b.bytes += len(e.Content) + len(e.Metadata)
	}
}

type events struct {
	log eventlog.Follower
	org loci.OrgID
}

func (s events) end(ctx context.Context) (store.Position, error) {
	at, err := s.log.End(ctx, s.org)
	return store.Position(at), err
}

// pending are changes that an index has read and not yet followed to the end. It follows a part of them at a time,
// because a session may have more events than anybody has time for.
type pending struct {
	eventlog.Changes
	again   []rowID // to read again, with their blocks: they are gone, or visible to others
	settles bool    // afterwards, the index has what became of its events
	old     bool    // somebody has asked since they were read, so there may be others
}

func (s events) changed(ctx context.Context, o *orgIndex) (changes, error) {
	if o.pending == nil {
		c, err := s.log.Changed(ctx, s.org, eventlog.Position(o.at), o.batch.limit(o.limits.events))
		if err != nil {
			return changes{}, err
		}
		o.batch.learn(c.Events)
		if len(c.Events)+len(c.Gone)+len(c.Sessions) == 0 {
			o.settled = true
			return changes{next: store.Position(c.Next), more: c.More}, nil
		}
		// If there is more, it may be of older events, unless these are only new ones.
		o.pending = &pending{Changes: c, again: o.concerned(&c), settles: !c.More || len(c.Gone)+len(c.Sessions) == 0}
	}
	p := o.pending
	if len(p.again) > 0 { // what became of older events comes first
		return changes{next: o.at, more: true, apply: func() error { return s.readSomeAgain(ctx, o, p) }}, nil
	}
	return changes{next: store.Position(p.Next), more: p.More || p.old, apply: func() error {
		list := slices.DeleteFunc(p.Events, func(e *loci.Event) bool { return o.has(rowID(e.ID)) })
		p.Events = list
		if err := o.place(ctx, &placing{rows: s}, eventRows(list)); err != nil {
			return err
		}
		o.pending, o.settled = nil, p.settles && !p.old
		return nil
	}}, nil
}

// concerned returns the rows of which others became something, of each block of a session one.
func (o *orgIndex) concerned(c *eventlog.Changes) (ids []rowID) {
	ids = converted[rowID](c.Gone)
	for _, session := range c.Sessions {
		for _, part := range o.parts {
			for _, b := range part.view.Blocks(session) {
				ids = append(ids, b.First.ID)
			}
		}
	}
	return ids
}

// readSomeAgain takes out some events with their blocks, and adds those that are there as they are visible now.
func (s events) readSomeAgain(ctx context.Context, o *orgIndex, p *pending) error {
	n := min(len(p.again), max(1, o.limits.events/o.limits.block))
	err := o.change(ctx, s, p.again[:n])
	if err == nil {
		p.again = p.again[n:]
	}
	return err
}

func (s events) read(ctx context.Context, _ *orgIndex, ids []rowID) ([]index.Row, map[rowID]bool, error) {
	var list []*loci.Event
	for some := range slices.Chunk(ids, loci.MaxIDs) {
		found, err := s.log.Read(ctx, s.org, converted[loci.EventID](some))
		if err != nil {
			return nil, nil, err
		}
		list = append(list, found...)
	}
	return eventRows(list), without(ids, list, func(e *loci.Event) rowID { return rowID(e.ID) }), nil
}

func eventRows(list []*loci.Event) []index.Row {
	rows := make([]index.Row, len(list))
	for i, e := range list {
		rows[i] = recall.EventRow(e)
		rows[i].Keys = keysOf(e)
	}
	return rows
}

func (s events) next(ctx context.Context, _ *orgIndex, w *walk) ([]listedRow, func() []index.Row, error) {
	list, next, err := s.log.Walk(ctx, s.org, eventlog.Oldest, eventlog.Position(w.rest), w.batch.limit(buildBatch))
	if err != nil {
		return nil, nil, err
	}
	w.batch.learn(list)
	w.rest = string(next)
	w.highest += int64(len(list))
	loci.ReportProgress(ctx, loci.Progress{Stage: "reading the events of " + string(s.org), Done: w.highest})
	rows := eventRows(list)
	return listOf(rows), func() []index.Row { return rows }, nil
}

// listOf lists rows, all of which can be found.
func listOf(rows []index.Row) []listedRow {
	list := make([]listedRow, len(rows))
	for i := range rows {
		list[i] = listedRow{rows[i].ID, rows[i].Updated, true}
	}
	return list
}

// EventsOptions configure an Index of events.
type EventsOptions struct {
	Options
	// Events returns the log that has the events of an org.
	Events func(context.Context, loci.OrgID) (eventlog.Follower, error)
}

// NewEvents returns an Index of events. It reads and writes nothing yet.
func NewEvents(o EventsOptions) *Index {
	x := newIndex(o.Options)
	x.one, x.many, x.format = "event", "events", formatOfEvents
	x.limits.follow = followEvents
	x.view = func(ctx context.Context, org loci.OrgID, fn func(rows) error) error {
		log, err := o.Events(ctx, org)
		if err != nil {
			return err
		}
		return fn(events{log, org})
	}
	return x
}

// latest brings the index up to date with log, and returns nil if it does not know what became of its events.
func (x *Index) latest(ctx context.Context, log eventlog.Follower, o *orgIndex) (*Snapshot, error) {
	if !o.lock(ctx) {
		return nil, nil
	}
	defer o.unlock()
	o.settled = false
	if o.pending != nil {
		o.pending.old = true
	}
	err := o.follow(ctx, events{log, o.org})
	if ctx.Err() != nil {
		err = nil
	}
	if o.wantsUpkeep() {
		x.wake()
	}
	if err != nil || !o.settled {
		return nil, err
	}
	return o.snapshot(), nil
}
