package sqlite

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// A release that adds a migration first writes what it leaves behind:
// go test ./internal/store/sqlite -run TestDumpData -dump v2
var dumpName = flag.String("dump", "",
	"write the data of this version as testdata/NAME.meta.sql and testdata/NAME.org.sql")

// The old data of every version is the same to look at.
var (
	oldTime  = time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	oldUser  = loci.UserID{1, 1}
	oldOther = loci.UserID{1, 2}
	oldKey   = loci.Credential{ID: loci.CredentialID{2}, OrgID: loci.DefaultOrg, UserID: oldUser, Kind: loci.KindAgent,
		Method: loci.ByKey, Vendor: "claude",
		Name: "Claude Code", Hash: [32]byte{3, 4}, Prefix: "loci_agent_ab", Rights: []loci.Right{loci.RightRead},
		CreatedAt: oldTime}
)

func oldMemories() (list []*loci.Memory) {
	for i, title := range []string{"Deployments <run> on Fridays", "日本 & café", "In the trash", "Expired"} {
		m := newMemory(oldUser, title, "tag", "it's")
		m.ID, m.OrgID, m.CreatedAt, m.UpdatedAt = loci.MemoryID{9, byte(i)}, loci.DefaultOrg, oldTime, oldTime
		list = append(list, m)
	}
	list[1].Scope, list[1].ProjectID, list[1].UserID = loci.ScopeProject, loci.ProjectID{5}, oldOther
	list[1].AllowedVendors, list[1].Key, list[1].Summary = []loci.Vendor{"claude", "cursor"}, "a/key", "line 1\nline 2"
	list[3].ExpiresAt = oldTime.Add(time.Hour)
	return list
}

// trashedOld is the second version of the third memory.
func trashedOld(m *loci.Memory) *loci.Memory {
	next := m.Clone()
	next.Version, next.Change, next.DeletedAt, next.UpdatedAt = 2, loci.Trashed, oldTime.Add(time.Minute),
		oldTime.Add(time.Minute)
	return next
}

func TestOldData(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join("testdata", "*.org.sql"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no old data: %v", err)
	}
	for _, name := range names {
		version := strings.TrimSuffix(filepath.Base(name), ".org.sql")
		t.Run(version, func(t *testing.T) {
			s := loadOldData(t, filepath.Join("testdata", version))
			checkOldData(t, s)
			if version != "v1" { // which had no identity
				checkOldIdentity(t, s)
			}
			if version != "v1" && version != "v2" { // which had no projects
				checkOldProjects(t, s)
			}
			if !slices.Contains([]string{"v1", "v2", "v3"}, version) { // which had no structured memories
				checkOldStructured(t, s)
			}
			if version == "v5" { // the last with agents of people and vendors
				checkOldWork(t, s)
			}
		})
	}
}

// oldFiles are the files of a data directory by the name of their script. The last
// two are there from v3 on.
func oldFiles(dir string) map[string]string {
	return map[string]string{
		"meta": filepath.Join(dir, metaFile), "org": filepath.Join(dir, orgsDir, "default.db"),
		"project": filepath.Join(dir, dbPath(projectsDir, oldProject.ID)),
		"archive": filepath.Join(dir, dbPath(archiveDir, oldArchived.ID)),
	}
}

// loadOldData opens a store with what the scripts of that name make.
func loadOldData(t *testing.T, name string) *Store {
	t.Helper()
	dir := t.TempDir()
	for kind, file := range oldFiles(dir) {
		script := name + "." + kind + ".sql"
		if _, err := os.Stat(script); errors.Is(err, fs.ErrNotExist) && (kind == "project" || kind == "archive") {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		load(t, script, file)
	}
	return openStore(t, Options{Dir: dir, Now: func() time.Time { return oldTime.Add(2 * time.Hour) }})
}

func load(t *testing.T, script, file string) {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	c, err := sqlite3.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(setUpOrg(c), c.Exec("PRAGMA foreign_keys = OFF;"+string(text)), c.Close()); err != nil {
		t.Fatalf("load %s: %v", script, err)
	}
}

func checkOldData(t *testing.T, s *Store) {
	if problems, err := s.Check(bg); err != nil || len(problems) > 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
	want := oldMemories()
	first := want[2]
	want[2] = trashedOld(first)
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: oldUser, ProjectIDs: []loci.ProjectID{{5}}, Vendor: "claude"}
	err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) error {
		for _, m := range want {
			got, err := tx.Memories().Get(bg, v, m.ID, loci.AnyState)
			if diff := cmp.Diff(m, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", m.Title, err, diff)
			}
		}
		old, err := tx.Memories().Versions(bg, v, first.ID, loci.LiveOrTrash, 0, 10)
		if diff := cmp.Diff([]*loci.Version{{Memory: *first, ReplacedAt: want[2].UpdatedAt}}, old); diff != "" || err != nil {
			t.Errorf("versions: %v (-want +got):\n%s", err, diff)
		}
		page, err := tx.Lists().List(bg, v,
			store.ListQuery{Limit: 10, Total: true, Filter: store.Filter{Tags: []string{"it's"}}})
		if err != nil || page.Total != 2 || len(page.Memories) != 2 {
			t.Errorf("by tag: %d of %d, %v", len(page.Memories), page.Total, err)
		}
		for _, m := range []*loci.Memory{want[0], want[1]} {
			same, err := tx.Memories().ByText(bg, v, store.TextQuery{Title: m.Title, Content: m.Content, Limit: 9,
				Place: store.Place{UserID: m.UserID, Scope: m.Scope, ProjectID: m.ProjectID}})
			if err != nil || len(same) != 1 || same[0].ID != m.ID {
				t.Errorf("by its text: %v, %v", same, err)
			}
		}
		_, err = tx.Users().Get(bg, oldOther)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	got, err := s.Credentials().ByHash(bg, oldKey.Hash)
	if diff := cmp.Diff(oldKey, got.Credential); diff != "" || err != nil {
		t.Errorf("credential: %v (-want +got):\n%s", err, diff)
	}
	who, err := s.People().ByEmail(bg, "other@example.com")
	if want := (loci.Person{UserID: oldOther, OrgID: loci.DefaultOrg, Email: "other@example.com"}); who != want ||
		err != nil {
		t.Errorf("by e-mail: %+v, %v", who, err)
	}
	insert(t, s, loci.DefaultOrg, newMemory(oldUser, "new"))
}

// TestDumpData writes the data of this version and reads it back. When asked
// to, it writes it to testdata, for later versions.
func TestDumpData(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{Dir: t.TempDir(), Now: func() time.Time { return oldTime }})
	_, _, err := s.Orgs().Ensure(bg, loci.Org{ID: loci.DefaultOrg, Name: "Default", OwnerID: oldUser, CreatedAt: oldTime},
		loci.User{})
	if err = errors.Join(err, s.Credentials().Insert(bg, oldKey)); err != nil {
		t.Fatal(err)
	}
	other := loci.User{ID: oldOther, OrgID: loci.DefaultOrg, Email: "other@example.com", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: oldTime}
	err = s.People().Add(bg, other, func(tx store.Tx) (err error) {
		for _, m := range oldMemories() {
			err = errors.Join(err, tx.Memories().Insert(bg, m))
		}
		return errors.Join(err, tx.Memories().Replace(bg, trashedOld(oldMemories()[2])))
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	storeOldIdentity(t, s)
	storeOldProjects(t, s)
	storeOldStructured(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	dir, name := t.TempDir(), "now"
	if *dumpName != "" {
		dir, name = "testdata", *dumpName
	}
	for kind, file := range oldFiles(s.Dir()) {
		if err := os.WriteFile(filepath.Join(dir, name+"."+kind+".sql"), []byte(dump(t, file)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s = loadOldData(t, filepath.Join(dir, name))
	checkOldData(t, s)
	checkOldIdentity(t, s)
	checkOldProjects(t, s)
	checkOldStructured(t, s)
}

// dump writes a file as SQL. The full-text index, which is derived, is filled
// from the rows.
func dump(t *testing.T, file string) string {
	c, err := sqlite3.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := setUpOrg(c); err != nil {
		t.Fatal(err)
	}
	query := func(sql string, row func(*sqlite3.Stmt)) {
		st, _, err := c.Prepare(sql)
		if err != nil {
			t.Fatal(err)
		}
		for st.Step() {
			row(st)
		}
		if err := errors.Join(st.Err(), st.Close()); err != nil {
			t.Fatal(err)
		}
	}
	var b, triggers strings.Builder
	var tables []string
	query("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name NOT GLOB "+
		"'memory_text_*' AND name NOT GLOB '*_fts_*' ORDER BY rowid", func(st *sqlite3.Stmt) {
		name, sql := st.ColumnText(0), st.ColumnText(1)
		to := &b
		switch {
		case strings.HasPrefix(sql, "CREATE TABLE"):
			tables = append(tables, name)
		case strings.HasPrefix(sql, "CREATE TRIGGER"): // the rows are as they left them
			to = &triggers
		}
		fmt.Fprintf(to, "%s;\n", sql)
	})
	for _, table := range tables {
		var columns []string
		query("SELECT name FROM pragma_table_info('"+table+"')",
			func(st *sqlite3.Stmt) { columns = append(columns, st.ColumnText(0)) })
		query("SELECT quote("+strings.Join(columns, ") || ', ' || quote(")+") FROM "+table, func(st *sqlite3.Stmt) {
			fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(columns, ", "), st.ColumnText(0))
		})
	}
	if strings.Contains(b.String(), "VIRTUAL TABLE memory_text") {
		b.WriteString("INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1);\n")
		b.WriteString("INSERT INTO memory_text (rowid, title, content, summary, key, category, tags)\n" +
			"\tSELECT seq, title, content, summary, key, category, (SELECT group_concat(value, char(10)) FROM " +
			"json_each(m.tags)) FROM memories m;\n")
	}
	for _, table := range []string{"entities_fts", "observations_fts"} {
		if strings.Contains(b.String(), "VIRTUAL TABLE "+table) {
			fmt.Fprintf(&b, "INSERT INTO %[1]s (%[1]s) VALUES ('rebuild');\n", table)
		}
	}
	return b.String() + triggers.String()
}
