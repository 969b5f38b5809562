package app

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// NodeDraft is loci.NewNode.
type NodeDraft = loci.NewNode

// NodePatch changes the fields that are not nil.
type NodePatch struct {
	Name, Description *string
	Tags              *[]string
	AllowedVendors    *[]loci.Vendor
	Shared            *bool // with the person's team, or with nobody
}

// NodeList asks for one page of memory nodes. Zero fields do not filter.
type NodeList struct {
	Scope     loci.Scope
	ProjectID loci.ProjectID
	Tag       string
	Trashed   bool   // those in the trash instead; people only
	Limit     int    // 0: 50; at most 500
	Cursor    string // NextCursor of the page before
}

// NodePage is one page of memory nodes.
type NodePage struct {
	Nodes      []*loci.MemoryNode
	NextCursor string // "": this was the last page
}

// CreateNode stores a new memory node without items. Its origin is the principal's. Invalid if a limit is
// broken; Conflict if its project is archived, or it is to be shared and the person is in no team.
func (a *App) CreateNode(ctx context.Context, p loci.Principal, d NodeDraft) (*loci.MemoryNode, error) {
	if err := a.begin(ctx, p, NodeCreate); err != nil {
		return nil, err
	}
	now := a.time()
	n := &loci.MemoryNode{ID: loci.NewNodeID(), Name: d.Name, Description: d.Description, Tags: slices.Clone(d.Tags), CreatedAt: now, UpdatedAt: now}
	n.OrgID, n.UserID, n.WorkspaceID, n.Origin = p.OrgID, p.UserID, p.WorkspaceID, p.Origin
	n.Scope, n.ProjectID, n.AgentID, n.AllowedVendors = d.Scope, d.ProjectID, d.AgentID, slices.Clone(d.AllowedVendors)
	n.SetDefaults()
	if err := checkNode(p, n); err != nil {
		return nil, err
	}
	if d.Shared {
		if err := a.pool(ctx, p, NodeCreate); err != nil {
			return nil, err
		}
	}
	if err := a.openProject(ctx, p, n.ProjectID); err != nil {
		return nil, err
	}
	err := a.write(ctx, p, NodeCreate, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = n.ID.String()
		if err := setShared(ctx, tx, p, n, d.Shared); err != nil {
			return err
		}
		return tx.MemoryNodes().Insert(ctx, n)
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// checkNode holds what MemoryNode.Validate cannot know: who is writing.
func checkNode(p loci.Principal, n *loci.MemoryNode) error {
	if err := n.Validate(); err != nil {
		return err
	}
	if !n.ProjectID.IsZero() && !slices.Contains(p.ProjectIDs, n.ProjectID) {
		return errNotInProject()
	}
	if p.OnlyProjects && (n.ProjectID.IsZero() || n.Scope != loci.ScopeProject) {
		return loci.FieldErrorf("project_id", "is needed, with scope project: this key is limited to projects, and would not see the node otherwise")
	}
	if !n.AgentID.IsZero() && n.AgentID != p.AgentID {
		return loci.FieldErrorf("agent_id", "must be the agent of the session that writes")
	}
	return nil
}

// setShared puts a node into the pool of the person's team, or takes it out.
func setShared(ctx context.Context, tx store.Tx, p loci.Principal, n *loci.MemoryNode, shared bool) error {
	if !shared {
		n.TeamID = loci.TeamID{}
		return nil
	}
	if n.Scope == loci.ScopeAgent {
		return loci.Errorf(loci.Conflict, "a memory node of agent scope is for the sessions of one agent and cannot be shared")
	}
	me, err := tx.Users().Get(ctx, p.UserID)
	if err == nil && (me.TeamID != p.TeamID || me.TeamID.IsZero()) { // left since the request was authenticated
		err = errNoTeam()
	}
	n.TeamID = p.TeamID
	return err
}

// Node returns a memory node without its items. A person also gets one from the trash, which has its
// DeletedAt set. NotFound if it is not there or not visible.
func (a *App) Node(ctx context.Context, p loci.Principal, id loci.NodeID) (n *loci.MemoryNode, err error) {
	if err := a.begin(ctx, p, NodeRead); err != nil {
		return nil, err
	}
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) error {
		n, err = tx.MemoryNodes().Get(ctx, p.Viewer(), id, within(p))
		return err
	})
	return n, err
}

// Nodes returns the visible memory nodes that pass the filter, last changed first. What happens to their items is no change of
// theirs. Invalid if the cursor belongs to another query or principal.
func (a *App) Nodes(ctx context.Context, p loci.Principal, r NodeList) (*NodePage, error) {
	if err := a.begin(ctx, p, r.action()); err != nil {
		return nil, err
	}
	q := store.NodeQuery{Scope: r.Scope, ProjectID: r.ProjectID, Tag: r.Tag}
	if r.Trashed {
		q.Lifecycle = loci.TrashOnly
	}
	var err error
	if q.Limit, err = pageSize("limit", r.Limit, DefaultPage, MaxPage); err != nil {
		return nil, err
	}
	if err := loci.CheckText("tag", r.Tag, 0, loci.MaxTag); err != nil {
		return nil, err
	}
	bound := q
	bound.Limit = 0
	if r.Cursor != "" {
		at, err := openCursor(p, bound, "memory nodes", r.Cursor)
		if err != nil {
			return nil, err
		}
		q.After = store.Position(at)
	}
	out := &NodePage{}
	var next store.Position
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		out.Nodes, next, err = tx.MemoryNodes().List(ctx, p.Viewer(), q)
		return err
	})
	if next != "" {
		out.NextCursor = sealCursor(p, bound, "memory nodes", string(next))
	}
	return out, err
}

func (r *NodeList) action() Action {
	if r.Trashed {
		return MemoryTrashed
	}
	return NodeRead
}

// ChangeNode alters a memory node. It is for its owner, and for an agent whose origin wrote it, which may not let more vendors read it: Forbidden. NotFound
// if it is not visible or in the trash; otherwise the errors of CreateNode. A change that changes nothing records nothing.
func (a *App) ChangeNode(ctx context.Context, p loci.Principal, id loci.NodeID, c NodePatch) (*loci.MemoryNode, error) {
	if err := a.begin(ctx, p, NodeChange); err != nil {
		return nil, err
	}
	if c.Shared != nil && *c.Shared {
		if err := a.pool(ctx, p, NodeChange); err != nil {
			return nil, err
		}
	}
	var old *loci.MemoryNode
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		old, err = tx.MemoryNodes().Get(ctx, p.Viewer(), id, loci.LiveOnly)
		return err
	})
	if err != nil {
		return nil, err
	}
	if old.UserID == p.UserID { // of another person's there is another thing to say
		if err := a.openProject(ctx, p, old.ProjectID); err != nil {
			return nil, err
		}
	}
	return a.alterNode(ctx, p, id, nodeEdit{act: NodeChange, fn: func(tx store.Tx, n *loci.MemoryNode) error {
		before := n.AllowedVendors
		set(&n.Name, c.Name)
		set(&n.Description, c.Description)
		set(&n.Tags, c.Tags)
		set(&n.AllowedVendors, c.AllowedVendors)
		if err := checkNode(p, n); err != nil {
			return err
		}
		if p.Kind == loci.KindAgent && !loci.Covers(before, n.AllowedVendors) {
			return loci.Errorf(loci.Forbidden, "only a person may let more vendors read a memory node")
		}
		if c.Shared == nil {
			return nil
		}
		return setShared(ctx, tx, p, n, *c.Shared)
	}})
}

// nodeEdit is one way to alter a stored node.
type nodeEdit struct {
	act  Action
	life loci.Lifecycle
	fn   func(store.Tx, *loci.MemoryNode) error
}

// alterNode alters one stored node in a transaction of its own.
func (a *App) alterNode(ctx context.Context, p loci.Principal, id loci.NodeID, how nodeEdit) (*loci.MemoryNode, error) {
	var n *loci.MemoryNode
	err := a.write(ctx, p, how.act, func(tx store.Tx, e *loci.AuditEntry) error {
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
		n.UpdatedAt = later(a.time(), old.UpdatedAt)
		return tx.MemoryNodes().Update(ctx, n)
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// ownNode returns a node that p may alter. What p may not see is NotFound before anything else is said of it.
func ownNode(ctx context.Context, tx store.Tx, p loci.Principal, id loci.NodeID, l loci.Lifecycle) (*loci.MemoryNode, error) {
	n, err := tx.MemoryNodes().Get(ctx, p.Viewer(), id, l)
	switch {
	case err != nil:
		return nil, err
	case n.UserID != p.UserID:
		return nil, loci.Errorf(loci.Forbidden, "this memory node is shared with you; only its owner can change it")
	case p.Kind == loci.KindAgent && n.Origin != p.Origin:
		return nil, loci.Errorf(loci.Forbidden, "an agent may change only the memory nodes that its own vendor made; ask the person whose node it is")
	}
	return n, nil
}

// TrashNode moves a memory node to the trash, with its items, from where it can be restored until it is purged. Its errors are those of ChangeNode,
// and Forbidden where the org deletes only after step-up.
func (a *App) TrashNode(ctx context.Context, p loci.Principal, id loci.NodeID) (*loci.MemoryNode, error) {
	if err := a.begin(ctx, p, NodeTrash); err != nil {
		return nil, err
	}
	return a.alterNode(ctx, p, id, nodeEdit{act: NodeTrash, fn: func(_ store.Tx, n *loci.MemoryNode) error {
		n.DeletedAt = a.time()
		return nil
	}})
}

// RestoreNode takes a memory node out of the trash. NotFound if it is not there; otherwise the errors of TrashNode.
func (a *App) RestoreNode(ctx context.Context, p loci.Principal, id loci.NodeID) (*loci.MemoryNode, error) {
	if err := a.begin(ctx, p, NodeRestore); err != nil {
		return nil, err
	}
	return a.alterNode(ctx, p, id, nodeEdit{act: NodeRestore, life: loci.TrashOnly, fn: func(_ store.Tx, n *loci.MemoryNode) error {
		n.DeletedAt = time.Time{}
		return nil
	}})
}

// EraseNode deletes a memory node for good with its items, also from the trash. What the items show stays. Its errors are those of TrashNode.
func (a *App) EraseNode(ctx context.Context, p loci.Principal, id loci.NodeID) error {
	if err := a.begin(ctx, p, NodeErase); err != nil {
		return err
	}
	return a.write(ctx, p, NodeErase, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		if _, err := ownNode(ctx, tx, p, id, loci.LiveOrTrash); err != nil {
			return err
		}
		return tx.MemoryNodes().Erase(ctx, id)
	})
}

// releaseNodes takes the memory nodes that a person shared with their team out of its pool. What others have put into
// them stays there, and what the person has put into others' stays there.
func (a *App) releaseNodes(ctx context.Context, tx store.Tx, u loci.User) error {
	v := loci.Viewer{OrgID: u.OrgID, UserID: u.ID, TeamID: u.TeamID}
	q := store.NodeQuery{Lifecycle: loci.AnyState, Limit: releaseBatch}
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
		n.TeamID, n.UpdatedAt = loci.TeamID{}, later(a.time(), n.UpdatedAt)
		if err := tx.MemoryNodes().Update(ctx, n); err != nil {
			return err
		}
	}
	return nil
}
