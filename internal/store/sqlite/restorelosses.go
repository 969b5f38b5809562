package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// CarryRevocations copies to the data directory to what was revoked in the data directory from
// since the backup: revoked keys, ended sign-ins and revoked grants, with the time of revocation,
// and suspended orgs. The next start removes deleted orgs; beside the data directory, they are only
// suspended, so that somebody can read them there. It disables users who were disabled or removed.
// No process may have the second directory open. It returns NotFound if from has no registry. An
// org's file that cannot be read is an error, but CarryRevocations still copies all the rest.
func CarryRevocations(ctx context.Context, from, to string, beside bool) (out store.Withheld, err error) {
	if _, err := os.Stat(filepath.Join(from, metaFile)); errors.Is(err, fs.ErrNotExist) {
		return out, loci.WrapError(loci.NotFound, err, "there is no %s in %s", metaFile, from)
	}
	lost, err := readLosses(ctx, from)
	if err != nil {
		return out, err
	}
	db, err := sqlitedb.Open(ctx, metaOptions(Options{Dir: to}, nil))
	if err != nil {
		return out, openError("restored registry", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.Update(ctx, func(c *sqlitedb.Conn) (err error) {
		out, err = lost.carry(c, beside)
		return err
	})
	if err == nil {
		err = lost.shutOut(ctx, from, to)
	}
	return out, translate(err)
}

// shutOut disables removed and disabled users in the orgs' restored files.
func (l *losses) shutOut(ctx context.Context, from, to string) (failed error) {
	for id, users := range l.shut {
		disabled, err := disabledIn(ctx, orgFileIn(from, id))
		if err == nil {
			err = disable(ctx, orgFileIn(to, id), append(users, disabled...))
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("cannot disable the removed users of org %s: %w", id, err))
		}
	}
	return failed
}

func orgFileIn(dir, id string) string { return filepath.Join(dir, orgsDir, id+".db") }

// withOrgFile runs fn on an org's file if it exists.
func withOrgFile(ctx context.Context, path string, fn func(*sqlitedb.DB) error) (err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := sqlitedb.Open(ctx, sqlitedb.Options{Path: path, Setup: setUpOrg, Migrations: migrations("org")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db)
}

func disabledIn(ctx context.Context, path string) (users [][16]byte, err error) {
	err = withOrgFile(ctx, path, func(db *sqlitedb.DB) error {
		return db.View(ctx, func(c *sqlitedb.Conn) error {
			users = nil
			return c.Query("SELECT id FROM users WHERE state = 'disabled'", nil,
				func(r *sqlitedb.Row) error { users = append(users, r.ID(0)); return nil })
		})
	})
	return users, err
}

func disable(ctx context.Context, path string, users [][16]byte) error {
	if len(users) == 0 {
		return nil
	}
	return withOrgFile(ctx, path, func(db *sqlitedb.DB) error {
		return db.Update(ctx, func(c *sqlitedb.Conn) error {
			for _, id := range users {
				if err := c.Exec("UPDATE users SET state = 'disabled' WHERE id = ? AND state = 'active'", id); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// losses is what was revoked according to a registry.
type losses struct {
	credentials, grants map[[16]byte]int64 // time of revocation
	expiring            map[[16]byte]int64 // expiry of a key that was rotated
	used                map[string]int64   // refresh tokens by hash
	orgs                map[string]orgMark
	people              map[[16]byte]string   // existing people and their orgs
	shut                map[string][][16]byte // people removed from each org that both registries know
	projects            map[string]bool       // whether everyone in the org belongs to it
	members             map[string]bool       // project and user
}

type orgMark struct {
	state, receipt string
	owner          [16]byte
	created        int64
	listed         bool
}

func readLosses(ctx context.Context, dir string) (lost *losses, err error) {
	db, err := sqlitedb.Open(ctx, metaOptions(Options{Dir: dir}, nil))
	if err != nil {
		return nil, openError("replaced registry", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(ctx, func(c *sqlitedb.Conn) error {
		lost = &losses{map[[16]byte]int64{}, map[[16]byte]int64{}, map[[16]byte]int64{}, map[string]int64{},
			map[string]orgMark{}, map[[16]byte]string{}, nil, map[string]bool{}, map[string]bool{}}
		return lost.read(c)
	})
	if err != nil {
		err = fmt.Errorf("cannot read %s: %w", filepath.Join(dir, metaFile), err)
	}
	return lost, err
}

func (l *losses) read(c *sqlitedb.Conn) error {
	into := func(m map[[16]byte]int64) func(r *sqlitedb.Row) error {
		return func(r *sqlitedb.Row) error { m[r.ID(0)] = r.Int64(1); return nil }
	}
	return errors.Join(
		c.Query("SELECT id, revoked_at FROM credentials WHERE revoked_at IS NOT NULL", nil, into(l.credentials)),
		c.Query("SELECT id, revoked_at FROM oauth_grants WHERE revoked_at IS NOT NULL", nil, into(l.grants)),
		c.Query("SELECT c.id, c.expires_at FROM credentials c JOIN credentials n ON n.replaces = c.id WHERE c.expires_at "+
			"IS NOT NULL", nil, into(l.expiring)),
		c.Query("SELECT hash, used_at FROM oauth_refresh_tokens WHERE used_at IS NOT NULL", nil,
			func(r *sqlitedb.Row) error { l.used[string(r.Raw(0))] = r.Int64(1); return nil }),
		c.Query("SELECT id, state, ifnull(receipt, ''), owner_id, created_at, listed FROM orgs WHERE state <> 'creating'",
			nil, func(r *sqlitedb.Row) error {
				l.orgs[r.Text(0)] = orgMark{r.Text(1), r.Text(2), r.ID(3), r.Int64(4), r.Bool(5)}
				return nil
			}),
		c.Query("SELECT user_id, org_id FROM people", nil,
			func(r *sqlitedb.Row) error { l.people[r.ID(0)] = r.Text(1); return nil }),
		c.Query("SELECT id, everyone FROM projects", nil,
			func(r *sqlitedb.Row) error { l.projects[r.Text(0)] = r.Bool(1); return nil }),
		c.Query("SELECT project_id || hex(user_id) FROM project_members", nil,
			func(r *sqlitedb.Row) error { l.members[r.Text(0)] = true; return nil }))
}

func (l *losses) carry(c *sqlitedb.Conn, beside bool) (out store.Withheld, err error) {
	count := func(sql string, args ...any) {
		if err == nil {
			err = c.Exec(sql, args...)
			out.Revoked += int(c.Changes())
		}
	}
	silent := func(sql string, args ...any) {
		if err == nil {
			err = c.Exec(sql, args...)
		}
	}
	for id, at := range l.credentials {
		count("UPDATE credentials SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id)
	}
	for id, at := range l.grants {
		count("UPDATE oauth_grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id)
		count("UPDATE credentials SET revoked_at = ? WHERE grant_id = ? AND revoked_at IS NULL", at, id)
	}
	for id, at := range l.expiring {
		silent("UPDATE credentials SET expires_at = min(ifnull(expires_at, ?1), ?1) WHERE id = ?2", at, id)
	}
	for hash, at := range l.used {
		silent("UPDATE oauth_refresh_tokens SET used_at = ifnull(used_at, ?) WHERE hash = ?", at, []byte(hash))
	}
	if err != nil {
		return out, err
	}
	if err := l.closeProjects(c); err != nil {
		return out, err
	}
	silent("DELETE FROM mcp_sessions") // which have switched or ended since
	silent("DELETE FROM mcp_connections")
	gone, err := l.removed(c)
	for _, who := range gone {
		l.shut[who.org] = append(l.shut[who.org], who.user)
		count("UPDATE credentials SET revoked_at = created_at WHERE org_id = ? AND user_id = ? AND revoked_at IS NULL",
			who.org, who.user)
		count("UPDATE oauth_grants SET revoked_at = created_at WHERE org_id = ? AND user_id = ? AND revoked_at IS NULL",
			who.org, who.user)
	}
	if out.People = len(gone); err == nil {
		out.Orgs, err = l.closeOrgs(c, beside)
	}
	return out, err
}

// closeOrgs suspends and deletes the orgs of the restored registry that the other one has suspended and deleted. It
// returns the deleted ones. Their ids are never used again.
func (l *losses) closeOrgs(c *sqlitedb.Conn, beside bool) (deleted []loci.OrgID, err error) {
	for _, id := range slices.Sorted(maps.Keys(l.orgs)) {
		mark := l.orgs[id]
		gone := mark.state == "deleting" || mark.state == "deleted"
		there := false
		err := c.Query("SELECT 1 FROM orgs WHERE id = ? AND created_at = ? AND state IN "+sqlstore.OpenStates,
			sqlitedb.Args{id, mark.created}, func(*sqlitedb.Row) error { there = true; return nil })
		if err != nil {
			return nil, err
		}
		if gone && there {
			deleted = append(deleted, loci.OrgID(id))
		}
		switch {
		case there && (mark.state == "suspended" || gone && beside):
			err = c.Exec("UPDATE orgs SET state = 'suspended' WHERE id = ?", id)
		case gone:
			err = c.Exec(`INSERT INTO orgs (id, name, owner_id, state, receipt, created_at)
				VALUES (?, '', ?, 'deleted', nullif(?, ''), ?)
				ON CONFLICT (id) DO UPDATE SET state = 'deleting' WHERE state <> 'deleted' AND created_at = excluded.created_at`,
				id, mark.owner, mark.receipt, mark.created)
		}
		if err != nil {
			return nil, err
		}
	}
	return deleted, nil
}

// closeProjects removes from the projects that both registries have the people who were removed from them.
func (l *losses) closeProjects(c *sqlitedb.Conn) error {
	for id, everyone := range l.projects {
		if !everyone {
			if err := c.Exec("UPDATE projects SET everyone = 0 WHERE id = ?", id); err != nil {
				return err
			}
		}
	}
	type member struct {
		project string
		user    [16]byte
	}
	var out []member
	err := c.Query("SELECT project_id, user_id, project_id || hex(user_id) FROM project_members", nil,
		func(r *sqlitedb.Row) error {
			if _, both := l.projects[r.Text(0)]; both && !l.members[r.Text(2)] {
				out = append(out, member{r.Text(0), r.ID(1)})
			}
			return nil
		})
	for _, m := range out {
		err = errors.Join(err, c.Exec("DELETE FROM project_members WHERE project_id = ? AND user_id = ?", m.project, m.user))
	}
	return err
}

type removed struct {
	org  string
	user [16]byte
}

// removed returns the users of the restored registry whom the other one, with the same org, no
// longer knows. It also records which orgs are the same.
func (l *losses) removed(c *sqlitedb.Conn) (list []removed, err error) {
	l.shut = map[string][][16]byte{}
	err = c.Query("SELECT id, created_at FROM orgs WHERE state IN "+sqlstore.OpenStates, nil, func(r *sqlitedb.Row) error {
		if org, known := l.orgs[r.Text(0)]; known && org.created == r.Int64(1) &&
			(org.state == "active" || org.state == "suspended") {
			l.shut[r.Text(0)] = nil
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = c.Query("SELECT user_id, org_id FROM people", nil, func(r *sqlitedb.Row) error {
		who, org := removed{r.Text(1), r.ID(0)}, l.orgs[r.Text(1)]
		_, there := l.people[who.user]
		if _, both := l.shut[who.org]; both && !there && org.listed {
			list = append(list, who)
		}
		return nil
	})
	return list, err
}

// RetellSessions makes all sessions of a restored directory changes that the logs of events must still learn of. A
// backup copies an org's file and its log one after the other, so the log may know a later state than the org, or an
// earlier one. No process may have the directory open.
func RetellSessions(ctx context.Context, dir string) error {
	files, err := filepath.Glob(orgFileIn(dir, "*"))
	if err != nil {
		return err
	}
	for _, path := range files {
		err := withOrgFile(ctx, path, func(db *sqlitedb.DB) error { return db.Update(ctx, retell) })
		if err != nil {
			return errors.Join(ctx.Err(), fmt.Errorf("%s: %w", filepath.Base(path), translate(err)))
		}
	}
	return nil
}

// retell raises the revisions by more than a session can have changed between the two copies.
func retell(c *sqlitedb.Conn) error {
	err := c.Exec("UPDATE sessions SET revision = revision + 1000000")
	if err == nil {
		err = c.Exec("INSERT INTO session_changes (session_id, revision) SELECT id, revision FROM sessions WHERE TRUE " +
			"ON CONFLICT (session_id) DO UPDATE SET revision = excluded.revision")
	}
	return err
}

// Damaged names the file in an error about its damage or absence, and lets Ready fail with it from
// now on. Other errors stay as they are.
func (s *Store) Damaged(file string, err error) error {
	if loci.CodeOf(err) != "" || !sqlitedb.IsDamage(err) {
		return err
	}
	what := "is damaged"
	if errors.Is(err, sqlitedb.ErrMissing) {
		what = "is missing or empty, but registered"
	}
	err = loci.WrapError(loci.Unavailable, err, "the file %s %s; run: loci doctor", file, what)
	s.damage.CompareAndSwap(nil, &err)
	return err
}

// Warn logs what the log of a file has lost.
func (s *Store) Warn(text string) { s.opts.Log.Error(text + "; run: loci doctor") }

// KeepsEvents records whether an org has an event log, which another package keeps.
func (s *Store) KeepsEvents(ctx context.Context, org loci.OrgID, keeps bool) error {
	return translate(s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("UPDATE orgs SET event_log = ? WHERE id = ?", keeps, string(org))
	}))
}

// EventLogs returns the orgs that have an event log: all, or one if there is an id.
func (s *Store) EventLogs(ctx context.Context, id loci.OrgID) (list []loci.OrgID, err error) {
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		list = nil
		return c.Query("SELECT id FROM orgs WHERE event_log = 1 AND ? IN (id, '') AND state IN "+sqlstore.OpenStates,
			sqlitedb.Args{string(id)}, func(r *sqlitedb.Row) error {
				list = append(list, loci.OrgID(r.Text(0)))
				return nil
			})
	})
	return list, translate(err)
}

// LostEvents returns the event logs that are missing, and the errors about them.
func (s *Store) LostEvents(ctx context.Context) (orgs []loci.OrgID, lost []string, err error) {
	list, err := s.EventLogs(ctx, "")
	for _, org := range list {
		if name := filepath.Join("events", string(org), "log.db"); sqlitedb.IsMissing(filepath.Join(s.opts.Dir, name)) {
			orgs, lost = append(orgs, org), append(lost, s.Damaged(filepath.ToSlash(name), sqlitedb.ErrMissing).Error())
		}
	}
	return orgs, lost, err
}
