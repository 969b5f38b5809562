package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// restoreJournal exists while a restore replaces files. Meanwhile the directory may contain half
// of the old state and half of the new one.
const restoreJournal = "restore.json"

// ErrTorn is the class of errors about a file that is missing or does not belong to the others. Only a copy of the file
// helps, or a backup.
var ErrTorn = errors.New("the files of the data directory do not belong together")

// IsNew reports whether nothing was ever stored in the data directory dir, so that opening it
// would create an empty store. A file in its place is not new, because opening it fails.
func IsNew(dir string) bool {
	if at, err := os.Stat(dir); err == nil && !at.IsDir() {
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, restoreJournal)); err == nil {
		return false
	}
	files, _ := orgFiles(dir)
	_, err := os.Stat(filepath.Join(dir, metaFile))
	return err != nil && len(files) == 0
}

// refuseTorn rejects a directory that has some files but lacks others that belong to them. An
// empty registry in place of a lost one would give the remaining data to a new owner.
func refuseTorn(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, restoreJournal)); err == nil {
		return errors.New("a restore of a backup was interrupted; loci finishes it when no other process uses the " +
			"directory")
	}
	// The order matters: the registry is always created before an org's file.
	files, err := orgFiles(dir)
	if err != nil || len(files) == 0 {
		return err
	}
	if sqlitedb.IsMissing(filepath.Join(dir, metaFile)) {
		return loci.WrapError(loci.Unavailable, ErrTorn, "%s is missing or empty although %s exists", metaFile, files[0])
	}
	return nil
}

// orgFiles returns the names of the orgs' files in dir, with slashes.
func orgFiles(dir string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, orgsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".db") {
			names = append(names, orgsDir+"/"+e.Name())
		}
	}
	return names, err
}

// refuseClaimed refuses to register an org whose file exists and has rows: its registry was lost.
func (s *Store) refuseClaimed(ctx context.Context, id loci.OrgID) (err error) {
	if _, err := os.Stat(s.orgPath(id)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := sqlitedb.Open(ctx, s.orgOptions(id))
	if err != nil {
		return openError("file of org "+string(id), err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.View(ctx, func(c *sqlitedb.Conn) error {
		claimed, err := c.One("SELECT 1 FROM org", nil, func(*sqlitedb.Row) error { return nil })
		if claimed {
			err = unregistered(orgsDir + "/" + string(id) + ".db")
		}
		return err
	})
}

func unregistered(file string) error {
	return loci.WrapError(loci.Unavailable, ErrTorn, "the file %s exists, but %s has no such org; put back the %s that "+
		"belongs to it", file, metaFile, metaFile)
}

func wrongOwner(id loci.OrgID) error {
	return loci.WrapError(loci.Unavailable, ErrTorn, "the file %s/%s.db has a different owner than in %s; put back the "+
		"file that matches the other one", orgsDir, id, metaFile)
}

// checkUnregistered reports files that have no row in the registry.
func (s *Store) checkUnregistered(ctx context.Context) (problems []string, err error) {
	files, err := orgFiles(s.opts.Dir) // before the registry, as an Ensure may be running
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		return c.Query("SELECT id FROM orgs", nil, func(r *sqlitedb.Row) error {
			known[orgsDir+"/"+r.Text(0)+".db"] = true
			return nil
		})
	})
	for _, name := range files {
		if !known[name] && err == nil {
			problems = append(problems, unregistered(name).Error())
		}
	}
	return problems, translate(err)
}
