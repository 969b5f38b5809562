package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gofrs/flock"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// A call that locks a file just when that is removed takes the lock of the next file.
func TestTakeRemovedLock(t *testing.T) {
	t.Parallel()
	needsRemovableFiles(t)
	l := open(t, t.TempDir(), newClock().now)
	if err := os.Mkdir(filepath.Join(l.opts.Dir, string(acme)), 0o700); err != nil {
		t.Fatal(err)
	}
	mine, tries := l.lock(acme, upkeepLock), 0
	free, err := take(mine, func(f *flock.Flock) (bool, error) {
		free, err := f.TryLock()
		if tries++; tries == 1 {
			err = errors.Join(err, os.Remove(f.Path()))
		}
		return free, err
	})
	if !free || err != nil {
		t.Fatalf("take: %v, %v", free, err)
	}
	if free, err := l.lock(acme, upkeepLock).TryLock(); free || err != nil {
		t.Errorf("a second call has the lock, too (%v)", err)
	}
	if err := mine.Close(); err != nil {
		t.Error(err)
	}
}

// The locks stay for a call that waits for them.
func TestDropWhileAnotherWaits(t *testing.T) {
	t.Parallel()
	needsRemovableFiles(t)
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	put(t, l, day, newEvent(c, "a"))
	leave, err := l.alone(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	waits := l.lock(acme, upkeepTurn)
	if free, err := waits.TryLock(); !free || err != nil {
		t.Fatal(free, err)
	}
	l.removeLocks(acme)
	for _, name := range []string{upkeepLock, upkeepTurn} {
		if there, err := l.exists(acme, name); !there || err != nil {
			t.Errorf("%s is there: %v, %v", name, there, err)
		}
	}
	if err := waits.Close(); err != nil {
		t.Error(err)
	}
	l.removeLocks(acme)
	if there, err := l.exists(acme, upkeepLock); there || err != nil {
		t.Errorf("after the other call, the lock is there: %v, %v", there, err)
	}
	leave()
}

// A call that finds a log that is being deleted must not delete the log that follows it.
func TestDropOfFollowingLog(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	a, b := open(t, dir, c.now), open(t, dir, c.now)
	put(t, a, day, newEvent(c, "old"))
	if err := a.markDropped(t.Context(), acme); err != nil {
		t.Fatal(err)
	}
	fresh := newEvent(c, "fresh")
	first := true
	err := b.write(t.Context(), acme, func(f *orgLog) error {
		err := f.DB.Update(t.Context(), func(c *sqlitedb.Conn) error { _, err := newState(c); return err })
		if first {
			if first = false; !errors.Is(err, errDropped) {
				t.Errorf("a marked log: %v", err)
			}
			put(t, a, day, fresh)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantIDs(t, "afterwards", found(t, b, eventlog.Filter{}), []loci.EventID{fresh.ID})
}

// Nothing of a log stays, also if a call was killed that deleted it.
func TestDropLeavesNothing(t *testing.T) {
	t.Parallel()
	needsRemovableFiles(t)
	_, l := sealedLog(t)
	at := filepath.Join(l.opts.Dir, string(acme))
	for _, left := range []string{"2026-01.db.lock", "words.db-journal"} {
		if err := os.WriteFile(filepath.Join(at, left), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Drop(t.Context(), acme); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(at); !os.IsNotExist(err) {
		entries, _ := os.ReadDir(at)
		t.Errorf("the directory is there (%v) and has %v", err, entries)
	}
}

// needsRemovableFiles skips a test where an open file cannot be deleted.
func needsRemovableFiles(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be deleted")
	}
}
