package sqlite

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
	err = s.View(bg, loci.DefaultOrg, func(tx store.Tx) error { page, err = tx.Feed().After(bg, v, at, limit); return err })
	return page, err
}

// A reader from after the backup notices that it was restored, also when as
// much has happened since as it had seen.
func TestFeedOfARestoredBackup(t *testing.T) {
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
		t.Errorf("in the place of what was lost: %+v, %v", page, err)
	}
	if page, err := feedAfter(restored, v, before, 10); err != nil || len(page.Events) != 2 {
		t.Errorf("from before the backup: %+v, %v", page, err)
	}
}

// What changes in a node is told to those who see the node and what changed.
func TestNodesInTheFeed(t *testing.T) {
	s, user := newStore(t, Options{})
	person := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user}
	agent := person
	agent.Vendor = "cursor"
	n := &loci.MemoryNode{ID: loci.NewNodeID(), Access: loci.Access{UserID: user, Scope: loci.ScopeGlobal, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}}
	narrow, trashed := *n, *n
	narrow.AllowedVendors, trashed.DeletedAt = []loci.Vendor{"claude"}, time.Unix(1, 0)
	toPerson, toAgent := feedNow(t, s, person), feedNow(t, s, agent)
	err := s.with(bg, loci.DefaultOrg, func(f *orgFile) error {
		return f.db.Update(bg, func(c *sqlitedb.Conn) error {
			tx := s.tx(f, c)
			for _, enter := range []func() error{
				func() error { return tx.nodeChanged(nil, n) },
				func() error { return tx.itemChanged(n, n.Access) },
				func() error { return tx.itemChanged(n, n.Access, narrow.Access) },
				func() error { return tx.nodeChanged(n, &narrow) },
				func() error { return tx.nodeChanged(&narrow, n) },
				func() error { return tx.nodeChanged(n, &trashed) },
				func() error { return tx.nodeChanged(&trashed, nil) },
			} {
				if err := enter(); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	for _, tt := range []struct {
		v    loci.Viewer
		at   store.Position
		want []loci.Change
	}{
		{person, toPerson, []loci.Change{loci.Created, loci.Updated, loci.Updated, loci.Updated, loci.Updated, loci.Trashed, loci.Erased}},
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

// What is packed comes back as far as anybody's sight depends on it, and a part
// of it does not pass for another's.
func TestPackedAccess(t *testing.T) {
	tx := &tx{org: loci.DefaultOrg}
	id := func(n byte) (id [16]byte) { id[15] = n; return id }
	list := []loci.Access{
		{UserID: id(1), Scope: loci.ScopeGlobal, AllowedVendors: []loci.Vendor{loci.AnyVendor}},
		{UserID: id(2), Scope: loci.ScopeProject, ProjectID: id(3), TeamID: id(4), AllowedVendors: []loci.Vendor{"claude", "cursor"}, DeletedAt: time.UnixMicro(0)},
		{UserID: id(5), Scope: loci.ScopeAgent, AgentID: id(6), WorkspaceID: id(7)},
	}
	for i := range list {
		list[i].OrgID = tx.org
	}
	b, err := packAccess(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tx.unpackAccess(b)
	if diff := cmp.Diff(list, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for n := range len(b) {
		got, err := tx.unpackAccess(b[:n])
		if whole := len(got) < len(list) && cmp.Equal(got, list[:len(got)], cmpopts.EquateEmpty()); err == nil && !whole {
			t.Errorf("%d bytes: %+v", n, got)
		}
	}
	huge := binary.AppendUvarint(append(make([]byte, 17), 1), math.MaxUint64) // of the length of a vendor's name
	if got, err := tx.unpackAccess(huge); err == nil {
		t.Errorf("a length beyond the end: %+v", got)
	}
	if _, err := packAccess([]loci.Access{{Scope: "other"}}); err == nil {
		t.Error("a scope that nobody knows was packed")
	}
}

// BenchmarkFeed reads what a call looks at: all of another person's, or all
// of the reader's own; each with two kinds of access, or one of its own.
func BenchmarkFeed(b *testing.B) {
	for name, differ := range map[string]bool{"Alike": false, "Different": true} {
		s, user := newStore(b, Options{})
		mine, theirs := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user}, loci.Viewer{OrgID: loci.DefaultOrg, UserID: loci.NewUserID()}
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
