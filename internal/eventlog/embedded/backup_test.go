package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// A month that is emptied while its log is copied must not be missing in the backup.
func TestBackupWhilePurged(t *testing.T) {
	t.Parallel()
	l, c := checked(t)
	other := open(t, l.opts.Dir, c.now)
	asked := false
	ctx := loci.WithProgress(t.Context(), func(p loci.Progress) {
		if !strings.Contains(p.Stage, logFile) || asked {
			return
		}
		asked = true
		leave, err := other.aloneNow(acme) // Purge would wait
		if err != nil {
			t.Error(err)
		}
		if leave == nil {
			return
		}
		leave()
		all := eventlog.Selection{Before: c.now().Add(-day.Window)}
		if _, err := other.Purge(t.Context(), acme, all, 1000); err != nil {
			t.Error(err)
		}
	})
	to := t.TempDir()
	if _, err := l.Backup(ctx, to); err != nil || !asked {
		t.Fatal(asked, err)
	}
	restored := open(t, filepath.Join(to, "events"), c.now)
	sound(t, restored)
	if got := len(found(t, restored, eventlog.Filter{})); got != 21 {
		t.Errorf("the backup has %d events, want 21", got)
	}
}

// What is wrong with the place of a backup is not told as if it were wrong with the log, and without
// paths.
func TestBackupErrors(t *testing.T) {
	t.Parallel()
	l, _ := checked(t)
	to := t.TempDir()
	if _, err := l.Backup(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(to, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir   string
		code  loci.Code
		cause error
	}{
		"a backup is there": {to, loci.Conflict, os.ErrExist},
		"a file is there":   {file, loci.Unavailable, syscall.ENOTDIR},
	} {
		_, err := l.Backup(t.Context(), tt.dir)
		if loci.CodeOf(err) != tt.code || !errors.Is(err, tt.cause) {
			t.Errorf("%s: code %q (%v), want %q because of %v", name, loci.CodeOf(err), err, tt.code, tt.cause)
		}
		if err == nil || strings.Contains(err.Error(), to) || !strings.Contains(err.Error(), "directory of the backup") {
			t.Errorf("%s: the text is %v", name, err)
		}
	}
	for _, cause := range []error{os.ErrPermission, syscall.EROFS, syscall.ENOSPC} {
		err := translateTarget(&os.PathError{Op: "open", Path: file, Err: cause})
		if loci.CodeOf(err) == "" || !errors.Is(err, cause) || strings.Contains(err.Error(), "event") ||
			strings.Contains(err.Error(), file) {
			t.Errorf("%v: the text is %v", cause, err)
		}
	}
}
