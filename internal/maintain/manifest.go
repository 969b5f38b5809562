package maintain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/loci-memory/loci"
)

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
