package sqlite

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// Delete takes these steps, each of which may be repeated: mark the org in the registry, which
// locks everybody out; mark the org's file, for processes that have it open; delete the projects;
// delete the registry's rows; delete the files; keep the receipt as a tombstone.
func (o orgs) Delete(ctx context.Context, id loci.OrgID) (store.Receipt, error) {
	leave, err := o.s.alone(ctx)
	if err != nil {
		return store.Receipt{}, translate(err)
	}
	defer leave()
	r, err := o.s.deleteOrg(ctx, id)
	return r, translate(err)
}

// deleteOrg is Delete for a caller that holds people.lock. For an org that has been deleted
// already, it returns the same receipt again.
func (s *Store) deleteOrg(ctx context.Context, id loci.OrgID) (store.Receipt, error) {
	if err := s.markDeleting(ctx, id); err != nil {
		return store.Receipt{}, err
	}
	r, done, err := s.receipt(ctx, id)
	if err != nil || done {
		return r, err
	}
	if r.OrgID == "" { // not as far as the registry yet
		r = store.Receipt{OrgID: id, DeletedAt: loci.CutTime(s.opts.Now())}
		if err := s.entomb(ctx, &r); err != nil {
			return r, err
		}
	}
	if err := s.deleteProjects(ctx, id, &r); err != nil {
		return r, err
	}
	if err := s.files.Drop(string(id)); err != nil {
		s.opts.Log.WarnContext(ctx, "closing the file of a deleted org failed", "org", string(id), "error", err)
	}
	if err := s.removeRows(ctx, &r); err != nil {
		return r, err
	}
	if err := s.removeFiles(id); err != nil {
		return r, err
	}
	return r, s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("UPDATE orgs SET state = 'deleted' WHERE id = ?", string(id))
	})
}

func (s *Store) markDeleting(ctx context.Context, id loci.OrgID) error {
	return s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec("UPDATE orgs SET state = iif(state = 'deleted', 'deleted', 'deleting') WHERE id = ? AND state <> "+
			"'creating'", string(id))
		if err == nil && c.Changes() == 0 {
			err = sqlstore.NoOrg()
		}
		return err
	})
}

func (s *Store) receipt(ctx context.Context, id loci.OrgID) (r store.Receipt, done bool, err error) {
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT ifnull(receipt, '{}'), state = 'deleted' FROM orgs WHERE id = ?", sqlitedb.Args{string(id)},
			func(row *sqlitedb.Row) error {
				done = row.Bool(1)
				return json.Unmarshal([]byte(row.Text(0)), &r)
			})
		return err
	})
	return r, done, err
}

// entomb deletes the org's own row in its file, so that processes that have the file open stop,
// and counts the rows of the file. The file may be missing.
func (s *Store) entomb(ctx context.Context, r *store.Receipt) (err error) {
	path := s.orgPath(r.OrgID)
	for _, name := range s.orgFileNames(r.OrgID) {
		if _, err := os.Stat(name); err == nil {
			r.Files++
		}
	}
	if r.Attachments, err = s.countBlobs(r.OrgID); err != nil {
		return err
	}
	r.Files += r.Attachments
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := sqlitedb.Open(ctx, s.orgOptions(r.OrgID))
	if errors.Is(err, sqlitedb.ErrNotDB) || errors.Is(err, sqlitedb.ErrCorrupt) {
		return nil // no process can have it open
	}
	if err != nil {
		return openError("file of org "+string(r.OrgID), err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := c.Exec("DELETE FROM org"); err != nil {
			return err
		}
		_, err := c.One("SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM memories)", nil,
			func(row *sqlitedb.Row) error { r.Users, r.Memories = row.Int(0), row.Int(1); return nil })
		return err
	})
}

// removeRows deletes all the org's rows in the registry, except its own, which keeps the receipt.
func (s *Store) removeRows(ctx context.Context, r *store.Receipt) error {
	return s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		receipt := *r
		for _, table := range []string{"credentials", "oauth_grants", "invitations", "arc_bindings", "people"} {
			if err := c.Exec("DELETE FROM "+table+" WHERE org_id = ?", string(r.OrgID)); err != nil {
				return err
			}
			if table == "credentials" {
				receipt.Credentials += int(c.Changes())
			}
		}
		text, err := json.Marshal(receipt)
		if err != nil {
			return err
		}
		if err := c.Exec("UPDATE orgs SET name = '', receipt = ? WHERE id = ?", string(text), string(r.OrgID)); err != nil {
			return err
		}
		*r = receipt
		return nil
	})
}

func (s *Store) orgFileNames(id loci.OrgID) []string {
	path := s.orgPath(id)
	// The journal exists if a process was killed before the file had a write-ahead log.
	return []string{path, path + "-wal", path + "-shm", path + "-journal", path + ".lock"}
}

// removeFiles removes the org's files and attachments. Processes that wait for the lock of a
// removed file then find a file without an org.
func (s *Store) removeFiles(id loci.OrgID) (err error) {
	for _, name := range s.orgFileNames(id) {
		if e := os.Remove(name); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return errors.Join(err, s.bytes.Drop(id)) // no new upload begins
}

type manifest struct {
	Loci      string         `json:"loci"`
	Format    int            `json:"format"`
	CreatedAt time.Time      `json:"created_at"`
	Org       loci.Org       `json:"org"`
	Files     []string       `json:"files"`
	Projects  []loci.Project `json:"projects,omitempty"`
}

// eventsFile has the events of an exported org.
const eventsFile = "events.jsonl"

// Export copies the org's file, its attachments, projects and events, and writes a manifest that names them.
func (o orgs) Export(ctx context.Context, id loci.OrgID, dir string, events func(io.Writer) error) error {
	org, err := o.s.registry.Exists(ctx, id)
	if err != nil {
		return translate(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return openError("export directory "+dir, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return errors.Join(err, loci.Errorf(loci.Conflict, "cannot export to %s: the directory is not empty; use a new "+
			"directory", dir))
	}
	own, err := o.s.copyOrg(ctx, id, dir, string(id)+".db")
	if err != nil {
		return err
	}
	projects, files, err := o.s.exportProjects(ctx, id, dir)
	if err != nil {
		return translate(err)
	}
	if err := writeEvents(filepath.Join(dir, eventsFile), events); err != nil {
		return translateFile(err)
	}
	files = append(files, eventsFile)
	m := manifest{Projects: projects, Loci: "org", Format: 1, CreatedAt: o.s.opts.Now().UTC().Truncate(time.Second),
		Org: org, Files: append(own, files...)}
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "manifest.json"), append(text, '\n'), 0o600)
	}
	return err
}

func writeEvents(path string, events func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	if err = events(out); err == nil {
		err = errors.Join(out.Flush(), f.Sync())
	}
	return errors.Join(err, f.Close())
}
