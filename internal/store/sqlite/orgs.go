package sqlite

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

type orgs struct{ s *Store }

// Orgs is the registry of tenants.
func (s *Store) Orgs() store.Orgs { return orgs{s} }

// openStates are those of an org that exists. Its operator gets in also while
// it is suspended.
const openStates = "('active', 'suspended')"

// Ensure takes three steps, each of which may be repeated by any process: a row
// in the registry, the file with its owner, the mark that it is complete. Until
// that mark the org does not exist for anyone.
func (o orgs) Ensure(ctx context.Context, want loci.Org, owner loci.User) (got loci.Org, created bool, err error) {
	if err := want.ID.Validate(); err != nil {
		return loci.Org{}, false, err
	}
	if !owner.ID.IsZero() && owner.ID != want.OwnerID {
		return loci.Org{}, false, loci.Errorf(loci.Invalid, "the owner of the org is another person")
	}
	if owner.Email != "" {
		leave, err := o.s.alone(ctx)
		if err != nil {
			return loci.Org{}, false, translate(err)
		}
		defer leave()
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

// register makes sure that the registry has a row and returns that row, which
// may be another process's.
func (s *Store) register(ctx context.Context, want loci.Org, owner loci.User) (got loci.Org, state string, err error) {
	got, state, err = s.lookUp(ctx, want.ID)
	if err == nil && (state == "deleting" || state == "deleted") {
		err = loci.Errorf(loci.Conflict, "an org %s was deleted; its id is not used again", want.ID)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return got, state, err
	}
	if want.OwnerID.IsZero() {
		return loci.Org{}, "", loci.Errorf(loci.Invalid, "a new org needs an owner")
	}
	if err := s.vacate(ctx, owner.Email); err != nil {
		return loci.Org{}, "", err
	}
	if err := s.enter(ctx, want, owner.Email); err != nil {
		return loci.Org{}, "", err
	}
	return s.lookUp(ctx, want.ID)
}

// enter writes the org and its owner into the registry, unless it is there.
func (s *Store) enter(ctx context.Context, want loci.Org, email string) error {
	created := loci.CutTime(want.CreatedAt)
	if created.IsZero() {
		created = loci.CutTime(s.opts.Now())
	}
	err := s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		known, err := c.One("SELECT 1 FROM orgs WHERE id = ?", sqlitedb.Args{string(want.ID)}, func(*sqlitedb.Row) error { return nil })
		if err != nil || known {
			return err
		}
		// Nobody makes the file before the row, so in this transaction a file
		// that is there cannot be another process's new one.
		if err := s.refuseClaimed(ctx, want.ID); err != nil {
			return err
		}
		if err := c.Exec("INSERT INTO orgs (id, name, owner_id, state, deletion, workspaces, created_at) VALUES (?, ?, ?, 'creating', ?, ?, ?)",
			string(want.ID), want.Name, [16]byte(want.OwnerID), string(want.Deletion), want.Workspaces, created.UnixMicro()); err != nil {
			return err
		}
		insert := "INSERT INTO people (user_id, org_id, email) VALUES (?, ?, ?)"
		if email == "" {
			insert += " ON CONFLICT (user_id) DO NOTHING" // the directory leads nobody there: there is no address
		}
		return c.Exec(insert, [16]byte(want.OwnerID), string(want.ID), textOrNull(email))
	})
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return sqlstore.ErrTaken(err)
	}
	return err
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// found creates the org's file, or finishes one that was begun. Row and owner
// come in one transaction, so a file with the one has the other, or is not the
// file that this registry began.
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
			[16]byte(org.OwnerID), textOrNull(email), name, org.CreatedAt.UnixMicro())
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
	org, err := o.s.exists(ctx, id)
	return org, translate(err)
}

func (o orgs) List(ctx context.Context) (list []loci.Org, err error) {
	err = o.s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		list = nil
		return c.Query("SELECT "+orgColumns+" FROM orgs o WHERE o.state IN "+openStates+" ORDER BY o.id", nil,
			func(r *sqlitedb.Row) error { list = append(list, scanOrg(r, 0)); return nil })
	})
	return list, translate(err)
}

// Update reads the row in the transaction that writes it: of two who change
// different things at once neither undoes what the other did.
func (o orgs) Update(ctx context.Context, id loci.OrgID, change func(*loci.Org) error) (org loci.Org, err error) {
	err = o.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		found, err := c.One("SELECT "+orgColumns+" FROM orgs o WHERE o.id = ? AND o.state IN "+openStates, sqlitedb.Args{string(id)},
			func(r *sqlitedb.Row) error { org = scanOrg(r, 0); return nil })
		if err == nil && !found {
			err = noOrg()
		}
		if err != nil {
			return err
		}
		was := org
		if err := change(&org); err != nil {
			return err
		}
		if org.State != loci.OrgActive && org.State != loci.OrgSuspended {
			return loci.FieldErrorf("state", "must be one of: active, suspended")
		}
		if org.OwnerID != was.OwnerID {
			if err := belongs(c, id, org.OwnerID); err != nil {
				return err
			}
		}
		return c.Exec("UPDATE orgs SET name = ?, owner_id = ?, state = ?, deletion = ?, workspaces = ?, asset_bytes = ?, asset_total = ?, asset_types = ? WHERE id = ?",
			org.Name, [16]byte(org.OwnerID), string(org.State), string(org.Deletion), org.Workspaces,
			org.Assets.MaxBytes, org.Assets.TotalBytes, toJSON(org.Assets.MediaTypes), string(id))
	})
	if err != nil {
		return loci.Org{}, translate(err)
	}
	return org, nil
}

// belongs refuses an owner who is not there, or not for long: whoever is being
// removed is marked as not settled.
func belongs(c *sqlitedb.Conn, org loci.OrgID, user loci.UserID) error {
	found, err := c.One("SELECT 1 FROM people WHERE user_id = ? AND org_id = ? AND settled = 1", sqlitedb.Args{[16]byte(user), string(org)},
		func(*sqlitedb.Row) error { return nil })
	if err == nil && !found {
		err = loci.Errorf(loci.Invalid, "the owner must be a user of the org")
	}
	return err
}

// orgColumns are read by scanOrg, from column i on.
const orgColumns = "o.id, o.name, o.owner_id, o.state, o.deletion, o.workspaces, o.created_at, o.projects_version, o.asset_bytes, o.asset_total, o.asset_types"

func scanOrg(r *sqlitedb.Row, i int) loci.Org {
	return loci.Org{ID: loci.OrgID(r.Text(i)), Name: r.Text(i + 1), OwnerID: r.ID(i + 2), State: loci.OrgState(r.Text(i + 3)),
		Deletion: loci.Deletion(r.Text(i + 4)), Workspaces: r.Bool(i + 5), CreatedAt: timeAt(r, i+6), ProjectsVersion: r.Int64(i + 7),
		Assets: loci.AssetRules{MaxBytes: r.Int64(i + 8), TotalBytes: r.Int64(i + 9), MediaTypes: typesOf(r.Text(i + 10))}}
}

// typesOf reads what Update wrote; nothing is everything.
func typesOf(text string) (types []string) {
	if text == "[]" {
		return nil
	}
	_ = json.Unmarshal([]byte(text), &types) // a CHECK says that it is a list
	return types
}

func noOrg() error { return loci.Errorf(loci.NotFound, "no such org") }

// lookUp returns the registry's row, in whatever state, or NotFound.
func (s *Store) lookUp(ctx context.Context, id loci.OrgID) (org loci.Org, state string, err error) {
	found := false
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) (err error) {
		found, err = c.One("SELECT "+orgColumns+" FROM orgs o WHERE o.id = ?", sqlitedb.Args{string(id)},
			func(r *sqlitedb.Row) error { org = scanOrg(r, 0); return nil })
		return err
	})
	if err == nil && !found {
		err = noOrg()
	}
	return org, string(org.State), err
}

// exists returns an org that is complete and not being deleted, or NotFound.
func (s *Store) exists(ctx context.Context, id loci.OrgID) (loci.Org, error) {
	org, _, err := s.lookUp(ctx, id)
	if err == nil && org.State != loci.OrgActive && org.State != loci.OrgSuspended {
		err = noOrg()
	}
	if err != nil {
		return loci.Org{}, err
	}
	return org, nil
}

func (s *Store) orgPath(id loci.OrgID) string {
	return filepath.Join(s.opts.Dir, orgsDir, string(id)+".db")
}

func (s *Store) orgOptions(id loci.OrgID) sqlitedb.Options {
	return sqlitedb.Options{Path: s.orgPath(id), Setup: setUpOrg, Migrations: migrations("org"), Now: s.opts.Now}
}

// openFile opens the file of a complete org for files.acquire.
func (s *Store) openFile(ctx context.Context, f *orgFile) error {
	org, err := s.exists(ctx, f.org)
	if err != nil {
		return err
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
		if _, gone := s.exists(ctx, f.org); gone != nil { // deleted since; what was opened is a new, empty file
			return errors.Join(noOrg(), db.Close(), s.removeFiles(f.org))
		}
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
	if f.positions, err = sqlstore.NewPositions(key); err != nil {
		return fmt.Errorf("position key: %w", err)
	}
	return nil
}
