package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// streamKey is what tells streams apart.
type streamKey struct {
	session loci.SessionID
	agent   loci.AgentID
	origin  string
	own     string // class, as encodeAccess returns it
}

// storedAccess is an access as log.db has it. Files keep these names, whatever the REST API calls the fields. The org
// is missing because the file is the org's, and the origin because it belongs to the stream: no reader depends on it.
type storedAccess struct {
	Format    int              `json:"v"`
	User      loci.UserID      `json:"user"`
	Workspace loci.WorkspaceID `json:"workspace,omitzero"`
	Project   loci.ProjectID   `json:"project,omitzero"`
	Reach     loci.Reach       `json:"reach"`
	Team      loci.TeamID      `json:"team,omitzero"`
	Vendors   []loci.Vendor    `json:"vendors"`
}

const accessFormat = 1

// encodeAccess returns a class as text, the same for equal ones.
func encodeAccess(a loci.EventAccess) (string, error) {
	text, err := json.Marshal(storedAccess{Format: accessFormat, User: a.UserID, Workspace: a.WorkspaceID,
		Project: a.ProjectID, Reach: a.Reach, Team: a.TeamID, Vendors: a.AllowedVendors})
	return string(text), err
}

// lastAccess encodes accesses and remembers the last one, because most writers have the same as the one before.
type lastAccess struct {
	last atomic.Pointer[encodedAccess]
}

type encodedAccess struct {
	access loci.EventAccess
	text   string
}

func (l *lastAccess) encode(a *loci.EventAccess) (string, error) {
	if e := l.last.Load(); e != nil && e.access.SameAccess(a) {
		return e.text, nil
	}
	text, err := encodeAccess(*a)
	if err == nil {
		e := &encodedAccess{*a, text}
		e.access.AllowedVendors = slices.Clone(a.AllowedVendors)
		l.last.Store(e)
	}
	return text, err
}

func decodeAccess(org loci.OrgID, text []byte) (loci.EventAccess, error) {
	var a storedAccess
	if err := json.Unmarshal(text, &a); err != nil {
		return loci.EventAccess{}, fmt.Errorf("%w: access: %w", errDamaged, err)
	}
	if a.Format != accessFormat {
		return loci.EventAccess{}, fmt.Errorf("%w: access has format %d, want %d", errDamaged, a.Format, accessFormat)
	}
	return loci.EventAccess{OrgID: org, UserID: a.User, WorkspaceID: a.Workspace, ProjectID: a.Project, Reach: a.Reach,
		TeamID: a.Team, AllowedVendors: a.Vendors}, nil
}

func putClass(c *sqlitedb.Conn, access string) (n int64, err error) {
	found, err := c.One("SELECT n FROM classes WHERE access = ?", sqlitedb.Args{access}, readNumber(&n))
	if err != nil || found {
		return n, err
	}
	err = c.Exec("INSERT INTO classes (access) VALUES (?)", access)
	return c.LastInsertID(), err
}

func readNumber(n *int64) func(*sqlitedb.Row) error {
	return func(r *sqlitedb.Row) error { *n = r.Int64(0); return nil }
}

// putStream returns the number of a stream and adds the stream if it is new. session is what the log
// was told of its session; nil: nothing.
func putStream(c *sqlitedb.Conn, k streamKey, session *eventlog.Session) (n int64, err error) {
	own, err := putClass(c, k.own)
	if err != nil {
		return 0, err
	}
	found, err := c.One("SELECT n FROM streams WHERE session = ? AND agent = ? AND origin = ? AND own = ?",
		sqlitedb.Args{[16]byte(k.session), [16]byte(k.agent), k.origin, own}, readNumber(&n))
	if err != nil || found {
		return n, err
	}
	class, err := effectiveClass(c, own, k.own, session)
	if err != nil {
		return 0, err
	}
	err = c.Exec("INSERT INTO streams (session, agent, origin, own, class) VALUES (?, ?, ?, ?, ?)",
		[16]byte(k.session), [16]byte(k.agent), k.origin, own, class)
	return c.LastInsertID(), err
}

// openStream is putStream for a stream whose session must be open.
func openStream(c *sqlitedb.Conn, k streamKey) (int64, error) {
	if k.session.IsZero() {
		return putStream(c, k, nil)
	}
	session, err := knownSession(c, k.session)
	if err != nil {
		return 0, err
	}
	if session != nil && session.Closed {
		return 0, loci.Errorf(loci.Conflict, "session %s is closed; reopen it or use another one", k.session)
	}
	return putStream(c, k, session)
}

// effectiveClass returns the class that events of a session have which were stored with the class own.
func effectiveClass(c *sqlitedb.Conn, own int64, access string, session *eventlog.Session) (int64, error) {
	if session == nil {
		return own, nil
	}
	a, err := decodeAccess("", []byte(access))
	if err != nil {
		return 0, err
	}
	text, err := encodeAccess(session.AccessOf(a))
	if err != nil {
		return 0, err
	}
	return putClass(c, text)
}

// knownSession returns what the log was told of a session; nil: nothing.
func knownSession(c *sqlitedb.Conn, id loci.SessionID) (s *eventlog.Session, err error) {
	_, err = c.One("SELECT revision, closed, access FROM sessions WHERE id = ?", sqlitedb.Args{[16]byte(id)},
		func(r *sqlitedb.Row) (err error) {
			s = &eventlog.Session{ID: id, Revision: r.Int64(0), Closed: r.Bool(1)}
			s.Access, err = decodeAccess("", r.Raw(2))
			return err
		})
	return s, err
}

// maxStreams limits how many streams a writer remembers.
const maxStreams = 10_000

// known is what the writer of a log has from its last transaction. Most transactions are Appends of few events, one
// after the other, and to look up what the one before has left would take longer than to store the events.
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

// work is what the events of a stream have in common, as it is now.
type work struct {
	session loci.SessionID
	agent   loci.AgentID
	class   int64
	access  loci.EventAccess
}

// maxWorks limits how many streams an open log remembers.
const maxWorks = 10_000

// works remembers streams, for all readers of a log. What it remembers holds for every snapshot with
// the same access number, because only that number's change lets a stream change.
type works struct {
	mu      sync.Mutex
	access  int64
	streams map[int64]*work
}

func (ws *works) get(access, n int64) *work {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.access != access {
		return nil
	}
	return ws.streams[n]
}

func (ws *works) put(access, n int64, w *work) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.access > access {
		return // w is of an old snapshot
	}
	if ws.access < access || len(ws.streams) >= maxWorks || ws.streams == nil {
		ws.access, ws.streams = access, map[int64]*work{}
	}
	ws.streams[n] = w
}

const selectWork = `SELECT s.session, s.agent, s.origin, s.class, c.access FROM streams s
	JOIN classes c ON c.n = s.class WHERE s.n = ?`

func loadWork(c *sqlitedb.Conn, org loci.OrgID, n int64, query string) (*work, error) {
	w := &work{}
	_, err := c.One(query, sqlitedb.Args{n}, func(r *sqlitedb.Row) (err error) {
		w.session, w.agent, w.class = r.ID(0), r.ID(1), r.Int64(3)
		w.access, err = decodeAccess(org, r.Raw(4))
		w.access.Origin = r.Text(2)
		return err
	})
	return w, err
}

// set gives an event what the stream says about it.
func (w *work) set(e *loci.Event) {
	e.SessionID, e.AgentID, e.EventAccess = w.session, w.agent, w.access
	e.AllowedVendors = slices.Clone(w.access.AllowedVendors)
}

// SetSession implements eventlog.Keeper. It creates the log, because a session that is closed before
// its first event must refuse that, too.
func (l *Log) SetSession(ctx context.Context, org loci.OrgID, s eventlog.Session) error {
	return l.write(ctx, org, func(f *orgLog) error {
		return f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return setSession(c, &s) })
	})
}

func setSession(c *sqlitedb.Conn, s *eventlog.Session) error {
	if _, err := newState(c); err != nil {
		return err
	}
	known, err := knownSession(c, s.ID)
	if err != nil || known != nil && known.Revision >= s.Revision {
		return err
	}
	access, err := encodeAccess(s.Access)
	if err != nil {
		return err
	}
	err = c.Exec(`INSERT INTO sessions (id, revision, closed, access) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, closed = excluded.closed, access = excluded.access`,
		[16]byte(s.ID), s.Revision, s.Closed, access)
	if err != nil {
		return err
	}
	return reclassify(c, s)
}

// reclassify gives the streams of a session the classes that follow from the session's access.
func reclassify(c *sqlitedb.Conn, s *eventlog.Session) error {
	type stream struct {
		n, own, class int64
		access        string
	}
	var streams []stream
	err := c.Query(`SELECT s.n, s.own, s.class, c.access FROM streams s JOIN classes c ON c.n = s.own
		WHERE s.session = ?`, sqlitedb.Args{[16]byte(s.ID)}, func(r *sqlitedb.Row) error {
		streams = append(streams, stream{r.Int64(0), r.Int64(1), r.Int64(2), r.Text(3)})
		return nil
	})
	if err != nil {
		return err
	}
	changed := false
	for _, st := range streams {
		class, err := effectiveClass(c, st.own, st.access, s)
		if err != nil {
			return err
		}
		if class == st.class {
			continue
		}
		changed = true
		if err := c.Exec("UPDATE streams SET class = ? WHERE n = ?", class, st.n); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	if err := c.Exec("UPDATE state SET access = access + 1"); err != nil {
		return err
	}
	return c.Exec("INSERT INTO changes (session) VALUES (?)", [16]byte(s.ID))
}
