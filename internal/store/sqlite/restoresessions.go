package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

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
