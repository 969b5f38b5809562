package sqlitedb

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// damagedLog copies a database as a killed process leaves it, after so many changes, and returns the path of the copy
// with its log.
func damagedLog(t *testing.T, changes int, damage func([]byte) []byte) (path string, log []byte) {
	t.Helper()
	db := openTemp(t)
	for range changes {
		wantErr(t, db.Update(t.Context(), func(c *Conn) error {
			return c.Exec("CREATE TABLE IF NOT EXISTS big (x)")
		}), nil)
		wantErr(t, db.Update(t.Context(), func(c *Conn) error {
			return c.Exec("INSERT INTO big (x) VALUES (?)", strings.Repeat("w", 20_000))
		}), nil)
	}
	path = filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(db.opts.Path + suffix)
		if err == nil && suffix != "" {
			text = damage(text)
			log = text
		}
		if err = errors.Join(err, os.WriteFile(path+suffix, text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return path, log
}

// TestDamagedLogIsNamed opens databases with damaged logs. What SQLite drops from the middle must be named and kept,
// and what a crash cut off must not.
func TestDamagedLogIsNamed(t *testing.T) {
	t.Parallel()
	flip := func(at float64) func([]byte) []byte {
		return func(log []byte) []byte { log[int(float64(len(log))*at)] ^= 1; return log }
	}
	for name, tt := range map[string]struct {
		damage func([]byte) []byte
		lost   bool
	}{
		"nothing":            {func(log []byte) []byte { return log }, false},
		"the end is cut off": {func(log []byte) []byte { return log[:len(log)-3000] }, false},
		"frames of an earlier log at the end": {func(log []byte) []byte {
			old := bytes.Clone(log[32 : 32+5*4120])
			for i := range 5 {
				old[i*4120+8] ^= 1 // the salt
			}
			return append(log, old...)
		}, false},
		"a bit in the middle":      {flip(0.5), true},
		"a bit at the beginning":   {flip(0.1), true},
		"a bit in the last change": {flip(0.97), true},
	} {
		t.Run(name, func(t *testing.T) {
			path, log := damagedLog(t, 10, tt.damage)
			var told []string
			db, err := Open(
				t.Context(),
				Options{Path: path, Migrations: schema, Warn: func(text string) { told = append(told, text) }},
			)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			problems, err := db.Check(t.Context())
			if err != nil || (len(problems) > 0) != tt.lost || (len(told) > 0) != tt.lost {
				t.Errorf("told %q, Check says %q, %v", told, problems, err)
			}
			kept, err := os.ReadFile(path + lostSuffix)
			if tt.lost && !bytes.Equal(kept, log) || !tt.lost && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("kept %d bytes of %d, %v", len(kept), len(log), err)
			}
			if tt.lost && !strings.Contains(told[0]+problems[0], "copy.db") {
				t.Errorf("the file is not named: %q, %q", told, problems)
			}
		})
	}
}

// TestMissingFileIsNotMade opens files that must exist.
func TestMissingFileIsNotMade(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	_, err := Open(t.Context(), Options{Path: path, Exists: true})
	wantErr(t, err, ErrMissing)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty file took its place: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Options{Path: path, Exists: true})
	wantErr(t, err, ErrMissing)
}
