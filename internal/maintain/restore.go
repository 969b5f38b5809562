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
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Verify copies every file, compares it with the manifest, and then opens the copy and checks it. It
// returns the problems, one sentence each.
func (b *Backups) Verify(ctx context.Context, backup *Backup) (problems []string, err error) {
	// Use a copy, because opening a database writes files next to it and may migrate it.
	dir, remove, err := scratch(filepath.Dir(backup.Path), verifyPrefix)
	if errors.Is(err, fs.ErrPermission) {
		dir, remove, err = scratch("", "loci-verify-")
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	problems, err = copyFiles(ctx, backup, dir, "comparing files", false)
	if err != nil || len(problems) > 0 || b.Check == nil {
		return problems, err
	}
	return b.Check(ctx, dir)
}

// Unfit returns what a backup lacks without reading its contents, one sentence for each file that is missing or has
// another size than its manifest says. A backup may be damaged all the same: Verify reads it.
func (b *Backup) Unfit() (problems []string) {
	for _, want := range b.Manifest.Files {
		info, err := os.Stat(filepath.Join(b.Path, filepath.FromSlash(want.Name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, isMissing(want))
		case err != nil:
			problems = append(problems, want.Name+": "+err.Error())
		case info.Size() != want.Size:
			problems = append(problems, hasOtherSize(want, info.Size()))
		}
	}
	return problems
}

func isMissing(want File) string { return want.Name + ": is missing" }

func hasOtherSize(want File, size int64) string {
	return fmt.Sprintf("%s: has %d bytes, the manifest says %d", want.Name, size, want.Size)
}

// Restored is the result of a restore.
type Restored struct {
	Kept string // where the replaced files are; "" if it replaced nothing
	store.Withheld
	// Unread is the reason why Loci couldn't read which keys were revoked after the backup was made,
	// so that those are valid again. It is nil if Loci could.
	Unread error
}

// RestoreTo writes a verified backup to a directory that is empty or doesn't exist. It fails with
// Conflict if the directory isn't empty.
func (b *Backups) RestoreTo(ctx context.Context, backup *Backup, dir string) (done Restored, err error) {
	if err := b.verified(ctx, backup); err != nil {
		return done, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	if len(entries) > 0 {
		return done, loci.Errorf(loci.Conflict, "%s is not empty; specify a new directory with --to", dir)
	}
	err = b.fill(ctx, backup, dir, &done, true)
	return done, err
}

// fill copies a backup to an empty directory. Then it applies all revocations made in the data
// directory to the copy, because a restore must not make revoked access valid again. beside means
// that the copy does not replace the data directory.
func (b *Backups) fill(ctx context.Context, backup *Backup, dir string, done *Restored, beside bool) error {
	problems, err := copyFiles(ctx, backup, dir, "copying files", true)
	if err != nil {
		return err
	}
	if err := damaged(backup, problems); err != nil {
		return err
	}
	if b.Settle != nil {
		if err := b.Settle(ctx, dir); err != nil {
			return err
		}
	}
	if b.Carry != nil {
		done.Withheld, done.Unread = b.Carry(ctx, b.Dir, dir, beside)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(syncTree(dir), syncDir(filepath.Dir(dir)))
}

func (b *Backups) verified(ctx context.Context, backup *Backup) error {
	problems, err := b.Verify(ctx, backup)
	if err != nil {
		return err
	}
	return damaged(backup, problems)
}

func damaged(backup *Backup, problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return loci.Errorf(loci.Unavailable, "backup %s is damaged and was not restored: %s", backup.Name, problems[0])
}

// stays lists what is not part of a restore: the lock that the caller holds, the backups, earlier
// replaced files, the configuration for clients, and the records of running servers.
var stays = []string{"lock", backupsDir, replacedDir, "connections", "running", journalFile}

const replacedDir = "replaced"

// RestoreInPlace replaces the data directory's files by a verified backup. The caller must have locked the directory,
// so that no process uses it. If it fails half-way, it puts the old files back. If it is killed, the directory can't
// be opened until FinishRestore has completed the restore.
func (b *Backups) RestoreInPlace(ctx context.Context, backup *Backup) (Restored, error) {
	return b.restoreInPlace(ctx, backup, os.Rename)
}

func (b *Backups) restoreInPlace(ctx context.Context, backup *Backup, rename renamer) (done Restored, err error) {
	if _, err := finishRestore(b.Dir, rename); err != nil {
		return done, err
	}
	if err := b.verified(ctx, backup); err != nil {
		return done, err
	}
	root := filepath.Join(b.Dir, replacedDir)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return done, err
	}
	if err := clearParts(root); err != nil {
		return done, err
	}
	fresh, err := os.MkdirTemp(root, partPrefix+"*")
	if err != nil {
		return done, err
	}
	s := &swap{Loci: journalKind, Format: journalFormat, Backup: backup.Name, Fresh: filepath.Base(fresh)}
	err = b.fill(ctx, backup, fresh, &done, false)
	if err == nil {
		err = s.prepare(b.Dir, b.now().Format(nameLayout))
	}
	if err != nil {
		return done, errors.Join(err, os.RemoveAll(fresh))
	}
	// From here on there are only renames. They are either all completed or all undone.
	if err = s.write(b.Dir); err == nil {
		err = s.finish(b.Dir, rename)
	}
	if err != nil {
		if undone := s.undo(b.Dir, rename); undone != nil {
			return done, errors.Join(err, undone) // the journal stays, for another attempt
		}
		// The directory of kept files should be empty now. If it isn't, it must stay.
		return done, errors.Join(err, s.forget(b.Dir), os.Remove(s.kept(b.Dir)))
	}
	done.Kept = s.kept(b.Dir)
	return done, s.forget(b.Dir)
}

// prepare creates the directory for replaced files and lists what moves where.
func (s *swap) prepare(dir, name string) (err error) {
	root := filepath.Join(dir, replacedDir)
	empty, err := os.MkdirTemp(root, partPrefix+"*")
	if err != nil {
		return err
	}
	if s.Kept, err = publish(empty, root, name); err != nil {
		return err
	}
	if s.Old, err = namesIn(dir, stays); err != nil {
		return err
	}
	s.New, err = namesIn(s.fresh(dir), nil)
	return err
}

func namesIn(dir string, except []string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !slices.Contains(except, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// clearParts removes what killed restores left unfinished before their first rename. No other restore can be running.
func clearParts(root string) error {
	entries, err := os.ReadDir(root)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(root, e.Name())))
		}
	}
	return err
}

// syncTree makes the names in a directory and its subdirectories durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(path)
	})
}

// copyFiles copies a backup to dir and compares what it copies with the manifest. It returns the problems, one sentence
// each. stage is as it reports its progress. The copies survive a loss of power if they are to be durable.
func copyFiles(ctx context.Context, backup *Backup, dir, stage string, durable bool) (problems []string, err error) {
	at := &loci.Progress{Stage: stage, Total: backup.Manifest.Size(), Bytes: true}
	for _, want := range backup.Manifest.Files {
		name := filepath.FromSlash(want.Name)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			return problems, err
		}
		in, err := os.Open(filepath.Join(backup.Path, name))
		if errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, isMissing(want))
			continue
		}
		if err != nil {
			return problems, err
		}
		got, err := copyFile(ctx, in, filepath.Join(dir, name), durable, at)
		switch err = errors.Join(err, in.Close()); {
		case err != nil:
			return problems, err
		case got.Size != want.Size:
			problems = append(problems, hasOtherSize(want, got.Size))
		case got.SHA256 != want.SHA256:
			problems = append(problems, want.Name+": was changed; its SHA-256 is not the manifest's")
		}
	}
	return problems, nil
}

// copyFile returns the size and the hash of what it copied.
func copyFile(ctx context.Context, in io.Reader, to string, durable bool, at *loci.Progress) (f File, err error) {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return f, err
	}
	f, err = describe(&following{ctx, io.TeeReader(in, out), at})
	if durable {
		err = errors.Join(err, out.Sync())
	}
	return f, errors.Join(err, out.Close())
}
