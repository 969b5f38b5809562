package maintain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/loci-memory/loci"
)

// Verify compares every file with the manifest, then opens a copy and checks
// it. It returns what is wrong, one sentence each.
func (b *Backups) Verify(ctx context.Context, backup *Backup) (problems []string, err error) {
	for _, want := range backup.Manifest.Files {
		got, err := describe(ctx, backup.Path, want.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, want.Name+": is missing")
		case err != nil:
			return problems, err
		case got.Size != want.Size:
			problems = append(problems, fmt.Sprintf("%s: has %d bytes, the manifest says %d", want.Name, got.Size, want.Size))
		case got.SHA256 != want.SHA256:
			problems = append(problems, want.Name+": was changed; its SHA-256 is not the manifest's")
		}
	}
	if len(problems) > 0 || b.Check == nil {
		return problems, nil
	}
	// A copy, because opening a database writes beside it and may migrate it.
	scratch, err := os.MkdirTemp(filepath.Dir(backup.Path), ".verify-*")
	if errors.Is(err, fs.ErrPermission) {
		scratch, err = os.MkdirTemp("", "loci-verify-*")
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := copyFiles(ctx, backup, scratch); err != nil {
		return nil, err
	}
	return b.Check(ctx, scratch)
}

// RestoreTo writes a verified backup into a directory that is empty or not
// there yet. Conflict if there is something in it.
func (b *Backups) RestoreTo(ctx context.Context, backup *Backup, dir string) error {
	if err := b.verified(ctx, backup); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return loci.Errorf(loci.Conflict, "%s is not empty; name a new directory with --to", dir)
	}
	return copyFiles(ctx, backup, dir)
}

func (b *Backups) verified(ctx context.Context, backup *Backup) error {
	problems, err := b.Verify(ctx, backup)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return loci.Errorf(loci.Unavailable, "backup %s is damaged and was not restored: %s", backup.Name, problems[0])
	}
	return nil
}

// stays lists what is not part of a restore: the lock that the caller holds,
// the backups, what was replaced before, and what clients were connected with.
var stays = []string{"lock", backupsDir, replacedDir, "connections"}

const replacedDir = "replaced"

// RestoreInPlace puts a verified backup in the place of the data directory's
// files and returns where those are kept. The caller has locked the directory:
// no process works on it. If it fails half-way, what was there is put back.
func (b *Backups) RestoreInPlace(ctx context.Context, backup *Backup) (kept string, err error) {
	if err := b.verified(ctx, backup); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(b.Dir, replacedDir), 0o700); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(filepath.Join(b.Dir, replacedDir), ".part-*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	if err := copyFiles(ctx, backup, fresh); err != nil {
		return "", err
	}
	// From here on only renames, and no way out but through.
	old, err := os.MkdirTemp(filepath.Join(b.Dir, replacedDir), ".part-*")
	if err != nil {
		return "", err
	}
	name, err := publish(old, filepath.Join(b.Dir, replacedDir), b.now().Format(nameLayout))
	if err != nil {
		return "", err
	}
	kept = filepath.Join(b.Dir, replacedDir, name)
	if err := moveAll(b.Dir, kept, stays); err != nil {
		return "", errors.Join(err, moveAll(kept, b.Dir, nil))
	}
	if err := moveAll(fresh, b.Dir, nil); err != nil {
		return "", errors.Join(err, moveAll(b.Dir, fresh, stays), moveAll(kept, b.Dir, nil))
	}
	return kept, nil
}

func moveAll(from, to string, except []string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if slices.Contains(except, e.Name()) {
			continue
		}
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyFiles(ctx context.Context, backup *Backup, dir string) error {
	for _, f := range backup.Manifest.Files {
		name := filepath.FromSlash(f.Name)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			return err
		}
		if err := copyFile(ctx, filepath.Join(backup.Path, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, &untilDone{ctx, in})
	return errors.Join(err, out.Sync(), out.Close())
}
