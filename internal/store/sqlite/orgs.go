package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

type orgs struct {
	sqlstore.Orgs
	s *Store
}

// Orgs returns the store of orgs.
func (s *Store) Orgs() store.Orgs { return orgs{s.registry.Orgs(), s} }

// Ensure takes three steps, each of which any process may repeat: add a row to the registry, create the file with its
// owner, mark the org as complete. Until then the org does not exist for anyone.
func (o orgs) Ensure(ctx context.Context, want loci.Org, owner loci.User) (got loci.Org, created bool, err error) {
	if err := want.ID.Validate(); err != nil {
		return loci.Org{}, false, err
	}
	if !owner.ID.IsZero() && owner.ID != want.OwnerID {
		return loci.Org{}, false, loci.Errorf(loci.Invalid, "the org has another owner")
	}
	if owner.Email != "" {
		held, leave, err := o.s.Lock(ctx, peopleLock)
		if err != nil {
			return loci.Org{}, false, translate(err)
		}
		defer leave()
		ctx = held
	}
	got, state, err := o.s.register(ctx, want, owner)
	if err == nil && state == "creating" {
		if err = o.s.found(ctx, got, owner.Name); err == nil {
			created, err = o.s.activate(ctx, got.ID)
		}
		got.State = loci.OrgActive
	}
	if err != nil {
		return loci.Org{}, false, translate(err)
	}
	return got, created, nil
}

// register makes sure that the registry has a row and returns that row. Another process may have added it.
func (s *Store) register(ctx context.Context, want loci.Org, owner loci.User) (got loci.Org, state string, err error) {
	got, state, err = s.registry.LookUp(ctx, want.ID)
	if err == nil && (state == "deleting" || state == "deleted") {
		err = loci.Errorf(loci.Conflict, "org %s was deleted; use another id", want.ID)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return got, state, err
	}
	if want.OwnerID.IsZero() {
		return loci.Org{}, "", loci.Errorf(loci.Invalid, "a new org must have an owner")
	}
	if err := s.vacate(ctx, owner.Email); err != nil {
		return loci.Org{}, "", err
	}
	if err := s.enter(ctx, want, owner.Email); err != nil {
		return loci.Org{}, "", err
	}
	return s.registry.LookUp(ctx, want.ID)
}

// enter adds the org and its owner to the registry, unless they are there already.
func (s *Store) enter(ctx context.Context, want loci.Org, email string) error {
	created := loci.CutTime(want.CreatedAt)
	if created.IsZero() {
		created = loci.CutTime(s.opts.Now())
	}
	err := s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		known, err := c.One("SELECT 1 FROM orgs WHERE id = ?", sqlitedb.Args{string(want.ID)},
			func(*sqlitedb.Row) error { return nil })
		if err != nil || known {
			return err
		}
		// No process creates the file before the row. So in this transaction an existing file
		// cannot be another process's new one.
		if err := s.refuseClaimed(ctx, want.ID); err != nil {
			return err
		}
		if err := c.Exec("INSERT INTO orgs (id, name, owner_id, state, deletion, workspaces, created_at) VALUES (?, ?, ?, "+
			"'creating', ?, ?, ?)",
			string(want.ID), want.Name, [16]byte(want.OwnerID), string(want.Deletion), want.Workspaces,
			created.UnixMicro()); err != nil {
			return err
		}
		insert := "INSERT INTO people (user_id, org_id, email) VALUES (?, ?, ?)"
		if email == "" {
			insert += " ON CONFLICT (user_id) DO NOTHING" // the directory leads nobody there: there is no address
		}
		return c.Exec(insert, [16]byte(want.OwnerID), string(want.ID), sqlstore.TextOrNull(email))
	})
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return sqlstore.ErrTaken()
	}
	return err
}

// found creates the org's file, or finishes one that was begun. One transaction writes both the org's row and the
// owner, so a file with only one of them is not the one that this registry began.
func (s *Store) found(ctx context.Context, org loci.Org, name string) (err error) {
	email, err := s.emailOf(ctx, org.ID, org.OwnerID)
	if err != nil {
		return err
	}
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
		return c.Exec("INSERT INTO users (id, email, name, role, org_role, created_at) VALUES (?, ?, ?, 'user', 'owner', ?)",
			[16]byte(org.OwnerID), sqlstore.TextOrNull(email), name, org.CreatedAt.UnixMicro())
	})
}

// activate returns true to exactly one caller.
func (s *Store) activate(ctx context.Context, id loci.OrgID) (first bool, err error) {
	err = s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec("UPDATE orgs SET state = 'active' WHERE id = ? AND state = 'creating'", string(id))
		first = c.Changes() == 1
		return err
	})
	return first, err
}

func (s *Store) orgPath(id loci.OrgID) string {
	return filepath.Join(s.opts.Dir, orgsDir, string(id)+".db")
}

func (s *Store) orgOptions(id loci.OrgID) sqlitedb.Options {
	return sqlitedb.Options{Path: s.orgPath(id), Setup: setUpOrg, Migrations: migrations("org"), Common: commonTables,
		Now: s.opts.Now, ReadOnly: s.opts.ReadOnly, Warn: s.Warn}
}

// commonTables change with most requests, and say nothing of the org itself, its people and workspaces.
var commonTables = []string{"agents", "audit", "candidate_sessions", "candidate_versions", "candidates", "feed",
	"idempotency", "memories", "memory_postings", "memory_versions", "session_changes", "sessions", "sources",
	"suggestions"}

func (s *Store) openFile(ctx context.Context, f *orgFile) error {
	if err := s.meta.InPlace(); err != nil {
		return err
	}
	org, err := s.registry.Exists(ctx, f.org)
	if err != nil {
		return err
	}
	o := s.orgOptions(f.org)
	o.Exists = true // an empty file in its place would look as if all data were lost
	db, err := sqlitedb.Open(ctx, o)
	if sqlitedb.IsDamage(err) {
		return err
	}
	if err != nil {
		return openError("file of org "+string(f.org), err)
	}
	positions, err := f.identify(ctx, db, org.OwnerID)
	if err != nil {
		if _, gone := s.registry.Exists(ctx, f.org); gone != nil { // deleted since; the opened file is new and empty
			return errors.Join(sqlstore.NoOrg(), db.Close(), s.removeFiles(f.org))
		}
		return openError("file of org "+string(f.org), errors.Join(err, db.Close()))
	}
	f.options = &sqlstore.Options{Org: f.org, Now: s.opts.Now, Positions: positions, NewIndex: f.newIndex,
		KeepBlob: s.keepBlob}
	f.now = f.stamp
	f.DB = db
	return nil
}

// identify rejects a file that was copied under another org's name or that belongs to another
// registry. It returns the key with which the file encrypts positions.
func (f *orgFile) identify(ctx context.Context, db *sqlitedb.DB, owner loci.UserID) (p sqlstore.Positions, err error) {
	var id string
	var key [16]byte
	owned := false
	err = db.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT id, position_key, EXISTS (SELECT 1 FROM users WHERE id = ?) FROM org",
			sqlitedb.Args{[16]byte(owner)},
			func(r *sqlitedb.Row) error { id, key, owned = r.Text(0), r.ID(1), r.Bool(2); return nil })
		return err
	})
	if err != nil {
		return p, err
	}
	if id != string(f.org) {
		return p, loci.Errorf(loci.Unavailable, "the file %s/%s.db belongs to org %q; restore the right file from a backup",
			orgsDir, f.org, id)
	}
	if !owned {
		return p, wrongOwner(f.org)
	}
	if p, err = sqlstore.NewPositions(key); err != nil {
		return p, fmt.Errorf("cannot use the position key: %w", err)
	}
	return p, nil
}

type orgFile struct {
	sqlitedb.Pooled
	org     loci.OrgID
	options *sqlstore.Options          // for its transactions
	now     func() (store.Stamp, bool) // stamp as a value, which would be made for each transaction
	// seen is Steady of the file when it had the org's own row; nil: not seen yet.
	seen   atomic.Pointer[sqlitedb.Stamp]
	counts *counts
}

func newOrgFile(key string) *orgFile {
	return &orgFile{org: loci.OrgID(key), counts: memo.New[countKey, store.Stamp, rangeCount](maxCounts)}
}

// Scan runs fn in one read transaction on org's file, on a connection that View never uses.
func (s *Store) Scan(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return s.with(ctx, org, func(f *orgFile) error {
		return f.DB.Scan(ctx, func(c *sqlitedb.Conn) error { return s.run(f, c, fn) })
	})
}
