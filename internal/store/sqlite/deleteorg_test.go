package sqlite

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// wantDeleted demands that nothing is left of the default org but its tombstone.
func wantDeleted(t *testing.T, s *Store, want store.Receipt) {
	t.Helper()
	got, err := s.Orgs().Delete(bg, loci.DefaultOrg)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("receipt: %v (-want +got):\n%s", err, diff)
	}
	names, err := filepath.Glob(filepath.Join(s.Dir(), orgsDir, "default.*"))
	if err != nil || len(names) != 0 {
		t.Errorf("files are left: %v, %v", names, err)
	}
	for _, table := range []string{"people", "credentials", "oauth_grants", "invitations"} {
		err := s.meta.View(bg, func(c *sqlitedb.Conn) error {
			return c.Query("SELECT 1 FROM "+table+" WHERE org_id = 'default'", nil, func(*sqlitedb.Row) error {
				t.Errorf("%s has a row of the deleted org", table)
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

// A deletion that is killed between two steps is finished by the next start.
func TestDeleteOrgInterrupted(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 5; n++ {
		opts := Options{Dir: t.TempDir(), Now: func() time.Time { return oldTime }}
		s, user := newStore(t, opts)
		insert(t, s, loci.DefaultOrg, newMemory(user, "a"), newMemory(user, "b"))
		if err := s.Credentials().Insert(bg,
			loci.Credential{ID: loci.NewCredentialID(), OrgID: loci.DefaultOrg, UserID: user, Kind: loci.KindUser}); err != nil {
			t.Fatal(explain(err))
		}
		r := store.Receipt{OrgID: loci.DefaultOrg, DeletedAt: oldTime}
		for _, step := range []func() error{
			func() error { return s.markDeleting(bg, loci.DefaultOrg) },
			func() error { return s.entomb(bg, &r) },
			func() error { return errors.Join(s.files.Drop(string(loci.DefaultOrg)), s.removeRows(bg, &r)) },
			func() error { return os.Remove(s.orgPath(loci.DefaultOrg)) },
			func() error { return s.removeFiles(loci.DefaultOrg) },
		}[:n] {
			if err := step(); err != nil {
				t.Fatal(explain(err))
			}
		}
		if err := s.View(bg, loci.DefaultOrg, func(store.Tx) error { return nil }); n > 1 &&
			loci.CodeOf(err) != loci.NotFound {
			t.Errorf("View after %d steps: %v", n, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, opts)
		if todo, err := s.unfinished(bg); err != nil || todo.any() {
			t.Errorf("after %d steps and a start: %+v, %v", n, todo, err)
		}
		got, _, err := s.receipt(bg, loci.DefaultOrg)
		if want := (store.Receipt{OrgID: loci.DefaultOrg, DeletedAt: oldTime, Users: 1, Memories: 2, Credentials: 1,
			Files: got.Files}); got != want || err != nil {
			t.Errorf("after %d steps: got %+v, %v, want %+v", n, got, err, want)
		}
		wantDeleted(t, s, got)
	}
}

// A process that has the org's file open is stopped by another one's deletion.
// A process that is killed while it makes a file leaves the journal of it.
func TestDeleteOrgRemovesJournal(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	journal := s.orgPath(loci.DefaultOrg) + "-journal"
	if err := os.WriteFile(journal, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.removeFiles(loci.DefaultOrg); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(journal); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is there still: %v", err)
	}
}

func TestDeleteOrgStopsOtherProcesses(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	insert(t, s, loci.DefaultOrg, newMemory(user, "a"))
	other := openStore(t, Options{Dir: s.Dir()})
	insert(t, other, loci.DefaultOrg, newMemory(user, "b"))
	r, err := s.Orgs().Delete(bg, loci.DefaultOrg)
	if err != nil || r.Memories != 2 {
		t.Fatalf("got %+v, %v", r, explain(err))
	}
	none := func(store.Tx) error { t.Error("a function ran in a deleted org"); return nil }
	for _, run := range []func() error{
		func() error { return other.View(bg, loci.DefaultOrg, none) },
		func() error { return other.Update(bg, loci.DefaultOrg, none) },
		func() error { _, err := other.Orgs().Get(bg, loci.DefaultOrg); return err },
	} {
		if err := run(); loci.CodeOf(err) != loci.NotFound {
			t.Errorf("got %v, want NotFound", err)
		}
	}
	wantDeleted(t, other, r)
}

// Of requests under way in the org, each either happens or finds no org.
func TestDeleteOrgUnderLoad(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	insert(t, s, loci.DefaultOrg, newMemory(user, "a"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				m := newMemory(user, "more")
				err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error { return tx.Memories().Insert(bg, m) })
				if loci.CodeOf(err) == loci.NotFound {
					return
				}
				if err != nil {
					t.Errorf("%v", explain(err))
					return
				}
			}
		})
	}
	r, err := s.Orgs().Delete(bg, loci.DefaultOrg)
	if err != nil {
		t.Fatal(explain(err))
	}
	wg.Wait()
	wantDeleted(t, s, r)
}

func TestExportOrg(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	insert(t, s, loci.DefaultOrg, newMemory(user, "a"))
	dir := filepath.Join(t.TempDir(), "copy")
	if err := s.Orgs().Export(bg, loci.DefaultOrg, dir, noEvents); err != nil {
		t.Fatal(explain(err))
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	var m manifest
	if err = errors.Join(err, json.Unmarshal(text, &m)); err != nil || m.Org.ID != loci.DefaultOrg ||
		!slices.Equal(m.Files, []string{"default.db", eventsFile}) {
		t.Fatalf("manifest %+v, %v", m, err)
	}
	db, err := sqlitedb.Open(bg,
		sqlitedb.Options{Path: filepath.Join(dir, m.Files[0]), Setup: setUpOrg, Migrations: migrations("org")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	n := 0
	err = db.View(bg, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT count(*) FROM memories", nil, func(r *sqlitedb.Row) error { n = r.Int(0); return nil })
		return err
	})
	if n != 1 || err != nil {
		t.Errorf("%d memories, %v, want 1", n, err)
	}
}

// From the first step on no session of who goes works on anything, in any process.
func TestLeavingClosesSessions(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]func(*Store, loci.UserID) error{
		"an org":   func(s *Store, _ loci.UserID) error { return s.markDeleting(bg, loci.DefaultOrg) },
		"a person": func(s *Store, user loci.UserID) error { return s.markLeaving(bg, loci.DefaultOrg, user) },
	} {
		s, p := newProject(t, Options{})
		user := loci.User{ID: loci.NewUserID(), OrgID: p.OrgID, Email: "a@example.com"}
		if err := s.People().Add(bg, user, nil); err != nil {
			t.Fatal(explain(err))
		}
		session := store.Connection{Key: [32]byte{1}, OrgID: p.OrgID, UserID: user.ID, ProjectID: p.ID, UsedAt: p.CreatedAt}
		if err := errors.Join(s.Connections().Put(bg, session), step(s, user.ID)); err != nil {
			t.Fatal(explain(err))
		}
		left := -1
		err := s.meta.View(bg, func(c *sqlitedb.Conn) error {
			_, err := c.One("SELECT count(*) FROM mcp_sessions", nil,
				func(r *sqlitedb.Row) error { left = r.Int(0); return nil })
			return err
		})
		if left != 0 || err != nil {
			t.Errorf("%s: %d sessions are left, %v", name, left, err)
		}
	}
}

// TestReadsOfDeletedOrg has an org that another process deletes, between two reads and during one.
func TestReadsOfDeletedOrg(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "during", "during, in a kept snapshot", "after its snapshot"} {
		opts := Options{Dir: t.TempDir()}
		s, user := newStore(t, opts)
		m := newMemory(user, "a")
		insert(t, s, loci.DefaultOrg, m)
		other := openStore(t, opts)
		entomb := func() {
			if err := other.entomb(bg, &store.Receipt{OrgID: loci.DefaultOrg}); err != nil {
				t.Fatal(explain(err))
			}
		}
		read := func(step string) error {
			return s.View(bg, loci.DefaultOrg, func(tx store.Tx) error {
				get := func() error {
					_, err := tx.Memories().Get(bg, loci.Viewer{OrgID: loci.DefaultOrg, UserID: user}, m.ID, loci.LiveOnly)
					return err
				}
				if strings.HasPrefix(step, "during") {
					entomb()
				}
				err := get()
				if step == "after its snapshot" {
					entomb()
					err = errors.Join(err, get())
				}
				return err
			})
		}
		for range 2 { // the second finds what the first has seen
			if err := read(""); err != nil {
				t.Fatal(explain(err))
			}
		}
		if when == "before" {
			entomb()
		}
		if when == "during" { // a read that fails keeps no snapshot
			_ = s.View(bg, loci.DefaultOrg, func(store.Tx) error { return errors.New("failed") })
		}
		err := read(when)
		if had := strings.Contains(when, "snapshot"); had && err != nil || !had && loci.CodeOf(err) != loci.NotFound {
			t.Errorf("%s: got %v", when, err)
		}
		if err := read(""); loci.CodeOf(err) != loci.NotFound {
			t.Errorf("%s, then again: got %v", when, err)
		}
	}
}

// noEvents writes those of an org without any.
func noEvents(io.Writer) error { return nil }
