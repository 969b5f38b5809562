package sqlite

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// TestStructuredPlans looks at how SQLite runs what is asked of attachments, sources and nodes.
func TestStructuredPlans(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}, ProjectIDs: []loci.ProjectID{{2}, {3}},
		Vendor: "claude"}
	const (
		memory   = "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)"
		byNumber = "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"
		node     = "SEARCH m USING INDEX sqlite_autoindex_memory_nodes_1 (id=?)"
	)
	var n loci.MemoryNode
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) (err error) {
		for range 2 {
			n = loci.MemoryNode{ID: loci.NewNodeID(), Name: "n", CreatedAt: time.Now(), UpdatedAt: time.Now()}
			n.OrgID, n.UserID = loci.DefaultOrg, user
			n.SetDefaults()
			err = errors.Join(err, tx.MemoryNodes().Insert(bg, &n))
		}
		return err
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	plans(t, s, func(p *planner) {
		assets := func() error { _, err := p.Assets().List(bg, v, loci.MemoryID{1}, loci.LiveOnly); return err }
		p.checkRows("attachments", 1, p.pretending(1, assets),
			memory, "SEARCH a USING INDEX assets_of_memory (memory_seq=?)")
		p.check("sources between", 0, func() error {
			_, err := p.Sources().Between(bg, v, store.IDRange[loci.SourceID]{Limit: 2})
			return err
		}, "SEARCH s USING INDEX sqlite_autoindex_sources_1 (id>? AND id<?)", byNumber)
		p.check("attachments between", 0, func() error {
			_, err := p.Assets().Between(bg, v, store.IDRange[loci.AssetID]{Limit: 2})
			return err
		}, "SEARCH a USING INDEX sqlite_autoindex_assets_1 (id>? AND id<?)", byNumber)
		var next store.Position
		list := func() (err error) {
			_, next, err = p.MemoryNodes().List(bg, v, store.NodeQuery{Limit: 1, After: next})
			return err
		}
		if err := list(); err != nil || next == "" {
			t.Fatalf("the first page has no next one: %v", err)
		}
		p.check("nodes", 0, list, "SEARCH m USING INDEX memory_nodes_changed (updated_at<?)")
		p.check("node", 0, func() error { _, err := p.MemoryNodes().Get(bg, v, loci.NodeID{1}, loci.LiveOnly); return err },
			node)
		p.check("items", 1, func() error { _, err := p.MemoryNodes().Items(bg, v, n.ID); return err },
			"SEARCH i USING INDEX node_items_of_node (node_seq=?)", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN")
	})
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
		i := loci.NodeItem{ID: loci.NewNodeItemID(), NodeID: n.ID, Kind: loci.ItemMemory, MemoryID: m.ID,
			AllowedVendors: []loci.Vendor{"*"}, UserID: user}
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
