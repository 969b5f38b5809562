package sqlite

import (
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// TestStructuredPlans looks at how SQLite runs what is asked of attachments, sources and nodes.
func TestStructuredPlans(t *testing.T) {
	s, user := newStore(t, Options{})
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}, ProjectIDs: []loci.ProjectID{{2}, {3}}, Vendor: "claude"}
	const (
		memory = "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)"
		node   = "SEARCH m USING INDEX sqlite_autoindex_memory_nodes_1 (id=?)"
	)
	err := s.with(t.Context(), loci.DefaultOrg, func(f *orgFile) error {
		return f.db.View(t.Context(), func(c *sqlitedb.Conn) error {
			tx := s.tx(f, c)
			nodes := memoryNodes{tx}
			check := func(name string, build func(*query), want ...string) {
				t.Helper()
				var q query
				build(&q)
				checkPlan(t, c, name, q.String(), q.args, want...)
			}
			check("sources", func(q *query) { sources{tx}.listQuery(q, v, []loci.MemoryID{{1}, {2}}, loci.LiveOnly) },
				memory, "SEARCH s USING INDEX sources_of_memory (memory_seq=?)")
			check("attachments", func(q *query) { assets{tx}.listQuery(q, v, loci.MemoryID{1}, loci.LiveOnly) },
				memory, "SEARCH a USING INDEX assets_of_memory (memory_seq=?)")
			check("nodes", func(q *query) {
				_ = nodes.listQuery(q, v, &store.NodeQuery{Limit: 10, After: tx.positions.encode(place{1, 1}, nodeList)}, nodeList)
			}, "SEARCH m USING INDEX memory_nodes_changed (updated_at<?)")
			check("node", func(q *query) { nodes.getQuery(q, v, loci.NodeID{1}, loci.LiveOnly) }, node)
			check("items", func(q *query) { nodes.shownQuery(q, v, &storedNode{seq: 1}, itemColumns) },
				"SEARCH i USING INDEX node_items_of_node (node_seq=?)", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN")
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkNodeItems reads and changes a node that is full.
func BenchmarkNodeItems(b *testing.B) {
	s, user := newStore(b, Options{Dir: b.TempDir()})
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, Vendor: "claude"}
	m := newMemory(user, "a")
	insert(b, s, loci.DefaultOrg, m)
	n := &loci.MemoryNode{ID: loci.NewNodeID(), Name: "n", CreatedAt: time.Now(), UpdatedAt: time.Now()}
	n.OrgID, n.UserID = loci.DefaultOrg, user
	n.SetDefaults()
	var last loci.NodeItemID
	add := func(tx store.Tx) error {
		i := loci.NodeItem{ID: loci.NewNodeItemID(), NodeID: n.ID, Kind: loci.ItemMemory, MemoryID: m.ID, AllowedVendors: []loci.Vendor{"*"}, UserID: user}
		err := tx.MemoryNodes().PutItem(bg, v, i, last)
		last = i.ID
		return err
	}
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
		err := tx.MemoryNodes().Insert(bg, n)
		for range loci.MaxNodeItems - 1 {
			if err == nil {
				err = add(tx)
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(explain(err))
	}
	b.Run("items", func(b *testing.B) {
		for b.Loop() {
			err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) error {
				list, err := tx.MemoryNodes().Items(bg, v, n.ID)
				if len(list) != loci.MaxNodeItems-1 {
					return fmt.Errorf("%d items: %w", len(list), err)
				}
				return err
			})
			if err != nil {
				b.Fatal(explain(err))
			}
		}
	})
	b.Run("put and remove", func(b *testing.B) {
		for b.Loop() {
			err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
				before := last
				err := add(tx)
				if err == nil {
					err = tx.MemoryNodes().RemoveItem(bg, v, last)
				}
				last = before
				return err
			})
			if err != nil {
				b.Fatal(explain(err))
			}
		}
	})
}
