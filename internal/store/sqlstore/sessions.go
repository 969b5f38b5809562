package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type sessions struct{ *Tx }

// These are the kinds of positions of lists other than memories and nodes, which define their own.
const (
	sessionPosition    byte = 0x20
	suggestionPosition byte = 0x21
	feedPosition       byte = 0x22
	taskPosition       byte = 0x23
)

const sessionColumns = "s.seq, s.id, s.user_id, s.workspace_id, s.project_id, s.reach, s.team_id, s.origin, " +
	"s.allowed_vendors, s.agent_id, s.title, s.metadata, s.state, s.created_at, s.updated_at, s.last_active_at, " +
	"s.closed_at, s.expired, s.reopened_at, s.revision"

func (tx *Tx) scanSession(r Row) (seq int64, s loci.Session, err error) {
	s = loci.Session{ID: r.ID(1), AgentID: r.ID(9), Title: r.Text(10), Metadata: objectAt(r, 11),
		EventAccess: loci.EventAccess{OrgID: tx.Org, UserID: r.ID(2), WorkspaceID: r.ID(3), ProjectID: r.ID(4),
			Reach: loci.Reach(r.Text(5)), TeamID: r.ID(6), Origin: r.Text(7)},
		State: loci.SessionState(r.Text(12)), CreatedAt: TimeAt(r, 13), UpdatedAt: TimeAt(r, 14),
		LastActiveAt: TimeAt(r, 15), ClosedAt: TimeAt(r, 16), Expired: r.Bool(17), ReopenedAt: TimeAt(r, 18),
		Revision: r.Int64(19)}
	s.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(8))
	return r.Int64(0), s, err
}

func (t sessions) Insert(_ context.Context, s loci.Session) error {
	if err := t.writable(s.OrgID, s.UserID); err != nil {
		return err
	}
	err := t.c.Exec("INSERT INTO sessions ({org} workspace_id, reach, team_id, allowed_vendors, agent_id, title, "+
		"metadata, state, updated_at, last_active_at, closed_at, expired, reopened_at, revision, id, user_id, project_id, "+
		"origin, created_at) VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		append(bindSession(&s), [16]byte(s.ID), [16]byte(s.UserID), OrNull(s.ProjectID), s.Origin,
			s.CreatedAt.UnixMicro())...)
	if err = t.d.orTaken(err, "session %s exists already", s.ID); err != nil {
		return err
	}
	return t.workChanged(loci.FeedSession, s.ID, 0, nil, &s.EventAccess)
}

// bindSession returns the columns that Update may change.
func bindSession(s *loci.Session) []any {
	return []any{OrNull(s.WorkspaceID), string(s.Reach), OrNull(s.TeamID), ToJSON(s.AllowedVendors), OrNull(s.AgentID),
		s.Title, orNoObject(s.Metadata), string(s.State), s.UpdatedAt.UnixMicro(), s.LastActiveAt.UnixMicro(),
		micros(s.ClosedAt), s.Expired, micros(s.ReopenedAt), s.Revision}
}

func noSession() error { return loci.Errorf(loci.NotFound, "no such session") }

func (t sessions) Get(_ context.Context, v loci.Viewer, id loci.SessionID) (loci.Session, error) {
	var q Query
	q.Add("SELECT "+sessionColumns+" FROM sessions s WHERE {s} s.id = ? AND ", [16]byte(id))
	t.seesWork(&q, v, "s")
	return t.one(&q)
}

// stored returns a session, whoever may see it.
func (t sessions) Stored(_ context.Context, id loci.SessionID) (loci.Session, error) {
	var q Query
	q.Add("SELECT "+sessionColumns+" FROM sessions s WHERE {s} s.id = ?", [16]byte(id))
	return t.one(&q)
}

func (t sessions) one(q *Query) (s loci.Session, err error) {
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { _, s, err = t.scanSession(r); return err })
	return s, orMissing(found, err, noSession)
}

func (t sessions) List(_ context.Context, v loci.Viewer, sq store.SessionQuery) (
	[]loci.Session, store.Position, error) {
	return newestPage(t.Tx, paging{sessionPosition, sq.After, sq.Limit}, t.scanSession,
		func(q *Query, before int64, limit int) {
			q.Add("SELECT " + sessionColumns + " FROM sessions s WHERE {s} ")
			t.filter(q, v, &sq)
			q.Add(" AND s.seq < ? ORDER BY s.seq DESC LIMIT ?", before, limit)
		})
}

func (t sessions) filter(q *Query, v loci.Viewer, sq *store.SessionQuery) {
	t.seesWork(q, v, "s")
	switch sq.State {
	case "":
	case loci.SessionActive: // in the text, so that its index serves
		q.Add(" AND s.state = 'active'")
	default:
		q.Add(" AND s.state = ?", string(sq.State))
	}
	if !sq.AgentID.IsZero() {
		q.Add(" AND s.agent_id = ?", [16]byte(sq.AgentID))
	}
	if !sq.ProjectID.IsZero() {
		q.Add(" AND s.project_id = ?", [16]byte(sq.ProjectID))
	}
	if sq.Reach != "" {
		q.Add(" AND s.reach = ?", string(sq.Reach))
	}
	if sq.Title != "" {
		q.Add(" AND s.title = ?", sq.Title)
	}
	if !sq.Last.IsZero() {
		q.Add(" AND s.id BETWEEN ? AND ?", [16]byte(sq.First), [16]byte(sq.Last))
	}
}

func (t sessions) Count(_ context.Context, v loci.Viewer, sq store.SessionQuery) (all, active int, err error) {
	var q Query
	q.Add("SELECT count(*), count(*) FILTER (WHERE s.state = 'active') FROM sessions s WHERE {s} ")
	t.filter(&q, v, &sq)
	_, err = t.c.One(q.String(), q.Args, func(r Row) error { all, active = r.Int(0), r.Int(1); return nil })
	return all, active, err
}

func (t sessions) Touch(_ context.Context, id loci.SessionID, at time.Time) error {
	return t.c.Exec("UPDATE sessions SET last_active_at = ?1 WHERE {sessions} id = ?2 AND last_active_at < ?1",
		at.UnixMicro(), [16]byte(id))
}
