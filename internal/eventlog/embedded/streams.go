package embedded

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

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

// storedAccess is an access as log.db has it. Files keep these names, whatever the REST API calls the
// fields. The org is missing because the file is the org's, and the origin because it belongs to the
// stream: no reader depends on it.
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
