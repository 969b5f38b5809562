package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// holdBlobs prevents sweeps until release.
func (s *Store) holdBlobs(ctx context.Context, org loci.OrgID) (release func() error, err error) {
	if _, err := s.registry.Exists(ctx, org); err != nil {
		return nil, err
	}
	if s.meta.Unwritable() != nil { // then nobody sweeps
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(s.blobDir(org), 0o700); err != nil {
		return nil, fileError(err)
	}
	lock := s.blobLock(org)
	if _, err := lock.TryRLockContext(ctx, lockWait); err != nil {
		return nil, errors.Join(fileError(err), lock.Close())
	}
	return lock.Close, nil
}

// copyOrg copies an org's file and the attachments that the copy names into dir. It returns the
// names of the copies, with slashes. name is the name of the org's file.
func (s *Store) copyOrg(ctx context.Context, id loci.OrgID, dir, name string) (names []string, err error) {
	release, err := s.holdBlobs(ctx, id)
	if err != nil {
		return nil, translate(err)
	}
	defer func() { err = errors.Join(err, release()) }()
	target := filepath.Join(dir, filepath.FromSlash(name))
	if err := s.with(ctx, id, func(f *orgFile) error { return copyDB(ctx, f.DB, name, target) }); err != nil {
		return nil, err
	}
	sums, err := sumsIn(target)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", target, err)
	}
	names = []string{name}
	for i, sum := range sums {
		loci.ReportProgress(ctx, loci.Progress{Stage: "copying attachments", Done: int64(i), Total: int64(len(sums))})
		blob := path.Join(assetsDir, string(id), filepath.ToSlash(blobName(sum)))
		err := copyBlob(ctx, blobPath(s.opts.Dir, id, sum), filepath.Join(dir, filepath.FromSlash(blob)), sum)
		if errors.Is(err, errDamaged) {
			err = loci.WrapError(loci.Unavailable, err,
				"the attachment %s is missing or has changed: `loci doctor` says whose it is; put the file back "+
					"from a backup or delete the attachment, then try again", blob)
		}
		if err != nil {
			return names, fileError(err)
		}
		names = append(names, blob)
	}
	return names, nil
}

// sumsIn returns the checksums of the attachments in a copied file.
func sumsIn(orgPath string) (sums [][]byte, err error) {
	c, err := openCopy(orgPath)
	if err != nil {
		return nil, err
	}
	err = eachRow(c, "SELECT DISTINCT sha256 FROM assets ORDER BY sha256", func(st *sqlite3.Stmt) error {
		sums = append(sums, st.ColumnBlob(0, nil))
		return nil
	})
	return sums, errors.Join(err, c.Close())
}

// errDamaged means that a file is missing or its bytes do not match its name.
var errDamaged = errors.New("the bytes do not match the name")

// copyBlob makes a durable copy. It fails if the bytes have changed.
func copyBlob(ctx context.Context, from, to string, sum []byte) (err error) {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return errDamaged
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, h), &untilDone{ctx, in})
	if err == nil && string(h.Sum(nil)) != string(sum) {
		err = errDamaged
	}
	return errors.Join(err, out.Sync(), out.Close())
}

// Check compares the bytes of each file with its name, and the names with the rows.
func (b blobs) Check(ctx context.Context, org loci.OrgID) (problems []string, err error) {
	release, err := b.s.holdBlobs(ctx, org)
	if err != nil {
		return nil, translate(err)
	}
	defer func() { err = errors.Join(err, release()) }()
	named, err := b.named(ctx, org)
	if err != nil {
		return nil, err
	}
	good := map[string]int64{}
	err = b.s.eachBlob(org, func(f blob, _ time.Time) error {
		if f.sum == nil {
			return nil
		}
		loci.ReportProgress(ctx, loci.Progress{Stage: "checking attachments", Done: int64(len(good)),
			Total: int64(len(named))})
		is, err := hashFile(ctx, f.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		good[string(f.sum)] = f.size
		if err == nil && string(is) != string(f.sum) {
			good[string(f.sum)] = -1
			if _, known := named[string(f.sum)]; !known {
				problems = append(problems,
					fmt.Sprintf("%s has changed, and no attachment has these bytes: remove it", b.nameOf(org, f.sum)))
			}
		}
		return err
	})
	for sum, of := range named {
		if size, there := good[sum]; err == nil && (!there || size != of.size) {
			problems = append(problems, b.problem(org, []byte(sum), of, size, there))
		}
	}
	return bounded(problems), fileError(err)
}

// assetRef is an attachment whose bytes must exist. Attachments with the same bytes share one.
type assetRef struct {
	asset  loci.AssetID
	memory loci.MemoryID
	size   int64
}

func (b blobs) named(ctx context.Context, org loci.OrgID) (named map[string]assetRef, err error) {
	err = b.s.with(ctx, org, func(f *orgFile) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error {
			named = map[string]assetRef{}
			return c.Query("SELECT a.sha256, a.id, m.id, a.size FROM assets a JOIN memories m ON m.seq = a.memory_seq", nil,
				func(r *sqlitedb.Row) error {
					named[string(r.Raw(0))] = assetRef{r.ID(1), r.ID(2), r.Int64(3)}
					return ctx.Err()
				})
		})
	})
	return named, err
}

func (b blobs) nameOf(org loci.OrgID, sum []byte) string {
	return path.Join(assetsDir, string(org), filepath.ToSlash(blobName(sum)))
}

func (b blobs) problem(org loci.OrgID, sum []byte, of assetRef, size int64, there bool) string {
	what := "is missing"
	switch {
	case there && size < 0:
		what = "has changed"
	case there:
		what = fmt.Sprintf("has %d bytes instead of %d", size, of.size)
	}
	return fmt.Sprintf("%s %s, the file of attachment %s of memory %s: put it back from a backup, or delete the "+
		"attachment",
		b.nameOf(org, sum), what, of.asset, of.memory)
}

// bounded shortens a report. Otherwise a lost directory would list every attachment.
func bounded(problems []string) []string {
	if extra := len(problems) - maxReported; extra > 0 {
		problems = append(problems[:maxReported:maxReported], fmt.Sprintf("%d more files are missing or have changed", extra))
	}
	return problems
}

func hashFile(ctx context.Context, path string) (sum []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(h, &untilDone{ctx, f})
	return h.Sum(nil), errors.Join(err, f.Close())
}

// strayBlobs reports directories that belong to no org.
func (s *Store) strayBlobs(ctx context.Context) (problems []string, err error) {
	entries, err := os.ReadDir(filepath.Join(s.opts.Dir, assetsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if err != nil || !e.IsDir() {
			continue
		}
		var known bool
		err = s.meta.View(ctx, func(c *sqlitedb.Conn) (err error) {
			known, err = c.One("SELECT 1 FROM orgs WHERE id = ?", sqlitedb.Args{e.Name()},
				func(*sqlitedb.Row) error { return nil })
			return err
		})
		if !known && err == nil {
			problems = append(problems, "the directory "+assetsDir+"/"+e.Name()+" exists, but "+metaFile+
				" has no such org; put back the "+metaFile+" that belongs to it")
		}
	}
	return problems, translate(err)
}

// countBlobs returns how many files removeBlobs would remove.
func (s *Store) countBlobs(org loci.OrgID) (n int, err error) {
	err = s.eachBlob(org, func(blob, time.Time) error { n++; return nil })
	return n, err
}

// removeBlobs removes all attachments of an org. The caller has made sure that no new Put for the org begins.
func (s *Store) removeBlobs(org loci.OrgID) error {
	if err := org.Validate(); err != nil {
		return err // otherwise it might be the directory of all orgs
	}
	return os.RemoveAll(s.blobDir(org))
}
