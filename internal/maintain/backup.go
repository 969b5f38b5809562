package maintain

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Manifest lists what a backup must contain.
type Manifest struct {
	Loci      string    `json:"loci"` // always "backup"
	Format    int       `json:"format"`
	CreatedAt time.Time `json:"created_at"`
	Program   string    `json:"program"` // the version that created it
	Files     []File    `json:"files"`
}

// File is one file of a backup.
type File struct {
	Name   string `json:"name"` // with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Size returns the total size of the files in bytes.
func (m *Manifest) Size() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

const (
	manifestFile   = "manifest.json"
	manifestKind   = "backup"
	orgKind        = "org" // an export of one org by the store; not a backup
	manifestFormat = 1
)

func (m *Manifest) write(dir string) error {
	return writeJSON(filepath.Join(dir, manifestFile), os.O_EXCL, m)
}

// writeJSON writes a durable file. flag is what to do with a file that exists.
func writeJSON(path string, flag int, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// readManifest returns a manifest that this program supports. It rejects names that lead out of the
// backup, because the file may come from anywhere.
func readManifest(dir string) (Manifest, error) {
	var m Manifest
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return m, err
	}
	bad := func(why string) error {
		return loci.Errorf(loci.Invalid, "cannot use %s as a backup: %s", dir, why)
	}
	err = json.Unmarshal(text, &m)
	if m.Loci == orgKind {
		return m, bad("it is the copy of one org that `loci org export` made; a backup is what `loci backup create` " +
			"makes, of all orgs")
	}
	if err != nil || m.Loci != manifestKind {
		return m, bad("its manifest.json is damaged")
	}
	if m.Format > manifestFormat {
		return m, bad("it was made by a newer version; upgrade loci")
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || !fs.ValidPath(f.Name) || f.Name == manifestFile {
			return m, bad("its manifest.json names files outside of it")
		}
	}
	if len(m.Files) == 0 {
		return m, bad("its manifest.json names no files")
	}
	return m, nil
}

// describeFile describes a file of a backup that is being made.
func describeFile(ctx context.Context, dir, name string, at *loci.Progress) (File, error) {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return File{}, err
	}
	described, err := describe(&following{ctx, f, at})
	described.Name = name
	return described, errors.Join(err, f.Close())
}

func describe(r *following) (File, error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	return File{Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// following is a reader that reports how many bytes it has read, and fails when its context ends.
type following struct {
	ctx context.Context //nolint:containedctx // lives as long as one copy
	r   io.Reader
	at  *loci.Progress
}

func (f *following) Read(b []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.r.Read(b)
	f.at.Done += int64(n)
	loci.ReportProgress(f.ctx, *f.at)
	return n, err
}
