package sqlite

import (
	"context"
	"errors"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// eraseFromGraphs erases what a person wrote in the org's graphs. An entity on
// which others wrote something stays, without a writer.
func (s *Store) eraseFromGraphs(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	list, err := s.projectsOf(ctx, org)
	if err != nil {
		return err
	}
	for _, p := range list {
		err := s.withGraph(ctx, p, func(db *sqlitedb.DB, _ loci.Project) error { return eraseWriter(ctx, db, user) })
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
	}
	return nil
}

// written selects what a person wrote behind a row's number.
const written = " WHERE x.user_id = ? AND x.seq > ?"

// lonely holds for an entity on which nothing hangs. Each part has an index that is
// of live rows or of deleted ones.
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

// eraseRows erases one batch with its history, and moves after behind it.
func eraseRows(c *sqlitedb.Conn, table, where string, user loci.UserID, after *int64) (more bool, err error) {
	var ids []string
	last := *after
	err = c.Query("SELECT x.id, x.seq FROM "+table+" x"+where+" ORDER BY x.seq LIMIT ?",
		sqlitedb.Args{user.String(), last, eraseBatch},
		func(r *sqlitedb.Row) error { ids, last = append(ids, r.Text(0)), r.Int64(1); return nil })
	if err != nil || len(ids) == 0 {
		return false, err
	}
	if err := c.Exec("DELETE FROM changes WHERE row_id IN (SELECT value FROM json_each(?))", jsonList(ids)); err != nil {
		return false, err
	}
	err = withoutCascade(c, func() error {
		return c.Exec("DELETE FROM "+table+" WHERE id IN (SELECT value FROM json_each(?))", jsonList(ids))
	})
	if err == nil {
		*after = last
	}
	return len(ids) == eraseBatch, err
}

// withoutCascade runs fn without looking for what hangs on a row: none of the indexes is
// of live and deleted rows, so that would read both tables for every entity. fn deletes only
// that on which nothing hangs.
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
