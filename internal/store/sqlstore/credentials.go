package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type credentials struct{ *Registry }

var credentialNames = []string{"id", "org_id", "user_id", "kind", "method", "vendor", "name", "hash", "prefix",
	"rights", "projects",
	"workspace_id", "grant_id", "replaces", "proved_at", "idle_after", "created_at", "expires_at", "revoked_at",
	"last_used_at"}

var credentialColumns = "c." + strings.Join(credentialNames, ", c.")

var credentialByHash = "SELECT " + credentialColumns + ", " + orgColumns + `
	FROM credentials c JOIN orgs o ON {global o} o.id = c.org_id WHERE {global c} c.hash = ? AND o.state IN ` + OpenStates

// usableAt takes the current time twice.
const usableAt = `c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > ?) AND
	(c.idle_after = 0 OR {greatest}(c.created_at, coalesce(c.last_used_at, c.created_at)) + c.idle_after > ?)`

func scanCredential(r Row) (c loci.Credential, err error) {
	c = loci.Credential{ID: r.ID(0), OrgID: loci.OrgID(r.Text(1)), UserID: r.ID(2), Kind: loci.Kind(r.Text(3)),
		Method: loci.Method(r.Text(4)),
		Vendor: loci.Vendor(r.Text(5)), Name: r.Text(6), Prefix: r.Text(8), WorkspaceID: r.ID(11), GrantID: r.ID(12),
		Replaces: r.ID(13),
		ProvedAt: TimeAt(r, 14), IdleAfter: time.Duration(r.Int64(15)) * time.Microsecond,
		CreatedAt: TimeAt(r, 16), ExpiresAt: TimeAt(r, 17), RevokedAt: TimeAt(r, 18), LastUsedAt: TimeAt(r, 19)}
	copy(c.Hash[:], r.Raw(7))
	if c.Rights, err = fromJSON[loci.Right](r.Raw(9)); err != nil {
		return c, err
	}
	if len(c.Rights) == 0 {
		c.Rights = nil
	}
	c.ProjectIDs, err = idsFromJSON(r.Text(10))
	return c, err
}

// idsFromJSON parses what idsToJSON wrote. Ids contain nothing to escape. Every request with a
// limited key runs this, and encoding/json takes five times as long.
func idsFromJSON(text string) (ids []loci.ProjectID, err error) {
	const quoted = len(`"00000000-0000-0000-0000-000000000000"`)
	list, ok := strings.CutPrefix(strings.TrimSuffix(text, "]"), "[")
	if !ok {
		return nil, errors.New("not a list of ids") // an error, so the key does not become unlimited
	}
	if list != "" {
		ids = make([]loci.ProjectID, 0, (len(list)+1)/(quoted+1))
	}
	for list != "" {
		var one string
		one, list, _ = strings.Cut(list, ",")
		id, err := loci.ParseMemoryID(strings.Trim(one, `"`))
		if err != nil {
			return nil, err
		}
		ids = append(ids, loci.ProjectID(id))
	}
	return ids, nil
}

func (t credentials) Insert(ctx context.Context, c loci.Credential) error {
	err := t.db.Update(ctx, func(conn Conn) error { return t.insertCredential(conn, c) })
	t.hints(ctx, err, credentialHints(&c, loci.Created)...)
	return err
}

var insertCredentialSQL = "INSERT INTO credentials ({global} " + strings.Join(credentialNames, ", ") + `)
	SELECT ?, id, ` + strings.TrimSuffix(strings.Repeat("?, ", len(credentialNames)-2), ", ") +
	" FROM orgs WHERE {global orgs} id = ? AND state IN " + OpenStates

// insertCredential looks up the org itself instead of relying on the foreign key, because an org
// that is still being created has a row but must not get credentials.
func (r *Registry) insertCredential(conn Conn, c loci.Credential) error {
	method := cmp.Or(c.Method, loci.ByKey)
	err := conn.Exec(insertCredentialSQL,
		[16]byte(c.ID), [16]byte(c.UserID), string(c.Kind), string(method), string(c.Vendor), c.Name, c.Hash[:], c.Prefix,
		ToJSON(c.Rights),
		toJSON(c.ProjectIDs), OrNull(c.WorkspaceID), OrNull(c.GrantID), OrNull(c.Replaces), micros(c.ProvedAt),
		c.IdleAfter.Microseconds(),
		c.CreatedAt.UnixMicro(), micros(c.ExpiresAt), micros(c.RevokedAt), micros(c.LastUsedAt), string(c.OrgID))
	switch {
	case r.d.taken(err):
		return loci.Errorf(loci.Conflict, "this credential exists already")
	case err == nil && conn.Changes() == 0:
		return NoOrg()
	}
	return err
}

func (t credentials) ByHash(ctx context.Context, hash [32]byte) (f store.Found, err error) {
	found, err := t.first(ctx, credentialByHash, Args{hash[:]}, func(r Row) (err error) {
		f.Org = scanOrg(r, len(credentialNames))
		f.Credential, err = scanCredential(r)
		return err
	})
	return f, orMissing(found, err, noCredential)
}

func noCredential() error { return loci.Errorf(loci.NotFound, "no such credential") }

func (t credentials) Use(ctx context.Context, hash [32]byte, now time.Time) (c loci.Credential, err error) {
	at := now.UnixMicro()
	err = t.db.Update(ctx, func(conn Conn) error {
		err := conn.Exec(`UPDATE credentials AS c SET revoked_at = ?, last_used_at = ? WHERE {global c} c.hash = ? AND `+
			usableAt+`
			AND EXISTS (SELECT 1 FROM orgs o WHERE {global o} o.id = c.org_id AND o.state IN `+OpenStates+")", at, at, hash[:],
			at, at)
		if err != nil {
			return err
		}
		if conn.Changes() == 0 {
			return noCredential()
		}
		_, err = conn.One("SELECT "+credentialColumns+" FROM credentials c WHERE {global c} c.hash = ?", Args{hash[:]},
			func(r Row) (err error) { c, err = scanCredential(r); return err })
		return err
	})
	return c, err
}

func credentialsOf(q store.CredentialQuery) *Query {
	sql := &Query{}
	sql.Add("SELECT "+credentialColumns+" FROM credentials c WHERE {global c} c.org_id = ?", string(q.OrgID))
	if !q.UserID.IsZero() {
		sql.Add(" AND c.user_id = ?", [16]byte(q.UserID))
	}
	if !q.ID.IsZero() {
		sql.Add(" AND c.id = ?", [16]byte(q.ID))
	}
	if q.Kind != "" {
		sql.Add(" AND c.kind = ?", string(q.Kind))
	}
	if q.Method != "" {
		sql.Add(" AND c.method = ?", string(q.Method))
	}
	if !q.Usable.IsZero() {
		sql.Add(" AND "+usableAt, q.Usable.UnixMicro(), q.Usable.UnixMicro())
	}
	sql.Add(" ORDER BY c.created_at DESC, c.{seq} DESC")
	return sql
}

func (t credentials) List(ctx context.Context, q store.CredentialQuery) ([]loci.Credential, error) {
	sql := credentialsOf(q)
	return every(ctx, t.Registry, sql.String(), sql.Args, scanCredential)
}

func (t credentials) Revoke(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.CredentialID,
	at time.Time) error {
	var revoked []loci.Credential
	err := t.db.Update(ctx, func(conn Conn) (err error) {
		revoked, err = identified(conn, "c.id = ? AND c.org_id = ?", [16]byte(id), string(org))
		if err != nil {
			return err
		}
		return changeCredential(conn, `UPDATE credentials SET revoked_at = coalesce(revoked_at, ?1)
			WHERE {global credentials} id = ?2 AND org_id = ?3 AND user_id = coalesce(?4, user_id)`,
			at.UnixMicro(), [16]byte(id), string(org), OrNull(user))
	})
	t.changed(ctx, err, revoked)
	return err
}

// identified returns what a hint needs of the credentials c for which a condition holds.
func identified(conn Conn, condition string, args ...any) (list []loci.Credential, err error) {
	err = conn.Query("SELECT c.id, c.org_id, c.user_id, c.method FROM credentials c WHERE {global c} "+condition, args,
		func(r Row) error {
			list = append(list, loci.Credential{ID: r.ID(0), OrgID: loci.OrgID(r.Text(1)), UserID: r.ID(2),
				Method: loci.Method(r.Text(3))})
			return nil
		})
	return list, err
}

// changed passes on that credentials have changed, unless the change failed.
func (t credentials) changed(ctx context.Context, err error, list []loci.Credential) {
	for i := range list {
		t.hints(ctx, err, credentialHints(&list[i], loci.Updated)...)
	}
}

func (t credentials) RevokeAll(ctx context.Context, org loci.OrgID, user loci.UserID, method loci.Method,
	except loci.CredentialID, at time.Time) (n int, err error) {
	now := at.UnixMicro()
	const condition = "c.org_id = ? AND c.user_id = ? AND c.method = coalesce(?, c.method) AND c.id <> ? AND " + usableAt
	args := Args{string(org), [16]byte(user), TextOrNull(string(method)), [16]byte(except), now, now}
	var revoked []loci.Credential
	err = t.db.Update(ctx, func(conn Conn) (err error) {
		if revoked, err = identified(conn, condition, args...); err != nil {
			return err
		}
		err = conn.Exec("UPDATE credentials AS c SET revoked_at = ? WHERE {global c} "+condition,
			append(Args{now}, args...)...)
		n = int(conn.Changes())
		return err
	})
	t.changed(ctx, err, revoked)
	return n, err
}

func (t credentials) Rotate(ctx context.Context, next loci.Credential, now, overlap time.Time) error {
	err := t.db.Update(ctx, func(conn Conn) error {
		at, old := now.UnixMicro(), [16]byte(next.Replaces)
		rotated := false
		usable, err := conn.One("SELECT EXISTS (SELECT 1 FROM credentials n WHERE {global n} n.replaces = c.id) FROM "+
			"credentials c WHERE {global c} c.id = ? AND c.org_id = ? AND c.user_id = ? AND "+usableAt,
			Args{old, string(next.OrgID), [16]byte(next.UserID), at, at}, func(r Row) error { rotated = r.Bool(0); return nil })
		switch {
		case err != nil:
			return err
		case !usable:
			return noCredential()
		case rotated:
			return loci.Errorf(loci.Conflict, "this credential has been rotated already")
		}
		if err := conn.Exec("UPDATE credentials SET expires_at = {least}(coalesce(expires_at, ?1), ?1) WHERE {global "+
			"credentials} id = ?2", overlap.UnixMicro(), old); err != nil {
			return err
		}
		return t.insertCredential(conn, next)
	})
	replaced := next
	replaced.ID = next.Replaces
	t.hints(ctx, err, append(credentialHints(&next, loci.Created), credentialHints(&replaced, loci.Updated)...)...)
	return err
}

func (t credentials) Prove(ctx context.Context, id loci.CredentialID, at time.Time) error {
	return t.change(ctx, "UPDATE credentials SET proved_at = ? WHERE {global credentials} id = ? AND method = 'session'",
		at.UnixMicro(), [16]byte(id))
}

func (t credentials) Enter(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.CredentialID,
	w loci.WorkspaceID) error {
	return t.change(ctx, "UPDATE credentials SET workspace_id = ? WHERE {global credentials} id = ? AND org_id = ? AND "+
		"user_id = ?",
		OrNull(w), [16]byte(id), string(org), [16]byte(user))
}

func (t credentials) Touch(ctx context.Context, id loci.CredentialID, at time.Time) error {
	return t.db.Update(ctx, func(conn Conn) error {
		err := conn.Exec(`UPDATE oauth_grants SET last_used_at = {greatest}(coalesce(last_used_at, ?1), ?1)
			WHERE {global oauth_grants} id = (SELECT grant_id FROM credentials WHERE {global credentials} id = ?2)`,
			at.UnixMicro(), [16]byte(id))
		if err != nil {
			return err
		}
		return changeCredential(conn,
			`UPDATE credentials SET last_used_at = {greatest}(coalesce(last_used_at, ?1), ?1)
				WHERE {global credentials} id = ?2`,
			at.UnixMicro(), [16]byte(id))
	})
}

func (t credentials) change(ctx context.Context, sql string, args ...any) error {
	return t.db.Update(ctx, func(conn Conn) error { return changeCredential(conn, sql, args...) })
}

func changeCredential(conn Conn, sql string, args ...any) error {
	err := conn.Exec(sql, args...)
	return orMissing(conn.Changes() > 0, err, noCredential)
}

// usableKey reads at most one index entry on each side.
func usableKey(kind string) string {
	key := "EXISTS (SELECT 1 FROM credentials WHERE {global credentials} method = 'key' AND kind = '" + kind +
		"' AND revoked_at IS NULL AND expires_at "
	return key + "IS NULL) OR " + key + "> ?)"
}

var (
	anyAgent = "SELECT " + usableKey("agent")
	anyKey   = anyAgent + " OR " + usableKey("user")
)

func (t credentials) AnyAgent(ctx context.Context, now time.Time) (bool, error) {
	return t.any(ctx, anyAgent, now.UnixMicro())
}

func (t credentials) Any(ctx context.Context, now time.Time) (bool, error) {
	return t.any(ctx, anyKey, now.UnixMicro(), now.UnixMicro())
}

func (t credentials) any(ctx context.Context, sql string, args ...any) (any bool, err error) {
	_, err = t.first(ctx, sql, args, func(r Row) error { any = r.Bool(0); return nil })
	return any, err
}

func (t credentials) Purge(ctx context.Context, then time.Time, limit int) (n int, err error) {
	return t.exec(ctx, `DELETE FROM credentials WHERE {global credentials} id IN (SELECT c.id FROM credentials c
		WHERE {global c} c.method <> 'key' AND
		(c.revoked_at < ?1 OR c.expires_at < ?1 OR
		c.idle_after > 0 AND {greatest}(c.created_at, coalesce(c.last_used_at, c.created_at)) + c.idle_after < ?1)
		LIMIT ?2)`, CeilMicro(then), limit)
}
