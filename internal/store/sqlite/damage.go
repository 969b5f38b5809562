package sqlite

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

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
