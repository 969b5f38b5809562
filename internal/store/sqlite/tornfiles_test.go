package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// lose moves the registry of a closed store away and returns where it is.
func lose(t *testing.T, dir string) (kept string) {
	t.Helper()
	kept = filepath.Join(t.TempDir(), metaFile)
	if err := os.Rename(filepath.Join(dir, metaFile), kept); err != nil {
		t.Fatal(err)
	}
	return kept
}

// A lost registry must not be replaced by an empty one, whose new owner would
// not see a thing.
func TestLostRegistry(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	insert(t, s, loci.DefaultOrg, newMemory(user, "precious"))
	dir := s.Dir()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	kept := lose(t, dir)
	_, err := Open(bg, Options{Dir: dir})
	wantRefusal(t, err, dir, "_meta.db is missing", "orgs/default.db")
	if _, err := os.Stat(filepath.Join(dir, metaFile)); err == nil {
		t.Error("the refusal made a new registry")
	}
	if IsNew(dir) {
		t.Error("the directory counts as new")
	}
	if err := os.Rename(kept, filepath.Join(dir, metaFile)); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Dir: dir})
	if got := latest(t, s, loci.DefaultOrg, user); len(got) != 1 {
		t.Errorf("with the registry back: %q", got)
	}
}

// foreign returns the directory of a store that knows org "mine", with a file
// of org "theirs" in it that another registry made for user.
func foreign(t *testing.T) (dir string, user loci.UserID) {
	t.Helper()
	theirs, user := openStore(t, Options{Dir: t.TempDir()}), loci.NewUserID()
	_, _, err := theirs.Orgs().Ensure(bg, loci.Org{ID: "theirs", OwnerID: user}, loci.User{})
	if err != nil {
		t.Fatal(err)
	}
	insert(t, theirs, "theirs", newMemory(user, "precious"))
	mine := openStore(t, Options{Dir: t.TempDir()})
	_, _, err = mine.Orgs().Ensure(bg, loci.Org{ID: "mine", OwnerID: loci.NewUserID()}, loci.User{})
	if err = errors.Join(err, mine.Close(), theirs.Close(),
		os.Rename(theirs.orgPath("theirs"), mine.orgPath("theirs"))); err != nil {
		t.Fatal(err)
	}
	return mine.Dir(), user
}

func TestFileOfUnknownOrgIsNotAdopted(t *testing.T) {
	t.Parallel()
	dir, user := foreign(t)
	s := openStore(t, Options{Dir: dir})
	problems, err := s.Check(bg)
	if err != nil || len(problems) != 1 ||
		!strings.Contains(problems[0].Text, "orgs/theirs.db exists, but _meta.db has no such org") {
		t.Errorf("Check: %q, %v", problems, err)
	}
	for _, owner := range []loci.UserID{loci.NewUserID(), user} {
		_, _, err := s.Orgs().Ensure(bg, loci.Org{ID: "theirs", OwnerID: owner}, loci.User{})
		wantRefusal(t, err, "orgs/theirs.db", "put back the _meta.db")
	}
	if list, err := s.Orgs().List(bg); err != nil || len(list) != 1 {
		t.Errorf("after the refusal: %v, %v", list, err)
	}
	if _, _, err := s.registry.LookUp(bg, "theirs"); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("the refused org is registered: %v", err)
	}
}

// A registry that was replaced after it had named another owner is not
// believed: not while the org is being made, and not later.
func TestFileOfAnotherOwner(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"creating", "active"} {
		t.Run(state, func(t *testing.T) {
			dir, _ := foreign(t)
			s := openStore(t, Options{Dir: dir})
			owner := loci.NewUserID()
			c, err := sqlitedb.Open(bg, metaOptions(Options{Dir: dir, Now: s.opts.Now}, nil))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			err = c.Update(bg, func(c *sqlitedb.Conn) error {
				return c.Exec("INSERT INTO orgs (id, name, owner_id, state, created_at) VALUES ('theirs', '', ?, ?, 0)",
					[16]byte(owner), state)
			})
			if err != nil {
				t.Fatal(err)
			}
			if state == "creating" {
				_, _, err = s.Orgs().Ensure(bg, loci.Org{ID: "theirs", OwnerID: owner}, loci.User{})
			} else {
				err = s.View(bg, "theirs", func(store.Tx) error { return nil })
				problems, err := s.Check(bg)
				if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Text, "a different owner") {
					t.Errorf("Check: %q, %v", problems, err)
				}
			}
			wantRefusal(t, err, "orgs/theirs.db", "a different owner than in _meta.db")
		})
	}
}

func TestIsNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if !IsNew(dir) || !IsNew(filepath.Join(dir, "absent")) {
		t.Error("an empty directory is not new")
	}
	if err := os.WriteFile(filepath.Join(dir, restoreJournal), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if IsNew(dir) {
		t.Error("a directory that is being restored is new")
	}
	_, err := Open(bg, Options{Dir: dir})
	wantRefusal(t, err, "restore of a backup was interrupted")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the refusal left %v, %v; want nothing but the lock beside the journal", entries, err)
	}
	if err := os.Remove(filepath.Join(dir, restoreJournal)); err != nil {
		t.Fatal(err)
	}
	_ = openStore(t, Options{Dir: dir})
	if IsNew(dir) {
		t.Error("a directory with a registry is new")
	}
}
