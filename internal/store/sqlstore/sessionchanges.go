package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Update records a change of what another store follows in the transaction of the change, and limits who sees the
// candidates and notes of the session.
func (t sessions) Update(ctx context.Context, s *loci.Session) error {
	if err := t.mine(s.OrgID); err != nil {
		return err
	}
	old, err := t.Stored(ctx, s.ID)
	if err != nil {
		return err
	}
	access := s.EventAccess
	access.OrgID, access.UserID, access.ProjectID = old.OrgID, old.UserID, old.ProjectID
	s.Revision = old.Revision
	if s.State != old.State || !access.SameAccess(&old.EventAccess) {
		s.Revision++
		if err := t.changed(s.ID, s.Revision); err != nil {
			return err
		}
		access.AllowedVendors = s.AllowedVendors
		if err := candidates(t).narrowOf(ctx, s.ID, &access); err != nil {
			return err
		}
	}
	err = t.c.Exec("UPDATE sessions SET workspace_id = ?, reach = ?, team_id = ?, allowed_vendors = ?, agent_id = ?, "+
		"title = ?, metadata = ?, state = ?, updated_at = ?, last_active_at = ?, closed_at = ?, expired = ?, "+
		"reopened_at = ?, revision = ? WHERE {sessions} id = ?", append(bindSession(s), [16]byte(s.ID))...)
	if err != nil {
		return err
	}
	return t.workChanged(loci.FeedSession, s.ID, 0, &old.EventAccess, &access)
}

const lastChange = " ON CONFLICT ({org} session_id) DO UPDATE SET revision = excluded.revision"

func (t sessions) changed(id loci.SessionID, revision int64) error {
	return t.c.Exec("INSERT INTO session_changes ({org} session_id, revision) VALUES ({?} ?, ?)"+lastChange,
		[16]byte(id), revision)
}

func (t sessions) Expire(ctx context.Context, then, at time.Time, limit int) (int, error) {
	return t.eachOf(ctx, func(s *loci.Session) {
		s.State, s.Expired, s.ClosedAt, s.UpdatedAt = loci.SessionClosed, true, at, at
	}, "SELECT "+sessionColumns+" FROM sessions s WHERE {s} s.state = 'active' AND s.last_active_at < ? "+
		"ORDER BY s.last_active_at LIMIT ?", CeilMicro(then), limit)
}

func (t sessions) Release(ctx context.Context, user loci.UserID, team loci.TeamID, at time.Time) error {
	_, err := t.eachOf(ctx, func(s *loci.Session) {
		s.Reach, s.TeamID, s.UpdatedAt = loci.ReachPrivate, loci.TeamID{}, at
	}, "SELECT "+sessionColumns+" FROM sessions s WHERE {s} s.user_id = ? AND s.team_id = ?", [16]byte(user),
		[16]byte(team))
	return err
}

// eachOf changes the sessions that a statement selects, and returns their number.
func (t sessions) eachOf(ctx context.Context, change func(*loci.Session), text string, args ...any) (int, error) {
	list, err := all(t.c, text, args, func(r Row) (loci.Session, error) { _, s, err := t.scanSession(r); return s, err })
	for i := 0; i < len(list) && err == nil; i++ {
		change(&list[i])
		err = t.Update(ctx, &list[i])
	}
	return len(list), err
}

// adopt moves the sessions from before there were workspaces to one.
func (t sessions) adopt(id loci.WorkspaceID) error {
	err := t.c.Exec("INSERT INTO session_changes ({org} session_id, revision) SELECT {?} s.id, s.revision + 1 FROM " +
		"sessions s WHERE {s} s.workspace_id IS NULL" + lastChange)
	if err != nil {
		return err
	}
	return t.c.Exec("UPDATE sessions SET workspace_id = ?, revision = revision + 1 WHERE {sessions} workspace_id IS NULL",
		[16]byte(id))
}

// eraseOf deletes the sessions of a person, and leaves their agents to the org.
func (t sessions) eraseOf(user loci.UserID) error {
	err := t.c.Exec("INSERT INTO session_changes ({org} session_id, revision) SELECT {?} s.id, s.revision + 1 FROM "+
		"sessions s WHERE {s} s.user_id = ?"+lastChange, [16]byte(user))
	if err == nil {
		_, err = t.eraseWork(loci.FeedSession, "sessions", "s.user_id = ?", [16]byte(user))
	}
	if err == nil {
		err = t.c.Exec("UPDATE agents SET user_id = NULL WHERE {agents} user_id = ?", [16]byte(user))
	}
	return err
}

func (t sessions) Changes(ctx context.Context, limit int) (list []store.SessionChange, err error) {
	if limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	err = t.c.Query("SELECT c.session_id, c.revision FROM session_changes c WHERE {c} TRUE ORDER BY c.session_id LIMIT ?",
		Args{limit}, func(r Row) error {
			list = append(list, store.SessionChange{ID: r.ID(0), Revision: r.Int64(1)})
			return nil
		})
	for i := 0; i < len(list) && err == nil; i++ {
		var s loci.Session
		switch s, err = t.Stored(ctx, list[i].ID); loci.CodeOf(err) {
		case loci.NotFound:
			err = nil
		case "":
			list[i].Session = &s
		}
	}
	return list, err
}

func (t sessions) Applied(_ context.Context, c store.SessionChange) error {
	return t.c.Exec("DELETE FROM session_changes WHERE {session_changes} session_id = ? AND revision = ?",
		[16]byte(c.ID), c.Revision)
}
