package embedded

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// reader reads one snapshot of an org's log.
type reader struct {
	l     *Log
	f     *orgLog
	c     *sqlitedb.Conn
	state state
	want

	streams map[int64]*work // that the reader has met; nil: none of their events count
	classes map[int64]bool  // whether the viewer sees them
	names   names
}

// want says which events a reader returns.
type want struct {
	viewer *loci.Viewer // nil: it sees everything, for those who show it to nobody
	filter eventlog.Filter
	also   func(*loci.Event) bool // reads only the head; nil: no more conditions
	heads  bool                   // the events need no bodies
	brief  bool                   // of their bodies, the events only need the actor and the parent
}

// snapshot runs fn on a snapshot of an org's log, or does nothing if there is none. fn may run twice.
func (l *Log) snapshot(ctx context.Context, org loci.OrgID, w want, fn func(*reader) error) error {
	return l.read(ctx, org, func(f *orgLog) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error { return l.readFrom(f, c, w, fn) })
	})
}

// search is snapshot for a read that may take long, unless it looks for ids.
func (l *Log) search(ctx context.Context, org loci.OrgID, w want, fn func(*reader) error) error {
	if w.filter.IDs != nil {
		return l.snapshot(ctx, org, w, fn)
	}
	return l.read(ctx, org, func(f *orgLog) error {
		return f.DB.Scan(ctx, func(c *sqlitedb.Conn) error { return l.readFrom(f, c, w, fn) })
	})
}

func (l *Log) readFrom(f *orgLog, c *sqlitedb.Conn, w want, fn func(*reader) error) error {
	s, err := loadState(c)
	if err != nil {
		return err
	}
	return fn(&reader{l: l, f: f, c: c, state: s, want: w, streams: map[int64]*work{}, classes: map[int64]bool{},
		names: names{}})
}

// work returns the stream of an event, or nil if its events don't count for the reader.
func (r *reader) work(n int64) (*work, error) {
	if w, met := r.streams[n]; met {
		return w, nil
	}
	w := r.f.works.get(r.state.access, n)
	if w == nil {
		var err error
		if w, err = loadWork(r.c, r.f.org, n, selectWork); err != nil {
			return nil, err
		}
		r.f.works.put(r.state.access, n, w)
	}
	if !r.sees(w) || !r.filter.MatchesWork(&loci.Event{SessionID: w.session, AgentID: w.agent, EventAccess: w.access}) {
		w = nil
	}
	r.streams[n] = w
	return w, nil
}

// sees applies the visibility rule, once for each class.
func (r *reader) sees(w *work) bool {
	if r.viewer == nil {
		return true
	}
	seen, known := r.classes[w.class]
	if !known {
		seen = r.viewer.SeesEvent(&w.access)
		r.classes[w.class] = seen
	}
	return seen
}

// names are words that many rows have, each once.
type names map[string]string

// maxNames limits how many of them a reader remembers.
const maxNames = 1000

func (n names) of(raw []byte) string {
	if known, met := n[string(raw)]; met {
		return known
	}
	name := string(raw)
	if len(n) < maxNames {
		n[name] = name
	}
	return name
}

// event returns the event of a row, or nil if it doesn't count.
func (r *reader) event(src *source, row *sqlitedb.Row) (*loci.Event, error) {
	w, err := r.work(row.Int64(colStream))
	if err != nil || w == nil {
		return nil, err
	}
	e := &loci.Event{ID: idOf(row), Class: loci.EventClass(r.names.of(row.Raw(colClass))),
		Type:       r.names.of(row.Raw(colType)),
		Importance: row.Int(colImportance), RecordedAt: time.UnixMicro(row.Int64(colRecorded)).UTC()}
	e.Time, _ = loci.EventTime(e.ID)
	e.SessionID, e.AgentID, e.EventAccess = w.session, w.agent, w.access
	if !r.filter.MatchesHead(e) || r.also != nil && !r.also(e) {
		return nil, nil
	}
	w.set(e)
	if r.heads && !r.filter.NeedsBody() {
		return e, nil
	}
	body, err := src.body(row)
	if err == nil && r.brief && !r.filter.NeedsBody() {
		return e, readBrief(body, e, r.names)
	}
	if err == nil {
		err = readBody(body, e)
	}
	if err != nil || !r.filter.MatchesBody(e) {
		return nil, err
	}
	return e, nil
}
