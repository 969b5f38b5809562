package sqlite

import (
	"context"
	"errors"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// eraseFromGraphs erases everything that a person wrote in the org's graphs. It keeps an entity
// that has rows of others, but removes its writer.
func (s *Store) eraseFromGraphs(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	list, err := s.projectsOf(ctx, org)
	if err != nil {
		return err
	}
	for _, p := range list {
		err := s.withGraph(ctx, p, func(db *sqlitedb.DB, _ loci.Project) error { return eraseWriter(ctx, db, user) })
		if err == nil {
			s.Hint(ctx, sqlstore.GraphHint(&p))
		}
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
	}
	return nil
}

// written selects what a person wrote, after a row number.
const written = " WHERE x.user_id = ? AND x.seq > ?"

// lonely holds for an entity without observations and relations. Each part uses an index of
// either live or deleted rows.
const lonely = ` AND NOT EXISTS (SELECT 1 FROM observations WHERE entity_id = x.id AND deleted_at IS NULL)
	AND NOT EXISTS (SELECT 1 FROM observations WHERE entity_id = x.id AND deleted_at IS NOT NULL)
	AND NOT EXISTS (SELECT 1 FROM relations WHERE from_entity = x.id AND deleted_at IS NULL)
	AND NOT EXISTS (SELECT 1 FROM relations WHERE from_entity = x.id AND deleted_at IS NOT NULL)
	AND NOT EXISTS (SELECT 1 FROM relations WHERE to_entity = x.id AND deleted_at IS NULL)
	AND NOT EXISTS (SELECT 1 FROM relations WHERE to_entity = x.id AND deleted_at IS NOT NULL)`

// eraseWriter may be repeated. Its transactions are short, so that writers do not wait.
func eraseWriter(ctx context.Context, db *sqlitedb.DB, user loci.UserID) error {
	for _, of := range []struct{ table, where string }{{"relations", written}, {"observations", written},
		{"entities", written + lonely}} {
		more := true
		for after := int64(0); more; {
			err := db.Update(ctx, func(c *sqlitedb.Conn) (err error) {
				more, err = eraseRows(c, of.table, of.where, user, &after)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return db.Update(ctx, func(c *sqlitedb.Conn) error {
		for _, table := range []string{"entities", "changes"} {
			if err := c.Exec("UPDATE "+table+" SET user_id = ? WHERE user_id = ?", loci.UserID{}.String(),
				user.String()); err != nil {
				return err
			}
		}
		return nil
	})
}

// eraseRows erases one batch with its history and advances after.
func eraseRows(c *sqlitedb.Conn, table, where string, user loci.UserID, after *int64) (more bool, err error) {
	var ids []string
	last := *after
	err = c.Query("SELECT x.id, x.seq FROM "+table+" x"+where+" ORDER BY x.seq LIMIT ?",
		sqlitedb.Args{user.String(), last, eraseBatch},
		func(r *sqlitedb.Row) error { ids, last = append(ids, r.Text(0)), r.Int64(1); return nil })
	if err != nil || len(ids) == 0 {
		return false, err
	}
	err = c.Exec("DELETE FROM changes WHERE row_id IN (SELECT value FROM json_each(?))", sqlstore.ToJSON(ids))
	if err != nil {
		return false, err
	}
	err = withoutCascade(c, func() error {
		return c.Exec("DELETE FROM "+table+" WHERE id IN (SELECT value FROM json_each(?))", sqlstore.ToJSON(ids))
	})
	if err == nil {
		*after = last
	}
	return len(ids) == eraseBatch, err
}

// withoutCascade runs fn without checking for rows that refer to a deleted one. Each index covers
// either live or deleted rows, so that check would read both tables for every entity. fn must
// delete only rows that nothing refers to.
func withoutCascade(c *sqlitedb.Conn, fn func() error) (err error) {
	if _, err := c.Raw().Config(sqlite3.DBCONFIG_ENABLE_FKEY, false); err != nil {
		return err
	}
	defer func() {
		_, on := c.Raw().Config(sqlite3.DBCONFIG_ENABLE_FKEY, true)
		err = errors.Join(err, on)
	}()
	return fn()
}
