package sqlstore

import (
	"bytes"
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type connections struct{ *Registry }

func (m connections) Get(ctx context.Context, key [32]byte) (got store.Connection, err error) {
	found, err := m.first(ctx, "SELECT s.org_id, s.user_id, s.project_id, s.used_at FROM mcp_sessions s JOIN orgs o ON "+
		"{global o} o.id = s.org_id AND o.state IN "+OpenStates+
		" WHERE {global s} s.key = ?", Args{key[:]}, func(r Row) (err error) {
		got = store.Connection{Key: key, OrgID: loci.OrgID(r.Text(0)), UserID: r.ID(1), UsedAt: TimeAt(r, 3)}
		got.ProjectID, err = IDAt[loci.ProjectID](r, 2)
		return err
	})
	return got, orCode(found, err, loci.NotFound, "no such session")
}

// Put reads the project in the transaction that writes. If someone archives or deletes the
// project at the same time, either that comes first, or it clears the row written here.
func (m connections) Put(ctx context.Context, s store.Connection) error {
	err := m.db.Update(ctx, func(c Conn) error {
		p, err := projectIn(c, s.OrgID, s.ProjectID)
		if err == nil {
			err = p.Usable()
		}
		if err != nil {
			return err
		}
		return c.Exec(`INSERT INTO mcp_sessions ({global} key, org_id, user_id, project_id, used_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT ({global} key) DO UPDATE SET org_id = excluded.org_id, user_id = excluded.user_id,
			project_id = excluded.project_id, used_at = excluded.used_at`,
			s.Key[:], string(s.OrgID), [16]byte(s.UserID), s.ProjectID.String(), loci.CutTime(s.UsedAt).UnixMicro())
	})
	if m.d.dangling(err) { // the org and the project exist
		err = loci.Errorf(loci.NotFound, "no such user")
	}
	return err
}

func (m connections) Use(ctx context.Context, at store.Connection, used time.Time) error {
	_, err := m.exec(ctx, "UPDATE mcp_sessions SET used_at = {greatest}(used_at, ?) WHERE {global mcp_sessions} "+
		"key = ? AND project_id = ?", loci.CutTime(used).UnixMicro(), at.Key[:], at.ProjectID.String())
	return err
}

func (m connections) Leave(ctx context.Context, at store.Connection) error {
	_, err := m.exec(ctx, "DELETE FROM mcp_sessions WHERE {global mcp_sessions} key = ? AND project_id = ?", at.Key[:],
		at.ProjectID.String())
	return err
}

// Remove deletes from both tables, because a connection may have a row in either.
func (m connections) Remove(ctx context.Context, key [32]byte) error {
	return m.db.Update(ctx, func(c Conn) error {
		if err := c.Exec("DELETE FROM mcp_sessions WHERE {global mcp_sessions} key = ?", key[:]); err != nil {
			return err
		}
		return c.Exec("DELETE FROM mcp_connections WHERE {global mcp_connections} key = ?", key[:])
	})
}

func (m connections) Purge(ctx context.Context, then time.Time, limit int) (n int, err error) {
	err = m.db.Update(ctx, func(c Conn) error {
		err := c.Exec("DELETE FROM mcp_sessions WHERE {global mcp_sessions} key IN (SELECT key FROM mcp_sessions WHERE "+
			"{global mcp_sessions} used_at < ? ORDER BY used_at LIMIT ?)", CeilMicro(then), limit)
		if err != nil {
			return err
		}
		n = int(c.Changes())
		err = c.Exec("DELETE FROM mcp_connections WHERE {global mcp_connections} key IN (SELECT key FROM mcp_connections "+
			"WHERE {global mcp_connections} used_at < ? ORDER BY used_at LIMIT ?)", CeilMicro(then), limit)
		n += int(c.Changes())
		return err
	})
	return n, err
}

func (m connections) Open(ctx context.Context, o store.OpenConnection, keep int) error {
	err := m.db.Update(ctx, func(c Conn) error {
		err := c.Exec("INSERT INTO mcp_connections ({global} key, org_id, user_id, subject, state, used_at) "+
			"VALUES (?, ?, ?, ?, ?, ?)", o.Key[:], string(o.OrgID), [16]byte(o.UserID), o.Subject[:], o.State,
			loci.CutTime(o.UsedAt).UnixMicro())
		if err != nil {
			return err
		}
		return c.Exec("DELETE FROM mcp_connections WHERE {global mcp_connections} subject = ?1 AND key <> ?2 AND key NOT IN "+
			"(SELECT key FROM mcp_connections WHERE {global mcp_connections} subject = ?1 AND key <> ?2 "+
			"ORDER BY used_at DESC, key LIMIT ?3)", o.Subject[:], o.Key[:], keep-1)
	})
	if m.d.dangling(err) {
		err = loci.Errorf(loci.NotFound, "no such org or user")
	}
	return err
}

func (m connections) Opened(ctx context.Context, key [32]byte) (got store.OpenConnection, err error) {
	found, err := m.first(ctx, "SELECT s.org_id, s.user_id, s.subject, s.state, s.used_at FROM mcp_connections s "+
		"JOIN orgs o ON {global o} o.id = s.org_id AND o.state IN "+OpenStates+" WHERE {global s} s.key = ?", Args{key[:]},
		func(r Row) error {
			got = store.OpenConnection{Key: key, OrgID: loci.OrgID(r.Text(0)), UserID: r.ID(1),
				State: bytes.Clone(r.Raw(3)), UsedAt: TimeAt(r, 4)}
			copy(got.Subject[:], r.Raw(2))
			return nil
		})
	return got, orCode(found, err, loci.NotFound, "no such connection")
}

func (m connections) Touch(ctx context.Context, key [32]byte, used time.Time) error {
	_, err := m.exec(ctx, "UPDATE mcp_connections SET used_at = {greatest}(used_at, ?) "+
		"WHERE {global mcp_connections} key = ?", loci.CutTime(used).UnixMicro(), key[:])
	return err
}
