package maintain_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/maintain"
)

// TestLeftovers lays down what killed backups, checks and restores leave, beside one that is under way.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	seed(t, st, 1, time.Time{})
	b := &maintain.Backups{Dir: dir}
	made, err := b.Create(t.Context(), st.Backup)
	if err != nil {
		t.Fatal(err)
	}
	lay := func(name string, locked bool, age time.Duration) string {
		path := filepath.Join(dir, name)
		if err := os.CopyFS(path, os.DirFS(made.Path)); err != nil { // killed just before it got its name
			t.Fatal(err)
		}
		if locked {
			if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	left := []string{lay("backups/.part-1", true, 0), lay("backups/.part-2", false, 48*time.Hour),
		lay("backups/.verify-3", true, 0), lay("replaced/.part-4", false, 0)}
	young := lay("backups/.part-5", false, time.Minute) // an older version may be at work
	wantLeft := func(want ...string) {
		t.Helper()
		var got []string
		list, err := b.Leftovers()
		for _, l := range list {
			got = append(got, l.Path)
			if l.Bytes < made.Manifest.Size() {
				t.Errorf("%s has %d bytes, want at least %d", l.Path, l.Bytes, made.Manifest.Size())
			}
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("left: %q, %v; want %q", got, err, want)
		}
	}
	wantLeft(left...)
	if list, err := b.List(); err != nil || len(list) != 1 || list[0].Name != made.Name {
		t.Errorf("backups: %+v, %v; want the complete one", list, err)
	}
	next, err := b.Create(t.Context(), func(ctx context.Context, part string) ([]string, error) {
		wantLeft() // the next backup has removed them, and is not one of them
		if removed, err := b.Clear(); err != nil || len(removed) != 0 {
			t.Errorf("removed %v, %v", removed, err)
		}
		return st.Backup(ctx, part)
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Check = func(_ context.Context, scratch string) ([]string, error) {
		wantLeft()
		_, err := os.Stat(scratch)
		return nil, err
	}
	if problems, err := b.Verify(t.Context(), next); err != nil || len(problems) != 0 {
		t.Errorf("verify: %v, %v", problems, err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "backups", "*"))
	if want := []string{young, made.Path, next.Path}; err != nil || !slices.Equal(names, want) {
		t.Errorf("backups/ has %q, want %q", names, want)
	}
}
