// Package node holds the use cases about memory nodes: ordered trees of texts, memories and entities.
package node

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is loci.NewNode.
type Draft = loci.NewNode

// Patch is loci.NodeEdit.
type Patch = loci.NodeEdit

// ListRequest asks for one page of memory nodes. Zero fields do not filter.
type ListRequest struct {
	Scope     loci.Scope
	ProjectID loci.ProjectID
	Tag       string
	Trashed   bool   // list the trash instead; people only
	Limit     int    // 0: 50; at most 500
	Cursor    string // NextCursor of the previous page
}

// Create stores a new memory node without items. Its origin is the principal's. Invalid if a limit is
// broken; Conflict if its project is archived, or it is to be shared and the person is in no team.
func (s *Service) Create(ctx context.Context, p loci.Principal, d Draft) (*loci.MemoryNode, error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return nil, err
	}
	now := s.Time()
	n := &loci.MemoryNode{ID: loci.NewNodeID(), Name: d.Name, Description: d.Description, Tags: slices.Clone(d.Tags),
		CreatedAt: now, UpdatedAt: now}
	n.OrgID, n.UserID, n.WorkspaceID, n.Origin = p.OrgID, p.UserID, p.WorkspaceID, p.Origin
	n.Scope, n.ProjectID, n.AgentID, n.AllowedVendors = d.Scope, d.ProjectID, d.AgentID, slices.Clone(d.AllowedVendors)
	n.SetDefaults()
	if err := checkNode(p, n, &loci.MemoryNode{}); err != nil {
		return nil, err
	}
	if d.Shared {
		if err := s.memories.Pool(ctx, p, Create); err != nil {
			return nil, err
		}
	}
	if err := s.projects.MustBeOpen(ctx, p, n.ProjectID); err != nil {
		return nil, err
	}
	err := s.Write(ctx, p, Create, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = n.ID.String()
		if err := setShared(ctx, tx, p, n, d.Shared); err != nil {
			return err
		}
		return cmp.Or(gate.Notice(ctx, tx, n, nil), tx.MemoryNodes().Insert(ctx, n))
	})
	return n, err
}

// checkNode checks what depends on the writer, which MemoryNode.Validate cannot know.
func checkNode(p loci.Principal, n, before *loci.MemoryNode) error {
	if err := cmp.Or(n.Validate(), loci.CheckNewNames("tags", n.Tags, before.Tags),
		loci.CheckNewNames("allowed_vendors", n.AllowedVendors, before.AllowedVendors)); err != nil {
		return err
	}
	if err := loci.CheckNewName("name", n.Name); err != nil && n.Name != before.Name {
		return err
	}
	if p.OnlyProjects && n.Scope != loci.ScopeProject { // which has a project
		return loci.FieldErrorf("project_id",
			"is required, with scope project: this key is limited to projects and could not see the node otherwise")
	}
	if !n.AgentID.IsZero() && n.AgentID != p.AgentID {
		return loci.FieldErrorf("agent_id", "must be the agent of your session")
	}
	return nil
}

// setShared shares a node with the person's team, or stops sharing it.
func setShared(ctx context.Context, tx store.Tx, p loci.Principal, n *loci.MemoryNode, shared bool) error {
	if !shared {
		n.TeamID = loci.TeamID{}
		return nil
	}
	if n.Scope == loci.ScopeAgent {
		return loci.Errorf(loci.Conflict,
			"a memory node with scope agent belongs to one agent and cannot be shared")
	}
	n.TeamID = p.TeamID
	return memory.MustBeIn(ctx, tx, p)
}

// Get returns a memory node without its items. A person can also get one from the trash; its
// DeletedAt is set. NotFound if it does not exist or is not visible.
func (s *Service) Get(ctx context.Context, p loci.Principal, id loci.NodeID) (n *loci.MemoryNode, err error) {
	return gate.BeginView(ctx, s.Gate, p, Read, func(tx store.Tx) (*loci.MemoryNode, error) {
		return tx.MemoryNodes().Get(ctx, p.Viewer(), id, memory.Within(p))
	})
}

// Find returns the id of the memory node that text names, as store.FindNode reads it.
func (s *Service) Find(ctx context.Context, p loci.Principal, text string) (loci.NodeID, error) {
	n, err := gate.BeginView(ctx, s.Gate, p, Read, func(tx store.Tx) (*loci.MemoryNode, error) {
		return store.FindNode(ctx, tx, p.Viewer(), text)
	})
	if err != nil {
		return loci.NodeID{}, err
	}
	return n.ID, nil
}

// List returns the visible memory nodes that pass the filter, last changed first, with their secrets masked. What
// happens to their items is no change of theirs. Invalid if the cursor belongs to another query or principal.
func (s *Service) List(ctx context.Context, p loci.Principal, r ListRequest) (gate.Page[*loci.MemoryNode], error) {
	if err := s.Begin(ctx, p, r.action()); err != nil {
		return gate.Page[*loci.MemoryNode]{}, err
	}
	bound := store.NodeQuery{Scope: r.Scope, ProjectID: r.ProjectID, Tag: r.Tag}
	if r.Trashed {
		bound.Lifecycle = loci.TrashOnly
	}
	if err := loci.CheckText("tag", r.Tag, 0, loci.MaxTag); err != nil {
		return gate.Page[*loci.MemoryNode]{}, err
	}
	return gate.ReadPage(p, "memory nodes", bound, r.Limit, r.Cursor,
		func(after store.Position, limit int) (list []*loci.MemoryNode, next store.Position, err error) {
			q := bound
			q.After, q.Limit = after, limit
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				list, next, err = tx.MemoryNodes().List(ctx, p.Viewer(), q)
				return err
			})
			for _, n := range list {
				gate.Cover(n, sensitive.Masked)
			}
			return list, next, err
		})
}

func (r *ListRequest) action() gate.Action {
	if r.Trashed {
		return memory.ReadTrash
	}
	return Read
}

// Change updates a memory node. Only its owner may, and an agent whose origin wrote it, which may
// not let more vendors read it: otherwise Forbidden. NotFound if it is not visible or in the
// trash; otherwise the errors of Create. A change without effect records nothing.
func (s *Service) Change(ctx context.Context, p loci.Principal, id loci.NodeID, c Patch) (*loci.MemoryNode, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return nil, err
	}
	if c.Shared.Value() {
		if err := s.memories.Pool(ctx, p, Change); err != nil {
			return nil, err
		}
	}
	old, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) (*loci.MemoryNode, error) {
		return tx.MemoryNodes().Get(ctx, p.Viewer(), id, loci.LiveOnly)
	})
	if err != nil {
		return nil, err
	}
	if err := s.projects.MustNotBeArchived(ctx, p, old.ProjectID); err != nil {
		return nil, err
	}
	return s.alter(ctx, p, id, edit{act: Change, fn: func(tx store.Tx, n *loci.MemoryNode) error {
		before := *n
		c.Name.Apply(&n.Name, "")
		c.Description.Apply(&n.Description, "")
		c.Tags.Apply(&n.Tags, []string{})
		c.AllowedVendors.Apply(&n.AllowedVendors, nil)
		if err := checkNode(p, n, &before); err != nil {
			return err
		}
		if p.Kind == loci.KindAgent && !loci.Covers(before.AllowedVendors, n.AllowedVendors) {
			return loci.Errorf(loci.Forbidden, "only a person may let more vendors read a memory node")
		}
		if c.Shared.IsZero() {
			return nil
		}
		return setShared(ctx, tx, p, n, c.Shared.Value())
	}})
}

// edit is one way to alter a stored node.
type edit struct {
	act  gate.Action
	life loci.Lifecycle
	fn   func(store.Tx, *loci.MemoryNode) error
}

// alter updates one stored node in its own transaction.
func (s *Service) alter(ctx context.Context, p loci.Principal, id loci.NodeID, how edit) (*loci.MemoryNode, error) {
	var n *loci.MemoryNode
	err := s.Write(ctx, p, how.act, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		old, err := ownNode(ctx, tx, p, id, how.life)
		if err != nil {
			return err
		}
		now := *old
		now.Tags, now.AllowedVendors = slices.Clone(old.Tags), slices.Clone(old.AllowedVendors)
		n = &now
		if err := how.fn(tx, n); err != nil {
			return err
		}
		if reflect.DeepEqual(old, n) {
			e.Action = ""
			return nil
		}
		n.UpdatedAt = gate.Later(s.Time(), old.UpdatedAt)
		return cmp.Or(gate.Notice(ctx, tx, n, old), tx.MemoryNodes().Update(ctx, n))
	})
	return n, err
}

// ownNode returns a node that p may update. If p may not see it, the error is always NotFound.
func ownNode(ctx context.Context, tx store.Tx, p loci.Principal, id loci.NodeID, l loci.Lifecycle) (
	*loci.MemoryNode, error) {
	n, err := tx.MemoryNodes().Get(ctx, p.Viewer(), id, l)
	switch {
	case err != nil:
		return nil, err
	case n.UserID != p.UserID:
		return nil, loci.Errorf(loci.Forbidden, "this memory node is shared with you; only its owner can change it")
	case !p.Owns(n.UserID, n.Origin):
		return nil, loci.Errorf(loci.Forbidden,
			"an agent may change only the memory nodes that its own vendor made; ask the person whose node it is")
	}
	return n, nil
}

// Trash moves a memory node and its items to the trash. It can be restored until it is purged.
// Its errors are those of Change, and Forbidden if the org requires step-up for deletion.
func (s *Service) Trash(ctx context.Context, p loci.Principal, id loci.NodeID) (*loci.MemoryNode, error) {
	if err := s.Begin(ctx, p, Trash); err != nil {
		return nil, err
	}
	return s.alter(ctx, p, id, edit{act: Trash, fn: func(_ store.Tx, n *loci.MemoryNode) error {
		n.DeletedAt = s.Time()
		return nil
	}})
}

// Restore takes a memory node out of the trash. NotFound if it is not in the trash; otherwise the errors of Trash.
func (s *Service) Restore(ctx context.Context, p loci.Principal, id loci.NodeID) (*loci.MemoryNode, error) {
	if err := s.Begin(ctx, p, Restore); err != nil {
		return nil, err
	}
	return s.alter(ctx, p, id, edit{act: Restore, life: loci.TrashOnly, fn: func(_ store.Tx, n *loci.MemoryNode) error {
		n.DeletedAt = time.Time{}
		return nil
	}})
}

// Erase permanently deletes a memory node with its items, also from the trash. It keeps the
// memories and entities that the items show. Its errors are those of Trash.
func (s *Service) Erase(ctx context.Context, p loci.Principal, id loci.NodeID) error {
	return s.BeginWrite(ctx, p, Erase, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		if _, err := ownNode(ctx, tx, p, id, loci.LiveOrTrash); err != nil {
			return err
		}
		return tx.MemoryNodes().Erase(ctx, id)
	})
}

// Release stops sharing the memory nodes that a person shared with their team. Items that others
// added to them stay there, and so do the items that the person added to others' nodes.
func (s *Service) Release(ctx context.Context, tx store.Tx, u loci.User) error {
	v := loci.Viewer{OrgID: u.OrgID, UserID: u.ID, TeamID: u.TeamID}
	q := store.NodeQuery{Lifecycle: loci.AnyState, Limit: memory.ReleaseBatch}
	var shared []*loci.MemoryNode
	for {
		list, next, err := tx.MemoryNodes().List(ctx, v, q)
		if err != nil {
			return err
		}
		for _, n := range list {
			if n.UserID == u.ID && n.TeamID == u.TeamID {
				shared = append(shared, n)
			}
		}
		if q.After = next; next == "" {
			break
		}
	}
	for _, n := range shared {
		n.TeamID, n.UpdatedAt = loci.TeamID{}, gate.Later(s.Time(), n.UpdatedAt)
		if err := tx.MemoryNodes().Update(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// Service provides the operations on memory nodes. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	projects *project.Service
	graphs   *graph.Service
	memories *memory.Service
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, graphs *graph.Service, memories *memory.Service) *Service {
	return &Service{g, projects, graphs, memories}
}
