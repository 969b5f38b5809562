package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// TestRemedy advises a restore for damage alone.
func TestRemedy(t *testing.T) {
	dir := t.TempDir()
	p := &program{settings: &settings{DataDir: dir}}
	if got := p.remedy(sqlitedb.ErrCorrupt); strings.Contains(got, "loci backup restore") {
		t.Errorf("without a backup: %q", got)
	}
	oneFile := func(_ context.Context, dir string) ([]string, error) {
		return []string{"x"}, os.WriteFile(filepath.Join(dir, "x"), nil, 0o600)
	}
	if _, err := p.backups().Create(t.Context(), oneFile); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		err     error
		want    string
		restore bool
	}{
		{loci.WrapError(loci.Full, sqlitedb.ErrFull, "the disk is full; nothing was written"), "free disk space", false},
		{fmt.Errorf("check: %w", sqlitedb.ErrFull), "free disk space", false},
		{loci.WrapError(loci.Unavailable, sqlitedb.ErrIO, "the disk failed"), "read the message", false},
		{loci.WrapError(loci.Unavailable, fs.ErrPermission, "cannot be written"), "writable for this user", false},
		{loci.WrapError(loci.Unavailable, sqlitedb.ErrGone, "moved"), "read the message", false},
		{errors.New("anything"), "read the message", false},
		{fmt.Errorf("open: %w", sqlitedb.ErrCorrupt), "loci backup restore", true},
		{fmt.Errorf("open: %w", sqlitedb.ErrNotDB), "loci backup restore", true},
	} {
		got := p.remedy(tt.err)
		if !strings.Contains(got, tt.want) || strings.Contains(got, "loci backup restore") != tt.restore {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}
