package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// Backup copies every file into dir and returns their names in it, with slashes. It creates dir
// if necessary. Each copy is a snapshot, and others can go on writing. It copies the registry
// first, and the copy decides which orgs to copy, so every org in a restored registry has its
// file. If a project is deleted meanwhile, Backup starts over, once.
func (s *Store) Backup(ctx context.Context, dir string) ([]string, error) {
	files, err := s.backUp(ctx, dir)
	if !errors.Is(err, errProjectGone) {
		return files, err
	}
	for _, name := range files {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return files, openError("backup directory "+dir, err)
		}
	}
	return s.backUp(ctx, dir)
}

func (s *Store) backUp(ctx context.Context, dir string) ([]string, error) {
	if err := os.MkdirAll(filepath.Join(dir, orgsDir), 0o700); err != nil {
		return nil, openError("backup directory "+dir, err)
	}
	meta := filepath.Join(dir, metaFile)
	if err := copyDB(ctx, s.meta, metaFile, meta); err != nil {
		return nil, translate(err)
	}
	files := []string{metaFile}
	ids, projects, err := listedIn(meta)
	if err != nil {
		return files, fmt.Errorf("cannot read %s: %w", meta, err)
	}
	for _, id := range ids {
		name := path.Join(orgsDir, string(id)+".db")
		names, err := s.copyOrg(ctx, id, dir, name)
		if err != nil {
			return files, err
		}
		files = append(files, names...)
	}
	names, err := s.copyProjects(ctx, dir, projects)
	return append(files, names...), translate(err)
}

// copyDB copies an open database, whose name is for people.
func copyDB(ctx context.Context, db *sqlitedb.DB, name, target string) error {
	return db.BackupTo(ctx, target, func(pages, of int) {
		loci.ReportProgress(ctx, loci.Progress{Stage: "copying the pages of " + name, Done: int64(pages), Total: int64(of)})
	})
}

// listedIn reads the registry in a file that no process has open, and leaves no other files beside it.
func listedIn(metaPath string) (ids []loci.OrgID, projects []loci.Project, err error) {
	c, err := openCopy(metaPath)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if closed := c.Close(); err == nil {
			err = closed
		}
	}()
	err = eachRow(c, "SELECT id FROM orgs WHERE state IN "+sqlstore.OpenStates+" ORDER BY id",
		func(st *sqlite3.Stmt) error {
			ids = append(ids, loci.OrgID(st.ColumnText(0)))
			return nil
		})
	if err != nil {
		return nil, nil, err
	}
	// An intent in the copy is carried out when the backup is restored, so the file goes to its
	// old place. A project that is being created or deleted is not needed.
	err = eachRow(c, `SELECT p.org_id, p.id, p.status FROM projects p JOIN orgs o ON o.id = p.org_id
		WHERE o.state IN `+sqlstore.OpenStates+
		" AND (p.intent IS NULL OR p.intent IN ('archiving', 'restoring')) ORDER BY p.id", func(st *sqlite3.Stmt) error {
		id, err := loci.ParseMemoryID(st.ColumnText(1))
		projects = append(projects,
			loci.Project{OrgID: loci.OrgID(st.ColumnText(0)), ID: loci.ProjectID(id),
				Status: loci.ProjectStatus(st.ColumnText(2))})
		return err
	})
	return ids, projects, err
}

// openCopy opens a database that no process has open, for reading, and leaves no other files beside it.
func openCopy(file string) (*sqlite3.Conn, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	// This does not use net/url, which would put a slash before a drive letter.
	uri := "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(abs)) +
		"?immutable=1"
	return sqlite3.OpenFlags(uri, sqlite3.OPEN_READONLY|sqlite3.OPEN_URI)
}

func eachRow(c *sqlite3.Conn, sql string, row func(*sqlite3.Stmt) error) error {
	st, _, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	for st.Step() {
		if err := row(st); err != nil {
			return errors.Join(err, st.Close())
		}
	}
	return errors.Join(st.Err(), st.Close())
}
