package maintain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

var (
	oldFiles = map[string]string{"_meta.db": "old", "_meta.db-wal": "old", "orgs/default.db": "old",
		"orgs/second.db": "old"}
	newFiles = map[string]string{"_meta.db": "new", "orgs/default.db": "new"}
)

// replaceable makes a data directory of old files with a backup of new ones.
func replaceable(t *testing.T) (*Backups, *Backup) {
	t.Helper()
	b := &Backups{Dir: t.TempDir(), Program: "test",
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}
	backup, err := b.Create(t.Context(), writer(newFiles).Backup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer(oldFiles).Backup(t.Context(), b.Dir); err != nil {
		t.Fatal(err)
	}
	return b, backup
}

// writer is a source whose files have these names and texts.
type writer map[string]string

func (w writer) Backup(_ context.Context, dir string) (names []string, err error) {
	for name, text := range w {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
		names = append(names, name)
	}
	return names, err
}

// filesIn returns the files below dir with their text, except what a restore
// leaves alone.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if d.IsDir() && (name == backupsDir || name == replacedDir) {
			return fs.SkipDir
		}
		if !d.IsDir() && name != "lock" {
			text, err := os.ReadFile(path)
			found[filepath.ToSlash(name)] = string(text)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// wantState demands these files, and that nothing is left of a restore but the
// directories of what was kept.
func wantState(t *testing.T, b *Backups, want map[string]string, kept ...map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, filesIn(t, b.Dir)); diff != "" {
		t.Errorf("data directory (-want +got):\n%s", diff)
	}
	entries, err := os.ReadDir(filepath.Join(b.Dir, replacedDir))
	if err != nil || len(entries) != len(kept) {
		t.Fatalf("in replaced/: %v, %v; want %d", entries, err, len(kept))
	}
	for i, e := range entries {
		if diff := cmp.Diff(kept[i], filesIn(t, filepath.Join(b.Dir, replacedDir, e.Name()))); diff != "" {
			t.Errorf("kept in %s (-want +got):\n%s", e.Name(), diff)
		}
	}
}

var errKilled = errors.New("killed")

// killedAfter is a rename that takes the process with it after n of them.
func killedAfter(n int) renamer {
	return func(from, to string) error {
		if n == 0 {
			panic(errKilled)
		}
		n--
		return os.Rename(from, to)
	}
}

func failingAfter(n int, times int) renamer {
	return func(from, to string) error {
		if n--; n < 0 && n >= -times {
			return fs.ErrPermission
		}
		return os.Rename(from, to)
	}
}

// survive runs fn and reports whether it was killed.
func survive(fn func()) (killed bool) {
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, errKilled) {
				panic(p)
			}
			killed = true
		}
	}()
	fn()
	return false
}

const renames = 5 // three old names, two new ones

// A restore that is killed after any rename is finished by the next process,
// even if that one is killed after any rename, too.
func TestKilledRestoreIsFinished(t *testing.T) {
	for first := range renames + 1 {
		for second := range renames + 1 - first {
			t.Run(fmt.Sprint(first, " ", second), func(t *testing.T) {
				b, backup := replaceable(t)
				killed := survive(func() { _, _ = b.restoreInPlace(t.Context(), backup, killedAfter(first)) })
				if killed != (first < renames) || Interrupted(b.Dir) != killed {
					t.Fatalf("killed %v, interrupted %v; want %v", killed, Interrupted(b.Dir), first < renames)
				}
				if killed {
					// The store must know the journal, too.
					if _, err := sqlite.Open(t.Context(), sqlite.Options{Dir: b.Dir}); loci.CodeOf(err) != loci.Unavailable ||
						!strings.Contains(err.Error(), "restore of a backup was interrupted") {
						t.Fatalf("open half-way: %v", err)
					}
					survive(func() { _, _ = finishRestore(b.Dir, killedAfter(second)) })
					kept, err := FinishRestore(b.Dir)
					if err != nil || Interrupted(b.Dir) {
						t.Fatalf("finish: %q, %v; interrupted %v", kept, err, Interrupted(b.Dir))
					}
				}
				wantState(t, b, newFiles, oldFiles)
				if kept, err := FinishRestore(b.Dir); kept != "" || err != nil {
					t.Errorf("finish where there is nothing to do: %q, %v", kept, err)
				}
			})
		}
	}
}

// A rename that fails, while the process lives on, is undone; if that fails as
// well, the next process finishes.
func TestFailedRestoreIsUndone(t *testing.T) {
	for n := range renames {
		b, backup := replaceable(t)
		if _, err := b.restoreInPlace(t.Context(), backup, failingAfter(n, 1)); !errors.Is(err, fs.ErrPermission) {
			t.Fatalf("%d: %v", n, err)
		}
		wantState(t, b, oldFiles)
		if Interrupted(b.Dir) {
			t.Errorf("%d: the journal is still there", n)
		}
	}
	for n := 1; n < renames; n++ {
		b, backup := replaceable(t)
		if _, err := b.restoreInPlace(t.Context(), backup, failingAfter(n, 2)); !errors.Is(err, fs.ErrPermission) {
			t.Fatalf("%d: %v", n, err)
		}
		if !Interrupted(b.Dir) {
			t.Errorf("%d: no journal of a half state", n)
		}
		if _, err := FinishRestore(b.Dir); err != nil {
			t.Fatal(err)
		}
		wantState(t, b, newFiles, oldFiles)
	}
}

func TestRestoreAfterAKilledOne(t *testing.T) {
	b, backup := replaceable(t)
	survive(func() { _, _ = b.restoreInPlace(t.Context(), backup, killedAfter(2)) })
	if _, err := b.RestoreInPlace(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	wantState(t, b, newFiles, oldFiles, newFiles)
}

// What cannot be finished is left as it is, with the place to look at.
func TestUnfinishable(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"damaged": func(dir string) error { return os.WriteFile(filepath.Join(dir, journalFile), []byte("{"), 0o600) },
		"outside": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, journalFile),
				[]byte(`{"loci":"restore","format":1,"fresh":"a","kept":"b","old":["../x"]}`), 0o600)
		},
		"newer": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, journalFile), []byte(`{"loci":"restore","format":2}`), 0o600)
		},
		"lost": func(dir string) error {
			parts, err := filepath.Glob(filepath.Join(dir, replacedDir, partPrefix+"*"))
			for _, p := range parts {
				err = errors.Join(err, os.RemoveAll(p))
			}
			return err
		},
		"taken": func(dir string) error { return os.WriteFile(filepath.Join(dir, "_meta.db"), []byte("stray"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			b, backup := replaceable(t)
			survive(func() { _, _ = b.restoreInPlace(t.Context(), backup, killedAfter(3)) })
			if err := spoil(b.Dir); err != nil {
				t.Fatal(err)
			}
			before := filesIn(t, b.Dir)
			for range 2 {
				_, err := FinishRestore(b.Dir)
				if loci.CodeOf(err) != loci.Unavailable || !strings.Contains(err.Error(), replacedDir) || !Interrupted(b.Dir) {
					t.Errorf("got %v, interrupted %v", err, Interrupted(b.Dir))
				}
			}
			if diff := cmp.Diff(before, filesIn(t, b.Dir)); diff != "" {
				t.Errorf("the data directory changed:\n%s", diff)
			}
		})
	}
}
