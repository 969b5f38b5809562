package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

func newUser(email string) loci.User {
	return loci.User{ID: loci.NewUserID(), OrgID: loci.DefaultOrg, Email: email, Role: loci.RoleUser, OrgRole: loci.Member,
		CreatedAt: oldTime}
}

func addUser(t *testing.T, s *Store, email string) loci.User {
	t.Helper()
	u := newUser(email)
	if err := s.People().Add(bg, u, nil); err != nil {
		t.Fatal(explain(err))
	}
	return u
}

// wantNobody demands that no reader finds the user, nor the address.
func wantNobody(t *testing.T, s *Store, u loci.User) {
	t.Helper()
	_, byID := s.People().ByID(bg, u.ID)
	_, byEmail := s.People().ByEmail(bg, u.Email)
	row := s.View(bg, u.OrgID, func(tx store.Tx) error { _, err := tx.Users().Get(bg, u.ID); return err })
	for _, err := range []error{byID, byEmail, row} {
		if loci.CodeOf(err) != loci.NotFound {
			t.Errorf("by id %v, by e-mail %v, in the org %v: want NotFound", byID, byEmail, row)
		}
	}
}

// rowsOf counts what there is of a user in both files, visible or not.
func rowsOf(t *testing.T, s *Store, u loci.User) (inOrg, inDirectory int) {
	t.Helper()
	count := func(n *int) func(*sqlitedb.Row) error {
		return func(r *sqlitedb.Row) error { *n = r.Int(0); return nil }
	}
	err := s.with(bg, u.OrgID, func(f *orgFile) error {
		return f.DB.View(bg, func(c *sqlitedb.Conn) error {
			_, err := c.One("SELECT count(*) FROM users WHERE id = ?", sqlitedb.Args{[16]byte(u.ID)}, count(&inOrg))
			return err
		})
	})
	err = errors.Join(err, s.meta.View(bg, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT count(*) FROM people WHERE user_id = ?", sqlitedb.Args{[16]byte(u.ID)}, count(&inDirectory))
		return err
	}))
	if err != nil {
		t.Fatal(explain(err))
	}
	return inOrg, inDirectory
}

// An Add that is killed between two steps leaves nobody, and the address is
// free for the next one, with or without a start in between.
func TestAddInterrupted(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]func(*Store, loci.User) error{
		"after the org's file": func(s *Store, u loci.User) error { return s.begin(bg, u) },
		"after the directory": func(s *Store, u loci.User) error {
			return errors.Join(s.begin(bg, u), s.registry.Enlist(bg, u))
		},
		"before the directory ": func(s *Store, u loci.User) error { return s.registry.Enlist(bg, u) }, // as after a restore
	} {
		for _, restart := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s, _ := newStore(t, Options{})
				u := newUser("mara@example.com")
				if err := steps(s, u); err != nil {
					t.Fatal(explain(err))
				}
				wantNobody(t, s, u)
				if restart {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					s = openStore(t, Options{Dir: s.Dir()})
					wantNobody(t, s, u)
					if _, listed := rowsOf(t, s, u); listed != 0 {
						t.Error("the start left the row in the directory")
					}
				}
				again := addUser(t, s, u.Email)
				if who, err := s.People().ByEmail(bg, u.Email); err != nil || who.UserID != again.ID {
					t.Errorf("got %+v, %v", who, err)
				}
				if a, b := rowsOf(t, s, u); a+b != 0 {
					t.Errorf("%d and %d rows are left of the interrupted one", a, b)
				}
			})
		}
	}
}

// An address that a dead process took for nobody can be given to somebody.
func TestSetEmailTakesOver(t *testing.T) {
	t.Parallel()
	s, owner := newStore(t, Options{})
	u := newUser("mara@example.com")
	if err := errors.Join(s.begin(bg, u), s.registry.Enlist(bg, u),
		s.People().SetEmail(bg, loci.DefaultOrg, owner, u.Email)); err != nil {
		t.Fatal(explain(err))
	}
	if who, err := s.People().ByEmail(bg, u.Email); err != nil || who.UserID != owner {
		t.Errorf("got %+v, %v", who, err)
	}
}

// One that is killed when everything is done stays.
func TestAddInterruptedAtTheEnd(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	u := newUser("mara@example.com")
	err := errors.Join(s.begin(bg, u), s.registry.Enlist(bg, u), s.admit(bg, u, nil), s.Close())
	if err != nil {
		t.Fatal(explain(err))
	}
	s = openStore(t, Options{Dir: s.Dir()})
	if who, err := s.People().ByEmail(bg, u.Email); err != nil || who.UserID != u.ID {
		t.Errorf("got %+v, %v", who, err)
	}
	if todo, err := s.unfinished(bg); err != nil || todo.any() {
		t.Errorf("%+v, %v; want nothing unfinished", todo, err)
	}
	if err := s.People().Add(bg, newUser(u.Email), nil); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("another one of that address: %v", err)
	}
}

// While one process changes who belongs where, another one's start leaves its
// half-done work alone.
func TestStartLeavesTheLivingAlone(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	_, leave, err := s.Lock(bg, peopleLock)
	if err != nil {
		t.Fatal(err)
	}
	u := newUser("mara@example.com")
	if err := errors.Join(s.begin(bg, u), s.registry.Enlist(bg, u)); err != nil {
		t.Fatal(explain(err))
	}
	openStore(t, Options{Dir: s.Dir()})
	if a, b := rowsOf(t, s, u); a != 1 || b != 1 {
		t.Errorf("%d and %d rows are left, want both", a, b)
	}
	leave()
	openStore(t, Options{Dir: s.Dir()})
	if a, b := rowsOf(t, s, u); a != 0 || b != 0 {
		t.Errorf("%d and %d rows are left by a dead process, want none", a, b)
	}
}

// Of processes that add one address at once, one wins.
func TestAddBesideOtherProcesses(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	stores := []*Store{s, openStore(t, Options{Dir: s.Dir()}), openStore(t, Options{Dir: s.Dir()})}
	for range 5 {
		email := loci.NewUserID().String() + "@example.com"
		results := make([]error, 2*len(stores))
		var wg sync.WaitGroup
		for i := range results {
			wg.Go(func() { results[i] = stores[i%len(stores)].People().Add(bg, newUser(email), nil) })
		}
		wg.Wait()
		won := 0
		for _, err := range results {
			if err == nil {
				won++
			} else if loci.CodeOf(err) != loci.Conflict {
				t.Error(explain(err))
			}
		}
		if won != 1 {
			t.Errorf("%d won, want 1", won)
		}
	}
}

// A removal that is killed between two steps is finished by the next start, and
// nobody gets in as that person meanwhile.
func TestRemoveInterrupted(t *testing.T) {
	t.Parallel()
	steps := []func(*Store, loci.User) error{
		func(s *Store, u loci.User) error { return s.markLeaving(bg, u.OrgID, u.ID) },
		func(s *Store, u loci.User) error { return s.registry.RevokeAccess(bg, u.OrgID, u.ID) },
		func(s *Store, u loci.User) error { return s.eraseMemories(bg, u.OrgID, u.ID) },
		func(s *Store, u loci.User) error { return s.removeUser(bg, u.OrgID, u.ID, nil) },
	}
	for n := 1; n <= len(steps); n++ {
		s, _ := newStore(t, Options{})
		u := addUser(t, s, "mara@example.com")
		insert(t, s, loci.DefaultOrg, newMemory(u.ID, "a"), newMemory(u.ID, "b"))
		key := loci.Credential{ID: loci.NewCredentialID(), OrgID: u.OrgID, UserID: u.ID, Kind: loci.KindUser,
			Hash: [32]byte{1}, CreatedAt: oldTime}
		if err := s.Credentials().Insert(bg, key); err != nil {
			t.Fatal(explain(err))
		}
		for _, step := range steps[:n] {
			if err := step(s, u); err != nil {
				t.Fatal(explain(err))
			}
		}
		wantNobody(t, s, u)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, Options{Dir: s.Dir()})
		wantNobody(t, s, u)
		if a, b := rowsOf(t, s, u); a+b != 0 {
			t.Errorf("after %d steps and a start: %d and %d rows are left", n, a, b)
		}
		if _, err := s.Credentials().ByHash(bg, key.Hash); loci.CodeOf(err) != loci.NotFound {
			t.Errorf("after %d steps and a start: the key: %v", n, err)
		}
		if got := latest(t, s, loci.DefaultOrg, u.ID); len(got) != 0 {
			t.Errorf("after %d steps and a start: memories %q", n, got)
		}
		addUser(t, s, u.Email)
	}
}

// An address that changed in the directory only is brought to the org's file.
func TestSetEmailInterrupted(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	u := addUser(t, s, "old@example.com")
	err := s.meta.Update(bg, func(c *sqlitedb.Conn) error {
		return c.Exec("UPDATE people SET email = 'new@example.com', settled = 0 WHERE user_id = ?", [16]byte(u.ID))
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Dir: s.Dir()})
	err = s.View(bg, u.OrgID, func(tx store.Tx) error {
		got, err := tx.Users().Get(bg, u.ID)
		if got.Email != "new@example.com" {
			t.Errorf("the org's file says %q", got.Email)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An org that was begun for somebody and never finished does not keep their
// address.
func TestEnsureInterruptedFreesTheAddress(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{Dir: t.TempDir()})
	half := loci.Org{ID: "u-half", OwnerID: loci.NewUserID()}
	owner := loci.User{Email: "mara@example.com"}
	_, _, err := s.register(bg, half, owner)
	if err = errors.Join(err, s.found(bg, half, "")); err != nil {
		t.Fatal(explain(err))
	}
	if _, err := s.People().ByEmail(bg, owner.Email); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("by e-mail: %v", err)
	}
	want := loci.Org{ID: "u-whole", OwnerID: loci.NewUserID()}
	if _, created, err := s.Orgs().Ensure(bg, want, owner); err != nil || !created {
		t.Fatalf("created %v, %v", created, explain(err))
	}
	if who, err := s.People().ByEmail(bg, owner.Email); err != nil || who.OrgID != want.ID {
		t.Errorf("got %+v, %v", who, err)
	}
	if _, err := os.Stat(s.orgPath(half.ID)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file of the abandoned org: %v", err)
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

// Addresses of version 1 come into the directory once, whoever opens it.
func TestListPeopleOfVersion1(t *testing.T) {
	t.Parallel()
	s, owner := newStore(t, Options{})
	other := addUser(t, s, "other@example.com")
	err := errors.Join(
		s.updateOrg(bg, loci.DefaultOrg, func(tx *sqlstore.Tx) error {
			return indexOf(tx).c.Exec("UPDATE users SET email = 'Owner@example.com' WHERE id = ?", [16]byte(owner))
		}),
		s.meta.Update(bg, func(c *sqlitedb.Conn) error {
			return errors.Join(c.Exec("UPDATE orgs SET listed = 0"), c.Exec("UPDATE people SET email = NULL"),
				c.Exec("DELETE FROM people WHERE user_id = ?", [16]byte(other.ID)))
		}), s.Close())
	if err != nil {
		t.Fatal(explain(err))
	}
	for range 2 {
		s = openStore(t, Options{Dir: s.Dir()})
		for email, want := range map[string]loci.UserID{"owner@example.com": owner, "other@example.com": other.ID} {
			if who, err := s.People().ByEmail(bg, email); err != nil || who.UserID != want {
				t.Errorf("%s: %+v, %v", email, who, err)
			}
		}
		if err := s.People().SetEmail(bg, loci.DefaultOrg, other.ID, "other@example.com"); err != nil {
			t.Error(err)
		}
	}
}
