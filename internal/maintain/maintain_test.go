package maintain_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

func openStore(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// seed makes an org with n memories, trashed at the given time unless zero.
func seed(t *testing.T, st store.Store, n int, trashed time.Time) loci.Org {
	t.Helper()
	org, _, err := st.Orgs().Ensure(t.Context(),
		loci.Org{ID: loci.DefaultOrg, OwnerID: loci.NewUserID(), CreatedAt: start}, loci.User{})
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), org.ID, func(tx store.Tx) error {
		for range n {
			m := &loci.Memory{ID: loci.NewMemoryID(), Title: "t", Content: "c", CreatedAt: start, UpdatedAt: start,
				State: loci.State{Version: 1, Change: loci.Created, Editor: "cli"}}
			m.OrgID, m.UserID, m.Origin, m.DeletedAt = org.ID, org.OwnerID, "cli", trashed
			m.SetDefaults()
			if err := tx.Memories().Insert(t.Context(), m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return org
}

func count(t *testing.T, st store.Store, org loci.Org) int {
	t.Helper()
	var page store.Page
	err := st.View(t.Context(), org.ID, func(tx store.Tx) (err error) {
		v := loci.Viewer{OrgID: org.ID, UserID: org.OwnerID}
		page, err = tx.Lists().List(t.Context(), v,
			store.ListQuery{Filter: store.Filter{Lifecycle: loci.AnyState}, Limit: 1, Total: true})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return page.Total
}

func TestPurgeTakesOnlyWhatIsOldEnough(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 450, start) // more than two batches
	seed(t, st, 3, start.Add(time.Hour))
	seed(t, st, 2, time.Time{})
	month := start.AddDate(0, 0, loci.TrashDays)
	for _, tt := range []struct {
		name       string
		now        time.Time
		want, left int
	}{
		{"on the very moment", month, 0, 455},
		{"just after", month.Add(time.Microsecond), 450, 5},
		{"again", month.Add(time.Microsecond), 0, 5},
		{"the others", month.Add(2 * time.Hour), 3, 2},
		{"never what is alive", month.AddDate(10, 0, 0), 0, 2},
	} {
		got, err := maintain.Purge(t.Context(), st, tt.now)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %d, %v; want %d", tt.name, got, err, tt.want)
		}
		if left := count(t, st, org); left != tt.left {
			t.Errorf("%s: %d left, want %d", tt.name, left, tt.left)
		}
	}
}

// calls is a store whose registry of orgs tells when it was asked. The jobs
// begin with it.
type calls struct {
	store.Store
	at  []time.Duration
	err error
	now func() time.Duration
}

func (c *calls) Orgs() store.Orgs { return &listed{c.Store.Orgs(), c} }

type listed struct {
	store.Orgs
	c *calls
}

func (l *listed) List(context.Context) ([]loci.Org, error) {
	l.c.at = append(l.c.at, l.c.now())
	return nil, l.c.err
}

func TestRunsAtStartAndEveryDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := openStore(t, t.TempDir())
		begin := time.Now()
		var log bytes.Buffer
		c := &calls{Store: st, err: errors.New("no disk"), now: func() time.Duration { return time.Since(begin) }}
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Hour)
		defer cancel()
		maintain.New(maintain.Options{Store: c, Log: slog.New(slog.NewTextHandler(&log, nil))}).Run(ctx)
		if want := []time.Duration{0, 24 * time.Hour, 48 * time.Hour}; !slices.Equal(slices.Compact(c.at), want) {
			t.Errorf("the job ran at %v, want %v", c.at, want)
		}
		if time.Since(begin) != 60*time.Hour {
			t.Errorf("Run ended after %v, want as soon as its context did", time.Since(begin))
		}
		if got := strings.Count(log.String(), "emptying the trash of what was in it too long failed"); got != 3 {
			t.Errorf("the failure was logged %d times, want 3: %s", got, &log)
		}
	})
}

// TestJobsRunOnce lets two processes maintain one store. Each turn of a job runs in one of them.
func TestJobsRunOnce(t *testing.T) {
	run := func(t *testing.T, processes int) (turns int) {
		synctest.Test(t, func(t *testing.T) {
			dir, begin := t.TempDir(), time.Now()
			all := make([]*calls, processes)
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Hour)
			defer cancel()
			var wg sync.WaitGroup
			for i := range all {
				all[i] = &calls{Store: openStore(t, dir), now: func() time.Duration { return time.Since(begin) }}
				m := maintain.New(maintain.Options{Store: all[i]})
				wg.Go(func() {
					<-time.After(time.Duration(i) * time.Minute) // later, so that it finds what was done
					m.Run(ctx)
				})
			}
			wg.Wait()
			for _, c := range all {
				turns += len(c.at)
			}
		})
		return turns
	}
	if one, two := run(t, 1), run(t, 2); one == 0 || two != one {
		t.Errorf("one process lists the orgs %d times, and two %d times; want as often", one, two)
	}
}

// TestAJobOfAnotherProcess leaves out a job that another process does, until that process ends.
func TestAJobOfAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		st, other := openStore(t, dir), openStore(t, dir)
		if _, _, err := other.Lock(t.Context(), "job/trash.purge"); err != nil {
			t.Fatal(err)
		}
		ran := func(within time.Duration) bool {
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			maintain.New(maintain.Options{Store: st}).Run(ctx)
			list, err := st.Jobs().List(t.Context())
			if err != nil || len(list) < 7 {
				t.Errorf("%d jobs ran, %v; want the others", len(list), err)
			}
			return slices.ContainsFunc(list, func(j store.Job) bool { return j.Name == "trash.purge" })
		}
		if ran(3 * time.Hour) {
			t.Error("the job ran in two processes")
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if !ran(time.Minute) {
			t.Error("the job did not run after the other process ended")
		}
	})
}

func newBackups(dir string) *maintain.Backups {
	return &maintain.Backups{Dir: dir, Program: "test", Now: func() time.Time { return start },
		Carry: sqlite.CarryRevocations,
		Check: func(ctx context.Context, dir string) ([]string, error) {
			st, err := sqlite.Open(ctx, sqlite.Options{Dir: dir})
			if err != nil {
				return []string{err.Error()}, nil
			}
			defer st.Close()
			found, err := st.Check(ctx)
			var texts []string
			for _, problem := range found {
				texts = append(texts, problem.Text)
			}
			return texts, err
		}}
}

func TestBackupsOfOneSecondHaveTheirOwnNames(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	seed(t, st, 1, time.Time{})
	b := newBackups(dir)
	for _, want := range []string{"2026-03-01T120000Z", "2026-03-01T120000Z-2"} {
		got, err := b.Create(t.Context(), st.Backup)
		if err != nil || got.Name != want {
			t.Fatalf("got %+v, %v; want the name %s", got, err, want)
		}
		if problems, err := b.Verify(t.Context(), got); err != nil || len(problems) > 0 {
			t.Errorf("verify: %v, %v", problems, err)
		}
	}
	all, err := b.List()
	if err != nil || len(all) != 2 {
		t.Errorf("got %d backups, %v; want 2", len(all), err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "backups"))
	if err != nil || len(entries) != 2 {
		t.Errorf("%d entries in backups, %v; want nothing but the two", len(entries), err)
	}
}

func TestFailedBackupLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	seed(t, st, 1, time.Time{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := newBackups(dir).Create(ctx, st.Backup); err == nil {
		t.Fatalf("got %+v, want an error", b)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "backups"))
	if err != nil || len(entries) != 0 {
		t.Errorf("%d entries in backups, %v; want none", len(entries), err)
	}
}

func TestRestoreInPlaceKeepsWhatItReplaces(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	org := seed(t, st, 2, time.Time{})
	b := newBackups(dir)
	backup, err := b.Create(t.Context(), st.Backup)
	if err != nil {
		t.Fatal(err)
	}
	seed(t, st, 3, time.Time{})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	done, err := b.RestoreInPlace(t.Context(), backup)
	if err != nil {
		t.Fatal(err)
	}
	if got := count(t, openStore(t, dir), org); got != 2 {
		t.Errorf("%d memories after the restore, want 2", got)
	}
	if got := count(t, openStore(t, done.Kept), org); got != 5 {
		t.Errorf("%d memories in what was kept, want 5", got)
	}
	if _, err := os.Stat(backup.Path); err != nil {
		t.Errorf("the backup is gone: %v", err)
	}
}

// Whoever has lost access does not get it back with an old backup.
func TestRestoreKeepsKeysRevoked(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	org := seed(t, st, 1, time.Time{})
	key := func(n byte) loci.Credential {
		c := loci.Credential{ID: loci.NewCredentialID(), OrgID: org.ID, UserID: org.OwnerID, Kind: loci.KindUser, Name: "k",
			Hash: [32]byte{n}, CreatedAt: start}
		if err := st.Credentials().Insert(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	revoke := func(c loci.Credential, at time.Time) {
		if err := st.Credentials().Revoke(t.Context(), org.ID, org.OwnerID, c.ID, at); err != nil {
			t.Fatal(err)
		}
	}
	valid, early, late := key(1), key(2), key(3)
	revoke(early, start)
	b := newBackups(dir)
	backup, err := b.Create(t.Context(), st.Backup)
	if err != nil {
		t.Fatal(err)
	}
	revoke(late, start.Add(time.Hour))
	revoke(key(4), start) // not in the backup
	copied := filepath.Join(t.TempDir(), "copy")
	done, err := b.RestoreTo(t.Context(), backup, copied) // while the store is open
	if err != nil || done.Revoked != 1 || done.Unread != nil || done.Kept != "" {
		t.Errorf("into a new directory: %+v, %v", done, err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	done, err = b.RestoreInPlace(t.Context(), backup)
	if err != nil || done.Revoked != 1 || done.Unread != nil {
		t.Errorf("in place: %+v, %v", done, err)
	}
	for _, dir := range []string{dir, copied} {
		restored := openStore(t, dir)
		for _, tt := range []struct {
			key  loci.Credential
			want time.Time
		}{{valid, time.Time{}}, {early, start}, {late, start.Add(time.Hour)}} {
			if got, err := restored.Credentials().ByHash(t.Context(), tt.key.Hash); err != nil || !got.RevokedAt.Equal(tt.want) {
				t.Errorf("key %d in %s: revoked at %v, %v; want %v", tt.key.Hash[0], dir, got.RevokedAt, err, tt.want)
			}
		}
	}
}

// A registry that cannot be read is what a restore is for. It says that it
// does not know who lost access since.
func TestRestoreOverALostRegistry(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"damaged": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("x"), 8192), 0o600) },
		"missing": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			st := openStore(t, dir)
			org := seed(t, st, 2, time.Time{})
			b := newBackups(dir)
			backup, err := b.Create(t.Context(), st.Backup)
			if err = errors.Join(err, st.Close(), lose(filepath.Join(dir, "_meta.db"))); err != nil {
				t.Fatal(err)
			}
			done, err := b.RestoreInPlace(t.Context(), backup)
			if err != nil || done.Unread == nil {
				t.Errorf("got %+v, %v; want that it is not known", done, err)
			}
			if got := count(t, openStore(t, dir), org); got != 2 {
				t.Errorf("%d memories after the restore, want 2", got)
			}
		})
	}
}

func TestManifestCannotLeadOutside(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"up":     `{"loci":"backup","format":1,"files":[{"name":"../x"}]}`,
		"root":   `{"loci":"backup","format":1,"files":[{"name":"/etc/passwd"}]}`,
		"itself": `{"loci":"backup","format":1,"files":[{"name":"manifest.json"}]}`,
		"newer":  `{"loci":"backup","format":2,"files":[{"name":"a"}]}`,
		"none":   `{"loci":"backup","format":1,"files":[]}`,
		"other":  `{"files":[{"name":"a"}]}`,
		"broken": `{`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "manifest.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newBackups(dir).Find(path); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}
