package node

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/store"
)

// ItemDraft is loci.NewNodeItem.
type ItemDraft = loci.NewNodeItem

// ItemMove is loci.NodeItemMove.
type ItemMove = loci.NodeItemMove

// Items returns the items of a live memory node that the caller sees, in order, each followed by
// the items below it. NotFound if the node is not visible.
func (s *Service) Items(ctx context.Context, p loci.Principal, id loci.NodeID) ([]loci.NodeItem, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	known := entities{}
	_, items, err := s.readItems(ctx, p, id, known)
	if err != nil {
		return nil, err
	}
	list, _ := known.shown(items)
	return list, nil
}

// readItems reads a live node with the items that p may see, and looks up their entities.
func (s *Service) readItems(ctx context.Context, p loci.Principal, id loci.NodeID, known entities) (
	n *loci.MemoryNode, items []loci.NodeItem, err error) {
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		n, items, err = itemsOf(ctx, tx, p, id)
		return err
	})
	if err == nil {
		err = s.lookUp(ctx, p, items, known)
	}
	return n, items, err
}

func itemsOf(ctx context.Context, tx store.Tx, p loci.Principal, id loci.NodeID) (
	*loci.MemoryNode, []loci.NodeItem, error) {
	n, err := tx.MemoryNodes().Get(ctx, p.Viewer(), id, loci.LiveOnly)
	if err != nil {
		return nil, nil, err
	}
	items, err := tx.MemoryNodes().Items(ctx, p.Viewer(), id)
	return n, items, err
}

// entityRef names an entity across projects.
type entityRef struct {
	project loci.ProjectID
	entity  loci.EntityID
}

// entities holds the entities that were looked up. The value is nil for one that the reader
// cannot see, whatever the reason.
type entities map[entityRef]*loci.Entity

// lookUp finds the entities of items that are not known yet. It looks up all entities of a project in one
// transaction. The reader cannot see an entity whose project is archived, deleted or not accessible.
func (s *Service) lookUp(ctx context.Context, p loci.Principal, items []loci.NodeItem, known entities) error {
	wanted := map[loci.ProjectID][]loci.EntityID{}
	for _, i := range items {
		ref := entityRef{i.ProjectID, i.EntityID}
		if _, done := known[ref]; i.Kind == loci.ItemEntity && !done {
			known[ref] = nil
			wanted[i.ProjectID] = append(wanted[i.ProjectID], i.EntityID)
		}
	}
	if !p.Has(loci.RightGraph) {
		return nil
	}
	for project, ids := range wanted {
		found, err := graph.View(ctx, s.graphs, p, project,
			func(tx store.GraphTx, v loci.Viewer) (found []loci.Entity, err error) {
				for _, id := range ids {
					list, err := tx.Graph().Get(ctx, v, id)
					if err != nil {
						return nil, err
					}
					found = append(found, list...)
				}
				return found, nil
			})
		if code := loci.CodeOf(err); code == loci.NotFound || code == loci.Conflict {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range found {
			known[entityRef{project, e.ID}] = &e
		}
	}
	return nil
}

// shown returns the items whose entities the reader sees, and leaves out everything below the
// others. all is false if an entity has not been looked up yet.
func (known entities) shown(items []loci.NodeItem) (list []loci.NodeItem, all bool) {
	hidden, next := map[loci.NodeItemID]bool{}, map[loci.NodeItemID]int{}
	all = true
	for _, i := range items { // parents come before their items
		e, done := known[entityRef{i.ProjectID, i.EntityID}]
		if i.Kind == loci.ItemEntity && !done {
			all = false
		}
		if hidden[i.ParentID] || i.Kind == loci.ItemEntity && e == nil {
			hidden[i.ID] = true
			continue
		}
		i.Position = next[i.ParentID]
		next[i.ParentID]++
		list = append(list, i)
	}
	return list, all
}

// errLookAgain rolls back a change of a node that has got entities which have not been looked up.
var errLookAgain = errors.New("look entities up again")

// inNode is a node in a transaction that changes its items.
type inNode struct {
	store.Tx
	*loci.MemoryNode
	items loci.NodeTree // those that p sees
}

// changeItems runs fn in a transaction on a live node that p sees. It looks up entities before the transaction,
// because a transaction must not wait for other files. If new entities came meanwhile, it repeats both.
func (s *Service) changeItems(ctx context.Context, p loci.Principal, id loci.NodeID, known entities,
	fn func(*inNode) error) error {
	n, items, err := s.readItems(ctx, p, id, known)
	if err == nil {
		err = s.projects.MustNotBeArchived(ctx, p, n.ProjectID)
	}
	for err == nil {
		if err = s.lookUp(ctx, p, items, known); err != nil {
			return err
		}
		err = s.Write(ctx, p, Change, func(tx store.Tx, e *loci.AuditEntry) error {
			e.Target = id.String()
			now, all, err := itemsOf(ctx, tx, p, id)
			if err != nil {
				return err
			}
			list, complete := known.shown(all)
			if !complete {
				items = all
				return errLookAgain
			}
			return fn(&inNode{tx, now, list})
		})
		if !errors.Is(err, errLookAgain) {
			return err
		}
		err = nil
	}
	return err
}

// noRoomFor replaces the error if p sees room, but items that p cannot see take it.
func noRoomFor(err error) error {
	if loci.CodeOf(err) == loci.Conflict {
		return loci.Errorf(loci.Full, "the memory node is full; create another one")
	}
	return err
}

// AddItem adds an item to a live memory node. Everyone who sees the node may do that. NotFound if the node is not
// visible; Invalid for a memory, an entity, a parent or a following item that the caller cannot see, whatever the
// reason; Conflict if the node is full, or its project is archived.
func (s *Service) AddItem(ctx context.Context, p loci.Principal, id loci.NodeID, d ItemDraft) (*loci.NodeItem, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return nil, err
	}
	i := loci.NodeItem{ID: loci.NewNodeItemID(), NodeID: id, ParentID: d.ParentID, Kind: d.Kind, MemoryID: d.MemoryID,
		ProjectID: d.ProjectID, EntityID: d.EntityID, Text: d.Text, UserID: p.UserID, Origin: p.Origin,
		AllowedVendors: slices.Clone(d.AllowedVendors), CreatedAt: s.Time()}
	if d.AllowedVendors == nil {
		i.AllowedVendors = []loci.Vendor{loci.AnyVendor}
	}
	if err := checkItem(&i); err != nil {
		return nil, err
	}
	known := entities{}
	if err := s.lookUp(ctx, p, []loci.NodeItem{i}, known); err != nil {
		return nil, err
	}
	out := &i
	err := s.changeItems(ctx, p, id, known, func(n *inNode) error {
		item := i
		if err := n.mayHold(ctx, p, &item, known, d); err != nil {
			return err
		}
		if err := n.MemoryNodes().PutItem(ctx, p.Viewer(), item, d.Before); err != nil {
			return noRoomFor(err)
		}
		if err := gate.Notice(ctx, n.Tx, &item, nil); err != nil {
			return err
		}
		out = &item
		err := errors.Join(gate.AnswerRows(ctx, item.ID), n.reread(ctx, p, known, &out))
		out.Secrets = item.Secrets
		return err
	})
	return out, err
}

// checkItem validates an item and names its fields as clients send them.
func checkItem(i *loci.NodeItem) error {
	err := i.Validate("item")
	var e *loci.Error
	if !errors.As(err, &e) {
		return err
	}
	if field, inside := strings.CutPrefix(e.Field, "item."); inside {
		return &loci.Error{Code: e.Code, Field: field, Text: strings.TrimPrefix(e.Text, "item.")}
	}
	return &loci.Error{Code: e.Code, Field: "kind", Text: e.Text}
}

// reread replaces an item with what p sees of it now, if p sees it.
func (n *inNode) reread(ctx context.Context, p loci.Principal, known entities, item **loci.NodeItem) error {
	all, err := n.MemoryNodes().Items(ctx, p.Viewer(), n.ID)
	if err != nil {
		return err
	}
	n.items, _ = known.shown(all)
	if now := n.items.Find((*item).ID); now != nil {
		*item = now
	}
	return nil
}

// mayHold rejects an item that shows something p cannot see, goes to a place that p cannot see, or has no room among
// the items that p sees. It limits the item's vendors to those that may see the entities above it.
func (n *inNode) mayHold(ctx context.Context, p loci.Principal, i *loci.NodeItem, known entities, d ItemDraft) error {
	if err := n.items.Place(d.ParentID, d.Before); err != nil {
		return err
	}
	if err := n.items.Add(d.ParentID); err != nil {
		return err
	}
	if i.Kind == loci.ItemMemory {
		if _, err := n.Memories().Get(ctx, p.Viewer(), i.MemoryID, loci.LiveOnly); loci.CodeOf(err) == loci.NotFound {
			return loci.FieldErrorf("memory_id", "must be a memory that you can see")
		} else if err != nil {
			return err
		}
	}
	if i.Kind == loci.ItemEntity && known[entityRef{i.ProjectID, i.EntityID}] == nil {
		return loci.FieldErrorf("entity_id", "must be an entity of this project that you can see")
	}
	for at := i; at != nil; at = n.items.Find(at.ParentID) {
		if at.Kind != loci.ItemEntity {
			continue
		}
		may := known[entityRef{at.ProjectID, at.EntityID}].AllowedVendors
		switch {
		case d.AllowedVendors == nil:
			i.AllowedVendors = slices.Clone(loci.Narrowed(i.AllowedVendors, may))
		case !loci.Covers(may, i.AllowedVendors):
			return loci.FieldErrorf("allowed_vendors",
				"has vendors that may not see the entity; leave it out to use those that may")
		}
	}
	if len(i.AllowedVendors) == 0 {
		return loci.FieldErrorf("parent_id", "is below entities that no single vendor may see; set allowed_vendors")
	}
	return nil
}

// mayMove returns an error unless p may move or remove an item. Its writer and the owner of the node may.
func (n *inNode) mayMove(p loci.Principal, i *loci.NodeItem) error {
	switch {
	case p.Kind == loci.KindAgent && !p.Owns(i.UserID, i.Origin):
		return loci.Errorf(loci.Forbidden,
			"an agent may move and remove only the items that its own vendor added; ask the person whose memory node it is")
	case i.UserID != p.UserID && n.UserID != p.UserID:
		return loci.Errorf(loci.Forbidden,
			"another person has added this item; it can be moved and removed by them, and by the owner of the memory node")
	}
	return nil
}

// movable returns an item that p may move or remove, and those below it. An agent must not take items of others to a
// place where other people may see them.
func (n *inNode) movable(p loci.Principal, id loci.NodeItemID) (i *loci.NodeItem, under []*loci.NodeItem, err error) {
	if i = n.items.Find(id); i == nil {
		return nil, nil, loci.Errorf(loci.NotFound, "no such item")
	}
	under, _ = n.items.Below(id)
	err = n.mayMove(p, i)
	for at := 0; at < len(under) && err == nil && p.Kind == loci.KindAgent; at++ {
		err = n.mayMove(p, under[at])
	}
	return i, under, err
}

// MoveItem moves an item, with everything below it, within its node. NotFound if the node or the item is not visible.
// Forbidden for another person's item, unless the caller owns the node; for an agent, also if the item or one that it
// sees below has another origin. Otherwise the errors of AddItem.
func (s *Service) MoveItem(ctx context.Context, p loci.Principal, id loci.NodeID, item loci.NodeItemID, to ItemMove) (
	*loci.NodeItem, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return nil, err
	}
	var out *loci.NodeItem
	known := entities{}
	err := s.changeItems(ctx, p, id, known, func(n *inNode) error {
		i, _, err := n.movable(p, item)
		if err != nil {
			return err
		}
		parent := i.ParentID
		to.ParentID.Apply(&parent, loci.NodeItemID{})
		if err := n.items.Place(parent, to.Before); err != nil {
			return err
		}
		if err := n.items.Move(item, parent, to.Before); err != nil {
			return err
		}
		if err := n.MemoryNodes().MoveItem(ctx, p.Viewer(), item, parent, to.Before); err != nil {
			return noRoomFor(err)
		}
		out = i
		return n.reread(ctx, p, known, &out)
	})
	return out, err
}

// RemoveItem removes an item with everything below it from its node. It keeps the memories and entities that they
// show. Texts are gone for good, so the org's rule about deletion applies to them. Its errors are those of MoveItem.
func (s *Service) RemoveItem(ctx context.Context, p loci.Principal, id loci.NodeID, item loci.NodeItemID) error {
	if err := s.Begin(ctx, p, Change); err != nil {
		return err
	}
	return s.changeItems(ctx, p, id, entities{}, func(n *inNode) error {
		i, under, err := n.movable(p, item)
		if err != nil {
			return err
		}
		for _, gone := range append(under, i) {
			if gone.Kind == loci.ItemText {
				if err := s.May(p, Trash); err != nil {
					return err
				}
			}
		}
		return n.MemoryNodes().RemoveItem(ctx, p.Viewer(), item)
	})
}
