package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// finish completes what a killed process left half done. It logs failures and the next start
// tries again, because the rest of the directory is usable.
func (s *Store) finish(ctx context.Context) {
	todo, err := s.unfinished(ctx)
	if err == nil && !todo.any() {
		return
	}
	var leave func()
	if err == nil {
		ctx, leave, err = s.TryLock(ctx, peopleLock)
	}
	if loci.CodeOf(err) == loci.Conflict {
		return // the half-done change may belong to a process that is running
	}
	if err == nil {
		defer leave()
		todo, err = s.unfinished(ctx) // another process may have finished it meanwhile
	}
	if err != nil {
		s.report(ctx, "reading what is unfinished", err)
		return
	}
	for _, id := range todo.deleting {
		_, err := s.deleteOrg(ctx, id)
		s.report(ctx, "deleting org "+string(id), err)
	}
	for _, id := range todo.unlisted {
		s.report(ctx, "listing the people of org "+string(id), s.listPeople(ctx, id))
	}
	for _, who := range todo.people {
		s.report(ctx, "settling user "+who.UserID.String(), s.settle(ctx, who))
	}
}

func (s *Store) report(ctx context.Context, what string, err error) {
	if err != nil {
		s.opts.Log.WarnContext(ctx, what+" failed; the next start tries again", "error", err)
	}
}

type unfinished struct {
	deleting []loci.OrgID
	unlisted []loci.OrgID // written by a version without a directory
	people   []loci.Person
}

func (u unfinished) any() bool { return len(u.deleting)+len(u.unlisted)+len(u.people) > 0 }

func (s *Store) unfinished(ctx context.Context) (u unfinished, err error) {
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		u = unfinished{}
		return c.Query("SELECT id, state FROM orgs WHERE state = 'deleting' OR listed = 0 AND state IN "+sqlstore.OpenStates,
			nil, func(r *sqlitedb.Row) error {
				if id := loci.OrgID(r.Text(0)); r.Text(1) == "deleting" {
					u.deleting = append(u.deleting, id)
				} else {
					u.unlisted = append(u.unlisted, id)
				}
				return nil
			})
	})
	if err == nil {
		u.people, err = s.registry.UnsettledPeople(ctx)
	}
	return u, err
}

// listPeople adds to the directory the users of an org that an earlier version created. If two
// orgs have the same address, it stays with the first.
func (s *Store) listPeople(ctx context.Context, org loci.OrgID) error {
	var list []loci.Person
	err := s.with(ctx, org, func(f *orgFile) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error {
			list = nil
			return c.Query("SELECT id, lower(email) FROM users WHERE state IN ('active', 'disabled') ORDER BY id", nil,
				func(r *sqlitedb.Row) error {
					list = append(list, loci.Person{UserID: r.ID(0), OrgID: org, Email: r.Text(1)})
					return nil
				})
		})
	})
	if err != nil {
		return err
	}
	return s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		for _, who := range list {
			if err := c.Exec("INSERT INTO people (user_id, org_id) VALUES (?, ?) ON CONFLICT DO NOTHING", [16]byte(who.UserID),
				string(org)); err != nil {
				return err
			}
			if err := c.Exec("UPDATE OR IGNORE people SET email = ? WHERE user_id = ? AND org_id = ? AND email IS NULL",
				sqlstore.TextOrNull(who.Email), [16]byte(who.UserID), string(org)); err != nil {
				return err
			}
		}
		return c.Exec("UPDATE orgs SET listed = 1 WHERE id = ?", string(org))
	})
}
