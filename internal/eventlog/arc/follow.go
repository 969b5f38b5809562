package arc

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// point is a position in the order in which events entered the queue, and in the local log.
type point struct {
	seq   int64
	local eventlog.Position
}

func (p point) position() eventlog.Position {
	b := binary.BigEndian.AppendUint64(nil, uint64(p.seq)) // #nosec G115 -- not negative
	b = append(b, byte(len(p.local)))
	return eventlog.Position("q" + base64.RawURLEncoding.EncodeToString(append(b, p.local...)))
}

// parsePoint returns an Invalid error for what position did not make.
func parsePoint(at eventlog.Position) (p point, err error) {
	const head = 9
	text, ok := strings.CutPrefix(string(at), "q")
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if !ok || err != nil || len(b) < head || len(b)-head != int(b[head-1]) {
		return p, loci.Errorf(loci.Invalid, "the position is not one of this log")
	}
	return point{int64(binary.BigEndian.Uint64(b)), eventlog.Position(b[head:])}, nil // #nosec G115 -- only compared
}

// asStored is the list of Tail.
const asStored eventlog.List = 't'

// Tail returns visible events in the order in which they entered the queue. It asks Arc only for those
// that have left the local log, so a reader that keeps up needs no Arc. Its positions are numbers of the
// queue, which are never used twice. See eventlog.Log.
func (l *Log) Tail(ctx context.Context, v loci.Viewer, after eventlog.Position, limit int) (
	page eventlog.Page, err error) {
	c, err := l.client(ctx, v.OrgID)
	if err != nil {
		return page, err
	}
	var at int64
	if after == "" {
		var state eventlog.QueueState
		state, err = l.local.State(ctx, v.OrgID)
		at = state.Last
	} else if at, err = l.parseNumber(ctx, v.OrgID, after); err == nil {
		page.Events, at, err = l.tail(ctx, c, v, at, limit)
	}
	if err == nil {
		place := binary.BigEndian.AppendUint64(nil, uint64(at)) // #nosec G115 -- not negative
		page.Next, err = l.local.Hide(ctx, v.OrgID, asStored, place)
	}
	return page, err
}

func (l *Log) parseNumber(ctx context.Context, org loci.OrgID, at eventlog.Position) (int64, error) {
	b, err := l.local.Reveal(ctx, org, asStored, at)
	if err != nil || b == nil {
		return 0, err
	}
	if len(b) != 8 {
		return 0, errPosition
	}
	return int64(binary.BigEndian.Uint64(b)), nil // #nosec G115 -- only compared
}

// tail returns the visible events among those with numbers above after, at most limit, and up to which
// number they are.
func (l *Log) tail(ctx context.Context, c *client, v loci.Viewer, after int64, limit int) (
	events []*loci.Event, at int64, err error) {
	for at = after; ; {
		entries, err := l.stored(ctx, c, at, limit)
		if err != nil {
			return nil, at, err
		}
		for _, e := range entries {
			if len(events) == limit {
				break
			}
			if at = e.Number; !e.Erased && v.SeesEvent(&e.Event.EventAccess) {
				events = append(events, e.Event)
			}
		}
		if len(events) == limit || len(entries) < limit {
			return events, at, nil
		}
	}
}

// End returns the position after everything. See eventlog.Follower.
func (l *Log) End(ctx context.Context, org loci.OrgID) (eventlog.Position, error) {
	local, err := l.local.End(ctx, org) // before State, so that no change is missed
	if err != nil {
		return "", err
	}
	state, err := l.local.State(ctx, org)
	return point{state.Last, local}.position(), err
}

// Changed returns what was stored since, of Arc and of the queue. What became of sessions and what was
// deleted is in the local log alone. See eventlog.Follower.
func (l *Log) Changed(ctx context.Context, org loci.OrgID, after eventlog.Position, limit int) (
	changes eventlog.Changes, err error) {
	at, err := parsePoint(after)
	if err != nil {
		return changes, err
	}
	c, err := l.client(ctx, org)
	if err != nil {
		return changes, err
	}
	local, err := l.local.Changed(ctx, org, at.local, limit)
	if err != nil {
		return changes, err
	}
	entries, err := l.stored(ctx, c, at.seq, limit)
	if err != nil {
		return changes, err
	}
	changes.Sessions, changes.Gone = local.Sessions, local.Gone
	for _, e := range entries {
		if at.seq = e.Number; !e.Erased {
			changes.Events = append(changes.Events, e.Event)
		}
	}
	at.local = local.Next
	changes.Next, changes.More = at.position(), local.More || len(entries) == limit
	return changes, nil
}

// Walk returns events in an order. See eventlog.Follower.
func (l *Log) Walk(ctx context.Context, org loci.OrgID, o eventlog.Order, from eventlog.Position, limit int) (
	[]*loci.Event, eventlog.Position, error) {
	at, err := parsePlain(from)
	if err != nil {
		return nil, "", err
	}
	s, err := l.search(ctx, org, eventlog.Filter{}, o)
	if err != nil {
		return nil, "", err
	}
	u := &union{order: o, arc: s, refresh: l.refresh,
		local: func(ctx context.Context, at eventlog.Position) (eventlog.Page, error) {
			events, next, err := l.local.Walk(ctx, org, o, at, limit)
			return eventlog.Page{Events: events, Next: next}, err
		}}
	page, more, err := u.page(ctx, at, limit)
	if err != nil || more == nil {
		return page.Events, "", err
	}
	return page.Events, more.plain(), nil
}

// stored returns events with numbers above after, by number, at most limit: from Arc what has left the
// local log, and from there what is in the queue or refused. They have their present access.
func (l *Log) stored(ctx context.Context, c *client, after int64, limit int) ([]eventlog.Queued, error) {
	queued, err := l.local.Queued(ctx, c.table.org, after, limit)
	if err != nil {
		return nil, err
	}
	dead, err := l.local.Dead(ctx, c.table.org, after, limit)
	if err != nil {
		return nil, err
	}
	s := &search{c: c}
	if err := l.refresh(ctx, s); err != nil {
		return nil, err
	}
	for i, q := range queued {
		if !q.Erased {
			queued[i].Event = s.present(q.Event)
		}
	}
	state, err := l.local.State(ctx, c.table.org)
	if err != nil {
		return nil, err
	}
	if end := gone(queued, state); after < end {
		left, err := s.bySeq(ctx, after, end, limit)
		if err != nil {
			return nil, unavailable(err)
		}
		queued = append(left, queued...)
	}
	for _, d := range dead {
		queued = append(queued, eventlog.Queued{Number: d.Number, Event: s.present(d.Event)})
	}
	slices.SortStableFunc(queued, func(a, b eventlog.Queued) int { return cmp.Compare(a.Number, b.Number) })
	return queued[:min(len(queued), limit)], nil
}

// gone returns the last number that may have left the queue before entries were read.
func gone(entries []eventlog.Queued, state eventlog.QueueState) int64 {
	if len(entries) > 0 {
		return min(entries[0].Number-1, state.Forgotten)
	}
	return state.Forgotten
}

func (s *search) present(e *loci.Event) *loci.Event {
	now := *e
	if access, known := s.accesses.of(e.SessionID, classOf(&e.EventAccess), e.Origin); known {
		now.EventAccess = access
	}
	return &now
}

// bySeq returns the events of Arc with numbers above after, up to a number, by number, at most limit.
func (s *search) bySeq(ctx context.Context, after, upTo int64, limit int) (list []eventlog.Queued, err error) {
	for len(list) < limit {
		where := all(compareNumber(colSeq, ">", after), compareNumber(colSeq, "<=", upTo))
		rows, err := s.c.selects(ctx, "seq, "+names(eventColumns), append([]column{colSeq}, eventColumns...), always, where,
			limited("seq", limit))
		if err != nil {
			return nil, err
		}
		for _, cells := range rows {
			number := reader{cells: cells}
			seq := number.number()
			e, class, err := readEvent(number.cells)
			if err != nil {
				return nil, fmt.Errorf("event %d: %w", seq, err)
			}
			var known bool
			e.EventAccess, known = s.accesses.of(e.SessionID, class, e.Origin)
			if seq > after && known {
				list = append(list, eventlog.Queued{Number: seq, Event: e})
			}
			after = max(after, seq)
		}
		if len(rows) < limit {
			break
		}
	}
	return list[:min(len(list), limit)], nil
}
