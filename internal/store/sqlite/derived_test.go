package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

func update(t *testing.T, s *Store, sql string) {
	t.Helper()
	err := s.with(bg, loci.DefaultOrg, func(f *orgFile) error {
		return f.DB.Update(bg, func(c *sqlitedb.Conn) error { return c.Exec(sql) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCheckFindsDamageAndRebuildMendsIt(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	var list []*loci.Memory
	for i := range 5 {
		list = append(list, newMemory(user, fmt.Sprint("Deployments ", i), "tag"))
	}
	insert(t, s, loci.DefaultOrg, list...)
	for name, tt := range map[string]struct {
		damage string
		want   []string
	}{
		"lost posting": {"DELETE FROM memory_postings WHERE token = 't:tag' AND seq = 2",
			[]string{"list index differs from row 2"}},
		"stale posting": {"INSERT INTO memory_postings SELECT pool, vendor, 't:more', at, seq, NULL, NULL, NULL FROM " +
			"memory_postings WHERE token = '' AND seq = 3", []string{"list index differs from row 3"}},
		"wrong expiry": {"UPDATE memory_postings SET expires_at = 1 WHERE seq = 4",
			[]string{"list index differs from row 4"}},
		"orphaned posting": {"INSERT INTO memory_postings SELECT pool, vendor, token, at, 99, NULL, NULL, NULL FROM " +
			"memory_postings WHERE token = '' AND seq = 3", []string{"list index differs from row 99"}},
		"wrong digest": {"UPDATE memories SET digest = 7 WHERE seq = 4", []string{"list index differs from row 4"}},
		"another text": {"UPDATE memories SET content = 'changed' WHERE seq = 1",
			[]string{"list index differs from row 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			update(t, s, tt.damage)
			problems, err := s.Check(bg)
			if err != nil || len(problems) != len(tt.want) {
				t.Errorf("got %q, %v; want %q", problems, err, tt.want)
			}
			for i, problem := range problems[:min(len(problems), len(tt.want))] {
				want := loci.Problem{Kind: loci.ProblemDerived, Text: "orgs/default.db: the " + tt.want[i] + ": rebuild it"}
				if problem != want {
					t.Errorf("got %q, want one that says %q", problem, tt.want[i])
				}
			}
			if err := s.Rebuild(bg); err != nil {
				t.Fatal(err)
			}
			if problems, err := s.Check(bg); err != nil || len(problems) > 0 {
				t.Errorf("after Rebuild: %q, %v", problems, err)
			}
		})
	}
}

func TestCheckAndRebuildReportEachMemory(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	for i := range 3 {
		insert(t, s, loci.DefaultOrg, newMemory(user, fmt.Sprint(i)))
	}
	var got []string
	ctx := loci.WithProgress(bg, func(p loci.Progress) {
		if p.Total > 0 {
			got = append(got, fmt.Sprintf("%s %d of %d", p.Stage, p.Done, p.Total))
		}
	})
	if problems, err := s.Check(ctx); err != nil || len(problems) > 0 {
		t.Fatalf("%q, %v", problems, err)
	}
	if err := s.Rebuild(ctx); err != nil {
		t.Fatal(err)
	}
	want := []string{"checking memories 1 of 3", "checking memories 2 of 3", "checking memories 3 of 3",
		"rebuilding the indexes 1 of 3", "rebuilding the indexes 2 of 3", "rebuilding the indexes 3 of 3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A check that runs beside writers compares the rows and the indexes of one moment.
func TestCheckBesideWriters(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				insert(t, s, loci.DefaultOrg, newMemory(user, fmt.Sprint(i), "tag"))
			}
		}
	}()
	for range 20 {
		if problems, err := s.Check(bg); err != nil || len(problems) > 0 {
			t.Errorf("%q, %v", problems, err)
		}
	}
	close(stop)
	<-stopped
}

// A torn file is a finding, not a failure of the check.
func TestCheckReportsATornFile(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int64{"first page": 0, "schema": 3500, "middle": 8 << 12} {
		t.Run(name, func(t *testing.T) {
			s, user := newStore(t, Options{})
			for range 50 {
				insert(t, s, loci.DefaultOrg, newMemory(user, strings.Repeat("word ", 50), "tag"))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(s.orgPath(loci.DefaultOrg), os.O_RDWR, 0)
			if err == nil {
				_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, 3000), at)
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			s = openStore(t, Options{Dir: s.Dir()})
			problems, err := s.Check(bg)
			if err != nil || len(problems) == 0 || problems[0].Kind != loci.ProblemDamage ||
				!strings.HasPrefix(problems[0].Text, "orgs/default.db: ") {
				t.Errorf("got %q, %v", problems, err)
			}
		})
	}
}

// A posting that should not be there shows nothing: the rule is applied to the
// row itself, and the page is filled with what follows.
func TestStalePostingsLeakNothing(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	for i := range 30 {
		m := newMemory(user, fmt.Sprint(i), "t")
		m.CreatedAt = m.CreatedAt.Add(time.Duration(i) * time.Second)
		if i%10 != 0 {
			m.AllowedVendors = []loci.Vendor{"cursor"}
		}
		insert(t, s, loci.DefaultOrg, m)
	}
	update(t, s, "UPDATE memory_postings SET vendor = '*' WHERE vendor = 'cursor'")
	err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) error {
		for _, f := range []store.Filter{{}, {Tags: []string{"t"}}, {Category: "fact"}} {
			page, err := tx.Lists().List(bg, loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, Vendor: "claude"},
				store.ListQuery{Limit: 2, Filter: f})
			if err != nil {
				return err
			}
			var got []string
			for _, m := range page.Memories {
				got = append(got, m.Title)
			}
			if !slices.Equal(got, []string{"20", "10"}) || page.Next == "" {
				t.Errorf("filter %+v: %q, Next %q", f, got, page.Next)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What is purged is gone from the file, not only from answers.
func TestPurgeErasesText(t *testing.T) {
	t.Parallel()
	const word = "zyzzogeton"
	s, user := newStore(t, Options{})
	for i := range 20 {
		m := newMemory(user, fmt.Sprint("about ", word, i), word+"tag")
		if i != 7 {
			m = newMemory(user, "another")
		}
		insert(t, s, loci.DefaultOrg, m)
		if i != 7 {
			continue
		}
		next := m.Clone()
		next.Version, next.Change, next.DeletedAt = 2, loci.Trashed, m.CreatedAt
		err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error { return tx.Memories().Replace(bg, next) })
		if err != nil {
			t.Fatal(err)
		}
	}
	file := func() []byte {
		if err := s.Close(); err != nil { // moves the log into the file
			t.Fatal(err)
		}
		b, err := os.ReadFile(s.orgPath(loci.DefaultOrg))
		if err != nil {
			t.Fatal(err)
		}
		s = openStore(t, Options{Dir: s.Dir()})
		return b
	}
	if !bytes.Contains(file(), []byte(word)) {
		t.Fatal("the word is not in the file before: the test looks for nothing")
	}
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
		n, err := tx.Memories().Purge(bg, time.Now().Add(time.Hour), 10)
		if n != 1 {
			t.Errorf("purged %d", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(file(), []byte(word)) {
		t.Error("the text of a purged memory is still in the file")
	}
}

func TestBackup(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	if _, _, err := s.Orgs().Ensure(bg, loci.Org{ID: "other", OwnerID: user}, loci.User{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.register(bg, loci.Org{ID: "half", OwnerID: user}, loci.User{}); err != nil {
		t.Fatal(err)
	}
	insert(t, s, loci.DefaultOrg, newMemory(user, "a"))
	stop, stopped := make(chan struct{}), make(chan struct{})
	started := make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			insert(t, s, "other", newMemory(user, fmt.Sprint(i)))
			if i == 0 {
				close(started)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	<-started
	dir := filepath.Join(t.TempDir(), "100% ?#", "backup")
	files, err := s.Backup(bg, dir)
	close(stop)
	<-stopped
	if err != nil || !slices.Equal(files, []string{metaFile, "orgs/default.db", "orgs/other.db"}) {
		t.Fatalf("%q, %v", files, err)
	}
	var there []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			there = append(there, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || !slices.Equal(there, files) {
		t.Errorf("the backup holds %q, %v; it says %q", there, err, files)
	}
	if _, err := s.Backup(bg, dir); err == nil {
		t.Error("a second backup overwrote the first")
	}
	restored := openStore(t, Options{Dir: dir})
	if problems, err := restored.Check(bg); err != nil || len(problems) > 0 {
		t.Errorf("the copy: %q, %v", problems, err)
	}
	if got := latest(t, restored, loci.DefaultOrg, user); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the copy has %q", got)
	}
	if got := latest(t, restored, "other", user); len(got) == 0 {
		t.Error("the copy lacks what was written before it began")
	}
}

func TestErrorsHideTheDriver(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	m := newMemory(user, "a")
	insert(t, s, loci.DefaultOrg, m)
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error { return tx.Memories().Insert(bg, m) })
	if text := fmt.Sprint(err); strings.Contains(strings.ToLower(text), "sql") || strings.Contains(text, "memories.id") {
		t.Errorf("the text shows the driver's: %q", text)
	}
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		t.Error("an ordinary refusal carries the driver's error into the log")
	}
	for class, want := range map[error]loci.Code{sqlitedb.ErrFull: loci.Full, sqlitedb.ErrReadOnly: loci.Unavailable,
		sqlitedb.ErrBusy: loci.Unavailable, sqlitedb.ErrIO: loci.Unavailable, sqlitedb.ErrClosed: loci.Unavailable,
		sqlitedb.ErrCorrupt: loci.Unavailable, sqlitedb.ErrConstraintCheck: ""} {
		err := translate(fmt.Errorf("insert: %w", &sqlitedb.Error{Class: class, Cause: errors.New("table memories")}))
		if got := loci.CodeOf(err); got != want || want != "" && strings.Contains(err.Error(), "memories") {
			t.Errorf("%v: code %q, text %q, want code %q", class, got, err, want)
		}
	}
}
