package embedded

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "events")
	c := newClock()
	l := open(t, dir, c.now)
	put(t, l, day, newEvents(c, 3)...)
	upkeep(t, l, acme)
	c.move(twoMonths)
	upkeep(t, l, acme)
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = os.ModeDir | 0o700
		}
		if err == nil && info.Mode() != want {
			t.Errorf("%s has mode %s, want %s", path, info.Mode(), want)
		}
		if filepath.Ext(path) == ".db" {
			names = append(names, filepath.Base(path))
		}
		return err
	})
	if want := []string{"2026-03.db", "log.db"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("files %q, %v, want %q", names, err, want)
	}
}
