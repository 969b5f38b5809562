package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// wantRefusal demands an error for the operator that says each of the words.
func wantRefusal(t *testing.T, err error, words ...string) {
	t.Helper()
	if loci.CodeOf(err) != loci.Unavailable {
		t.Fatalf("got %v with code %q, want code %q", err, loci.CodeOf(err), loci.Unavailable)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestOpenRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(bg, Options{Dir: file})
	wantRefusal(t, err, file, "specify a directory")
	_, err = Open(bg, Options{Dir: filepath.Join(file, "below")})
	wantRefusal(t, err, file)

	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, metaFile), []byte(strings.Repeat("not a database ", 100)),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(bg, Options{Dir: broken})
	wantRefusal(t, err, metaFile, "not an SQLite database")
}

func TestNewerVersion(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	insert(t, s, loci.DefaultOrg, newMemory(user, "kept"))
	ahead := func(c *sqlitedb.Conn) error {
		return c.Exec("INSERT INTO _migrations (number, name, applied_at) SELECT max(number) + 1, 'future', 0 FROM " +
			"_migrations")
	}
	err := s.with(bg, loci.DefaultOrg, func(f *orgFile) error { return f.DB.Update(bg, ahead) })
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Dir: s.Dir()})
	err = s.View(bg, loci.DefaultOrg, func(store.Tx) error { return nil })
	wantRefusal(t, err, "org default", "newer version")
	if err := errors.Join(s.meta.Update(bg, ahead), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Open(bg, Options{Dir: s.Dir()})
	wantRefusal(t, err, metaFile, "newer version")
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	insert(t, s, loci.DefaultOrg, newMemory(user, "a"))
	if err := errors.Join(s.Close(), os.Remove(s.orgPath(loci.DefaultOrg))); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Dir: s.Dir()})
	err := s.View(bg, loci.DefaultOrg, func(store.Tx) error { return nil })
	wantRefusal(t, err, "orgs/default.db", "is missing or empty, but registered", "run: loci doctor")
	if _, err := os.Stat(s.orgPath(loci.DefaultOrg)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty file took its place: %v", err)
	}
	problems, err := s.Check(bg)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Text, "is missing or empty") {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

func TestWrongFile(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	if _, _, err := s.Orgs().Ensure(bg, loci.Org{ID: "other", OwnerID: loci.NewUserID()}, loci.User{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), os.Rename(s.orgPath(loci.DefaultOrg), s.orgPath("other"))); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Dir: s.Dir()})
	wantRefusal(t, s.View(bg, "other", func(store.Tx) error { return nil }), "orgs/other.db", `belongs to org "default"`)
}

func TestPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such modes
	}
	s, user := newStore(t, Options{Dir: filepath.Join(t.TempDir(), "new", "data")})
	insert(t, s, loci.DefaultOrg, newMemory(user, "a"))
	err := filepath.WalkDir(s.Dir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLockAlone(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	openStore(t, Options{Dir: s.Dir()}) // several at once are fine
	if _, err := LockAlone(s.Dir()); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("while it is open: %v", err)
	}
	alone := t.TempDir()
	release, err := LockAlone(alone)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(bg, Options{Dir: alone})
	wantRefusal(t, err, alone, "is restoring it")
	if err := release(); err != nil {
		t.Fatal(err)
	}
	openStore(t, Options{Dir: alone})
}

// An Ensure that stops between two steps leaves an org that nobody sees and
// that the next Ensure finishes with the first one's owner.
func TestEnsureInterrupted(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]func(*Store, loci.Org) error{
		"after the registry": func(s *Store, org loci.Org) error {
			_, _,
				err := s.register(bg, org, loci.User{})
			return err
		},
		"after the file": func(s *Store, org loci.Org) error {
			_, _, err := s.register(bg, org, loci.User{})
			return errors.Join(err, s.found(bg, org, ""))
		},
		"within the file": func(s *Store, org loci.Org) error {
			_, _, err := s.register(bg, org, loci.User{})
			db, open := sqlitedb.Open(bg, s.orgOptions(org.ID))
			return errors.Join(err, open, db.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, Options{Dir: t.TempDir()})
			first := loci.Org{ID: "acme", Name: "Acme", OwnerID: loci.NewUserID(), State: loci.OrgActive,
				CreatedAt: newMemory(loci.UserID{}, "").CreatedAt}
			if err := errors.Join(steps(s, first), s.Close()); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, Options{Dir: s.Dir()})
			if err := s.View(bg, "acme", func(store.Tx) error { return nil }); loci.CodeOf(err) != loci.NotFound {
				t.Errorf("View of a half-made org: %v", err)
			}
			if _, err := s.Orgs().Get(bg, "acme"); loci.CodeOf(err) != loci.NotFound {
				t.Errorf("Get of a half-made org: %v", err)
			}
			if list, err := s.Orgs().List(bg); err != nil || len(list) != 0 {
				t.Errorf("List with a half-made org: %v, %v", list, err)
			}
			key := loci.Credential{ID: loci.NewCredentialID(), OrgID: "acme", UserID: first.OwnerID, Kind: loci.KindUser,
				Name: "k"}
			if err := s.Credentials().Insert(bg, key); loci.CodeOf(err) != loci.NotFound {
				t.Errorf("a key of a half-made org: %v", err)
			}
			got, created, err := s.Orgs().Ensure(bg, loci.Org{ID: "acme", Name: "Second", OwnerID: loci.NewUserID()},
				loci.User{})
			if err != nil || !created || !reflect.DeepEqual(got, first) {
				t.Fatalf("got %+v, created %v, %v; want %+v", got, created, err, first)
			}
			insert(t, s, "acme", newMemory(first.OwnerID, "a"))
		})
	}
}

// More orgs than files may be open: all of them stay usable, and one in use is
// not closed.
func TestFilesAreClosedAndOpenedAgain(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{MaxFiles: 2})
	for _, id := range []loci.OrgID{"a", "b", "c", "d"} {
		if _, _, err := s.Orgs().Ensure(bg, loci.Org{ID: id, OwnerID: user}, loci.User{}); err != nil {
			t.Fatal(err)
		}
	}
	err := s.View(bg, "a", func(tx store.Tx) error {
		for range 2 {
			for _, id := range []loci.OrgID{"b", "c", "d"} {
				insert(t, s, id, newMemory(user, string(id)))
			}
		}
		_, err := tx.Users().Get(bg, user)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := s.files.Len(); n > 2 {
		t.Errorf("%d files are open, want at most 2", n)
	}
	for _, id := range []loci.OrgID{"b", "c", "d"} {
		if got := latest(t, s, id, user); len(got) != 2 {
			t.Errorf("%s has %q", id, got)
		}
	}
}
