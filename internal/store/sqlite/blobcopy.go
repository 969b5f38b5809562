package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/blob"
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
	release, err = s.bytes.Hold(ctx, org)
	return release, fileError(err)
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
		name := nameOf(id, sum)
		err := s.copyBlob(ctx, id, sum, filepath.Join(dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrDamaged) {
			err = loci.WrapError(loci.Unavailable, err,
				"the attachment %s is missing or has changed: `loci doctor` says whose it is; put the file back "+
					"from a backup or delete the attachment, then try again", name)
		}
		if err != nil {
			return names, fileError(err)
		}
		names = append(names, name)
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

// copyBlob makes a durable copy. It fails as blob.Store.Copy does.
func (s *Store) copyBlob(ctx context.Context, org loci.OrgID, sum []byte, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = s.bytes.Copy(ctx, out, org, sum)
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
	err = b.s.bytes.Each(org, func(i blob.Item) error {
		if i.Sum == nil {
			return nil
		}
		loci.ReportProgress(ctx, loci.Progress{Stage: "checking attachments", Done: int64(len(good)),
			Total: int64(len(named))})
		err := b.s.bytes.Copy(ctx, io.Discard, org, i.Sum)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		good[string(i.Sum)] = i.Size
		if errors.Is(err, blob.ErrDamaged) {
			err, good[string(i.Sum)] = nil, -1
			if _, known := named[string(i.Sum)]; !known {
				problems = append(problems,
					fmt.Sprintf("%s has changed, and no attachment has these bytes: remove it", nameOf(org, i.Sum)))
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

func nameOf(org loci.OrgID, sum []byte) string { return path.Join(assetsDir, blob.Name(org, sum)) }

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
		nameOf(org, sum), what, of.asset, of.memory)
}

// bounded shortens a report. Otherwise a lost directory would list every attachment.
func bounded(problems []string) []string {
	if extra := len(problems) - maxReported; extra > 0 {
		problems = append(problems[:maxReported:maxReported], fmt.Sprintf("%d more files are missing or have changed", extra))
	}
	return problems
}

// strayBlobs reports directories that belong to no org.
func (s *Store) strayBlobs(ctx context.Context) (problems []string, err error) {
	orgs, err := s.bytes.Orgs()
	for _, org := range orgs {
		if err != nil {
			break
		}
		_, _, err = s.registry.LookUp(ctx, org)
		if code := loci.CodeOf(err); code == loci.NotFound || code == loci.Invalid {
			err = nil
			problems = append(problems, "the directory "+assetsDir+"/"+string(org)+" exists, but "+metaFile+
				" has no such org; put back the "+metaFile+" that belongs to it")
		}
	}
	return problems, translate(err)
}

// countBlobs returns how many attachments an org has, with uploads.
func (s *Store) countBlobs(org loci.OrgID) (n int, err error) {
	err = s.bytes.Each(org, func(blob.Item) error { n++; return nil })
	return n, err
}
