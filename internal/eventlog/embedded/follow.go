package embedded

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// End implements eventlog.Follower.
func (l *Log) End(ctx context.Context, org loci.OrgID) (eventlog.Position, error) {
	return l.follow(ctx, org, want{}, plain{}, "", func(*reader, *position) error { return nil })
}

// Changed implements eventlog.Follower.
func (l *Log) Changed(ctx context.Context, org loci.OrgID, after eventlog.Position, limit int) (eventlog.Changes,
	error) {
	var changes eventlog.Changes
	if after == "" {
		return changes, errPosition
	}
	next, err := l.follow(ctx, org, want{}, plain{}, after, func(r *reader, p *position) (err error) {
		changes = eventlog.Changes{}
		if changes.Events, changes.More, err = r.stored(ctx, p, limit, limit); err != nil {
			return err
		}
		return r.changes(p, limit, &changes)
	})
	changes.Next = next
	return changes, err
}

// changes adds what happened to older events since p, and moves p.
func (r *reader) changes(p *position, limit int, to *eventlog.Changes) error {
	count := 0
	return r.c.Query("SELECT n, session, gone FROM changes WHERE n > ? ORDER BY n", sqlitedb.Args{p.n},
		func(row *sqlitedb.Row) error {
			if count >= limit {
				to.More = true
				return sqlitedb.ErrStop
			}
			if session := loci.SessionID(row.ID(1)); !session.IsZero() && !slices.Contains(to.Sessions, session) {
				to.Sessions = append(to.Sessions, session)
			}
			before := len(to.Gone)
			for id := range slices.Chunk(row.Raw(2), len(loci.EventID{})) {
				to.Gone = append(to.Gone, loci.EventID(id))
			}
			count += max(1, len(to.Gone)-before)
			p.n = row.Int64(0)
			return nil
		})
}

// Walk implements eventlog.Follower.
func (l *Log) Walk(ctx context.Context, org loci.OrgID, o eventlog.Order, at eventlog.Position, limit int) (
	[]*loci.Event, eventlog.Position, error) {
	s := &collector{desc: o != eventlog.Oldest, limit: limit + 1, within: everything()}
	if at != "" {
		raw, err := plainBytes(at, len(loci.EventID{}))
		if err != nil {
			return nil, "", err
		}
		s.within = s.within.rest(loci.EventID(raw), s.desc)
	}
	if err := l.collect(ctx, org, want{}, s); err != nil {
		return nil, "", err
	}
	page, place, more := s.page(limit)
	if !more {
		return page.Events, "", nil
	}
	return page.Events, plainText(place[:]), nil
}

// Read implements eventlog.Follower.
func (l *Log) Read(ctx context.Context, org loci.OrgID, ids []loci.EventID) ([]*loci.Event, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	s := &collector{limit: len(ids), within: everything()}
	err := l.collectAll(ctx, org, want{filter: eventlog.Filter{IDs: ids}}, s)
	return s.found, err
}

// tailRows is how many rows one Tail examines.
const tailRows = 10_000

// Tail implements eventlog.Log.
func (l *Log) Tail(ctx context.Context, v loci.Viewer, after eventlog.Position, limit int) (eventlog.Page, error) {
	var page eventlog.Page
	form := hidden{cursors{v.OrgID, asStored}}
	next, err := l.follow(ctx, v.OrgID, want{viewer: &v}, form, after, func(r *reader, p *position) (err error) {
		page = eventlog.Page{}
		if after != "" {
			page.Events, _, err = r.stored(ctx, p, limit, tailRows)
		}
		return err
	})
	page.Next = next
	return page, err
}

// follow runs fn with a position, which fn moves, and returns the next one. The position "" is the end.
func (l *Log) follow(ctx context.Context, org loci.OrgID, w want, form positions, after eventlog.Position,
	fn func(*reader, *position) error) (eventlog.Position, error) {
	var log state // of no log
	var p position
	found := false
	err := l.snapshot(ctx, org, w, func(r *reader) (err error) {
		found, log = true, r.state
		if after == "" {
			p, err = r.end()
		} else if p, err = form.parse(&log, after); err == nil {
			err = r.known(&p)
		}
		if err != nil {
			return err
		}
		return fn(r, &p)
	})
	if err == nil && !found && after != "" {
		if p, err = form.parse(&log, after); err == nil && p != (position{}) {
			err = errLost
		}
	}
	if err != nil {
		return "", err
	}
	return form.format(&log, p)
}

// stored returns events in the order in which they were stored, at most limit of those after p, and
// moves p. It examines at most most rows. more is set if there are others.
func (r *reader) stored(ctx context.Context, p *position, limit, most int) (
	events []*loci.Event, more bool, err error) {
	src, rows := logSource(r.c, p.seq, allSeqs), 0
	err = src.query(ctx, logSince, sqlitedb.Args{p.seq}, func(src *source, row *sqlitedb.Row) (bool, error) {
		if more = len(events) == limit || rows == most; more {
			return false, nil
		}
		rows++
		e, err := r.event(src, row)
		if err != nil {
			return false, err
		}
		if e != nil {
			events = append(events, e)
		}
		p.at(row.Int64(colNumber), idOf(row))
		return true, nil
	})
	return events, more, err
}
