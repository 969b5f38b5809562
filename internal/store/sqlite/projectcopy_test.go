package sqlite

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

func TestBackupHasProjects(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	old, err := s.Projects().Create(bg, loci.Project{OrgID: p.OrgID, Name: "old"}, loci.UserID{})
	if err != nil {
		t.Fatal(err)
	}
	note(t, s, old, "kept")
	if err := s.Projects().Archive(bg, p.OrgID, old.ID); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "b")
	files, err := s.Backup(bg, dir)
	want := []string{metaFile, "orgs/default.db", dbPath(projectsDir, p.ID), dbPath(archiveDir, old.ID)}
	slices.Sort(want)
	slices.Sort(files)
	if err != nil || !slices.Equal(files, want) {
		t.Fatalf("got %q, %v, want %q", files, explain(err), want)
	}
	if got := projectFilesIn(t, s.Dir()); slices.Contains(got, dbPath(archiveDir, old.ID)+"-wal") {
		t.Errorf("the copy left a log beside the archived file: %q", got)
	}
	restored := openStore(t, Options{Dir: dir})
	if got := notes(t, restored, p); !slices.Equal(got, []string{"first"}) {
		t.Errorf("got %q", got)
	}
	if err := restored.Projects().Restore(bg, old.OrgID, old.ID); err != nil {
		t.Fatal(explain(err))
	}
	if got := notes(t, restored, old); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("got %q", got)
	}
	if problems, err := restored.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

func TestExportHasProjects(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	dir := filepath.Join(t.TempDir(), "e")
	if err := s.Orgs().Export(bg, p.OrgID, dir, noEvents); err != nil {
		t.Fatal(explain(err))
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	var m manifest
	if err = errors.Join(err, json.Unmarshal(text, &m)); err != nil ||
		!slices.Equal(m.Files, []string{"default.db", dbPath(projectsDir, p.ID), eventsFile}) ||
		len(m.Projects) != 1 || m.Projects[0].Name != "p" {
		t.Errorf("manifest %+v, %v", m, err)
	}
	if _, err := os.Stat(filepath.Join(dir, projectsDir, p.ID.String()+".db")); err != nil {
		t.Error(err)
	}
}

// An org that is deleted leaves no file of a project, in whatever state that was.
func TestDeleteOrgWithProjects(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	for _, name := range []string{"archived", "half"} {
		q, err := s.Projects().Create(bg, loci.Project{OrgID: p.OrgID, Name: name}, loci.UserID{})
		if err != nil {
			t.Fatal(err)
		}
		if name == "archived" {
			err = s.Projects().Archive(bg, p.OrgID, q.ID)
		} else {
			err = s.intend(bg, p.OrgID, q.ID, intentArchiving)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Orgs().Delete(bg, p.OrgID)
	if err != nil || r.Projects != 3 {
		t.Fatalf("%+v, %v", r, explain(err))
	}
	for _, dir := range []string{projectsDir, archiveDir} {
		if entries, err := os.ReadDir(filepath.Join(s.Dir(), dir)); err != nil || len(entries) != 0 {
			t.Errorf("left in %s: %v, %v", dir, entries, err)
		}
	}
	wantDeleted(t, s, r)
}

// Who was taken out of a project after the backup was made stays out.
func TestCarryProjectMembers(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	members, err := s.ProjectMembers().List(bg, p.OrgID, p.ID)
	if err != nil || len(members) != 1 {
		t.Fatal(members, err)
	}
	dir := filepath.Join(t.TempDir(), "b")
	session := store.Connection{Key: [32]byte{1}, OrgID: p.OrgID, UserID: members[0].UserID, ProjectID: p.ID,
		UsedAt: p.CreatedAt}
	if err := s.Connections().Put(bg, session); err != nil {
		t.Fatal(explain(err))
	}
	if _, err := s.Backup(bg, dir); err != nil {
		t.Fatal(err)
	}
	_, err = s.Projects().Update(bg, p.OrgID, p.ID, func(p *loci.Project) error { p.Everyone = false; return nil })
	if err := errors.Join(err, s.ProjectMembers().Remove(bg, p.OrgID, p.ID, members[0].UserID), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := CarryRevocations(bg, s.Dir(), dir, false); err != nil {
		t.Fatal(explain(err))
	}
	restored := openStore(t, Options{Dir: dir})
	if list, err := restored.ProjectMembers().Of(bg, p.OrgID, members[0].UserID, loci.WorkspaceID{}); err != nil ||
		len(list) != 0 {
		t.Errorf("got %v, %v, want none", list, err)
	}
	if _, err := restored.Connections().Get(bg, session.Key); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("the session of then: %v, want that it is not there", err)
	}
}

// The schema has what seed S3 names, as it names it.
func TestProjectSchema(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	want := map[string]string{
		"entities":     "id,name,entity_type,created_at,updated_at,deleted_at",
		"observations": "id,entity_id,content,created_at,deleted_at",
		"relations":    "id,from_entity,to_entity,relation_type,created_at,deleted_at",
		"entities_fts": "name,entity_type", "observations_fts": "content",
	}
	names := []string{"entities_ai", "entities_ad", "entities_au", "observations_ai", "observations_ad", "observations_au",
		"idx_entities_active", "idx_entities_type", "idx_observations_entity", "idx_relations_from", "idx_relations_to",
		"idx_relations_type"}
	err := s.withProject(bg, p.OrgID, p.ID, func(f *projectFile, _ loci.Project) error {
		return f.DB.View(bg, func(c *sqlitedb.Conn) error {
			return errors.Join(wantNames(t, c, names), wantColumns(t, c, want))
		})
	})
	if err != nil {
		t.Error(explain(err))
	}
	meta := map[string]string{"projects": "id,name,description,db_path,status,created_at,updated_at"}
	err = s.meta.View(bg, func(c *sqlitedb.Conn) error {
		var path, at string
		_, err := c.One("SELECT db_path, created_at FROM projects", nil,
			func(r *sqlitedb.Row) error { path, at = r.Text(0), r.Text(1); return nil })
		if path != dbPath(projectsDir, p.ID) || at != sqlstore.ISO(p.CreatedAt) ||
			len(at) != len("2026-03-01T12:00:00.000Z") {
			t.Errorf("db_path %q, created_at %q", path, at)
		}
		return errors.Join(err, wantNames(t, c, []string{"idx_projects_status", "idx_projects_name"}),
			wantColumns(t, c, meta))
	})
	if err != nil {
		t.Error(explain(err))
	}
}

func wantNames(t *testing.T, c *sqlitedb.Conn, names []string) error {
	for _, name := range names {
		found, err := c.One("SELECT 1 FROM sqlite_schema WHERE name = ?", sqlitedb.Args{name},
			func(*sqlitedb.Row) error { return nil })
		if err != nil {
			return err
		}
		if !found {
			t.Errorf("the schema has no %s", name)
		}
	}
	return nil
}

func wantColumns(t *testing.T, c *sqlitedb.Conn, tables map[string]string) error {
	for table, columns := range tables {
		if err := c.Query("SELECT "+columns+" FROM "+table+" LIMIT 0", nil,
			func(*sqlitedb.Row) error { return nil }); err != nil {
			t.Errorf("%s: %v", table, err)
		}
	}
	return nil
}

// A lost entry of the full-text index is found by Check and made again by Rebuild.
func TestProjectCheckAndRebuild(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	err := s.withProject(bg, p.OrgID, p.ID, func(f *projectFile, _ loci.Project) error {
		return f.DB.Update(bg, func(c *sqlitedb.Conn) error {
			return c.Exec("INSERT INTO entities_fts (entities_fts, rowid, name, entity_type) SELECT 'delete', seq, name, " +
				"entity_type FROM entities")
		})
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 1 {
		t.Errorf("Check: %q, %v", problems, err)
	}
	if err := s.Rebuild(bg); err != nil {
		t.Fatal(explain(err))
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check after Rebuild: %q, %v", problems, err)
	}
	stray := s.projectPath(archiveDir, loci.NewProjectID())
	if err := os.WriteFile(stray, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 1 {
		t.Errorf("Check with a stray file: %q, %v", problems, err)
	}
	if err := errors.Join(os.Remove(stray), os.WriteFile(s.projectPath(archiveDir, p.ID), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	want := "the file " + dbPath(archiveDir, p.ID) + " exists, but the place of that project is " +
		dbPath(projectsDir, p.ID)
	if problems, err := s.Check(bg); err != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].Text, want) {
		t.Errorf("Check with a second file: %q, %v", problems, err)
	}
}
