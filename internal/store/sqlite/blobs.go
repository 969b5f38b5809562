package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

const (
	assetsDir = "assets"
	blobPart  = ".part-" // of what is not complete
	blobLock  = ".lock"  // held by a sweep, shared by those who need everything to stay
)

// blobs stores each blob in a file named by its hash, in a directory of its org.
//
// Loci names, renews and removes a file only inside a write transaction of the org's file. All
// processes together run one such transaction at a time. So no sweep can come between checking a
// file and acting on it, and a deleted org gets no new file.
type blobs struct{ s *Store }

// Blobs returns the store of the attachments' bytes.
func (s *Store) Blobs() store.Blobs { return blobs{s} }

func (s *Store) blobDir(org loci.OrgID) string {
	return filepath.Join(s.opts.Dir, assetsDir, string(org))
}

// blobName returns the path of a blob in the directory of its org.
func blobName(sum []byte) string {
	name := hex.EncodeToString(sum)
	return filepath.Join(name[:2], name)
}

func blobPath(dir string, org loci.OrgID, sum []byte) string {
	return filepath.Join(dir, assetsDir, string(org), blobName(sum))
}

func (b blobs) Put(ctx context.Context, org loci.OrgID, r io.Reader, limit int64) (
	sum [32]byte, size int64, err error) {
	if _, err := b.s.registry.Exists(ctx, org); err != nil {
		return sum, 0, translate(err)
	}
	part, err := b.newPart(org)
	if err != nil {
		return sum, 0, fileError(err)
	}
	defer func() {
		_ = os.Remove(part.Name()) // already gone after success
		if loci.CodeOf(err) == loci.NotFound {
			_ = os.Remove(b.s.blobDir(org)) // deleted meanwhile; Remove fails if another caller's file is in it
		}
	}()
	sum, size, err = receive(ctx, part, r, max(limit, 0))
	if err := errors.Join(err, part.Close()); err != nil {
		return sum, 0, fileError(err)
	}
	path := blobPath(b.s.opts.Dir, org, sum[:])
	err = b.s.updateOrg(ctx, org, func(*sqlstore.Tx) error { return b.place(part.Name(), path, size) })
	return sum, size, fileError(err)
}

// newPart creates a file that readers cannot see, in a directory that nothing removes meanwhile.
func (b blobs) newPart(org loci.OrgID) (*os.File, error) {
	dir := b.s.blobDir(org)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := errors.Join(syncDir(filepath.Dir(dir)), syncDir(b.s.opts.Dir)); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, blobPart+"*") // mode 0600
}

// receive writes the bytes of r durably.
func receive(ctx context.Context, part *os.File, r io.Reader, limit int64) (sum [32]byte, n int64, err error) {
	h, from := sha256.New(), &untilDone{ctx, r}
	n, err = io.Copy(io.MultiWriter(part, h), io.LimitReader(from, limit))
	if err == nil && n == limit {
		var more [1]byte
		if _, err = io.ReadFull(from, more[:]); err == nil {
			err = loci.Errorf(loci.TooLarge, "the file is larger than %d bytes", limit)
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err == nil {
		err = part.Sync()
	}
	return [32]byte(h.Sum(nil)), n, err
}

// untilDone is a reader that stops when its context ends.
type untilDone struct {
	ctx context.Context //nolint:containedctx // lives as long as one copy
	r   io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// place gives a complete file its name. It may run twice. It uses the store's clock, because
// sweeps compare with that. It replaces an existing file by the same bytes: otherwise the
// duration of an upload would reveal whether someone had uploaded these bytes before.
func (b blobs) place(part, path string, size int64) error {
	now, dir := b.s.opts.Now(), filepath.Dir(path)
	info, err := os.Stat(path)
	there := err == nil && info.Size() == size
	err = errors.Join(os.Chtimes(part, now, now), os.MkdirAll(dir, 0o700))
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil && there { // it ran before, or a reader has the file open on a system that then cannot replace it
		err = os.Chtimes(path, now, now)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return loci.WrapError(loci.Unavailable, err, "the upload took too long and was swept away; try again")
	}
	if err != nil {
		return err
	}
	// Sync here, so that another Put of the same bytes does not rely on a name that is not durable.
	err = errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
	if err != nil && !there {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func (b blobs) Open(ctx context.Context, org loci.OrgID, sum [32]byte) (io.ReadSeekCloser, error) {
	if org.Validate() != nil {
		return nil, noBytes()
	}
	f, err := os.Open(blobPath(b.s.opts.Dir, org, sum[:]))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noBytes()
	}
	if err == nil {
		err = b.check(ctx, f, sum)
	}
	if err != nil {
		_ = f.Close()
		return nil, fileError(err)
	}
	return f, nil
}

// check compares the bytes of a file with their hash, unless this process has done so since the file
// changed. So a download reads a file twice only for the first time.
func (b blobs) check(ctx context.Context, f *os.File, sum [32]byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is := [2]int64{info.Size(), info.ModTime().UnixNano()}
	if was, _ := b.s.whole.Load(f.Name()); was == is {
		return nil
	}
	h := sha256.New()
	if _, err = io.Copy(h, &untilDone{ctx, f}); err == nil && [32]byte(h.Sum(nil)) != sum {
		err = loci.Errorf(loci.Unavailable, "the bytes of this attachment are damaged on the server; run: loci doctor")
	}
	if err == nil {
		b.s.whole.Store(f.Name(), is)
		_, err = f.Seek(0, io.SeekStart)
	}
	return err
}

func noBytes() error { return loci.Errorf(loci.NotFound, "no such file") }

// blob is a file in an org's directory.
type blob struct {
	path string
	sum  []byte // nil: an upload that was not completed
	size int64
}

// eachBlob calls fn with the time of each file in an org's directory that belongs to the store.
func (s *Store) eachBlob(org loci.OrgID, fn func(blob, time.Time) error) error {
	err := filepath.WalkDir(s.blobDir(org), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		sum, bad := hex.DecodeString(d.Name())
		part := strings.HasPrefix(d.Name(), blobPart)
		if !part && (bad != nil || len(sum) != sha256.Size) {
			return nil
		}
		if part {
			sum = nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		return fn(blob{path, sum, info.Size()}, info.ModTime())
	})
	if errors.Is(err, fs.ErrNotExist) { // the org has no attachments, or a writer removed the directory
		return nil
	}
	return err
}

// fileError is translateFile for files of attachments, of which all errors are those of a disk.
func fileError(err error) error {
	err = translateFile(err)
	if _, number := errors.AsType[syscall.Errno](err); number && loci.CodeOf(err) == "" {
		err = loci.WrapError(loci.Unavailable, fmt.Errorf("attachments: %w", err), "the disk failed; nothing was written")
	}
	return err
}
