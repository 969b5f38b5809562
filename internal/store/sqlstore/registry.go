package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Registry has the tables that Loci reads before it knows the org: orgs, the directory of people,
// credentials, OAuth and projects. They are not limited to an org, so each of their statements
// has the marker {global} and names org_id itself. In PostgreSQL they are not distributed: the
// hash of a key and an e-mail address must be unique over all orgs.
type Registry struct {
	db  DB
	d   *Dialect
	now func() time.Time
	// hint learns of each change that the feed of its org must tell of; nil: nobody wants to know.
	hint func(context.Context, store.FeedHint)
}

// NewRegistry returns the registry in db.
func NewRegistry(db DB, d *Dialect, now func() time.Time) *Registry {
	return &Registry{db: db, d: d, now: now}
}

// OnHint calls fn after each change that the feed of its org must tell of. Set it before the first change.
func (r *Registry) OnHint(fn func(context.Context, store.FeedHint)) { r.hint = fn }

// hints passes hints on if the change succeeded.
func (r *Registry) hints(ctx context.Context, err error, list ...store.FeedHint) {
	for _, h := range list {
		if err == nil && r.hint != nil {
			r.hint(ctx, h)
		}
	}
}

// first runs a statement in a transaction and calls row for its first row, if there is one.
func (r *Registry) first(ctx context.Context, text string, args Args, row func(Row) error) (found bool, err error) {
	err = r.db.View(ctx, func(c Conn) (err error) { found, err = c.One(text, args, row); return err })
	return found, err
}

// every runs a statement in a transaction and returns its rows.
func every[T any](ctx context.Context, r *Registry, text string, args Args, scan func(Row) (T, error)) (
	list []T, err error) {
	err = r.db.View(ctx, func(c Conn) (err error) { list, err = all(c, text, args, scan); return err })
	return list, err
}

// exec runs a statement in a transaction and returns how many rows it changed.
func (r *Registry) exec(ctx context.Context, text string, args ...any) (n int, err error) {
	err = r.db.Update(ctx, func(c Conn) error {
		err := c.Exec(text, args...)
		n = int(c.Changes())
		return err
	})
	return n, err
}

// account is the hint about a key, a grant or a sign-in of a person.
func account(kind loci.FeedKind, org loci.OrgID, user loci.UserID, id [16]byte, change loci.Change) store.FeedHint {
	return store.FeedHint{Org: org, Kind: kind, ID: id, Change: change, Access: []loci.Access{own(user)}}
}

// credentialHints returns the hint about a credential, if it is a key or a sign-in. Others are in no list.
func credentialHints(c *loci.Credential, change loci.Change) []store.FeedHint {
	switch c.Method {
	case loci.ByKey, loci.ByEnvironment, loci.ByDisk, "":
		return []store.FeedHint{account(loci.FeedKey, c.OrgID, c.UserID, c.ID, change)}
	case loci.BySignIn:
		return []store.FeedHint{account(loci.FeedSignIn, c.OrgID, c.UserID, c.ID, change)}
	}
	return nil
}

// Credentials returns the store of keys, browser sign-ins and tokens.
func (r *Registry) Credentials() store.Credentials { return credentials{r} }

// OAuth returns the store of OAuth clients and grants.
func (r *Registry) OAuth() store.OAuth { return oauth{r} }

// Limits returns the counters of rate limits.
func (r *Registry) Limits() store.Limits { return limits{r} }

// Settings returns the store of changed settings.
func (r *Registry) Settings() store.Settings { return settings{r} }

// Connections returns the store of the active project of each MCP session.
func (r *Registry) Connections() store.Connections { return connections{r} }

// ArcBindings returns the store of the Arc instances of orgs.
func (r *Registry) ArcBindings() store.ArcBindings { return arcBindings{r} }

// Jobs returns the store of the last turns of jobs.
func (r *Registry) Jobs() store.Jobs { return jobs{r} }

// ProjectMembers returns the store of project members.
func (r *Registry) ProjectMembers() store.ProjectMembers { return projectMembers{r} }

type jobs struct{ *Registry }

func (j jobs) Put(ctx context.Context, one store.Job) error {
	_, err := j.exec(ctx, "INSERT INTO jobs ({global} name, begun_at, ended_at, changed, error, next_at) "+
		"VALUES (?, ?, ?, ?, ?, ?) "+
		"ON CONFLICT ({global} name) DO UPDATE SET begun_at = excluded.begun_at, ended_at = excluded.ended_at, "+
		"changed = excluded.changed, error = excluded.error, next_at = excluded.next_at "+
		"WHERE jobs.begun_at <= excluded.begun_at", one.Name, one.BegunAt.UnixMicro(), one.EndedAt.UnixMicro(), one.Rows,
		one.Error, micros(one.NextAt))
	return err
}

func (j jobs) List(ctx context.Context) ([]store.Job, error) {
	return every(ctx, j.Registry, "SELECT j.name, j.begun_at, j.ended_at, j.changed, j.error, j.next_at FROM jobs j "+
		"WHERE {global j} TRUE ORDER BY j.name", nil, func(r Row) (store.Job, error) {
		return store.Job{Name: r.Text(0), BegunAt: TimeAt(r, 1), EndedAt: TimeAt(r, 2), Rows: r.Int(3), Error: r.Text(4),
			NextAt: TimeAt(r, 5)}, nil
	})
}

type settings struct{ *Registry }

func (s settings) List(ctx context.Context) ([]loci.StoredSetting, error) {
	return every(ctx, s.Registry, "SELECT key, value, changed_at FROM settings WHERE {global settings} TRUE ORDER BY key",
		nil, func(r Row) (loci.StoredSetting, error) {
			return loci.StoredSetting{Key: r.Text(0), Value: r.Text(1), At: TimeAt(r, 2)}, nil
		})
}

func (s settings) Put(ctx context.Context, one loci.StoredSetting) error {
	_, err := s.exec(ctx, `INSERT INTO settings ({global} key, value, changed_at) VALUES (?, ?, ?)
		ON CONFLICT ({global} key) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at`, one.Key,
		one.Value, one.At.UnixMicro())
	return err
}

func (s settings) Delete(ctx context.Context, key string) error {
	_, err := s.exec(ctx, "DELETE FROM settings WHERE {global settings} key = ?", key)
	return err
}

type limits struct{ *Registry }

func (l limits) Take(ctx context.Context, key string, window time.Time, n int) (used int, err error) {
	err = l.db.Update(ctx, func(c Conn) error {
		if err := c.Exec(`INSERT INTO limits ({global} key, "window", used) VALUES (?, ?, ?)
			ON CONFLICT ({global} key, "window") DO UPDATE SET used = limits.used + excluded.used`, key, window.UnixMicro(),
			n); err != nil {
			return err
		}
		_, err := c.One(`SELECT used FROM limits WHERE {global limits} key = ? AND "window" = ?`,
			Args{key, window.UnixMicro()}, func(r Row) error { used = r.Int(0); return nil })
		return err
	})
	return used, err
}

func (l limits) Failures(ctx context.Context, key string) (n int, last time.Time, err error) {
	err = l.db.View(ctx, func(c Conn) (err error) {
		n, last, err = failures(c, key)
		return err
	})
	return n, last, err
}

func failures(c Conn, key string) (n int, last time.Time, err error) {
	_, err = c.One("SELECT n, last FROM failures WHERE {global failures} key = ?", Args{key},
		func(r Row) error { n, last = r.Int(0), TimeAt(r, 1); return nil })
	return n, last, err
}

func (l limits) Fail(ctx context.Context, key string, at time.Time) (n int, err error) {
	err = l.db.Update(ctx, func(c Conn) error {
		if err := c.Exec(`INSERT INTO failures ({global} key, n, last) VALUES (?, 1, ?)
			ON CONFLICT ({global} key) DO UPDATE SET n = failures.n + 1, last = {greatest}(failures.last, excluded.last)`, key,
			at.UnixMicro()); err != nil {
			return err
		}
		n, _, err = failures(c, key)
		return err
	})
	return n, err
}

func (l limits) Clear(ctx context.Context, key string) error {
	_, err := l.exec(ctx, "DELETE FROM failures WHERE {global failures} key = ?", key)
	return err
}

func (l limits) Purge(ctx context.Context, then time.Time) error {
	return l.db.Update(ctx, func(c Conn) error {
		if err := c.Exec(`DELETE FROM limits WHERE {global limits} "window" < ?`, CeilMicro(then)); err != nil {
			return err
		}
		return c.Exec("DELETE FROM failures WHERE {global failures} last < ?", CeilMicro(then))
	})
}
