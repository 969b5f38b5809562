package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

type workspaces struct{ *Tx }

func scanWorkspace(r Row) loci.Workspace {
	return loci.Workspace{ID: r.ID(0), Name: r.Text(1), CreatedAt: TimeAt(r, 2)}
}

// known returns nil if the workspace exists, or NotFound.
func (t workspaces) known(id loci.WorkspaceID) error {
	found, err := t.there("SELECT 1 FROM workspaces WHERE {workspaces} id = ?", [16]byte(id))
	return orCode(found, err, loci.NotFound, "no such workspace")
}

func (t workspaces) Insert(_ context.Context, w loci.Workspace) error {
	taken, err := t.nameTaken("workspaces", w.Name, [16]byte{})
	if err == nil && !taken {
		err = t.c.Exec("INSERT INTO workspaces ({org} id, name, created_at) VALUES ({?} ?, ?, ?)", [16]byte(w.ID), w.Name,
			w.CreatedAt.UnixMicro())
	}
	if taken || t.d.taken(err) {
		return loci.Errorf(loci.Conflict, "a workspace of that name exists; choose another name")
	}
	if err != nil {
		return err
	}
	return t.orgChanged(loci.FeedWorkspace, w.ID, loci.Created)
}

// changed adds a change of a workspace to the feed, one event for each of its members.
func (t workspaces) changed(ctx context.Context, id loci.WorkspaceID, change loci.Change) error {
	members, err := t.Members(ctx, id)
	if err != nil {
		return err
	}
	return t.orgChanged(loci.FeedWorkspace, id, change, loci.Mapped(members, own)...)
}

func (t workspaces) List(context.Context) ([]loci.Workspace, error) {
	return t.list("SELECT id, name, created_at FROM workspaces WHERE {workspaces} TRUE ORDER BY created_at, id")
}

const workspacesOf = `SELECT w.id, w.name, w.created_at
	FROM users u {join} workspace_members m ON {m} m.user_id = u.id {join} workspaces w ON {w} w.id = m.workspace_id
	WHERE {u} u.id = ? AND ` + present + " ORDER BY w.created_at, w.id"

func (t workspaces) Of(_ context.Context, user loci.UserID) ([]loci.Workspace, error) {
	return t.list(workspacesOf, [16]byte(user))
}

func (t workspaces) list(sql string, args ...any) (list []loci.Workspace, err error) {
	return each(t.c, sql, args, scanWorkspace)
}

func (t workspaces) Members(_ context.Context, id loci.WorkspaceID) (list []loci.UserID, err error) {
	if err := t.known(id); err != nil {
		return nil, err
	}
	return each(t.c, "SELECT u.id FROM workspace_members m JOIN users u ON {u} u.id = m.user_id WHERE {m} "+
		"m.workspace_id = ? AND "+present+" ORDER BY u.id",
		Args{[16]byte(id)}, func(r Row) loci.UserID { return r.ID(0) })
}

func (t workspaces) Rename(ctx context.Context, id loci.WorkspaceID, name string) error {
	if err := t.known(id); err != nil {
		return err
	}
	taken, err := t.nameTaken("workspaces", name, id)
	if err == nil && taken {
		err = loci.Errorf(loci.Conflict, "a workspace of that name exists; choose another name")
	}
	if err != nil {
		return err
	}
	if err := t.c.Exec("UPDATE workspaces SET name = ? WHERE {workspaces} id = ?", name, [16]byte(id)); err != nil {
		return err
	}
	return t.changed(ctx, id, loci.Updated)
}

// Delete scans the rows: it is rare, and an index for it would slow down every write. Golden questions are about
// memories of the workspace, so without any of these they go, too.
func (t workspaces) Delete(ctx context.Context, id loci.WorkspaceID) error {
	if err := t.known(id); err != nil {
		return err
	}
	used, err := t.there("SELECT 1 FROM memories WHERE {memories} workspace_id = ?1 UNION ALL SELECT 1 FROM "+
		"memory_nodes WHERE {memory_nodes} workspace_id = ?1 LIMIT 1", [16]byte(id))
	if err != nil {
		return err
	}
	if used {
		return loci.Errorf(loci.Conflict, "cannot delete the workspace: it still has memories or memory nodes")
	}
	for _, table := range []string{"golden_questions", "golden_runs"} {
		if err := t.c.Exec("DELETE FROM "+table+" WHERE {"+table+"} workspace_id = ?", [16]byte(id)); err != nil {
			return err
		}
	}
	if err := t.changed(ctx, id, loci.Erased); err != nil {
		return err
	}
	return t.c.Exec("DELETE FROM workspaces WHERE {workspaces} id = ?", [16]byte(id))
}

func (t workspaces) both(id loci.WorkspaceID, user loci.UserID) error {
	if err := t.known(id); err != nil {
		return err
	}
	return t.knowsUser(user)
}

func (t workspaces) Join(ctx context.Context, id loci.WorkspaceID, user loci.UserID) error {
	if err := t.both(id, user); err != nil {
		return err
	}
	err := t.c.Exec("INSERT INTO workspace_members ({org} user_id, workspace_id) VALUES ({?} ?, ?) ON CONFLICT DO NOTHING",
		[16]byte(user), [16]byte(id))
	if err != nil || t.c.Changes() == 0 {
		return err
	}
	return t.changed(ctx, id, loci.Updated)
}

func (t workspaces) Leave(ctx context.Context, id loci.WorkspaceID, user loci.UserID) error {
	if err := t.both(id, user); err != nil {
		return err
	}
	if err := t.changed(ctx, id, loci.Updated); err != nil { // while they still learn of it
		return err
	}
	return t.c.Exec("DELETE FROM workspace_members WHERE {workspace_members} user_id = ? AND workspace_id = ?",
		[16]byte(user), [16]byte(id))
}

// Adopt also moves nodes, sessions, tasks, candidates and notes. Every row changes, so readers of the feed start over.
func (t workspaces) Adopt(_ context.Context, id loci.WorkspaceID) (n int, err error) {
	if err := t.known(id); err != nil {
		return 0, err
	}
	clear(t.held)
	if err := t.Index().Adopt(id); err != nil {
		return 0, err
	}
	if err := sessions(t).adopt(id); err != nil {
		return 0, err
	}
	for _, table := range []string{"tasks", "candidates", "reflections", "golden_questions", "golden_runs",
		"memory_nodes", "memories"} {
		if err := t.c.Exec("UPDATE "+table+" SET workspace_id = ? WHERE {"+table+"} workspace_id IS NULL",
			[16]byte(id)); err != nil {
			return 0, err
		}
		n = int(t.c.Changes())
	}
	return n, t.restartFeed()
}
