package sqlstore

import (
	"context"
	"math"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type sessions struct{ *Tx }

// These are the kinds of positions of lists other than memories and nodes, which define their
// own.
const (
	sessionPosition    byte = 0x20
	suggestionPosition byte = 0x21
	feedPosition       byte = 0x22
)

const sessionColumns = "s.seq, s.id, s.user_id, s.workspace_id, s.project_id, s.agent_id, s.vendor, s.title, " +
	"s.state, s.created_at, s.closed_at"

func (tx *Tx) scanSession(r Row) (int64, loci.Session) {
	return r.Int64(0), loci.Session{ID: r.ID(1), OrgID: tx.Org, UserID: r.ID(2), WorkspaceID: r.ID(3), ProjectID: r.ID(4),
		AgentID: r.ID(5),
		Vendor:  loci.Vendor(r.Text(6)), Title: r.Text(7), State: loci.SessionState(r.Text(8)), CreatedAt: timeAt(r, 9),
		ClosedAt: timeAt(r, 10)}
}

// seesSession adds the rule of loci.Viewer.SeesSession over the alias s.
func (tx *Tx) seesSession(q *Query, v loci.Viewer) {
	tx.sharesWork(q, v, "s")
	if !v.WorkspaceID.IsZero() {
		q.Add(" AND s.workspace_id = ?", [16]byte(v.WorkspaceID))
	}
}

func (t sessions) Insert(_ context.Context, s loci.Session) error {
	if err := t.mine(s.OrgID); err != nil {
		return err
	}
	if err := t.knowsUser(s.UserID); err != nil {
		return err
	}
	if err := t.mayActAs(&s); err != nil {
		return err
	}
	err := t.c.Exec("INSERT INTO sessions ({org} id, user_id, workspace_id, project_id, agent_id, vendor, title, "+
		"state, created_at, closed_at) VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		[16]byte(s.ID), [16]byte(s.UserID), orNull(s.WorkspaceID), orNull(s.ProjectID), orNull(s.AgentID), string(s.Vendor),
		s.Title,
		string(s.State), s.CreatedAt.UnixMicro(), micros(s.ClosedAt))
	if t.d.taken(err) {
		return loci.Errorf(loci.Conflict, "session %s exists already", s.ID)
	}
	return err
}

// mayActAs looks up the session's agent as the session's vendor sees it. A session of another
// vendor's agent would let one vendor read as the other.
func (t sessions) mayActAs(s *loci.Session) error {
	if s.AgentID.IsZero() {
		return nil
	}
	found, err := t.there("SELECT 1 FROM agents WHERE {agents} id = ?1 AND user_id = ?2 AND ?3 IN ('', vendor)",
		[16]byte(s.AgentID), [16]byte(s.UserID), string(s.Vendor))
	return orMissing(found, err, noAgent)
}

func noSession() error { return loci.Errorf(loci.NotFound, "no such session") }

func (t sessions) Get(_ context.Context, v loci.Viewer, id loci.SessionID) (s loci.Session, err error) {
	var q Query
	q.Add("SELECT "+sessionColumns+" FROM sessions s WHERE {s} s.id = ? AND ", [16]byte(id))
	t.seesSession(&q, v)
	found, err := t.c.One(q.String(), q.Args, func(r Row) error { _, s = t.scanSession(r); return nil })
	return s, orMissing(found, err, noSession)
}

func (t sessions) List(_ context.Context, v loci.Viewer, sq store.SessionQuery) (
	list []loci.Session, next store.Position, err error) {
	if sq.Limit < 1 {
		return nil, "", loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	last := Place{Seq: math.MaxInt64}
	if sq.After != "" {
		if last, err = t.Positions.decode(sq.After, sessionPosition); err != nil {
			return nil, "", err
		}
	}
	var q Query
	t.listQuery(&q, v, &sq, last.Seq)
	err = t.c.Query(q.String(), q.Args, func(r Row) error {
		seq, s := t.scanSession(r)
		if len(list) == sq.Limit {
			next = t.Positions.encode(last, sessionPosition)
			return ErrStop
		}
		last.Seq, list = seq, append(list, s)
		return nil
	})
	return list, next, err
}

// listQuery selects one row more than the page has, to know whether another page follows.
func (t sessions) listQuery(q *Query, v loci.Viewer, sq *store.SessionQuery, before int64) {
	q.Add("SELECT " + sessionColumns + " FROM sessions s WHERE {s} ")
	t.seesSession(q, v)
	if sq.State == loci.SessionActive {
		q.Add(" AND s.state = 'active'") // in the text, so that its index serves
	} else if sq.State != "" {
		q.Add(" AND s.state = ?", string(sq.State))
	}
	if !sq.AgentID.IsZero() {
		q.Add(" AND s.agent_id = ?", [16]byte(sq.AgentID))
	}
	q.Add(" AND s.seq < ? ORDER BY s.seq DESC LIMIT ?", before, sq.Limit+1)
}

func (t sessions) Close(ctx context.Context, v loci.Viewer, id loci.SessionID, at time.Time) error {
	s, err := t.Get(ctx, v, id)
	if err != nil {
		return err
	}
	if s.State == loci.SessionClosed {
		return loci.Errorf(loci.Conflict, "the session is closed already")
	}
	return t.c.Exec("UPDATE sessions SET state = 'closed', closed_at = ? WHERE {sessions} id = ?", at.UnixMicro(),
		[16]byte(id))
}
