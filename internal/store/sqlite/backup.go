package sqlite

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
)

// Backup copies every file into dir, which is made if it is not there, and
// returns their names in it, with slashes. Each copy is of one moment while
// others go on writing. The registry is copied first and its copy says which
// orgs there are, so every org that a restored registry knows has its file.
func (s *Store) Backup(ctx context.Context, dir string) ([]string, error) {
	if err := os.MkdirAll(filepath.Join(dir, orgsDir), 0o700); err != nil {
		return nil, openError("backup directory "+dir, err)
	}
	meta := filepath.Join(dir, metaFile)
	if err := s.meta.BackupTo(ctx, meta); err != nil {
		return nil, translate(err)
	}
	files := []string{metaFile}
	ids, err := orgsIn(meta)
	if err != nil {
		return files, fmt.Errorf("read %s: %w", meta, err)
	}
	for _, id := range ids {
		name := path.Join(orgsDir, string(id)+".db")
		err := s.with(ctx, id, func(f *orgFile) error { return f.db.BackupTo(ctx, filepath.Join(dir, filepath.FromSlash(name))) })
		if err != nil {
			return files, err
		}
		files = append(files, name)
	}
	return files, nil
}

// orgsIn reads the registry in a file that nobody has open, and leaves nothing
// beside it.
func orgsIn(metaPath string) (ids []loci.OrgID, err error) {
	abs, err := filepath.Abs(metaPath)
	if err != nil {
		return nil, err
	}
	// Not a net/url: it would put a slash before a drive letter.
	uri := "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(abs)) + "?immutable=1"
	c, err := sqlite3.OpenFlags(uri, sqlite3.OPEN_READONLY|sqlite3.OPEN_URI)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := c.Close(); err == nil {
			err = closed
		}
	}()
	st, _, err := c.Prepare("SELECT id FROM orgs WHERE state IN ('active', 'suspended') ORDER BY id")
	if err != nil {
		return nil, err
	}
	for st.Step() {
		ids = append(ids, loci.OrgID(st.ColumnText(0)))
	}
	if err := st.Err(); err != nil {
		return nil, err
	}
	return ids, st.Close()
}
