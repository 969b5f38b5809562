package embedded

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

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
