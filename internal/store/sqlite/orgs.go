package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type orgs struct{ s *Store }

// Orgs is the registry of tenants.
func (s *Store) Orgs() store.Orgs { return orgs{s} }

// Ensure takes three steps, each of which may be repeated by any process: a row
// in the registry, the file with its owner, the mark that it is complete. Until
// that mark the org does not exist for anyone.
func (o orgs) Ensure(ctx context.Context, want loci.Org) (got loci.Org, created bool, err error) {
	if err := want.ID.Validate(); err != nil {
		return loci.Org{}, false, err
	}
	got, active, err := o.s.register(ctx, want)
	if err == nil && !active {
		if err = o.s.found(ctx, got); err == nil {
			created, err = o.s.activate(ctx, got.ID)
		}
	}
	if err != nil {
		return loci.Org{}, false, translate(err)
	}
	return got, created, nil
}

// register makes sure that the registry has a row and returns that row, which
// may be another process's.
func (s *Store) register(ctx context.Context, want loci.Org) (got loci.Org, active bool, err error) {
	got, active, err = s.lookUp(ctx, want.ID)
	if loci.CodeOf(err) != loci.NotFound {
		return got, active, err
	}
	if want.OwnerID.IsZero() {
		return loci.Org{}, false, loci.Errorf(loci.Invalid, "a new org needs an owner")
	}
	created := loci.CutTime(want.CreatedAt)
	if created.IsZero() {
		created = loci.CutTime(s.opts.Now())
	}
	err = s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		known, err := c.One("SELECT 1 FROM orgs WHERE id = ?", sqlitedb.Args{string(want.ID)}, func(*sqlitedb.Row) error { return nil })
		if err != nil || known {
			return err
		}
		// Nobody makes the file before the row, so in this transaction a file
		// that is there cannot be another process's new one.
		if err := s.refuseClaimed(ctx, want.ID); err != nil {
			return err
		}
		return c.Exec("INSERT INTO orgs (id, name, owner_id, state, created_at) VALUES (?, ?, ?, 'creating', ?)",
			string(want.ID), want.Name, [16]byte(want.OwnerID), created.UnixMicro())
	})
	if err != nil {
		return loci.Org{}, false, err
	}
	return s.lookUp(ctx, want.ID)
}

// found creates the org's file, or finishes one that was begun. Row and owner
// come in one transaction, so a file with the one has the other, or is not the
// file that this registry began.
func (s *Store) found(ctx context.Context, org loci.Org) (err error) {
	db, err := sqlitedb.Open(ctx, s.orgOptions(org.ID))
	if err != nil {
		return openError("file of org "+string(org.ID), err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var key [16]byte
	_, _ = rand.Read(key[:]) // never fails
	return db.Update(ctx, func(c *sqlitedb.Conn) error {
		owned := false
		begun, err := c.One("SELECT EXISTS (SELECT 1 FROM users WHERE id = ?) FROM org", sqlitedb.Args{[16]byte(org.OwnerID)},
			func(r *sqlitedb.Row) error { owned = r.Bool(0); return nil })
		if begun && !owned && err == nil {
			err = wrongOwner(org.ID)
		}
		if err != nil || begun {
			return err
		}
		if err := c.Exec("INSERT INTO org (one, id, position_key, created_at) VALUES (1, ?, ?, ?)",
			string(org.ID), key, org.CreatedAt.UnixMicro()); err != nil {
			return err
		}
		return c.Exec("INSERT INTO users (id, role, created_at) VALUES (?, ?, ?)",
			[16]byte(org.OwnerID), string(loci.RoleUser), org.CreatedAt.UnixMicro())
	})
}

// activate is true for exactly one caller.
func (s *Store) activate(ctx context.Context, id loci.OrgID) (first bool, err error) {
	err = s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec("UPDATE orgs SET state = 'active' WHERE id = ? AND state = 'creating'", string(id))
		first = c.Changes() == 1
		return err
	})
	return first, err
}

func (o orgs) Get(ctx context.Context, id loci.OrgID) (loci.Org, error) {
	org, active, err := o.s.lookUp(ctx, id)
	if err == nil && !active {
		err = noOrg()
	}
	if err != nil {
		return loci.Org{}, translate(err)
	}
	return org, nil
}

func (o orgs) List(ctx context.Context) (list []loci.Org, err error) {
	err = o.s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		list = nil
		return c.Query("SELECT id, name, owner_id, created_at FROM orgs WHERE state = 'active' ORDER BY id", nil,
			func(r *sqlitedb.Row) error { list = append(list, scanOrg(r)); return nil })
	})
	return list, translate(err)
}

func scanOrg(r *sqlitedb.Row) loci.Org {
	return loci.Org{ID: loci.OrgID(r.Text(0)), Name: r.Text(1), OwnerID: r.ID(2), CreatedAt: timeAt(r, 3)}
}

func noOrg() error { return loci.Errorf(loci.NotFound, "no such org") }

// lookUp returns the registry's row, complete or not, or NotFound.
func (s *Store) lookUp(ctx context.Context, id loci.OrgID) (org loci.Org, active bool, err error) {
	found := false
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) (err error) {
		found, err = c.One("SELECT id, name, owner_id, created_at, state FROM orgs WHERE id = ?", sqlitedb.Args{string(id)},
			func(r *sqlitedb.Row) error { org, active = scanOrg(r), r.Text(4) == "active"; return nil })
		return err
	})
	if err == nil && !found {
		err = noOrg()
	}
	return org, active, err
}

func (s *Store) orgPath(id loci.OrgID) string {
	return filepath.Join(s.opts.Dir, orgsDir, string(id)+".db")
}

func (s *Store) orgOptions(id loci.OrgID) sqlitedb.Options {
	return sqlitedb.Options{Path: s.orgPath(id), Setup: setUpOrg, Migrations: migrations("org"), Now: s.opts.Now}
}

// openFile opens the file of a complete org for files.acquire.
func (s *Store) openFile(ctx context.Context, f *orgFile) error {
	org, active, err := s.lookUp(ctx, f.org)
	if err != nil {
		return err
	}
	if !active {
		return noOrg()
	}
	path := s.orgPath(f.org)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		// Creating an empty one in its place would look like losing everything.
		return loci.WrapError(loci.Unavailable, err,
			"the file %s/%s.db is missing although the org is registered: restore it from a backup", orgsDir, f.org)
	}
	db, err := sqlitedb.Open(ctx, s.orgOptions(f.org))
	if err != nil {
		return openError("file of org "+string(f.org), err)
	}
	if err := f.identify(ctx, db, org.OwnerID); err != nil {
		return openError("file of org "+string(f.org), errors.Join(err, db.Close()))
	}
	f.db = db
	return nil
}

// identify refuses a file that was copied under another org's name, or that
// belongs to another registry.
func (f *orgFile) identify(ctx context.Context, db *sqlitedb.DB, owner loci.UserID) error {
	var id string
	var key [16]byte
	owned := false
	err := db.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT id, position_key, EXISTS (SELECT 1 FROM users WHERE id = ?) FROM org", sqlitedb.Args{[16]byte(owner)},
			func(r *sqlitedb.Row) error { id, key, owned = r.Text(0), r.ID(1), r.Bool(2); return nil })
		return err
	})
	if err != nil {
		return err
	}
	if id != string(f.org) {
		return loci.Errorf(loci.Unavailable, "the file %s/%s.db belongs to org %q: restore the right one from a backup", orgsDir, f.org, id)
	}
	if !owned {
		return wrongOwner(f.org)
	}
	if f.positions, err = newPositions(key); err != nil {
		return fmt.Errorf("position key: %w", err)
	}
	return nil
}
