package arc

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// Purge permanently deletes events, in Arc first: if Arc refuses that, nothing is deleted. What is in
// the queue disappears at once, and is deleted in Arc when it has arrived. See eventlog.Keeper.
func (l *Log) Purge(ctx context.Context, org loci.OrgID, s eventlog.Selection, limit int) (int, error) {
	c, err := l.client(ctx, org)
	if err != nil {
		return 0, err
	}
	if s.Empty() {
		return l.local.Purge(ctx, org, s, limit) // which rejects it
	}
	for {
		state, err := l.local.State(ctx, org)
		if err != nil {
			return 0, err
		}
		n, err := l.purge(ctx, c, &s, state.First, limit)
		if err != nil || n > 0 {
			return n, unavailable(err)
		}
		now, err := l.local.State(ctx, org)
		if err != nil || now.First == state.First {
			return 0, err // else events have left the local log meanwhile, perhaps unseen
		}
	}
}

// purge deletes the oldest of what Arc has below a number and of what the local log has.
func (l *Log) purge(ctx context.Context, c *client, s *eventlog.Selection, below int64, limit int) (int, error) {
	mine, err := l.local.Selected(ctx, c.table.org, *s, limit)
	if err != nil {
		return 0, err
	}
	where := selected(s)
	if below > 0 { // the others are deleted on their way
		where = all(where, compareNumber(colSeq, "<", below))
	}
	theirs, err := c.selected(ctx, s, where, limit)
	if err != nil {
		return 0, err
	}
	both := sortedIDs(slices.Concat(mine, theirs))
	both = both[:min(len(both), limit)]
	later := func(id loci.EventID) bool { return oldestFirst(id, both[len(both)-1]) > 0 }
	mine, theirs = slices.DeleteFunc(mine, later), slices.DeleteFunc(theirs, later)
	// Without events, too: the caller must learn that Arc doesn't delete.
	if err := c.eraseUpTo(ctx, s, where, theirs); err != nil {
		return 0, err
	}
	if len(theirs) > 0 {
		if err := l.local.Gone(ctx, c.table.org, theirs); err != nil {
			return 0, err
		}
	}
	if len(mine) > 0 {
		_, err = l.local.Purge(ctx, c.table.org, eventlog.Selection{IDs: mine}, len(mine))
	}
	return len(both), err
}

// Rewrite changes what has not left for Arc. See eventlog.Keeper.
func (l *Log) Rewrite(ctx context.Context, org loci.OrgID, ids []loci.EventID, fn func(*loci.Event)) (
	[]loci.EventID, error) {
	return l.local.Rewrite(ctx, org, ids, fn)
}

// ErasePurged deletes in Arc what was purged on its way there. An org to which nothing is delivered any more
// needs it after Purge; otherwise the delivery does it.
func (l *Log) ErasePurged(ctx context.Context, org loci.OrgID) error {
	c, err := l.client(ctx, org)
	if err != nil {
		return err
	}
	return unavailable(l.eraseUpTo(ctx, c, math.MaxInt64))
}

// selected is a selection as SQL, without its time and ids.
func selected(s *eventlog.Selection) condition {
	var list []condition
	if s.Type != "" {
		list = append(list, is(colEventType, s.Type))
	}
	if len(s.NotTypes) > 0 {
		list = append(list, not(anyOf(colEventType, s.NotTypes)))
	}
	if !s.UserID.IsZero() {
		list = append(list, is(colUser, s.UserID.String()))
	}
	if !s.SessionID.IsZero() {
		list = append(list, is(colSession, s.SessionID.String()))
	}
	return all(list...)
}

// selected returns the oldest events in Arc that pass a selection, at most limit.
func (c *client) selected(ctx context.Context, s *eventlog.Selection, where condition, limit int) (
	found []loci.EventID, err error) {
	for _, p := range partsOf(s, where) {
		rows, err := c.selects(ctx, "DISTINCT id", []column{colID}, p.window, p.where, limited("id", limit))
		if err != nil {
			return nil, err
		}
		for _, cells := range rows {
			r := reader{cells: cells}
			if found = append(found, loci.EventID(r.id())); r.err != nil {
				return nil, r.err
			}
		}
	}
	return found, nil
}

// eraseUpTo deletes the events that pass a selection, up to the last one of ids.
func (c *client) eraseUpTo(ctx context.Context, s *eventlog.Selection, where condition, ids []loci.EventID) error {
	end := loci.EventID{}
	if len(ids) > 0 {
		end = slices.MaxFunc(ids, oldestFirst)
	}
	where = all(where, compare(colID, "<=", end.String()))
	for _, p := range partsOf(s, where) {
		if err := c.erase(ctx, p.window, p.where); err != nil {
			return err
		}
	}
	return nil
}

// timed is a condition for a window.
type timed struct {
	window window
	where  condition
}

// partsOf divides a selection into conditions that Arc takes.
func partsOf(s *eventlog.Selection, where condition) (parts []timed) {
	w := always
	if !s.Before.IsZero() {
		w.until = ceil(s.Before)
	}
	if s.IDs == nil {
		return []timed{{w, where}}
	}
	for ids := range slices.Chunk(sortedIDs(s.IDs), idsInStatement) {
		parts = append(parts, timed{narrowed(w, window{timeOf(ids[0]), timeOf(ids[len(ids)-1]).Add(time.Microsecond)}),
			all(where, anyOf(colID, idTexts(ids)))})
	}
	return parts
}

// Drop permanently deletes the events of an org. See eventlog.Keeper.
func (l *Log) Drop(ctx context.Context, org loci.OrgID) error {
	c, err := l.client(ctx, org)
	if err != nil {
		return err
	}
	if err := c.erase(ctx, always, condition{}); err != nil {
		return unavailable(err)
	}
	l.accesses.drop(org)
	return l.local.Drop(ctx, org)
}
