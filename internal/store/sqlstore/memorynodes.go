package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// memoryNodes gives its rows the alias m, because tx.visible expects it. The table has the
// columns of memories that the rule reads.
type memoryNodes struct{ *Tx }

func (t memoryNodes) Insert(_ context.Context, n *loci.MemoryNode) error {
	if err := t.writable(n.OrgID, n.UserID); err != nil {
		return err
	}
	err := t.c.Exec(`INSERT INTO memory_nodes ({org} scope, deleted_at, expires_at, superseded_by, team_id, project_id,
		agent_id, workspace_id,
		allowed_vendors, name, description, tags, updated_at, secrets_kept, id, user_id, origin, created_at)
		VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append(bindNode(n), [16]byte(n.ID), [16]byte(n.UserID), n.Origin, n.CreatedAt.UnixMicro())...)
	if err = t.d.orTaken(err, "memory node %s exists already", n.ID); err != nil {
		return err
	}
	return t.nodeChanged(nil, n)
}

// bindNode returns the columns that Update may change.
func bindNode(n *loci.MemoryNode) []any {
	return []any{string(n.Scope), micros(n.DeletedAt), micros(n.ExpiresAt), OrNull(n.SupersededBy), OrNull(n.TeamID),
		OrNull(n.ProjectID), OrNull(n.AgentID), OrNull(n.WorkspaceID), ToJSON(n.AllowedVendors), n.Name, n.Description,
		ToJSON(n.Tags), n.UpdatedAt.UnixMicro(), n.SecretsKept}
}

const nodeColumns = `m.seq, m.id, m.user_id, m.scope, m.deleted_at, m.expires_at, m.superseded_by, m.team_id,
	m.project_id, m.agent_id,
	m.workspace_id, m.allowed_vendors, m.origin, m.name, m.description, m.tags, m.created_at, m.updated_at, m.secrets_kept`

type storedNode struct {
	loci.MemoryNode
	seq int64
}

func (t memoryNodes) scanNode(r Row) (n *storedNode, err error) {
	n = &storedNode{seq: r.Int64(0)}
	n.ID = r.ID(1)
	n.Access = loci.Access{OrgID: t.Org, UserID: r.ID(2), Scope: loci.Scope(r.Text(3)), DeletedAt: TimeAt(r, 4),
		ExpiresAt:    TimeAt(r, 5),
		SupersededBy: r.ID(6), TeamID: r.ID(7), ProjectID: r.ID(8), AgentID: r.ID(9), WorkspaceID: r.ID(10),
		Origin: r.Text(12)}
	n.Name, n.Description, n.CreatedAt, n.UpdatedAt, n.SecretsKept = r.Text(13), r.Text(14), TimeAt(r, 16), TimeAt(r, 17),
		r.Bool(18)
	if n.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(11)); err == nil {
		n.Tags, err = fromJSON[string](r.Raw(15))
	}
	return n, err
}

// one returns the node that the query selects, or NotFound.
func (t memoryNodes) one(q *Query) (n *storedNode, err error) {
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { n, err = t.scanNode(r); return err })
	return n, orMissing(found, err, noNode)
}

func noNode() error { return loci.Errorf(loci.NotFound, "no such memory node") }

// visibleNode returns a node that v sees, or NotFound.
func (t memoryNodes) visibleNode(v loci.Viewer, id loci.NodeID, l loci.Lifecycle) (*storedNode, error) {
	var q Query
	t.getQuery(&q, v, id, l)
	return t.one(&q)
}

func (t memoryNodes) getQuery(q *Query, v loci.Viewer, id loci.NodeID, l loci.Lifecycle) {
	q.Add("SELECT "+nodeColumns+" FROM memory_nodes m WHERE {m} m.id = ? AND ", [16]byte(id))
	t.visible(q, v, l, t.Now())
}

// row returns a node for writing, whether or not the caller may see it.
func (t memoryNodes) row(id loci.NodeID) (*storedNode, error) {
	var q Query
	q.Add("SELECT "+nodeColumns+" FROM memory_nodes m WHERE {m} m.id = ?", [16]byte(id))
	return t.one(&q)
}

func (t memoryNodes) Get(_ context.Context, v loci.Viewer, id loci.NodeID, l loci.Lifecycle) (*loci.MemoryNode, error) {
	n, err := t.visibleNode(v, id, l)
	if err != nil {
		return nil, err
	}
	return &n.MemoryNode, nil
}

// nodeList identifies positions of lists of nodes. The low bits are the lifecycle.
const nodeList = 1 << 6

func (t memoryNodes) List(_ context.Context, v loci.Viewer, nq store.NodeQuery) (
	list []*loci.MemoryNode, next store.Position, err error) {
	if nq.Limit < 1 {
		return nil, "", loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	kind := byte(nodeList | int(nq.Lifecycle)<<1)
	var q Query
	if err := t.listQuery(&q, v, &nq, kind); err != nil {
		return nil, "", err
	}
	var last Place
	err = t.c.Query(q.String(), q.Args, func(r Row) error {
		if len(list) == nq.Limit {
			next = t.Positions.encode(last, kind)
			return nil
		}
		n, err := t.scanNode(r)
		if err == nil {
			list, last = append(list, &n.MemoryNode), Place{n.UpdatedAt.UnixMicro(), n.seq}
		}
		return err
	})
	return list, next, err
}

// listQuery selects one row more than the page has.
func (t memoryNodes) listQuery(q *Query, v loci.Viewer, nq *store.NodeQuery, kind byte) error {
	q.Add("SELECT " + nodeColumns + " FROM memory_nodes m {by memory_nodes_changed} WHERE {m} ")
	t.visible(q, v, nq.Lifecycle, t.Now())
	if nq.Scope != "" {
		q.Add(" AND m.scope = ?", string(nq.Scope))
	}
	if !nq.ProjectID.IsZero() {
		q.Add(" AND m.project_id = ?", [16]byte(nq.ProjectID))
	}
	if nq.Tag != "" {
		q.Add(" AND EXISTS (SELECT 1 FROM {each m.tags} WHERE value = ?)", nq.Tag)
	}
	if nq.After != "" {
		after, err := t.Positions.decode(nq.After, kind)
		if err != nil {
			return err
		}
		q.Add(" AND (m.updated_at, m.seq) < (?, ?)", after.At, after.Seq)
	}
	q.Add(" ORDER BY m.updated_at DESC, m.seq DESC LIMIT ?", min(nq.Limit, maxNodePage)+1)
	return nil
}

// maxNodePage keeps the limit from overflowing.
const maxNodePage = 1 << 30

func (t memoryNodes) Update(_ context.Context, n *loci.MemoryNode) error {
	if err := t.mine(n.OrgID); err != nil {
		return err
	}
	old, err := t.row(n.ID)
	if err != nil {
		return err
	}
	err = t.c.Exec(`UPDATE memory_nodes SET scope = ?, deleted_at = ?, expires_at = ?, superseded_by = ?, team_id = ?,
		project_id = ?, agent_id = ?,
		workspace_id = ?, allowed_vendors = ?, name = ?, description = ?, tags = ?, updated_at = ?, secrets_kept = ?
		WHERE {memory_nodes} seq = ?`, append(bindNode(n), old.seq)...)
	if err != nil {
		return err
	}
	now := *n // all other fields stay unchanged
	now.OrgID, now.UserID = t.Org, old.UserID
	return t.nodeChanged(&old.MemoryNode, &now)
}

func (t memoryNodes) Erase(_ context.Context, id loci.NodeID) error {
	old, err := t.row(id)
	if err != nil {
		return err
	}
	return t.erase(old)
}

func (t memoryNodes) erase(n *storedNode) error {
	if err := t.c.Exec("DELETE FROM memory_nodes WHERE {memory_nodes} seq = ?", n.seq); err != nil {
		return err
	}
	return t.nodeChanged(&n.MemoryNode, nil)
}

// eraseAll erases the nodes that the condition on m selects, at most limit.
func (t memoryNodes) eraseAll(limit int, condition string, arg any) (int, error) {
	list, err := all(t.c, "SELECT "+nodeColumns+" FROM memory_nodes m WHERE {m} "+condition+" ORDER BY m.seq LIMIT ?",
		Args{arg, limit}, t.scanNode)
	for _, n := range list {
		if err == nil {
			err = t.erase(n)
		}
	}
	return len(list), err
}

func (t memoryNodes) Purge(_ context.Context, then time.Time, limit int) (int, error) {
	return t.eraseAll(limit, "m.deleted_at < ?", CeilMicro(then))
}
