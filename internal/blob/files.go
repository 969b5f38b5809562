package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memo"
)

const (
	partPrefix = ".part-" // of what is not complete
	lockName   = ".lock"  // held by a sweep, shared by those who need everything to stay
)

// lockRetry is how often Hold looks whether a sweep has ended.
const lockRetry = 10 * time.Millisecond

// Files keeps each blob in a file named by its hash.
type Files struct {
	dir   string                                 // of all orgs; its parent must exist
	whole *memo.Memo[string, [2]int64, struct{}] // by path: size and time of a file whose bytes have their hash
}

// mostWhole is how many files Open need not read again, at most twice as many.
const mostWhole = 4096

// NewFiles returns Files in a directory whose parent exists.
func NewFiles(dir string) *Files {
	return &Files{dir: dir, whole: memo.New[string, [2]int64, struct{}](mostWhole)}
}

var _ Store = (*Files)(nil)

func (f *Files) place(org loci.OrgID) string { return filepath.Join(f.dir, string(org)) }

func (f *Files) path(org loci.OrgID, sum []byte) string {
	return filepath.Join(f.dir, filepath.FromSlash(Name(org, sum)))
}

// Receive implements Store.
func (f *Files) Receive(ctx context.Context, org loci.OrgID, r io.Reader, limit int64) (Upload, error) {
	dir := f.place(org)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = errors.Join(syncDir(f.dir), syncDir(filepath.Dir(f.dir)))
	}
	if err != nil {
		return Upload{}, err
	}
	part, err := os.CreateTemp(dir, partPrefix+"*") // mode 0600
	if err != nil {
		return Upload{}, err
	}
	u := Upload{org: org, part: part.Name()}
	u.Sum, u.Size, err = receive(ctx, part, r, limit)
	return u, errors.Join(err, part.Close())
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

// Place implements Store.
func (f *Files) Place(u Upload, now time.Time) error {
	path := f.path(u.org, u.Sum[:])
	dir := filepath.Dir(path)
	info, err := os.Stat(path)
	there := err == nil && info.Size() == u.Size
	err = errors.Join(os.Chtimes(u.part, now, now), os.MkdirAll(dir, 0o700))
	if err == nil {
		err = os.Rename(u.part, path)
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
	// Sync here, so that another upload of the same bytes does not rely on a name that is not durable.
	err = errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
	if err != nil && !there {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Discard implements Store.
func (f *Files) Discard(u Upload, orgGone bool) {
	if u.part != "" {
		_ = os.Remove(u.part) // already gone after success
	}
	if orgGone {
		_ = os.Remove(f.place(u.org)) // fails if another caller's file is in it
	}
}

// Renew implements Store.
func (f *Files) Renew(org loci.OrgID, sum []byte, now time.Time) error {
	return os.Chtimes(f.path(org, sum), now, now)
}

// Open implements Store. It compares the bytes with their hash, unless this process has done so since the file
// changed. So a download reads a file twice only for the first time.
func (f *Files) Open(ctx context.Context, org loci.OrgID, sum [32]byte) (io.ReadSeekCloser, error) {
	file, err := os.Open(f.path(org, sum[:]))
	if err != nil {
		return nil, err
	}
	if err = f.verify(ctx, file, sum); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func (f *Files) verify(ctx context.Context, file *os.File, sum [32]byte) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	is := [2]int64{info.Size(), info.ModTime().UnixNano()}
	if _, ok := f.whole.Get(file.Name(), is); ok {
		return nil
	}
	if err = copyAll(ctx, io.Discard, file, sum[:]); err == nil {
		f.whole.Put(file.Name(), is, struct{}{}, 1)
		_, err = file.Seek(0, io.SeekStart)
	}
	return err
}

// Copy implements Store.
func (f *Files) Copy(ctx context.Context, w io.Writer, org loci.OrgID, sum []byte) error {
	file, err := os.Open(f.path(org, sum))
	if err != nil {
		return err
	}
	return errors.Join(copyAll(ctx, w, file, sum), file.Close())
}

func copyAll(ctx context.Context, w io.Writer, r io.Reader, sum []byte) error {
	h := sha256.New()
	_, err := io.Copy(io.MultiWriter(w, h), &untilDone{ctx, r})
	if err == nil && string(h.Sum(nil)) != string(sum) {
		err = ErrDamaged
	}
	return err
}

// Each implements Store. It leaves out files that are none of a Store.
func (f *Files) Each(org loci.OrgID, fn func(Item) error) error {
	err := filepath.WalkDir(f.place(org), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		sum, bad := hex.DecodeString(d.Name())
		part := strings.HasPrefix(d.Name(), partPrefix)
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
		return fn(Item{sum, info.Size(), info.ModTime(), path})
	})
	if errors.Is(err, fs.ErrNotExist) { // the org has no attachments, or a writer removed the directory
		return nil
	}
	return err
}

// Remove implements Store.
func (f *Files) Remove(_ loci.OrgID, i Item, before time.Time) (bool, error) {
	info, err := os.Stat(i.Name)
	if err != nil || !info.ModTime().Before(before) {
		return false, nil
	}
	err = os.Remove(i.Name)
	return err == nil, err
}

// Drop implements Store.
func (f *Files) Drop(org loci.OrgID) error {
	if err := org.Validate(); err != nil {
		return err // otherwise it might be the directory of all orgs
	}
	return os.RemoveAll(f.place(org))
}

// Orgs implements Store.
func (f *Files) Orgs() (list []loci.OrgID, err error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, loci.OrgID(e.Name()))
		}
	}
	return list, err
}

// Hold implements Store.
func (f *Files) Hold(ctx context.Context, org loci.OrgID) (release func() error, err error) {
	if err := os.MkdirAll(f.place(org), 0o700); err != nil {
		return nil, err
	}
	lock := f.lock(org)
	if _, err := lock.TryRLockContext(ctx, lockRetry); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock.Close, nil
}

// Sweep implements Store.
func (f *Files) Sweep(org loci.OrgID) (release func() error, ok bool, err error) {
	if _, err := os.Stat(f.place(org)); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	lock := f.lock(org)
	if ok, err = lock.TryLock(); err != nil || !ok {
		return nil, false, errors.Join(err, lock.Close())
	}
	return lock.Close, true, nil
}

func (f *Files) lock(org loci.OrgID) *flock.Flock {
	return flock.New(filepath.Join(f.place(org), lockName), flock.SetPermissions(0o600))
}

// syncDir makes the names in a directory durable, if the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // some file systems cannot sync a directory
	return d.Close()
}
