package sqlite

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

func feedNow(t testing.TB, s *Store, v loci.Viewer) (p store.Position) {
	t.Helper()
	err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) (err error) { p, err = tx.Feed().Now(bg, v); return err })
	if err != nil {
		t.Fatal(explain(err))
	}
	return p
}

func feedAfter(s *Store, v loci.Viewer, at store.Position, limit int) (page store.FeedPage, err error) {
	err = s.View(bg, loci.DefaultOrg,
		func(tx store.Tx) error {
			page, err = tx.Feed().After(bg, v, store.FeedQuery{After: at, Limit: limit, Kinds: loci.FeedKinds()})
			return err
		})
	return page, err
}

// A reader from after the backup notices that it was restored, also when as
// much has happened since as it had seen.
func TestFeedOfARestoredBackup(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	opts := Options{Now: func() time.Time { return now }}
	s, user := newStore(t, opts)
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user}
	insert(t, s, loci.DefaultOrg, newMemory(user, "before"))
	before, dir := feedNow(t, s, v), t.TempDir()
	if _, err := s.Backup(bg, dir); err != nil {
		t.Fatal(err)
	}
	insert(t, s, loci.DefaultOrg, newMemory(user, "lost"))
	after := feedNow(t, s, v)
	opts.Dir = dir
	restored := openStore(t, opts)
	if _, err := feedAfter(restored, v, after, 10); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("behind the end: %v", err)
	}
	now = now.Add(time.Hour)
	insert(t, restored, loci.DefaultOrg, newMemory(user, "other"), newMemory(user, "more"))
	if page, err := feedAfter(restored, v, after, 10); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("instead of what was lost: %+v, %v", page, err)
	}
	if page, err := feedAfter(restored, v, before, 10); err != nil || len(page.Events) != 2 {
		t.Errorf("from before the backup: %+v, %v", page, err)
	}
}

// What changes in a node is told to those who see the node and what changed.
func TestNodesInTheFeed(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	person := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user}
	agent := person
	agent.Vendor = "cursor"
	m, hidden := newMemory(user, "memory"), newMemory(user, "hidden")
	hidden.AllowedVendors = []loci.Vendor{"claude"}
	insert(t, s, loci.DefaultOrg, m, hidden)
	n := &loci.MemoryNode{ID: loci.NewNodeID(), Name: "node",
		Access: loci.Access{UserID: user, Scope: loci.ScopeGlobal, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}}
	narrow, trashed := *n, *n
	narrow.AllowedVendors, trashed.DeletedAt = []loci.Vendor{"claude"}, time.Unix(1, 0)
	toPerson, toAgent := feedNow(t, s, person), feedNow(t, s, agent)
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
		nodes := tx.MemoryNodes()
		put := func(m *loci.Memory) error {
			i := loci.NodeItem{ID: loci.NewNodeItemID(), NodeID: n.ID, Kind: loci.ItemMemory, MemoryID: m.ID,
				AllowedVendors: []loci.Vendor{"*"}, UserID: user}
			return nodes.PutItem(bg, person, i, loci.NodeItemID{})
		}
		for _, change := range []func() error{
			func() error { return nodes.Insert(bg, n) },
			func() error { return put(m) },
			func() error { return put(hidden) },
			func() error { return nodes.Update(bg, &narrow) },
			func() error { return nodes.Update(bg, n) },
			func() error { return nodes.Update(bg, &trashed) },
			func() error { return nodes.Erase(bg, n.ID) },
		} {
			if err := change(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	for _, tt := range []struct {
		v    loci.Viewer
		at   store.Position
		want []loci.Change
	}{
		{person, toPerson, []loci.Change{loci.Created, loci.Updated, loci.Updated, loci.Updated, loci.Updated, loci.Trashed,
			loci.Erased}},
		{agent, toAgent, []loci.Change{loci.Created, loci.Updated, loci.Hidden, loci.Updated, loci.Trashed, loci.Erased}},
	} {
		page, err := feedAfter(s, tt.v, tt.at, 10)
		var got []loci.Change
		for _, e := range page.Events {
			if got = append(got, e.Change); e.Kind != "memory_node" || e.ID != n.ID.String() || e.Version != 0 {
				t.Errorf("%+v", e)
			}
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q is told %q, %v; want %q", tt.v.Vendor, got, err, tt.want)
		}
	}
}

// BenchmarkFeed reads what a call looks at: all of another person's, or all
// of the reader's own; each with two kinds of access, or one of its own.
func BenchmarkFeed(b *testing.B) {
	for name, differ := range map[string]bool{"Alike": false, "Different": true} {
		s, user := newStore(b, Options{})
		mine, theirs := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user},
			loci.Viewer{OrgID: loci.DefaultOrg, UserID: loci.NewUserID()}
		toMe, toThem := feedNow(b, s, mine), feedNow(b, s, theirs)
		list := make([]*loci.Memory, store.FeedWindow)
		for i := range list {
			list[i] = newMemory(user, "title")
			if differ {
				list[i].TeamID = loci.NewTeamID()
			}
		}
		insert(b, s, loci.DefaultOrg, list...)
		read := func(v loci.Viewer, at store.Position, want int) func(*testing.B) {
			return func(b *testing.B) {
				for b.Loop() {
					if page, err := feedAfter(s, v, at, 1<<20); err != nil || len(page.Events) != want {
						b.Fatal(len(page.Events), err)
					}
				}
			}
		}
		b.Run(name+"/Hidden1000", read(theirs, toThem, 0))
		b.Run(name+"/Shown1000", read(mine, toMe, len(list)))
	}
}

// The migration that lets the feed have more kinds keeps its rows, and the numbers go on, also if all rows were
// deleted.
func TestFeedKeepsItsNumbers(t *testing.T) {
	t.Parallel()
	for _, left := range []int64{0, 2} {
		o := sqlitedb.Options{Path: filepath.Join(t.TempDir(), "org.db"), Setup: setUpOrg, Migrations: migrations("org")}
		all := o.Migrations
		o.Migrations = all[:slices.IndexFunc(all, func(m sqlitedb.Migration) bool { return m.Name == "feed_kinds" })]
		const add = "INSERT INTO feed (at, kind, row_id, change, version, origin) VALUES (1, 'memory', zeroblob(16), " +
			"'updated', 1, '')"
		write := func(text ...string) (rows, last int64) {
			db, err := sqlitedb.Open(bg, o)
			if err != nil {
				t.Fatal(err)
			}
			err = db.Update(bg, func(c *sqlitedb.Conn) error {
				for _, one := range text {
					if err := c.Exec(one); err != nil {
						return err
					}
				}
				_, err := c.One("SELECT count(*), max(seq) FROM feed", nil,
					func(r *sqlitedb.Row) error { rows, last = r.Int64(0), r.Int64(1); return nil })
				return err
			})
			if err = errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			return rows, last
		}
		write(add, add, add, "DELETE FROM feed WHERE seq <= 3 - "+strconv.FormatInt(left, 10))
		o.Migrations = all
		if rows, last := write(add); rows != left+1 || last != 4 {
			t.Errorf("with %d rows left: got %d rows up to number %d, want %d up to 4", left, rows, last, left+1)
		}
	}
}
