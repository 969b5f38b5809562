package maintain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Backups manages the backups of one data directory.
type Backups struct {
	Dir     string           // the data directory
	Program string           // the version of this program, for the manifest
	Now     func() time.Time // default: time.Now
	// Check opens a copy of a data directory and returns its problems, one sentence each.
	Check func(ctx context.Context, dir string) ([]string, error)
	// Carry applies to the restored files at to the revocations made in the data directory from. If
	// they are beside it, what was deleted there can still be read in them.
	Carry func(ctx context.Context, from, to string, beside bool) (store.Withheld, error)
	// Settle makes restored files agree that were copied one after the other.
	Settle func(ctx context.Context, dir string) error
}

// Backup is one complete backup.
type Backup struct {
	Name     string // the name of its directory
	Path     string
	Manifest Manifest
}

const (
	backupsDir = "backups"
	nameLayout = "2006-01-02T150405Z"
	partPrefix = ".part-" // prefix of an incomplete backup
)

func (b *Backups) now() time.Time {
	if b.Now == nil {
		return time.Now().UTC()
	}
	return b.Now().UTC()
}

// Create backs up the store while others keep writing. copyTo copies every file into a directory and returns their
// names in it, with slashes. The backup gets its name only when it is complete and on disk.
func (b *Backups) Create(ctx context.Context, copyTo func(ctx context.Context, dir string) ([]string, error)) (
	_ *Backup, err error) {
	root := filepath.Join(b.Dir, backupsDir)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	if _, err := b.Clear(); err != nil {
		return nil, err
	}
	part, remove, err := scratch(root, partPrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }() // after success, the directory has another name
	now := b.now()
	files, err := copyTo(ctx, part)
	if err != nil {
		return nil, err
	}
	m := Manifest{Loci: manifestKind, Format: manifestFormat, CreatedAt: now.Truncate(time.Second), Program: b.Program}
	at := &loci.Progress{Stage: "computing checksums", Total: SizeOf(part), Bytes: true}
	for _, name := range files {
		f, err := describeFile(ctx, part, name, at)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, f)
	}
	if err := m.write(part); err != nil {
		return nil, err
	}
	if err := syncTree(part); err != nil {
		return nil, err
	}
	name, err := publish(part, root, now.Format(nameLayout))
	if err != nil {
		return nil, err
	}
	return &Backup{Name: name, Path: filepath.Join(root, name), Manifest: m}, nil
}

// BackUp is Create, and writes down in st what became of it.
func (b *Backups) BackUp(ctx context.Context, st store.Store, log *slog.Logger,
	copyTo func(ctx context.Context, dir string) ([]string, error)) (*Backup, error) {
	begun, files := b.now(), 0
	made, err := b.Create(ctx, copyTo)
	if err == nil {
		files = len(made.Manifest.Files)
	}
	WriteDown(ctx, st, log, store.Job{Name: "backup", BegunAt: begun, EndedAt: b.now(),
		Rows: files, Error: plainly(err)})
	return made, err
}

// publish gives a complete directory its name. It adds a number if two backups were made in one second.
func publish(part, root, name string) (string, error) {
	for i := 1; ; i++ {
		candidate := name
		if i > 1 {
			candidate = fmt.Sprintf("%s-%d", name, i)
		}
		target := filepath.Join(root, candidate)
		if _, err := os.Lstat(target); err == nil {
			continue
		}
		err := os.Rename(part, target)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return candidate, errors.Join(err, syncDir(root))
	}
}

// List returns the complete backups, newest first. It skips a directory without a readable
// manifest, because that is not a backup.
func (b *Backups) List() ([]Backup, error) {
	root := filepath.Join(b.Dir, backupsDir)
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []Backup
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // incomplete
		}
		path := filepath.Join(root, e.Name())
		m, err := readManifest(path)
		if err != nil {
			continue
		}
		found = append(found, Backup{e.Name(), path, m})
	}
	slices.SortStableFunc(found, func(x, y Backup) int {
		return cmp.Or(y.Manifest.CreatedAt.Compare(x.Manifest.CreatedAt), cmp.Compare(y.Name, x.Name))
	})
	return found, nil
}

// Find returns a backup by its name or path, or the newest if name is empty. It fails with NotFound if there is none.
func (b *Backups) Find(name string) (*Backup, error) {
	if name == "" {
		all, err := b.List()
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, loci.Errorf(loci.NotFound, "there are no backups in %s; make one with: loci backup create",
				filepath.Join(b.Dir, backupsDir))
		}
		return &all[0], nil
	}
	for _, path := range []string{filepath.Join(b.Dir, backupsDir, name), name} {
		if _, err := os.Stat(filepath.Join(path, manifestFile)); err != nil {
			continue
		}
		m, err := readManifest(path)
		if err != nil {
			return nil, err
		}
		return &Backup{filepath.Base(path), path, m}, nil
	}
	return nil, loci.Errorf(loci.NotFound, "there is no backup %q; list the backups with `loci backup list`", name)
}
