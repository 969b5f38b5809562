package embedded

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Backup copies the log of every org into dir, while others go on writing, and returns the names of the
// files in it, with slashes. They begin with the name of the log's own directory. It leaves the indexes
// out, because they follow from the events.
func (l *Log) Backup(ctx context.Context, dir string) (names []string, err error) {
	orgs, err := l.orgs()
	for _, org := range orgs {
		if err != nil {
			break
		}
		var of []string
		of, err = l.backupOrg(ctx, org, dir)
		names = append(names, of...)
	}
	return names, translate(err)
}

// backupOrg copies log.db before the months, as a read takes its snapshots: what moves meanwhile is in
// log.db, and a batch in a month that this copy of log.db doesn't know doesn't count. It is alone,
// because a month that is removed after log.db was copied would be missing.
func (l *Log) backupOrg(ctx context.Context, org loci.OrgID, dir string) (names []string, err error) {
	leave, err := l.alone(ctx, org)
	if err != nil || leave == nil {
		return nil, err
	}
	defer leave()
	at := path.Join(filepath.Base(l.opts.Dir), string(org))
	if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(at)), 0o700); err != nil {
		return nil, translateTarget(err)
	}
	copyTo := func(db *sqlitedb.DB, file string) error {
		name := path.Join(at, file)
		err := db.BackupTo(ctx, filepath.Join(dir, filepath.FromSlash(name)), func(pages, of int) {
			loci.ReportProgress(ctx, loci.Progress{Stage: "copying the pages of " + name, Done: int64(pages), Total: int64(of)})
		})
		if err == nil {
			names = append(names, name)
		}
		return translateTarget(err)
	}
	err = l.read(ctx, org, func(f *orgLog) error { return copyTo(f.DB, logFile) })
	if err != nil || len(names) == 0 {
		return names, err
	}
	months, err := l.monthFiles(org)
	for _, m := range months {
		if err != nil {
			break
		}
		_, err = l.withSide(ctx, org, m.file(), false, func(db *sqlitedb.DB) error { return copyTo(db, m.file()) })
	}
	return names, err
}

// Orgs returns the orgs that have a log.
func (l *Log) Orgs(context.Context) ([]loci.OrgID, error) {
	list, err := l.orgs()
	return list, translate(err)
}

// orgs is Orgs with the errors of the system.
func (l *Log) orgs() (list []loci.OrgID, err error) {
	entries, err := os.ReadDir(l.opts.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		org := loci.OrgID(e.Name())
		if !e.IsDir() || org.Validate() != nil {
			continue
		}
		there, err := l.exists(org, logFile)
		if err != nil {
			return nil, err
		}
		if there {
			list = append(list, org)
		}
	}
	return list, err
}

// monthFiles returns the months that have a file, whether it counts or not.
func (l *Log) monthFiles(org loci.OrgID) (list []month, err error) {
	entries, err := os.ReadDir(filepath.Join(l.opts.Dir, string(org)))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the org was deleted meanwhile
	}
	for _, e := range entries {
		if at, bad := time.Parse(monthLayout+".db", e.Name()); bad == nil {
			list = append(list, monthOf(at))
		}
	}
	return list, err
}
