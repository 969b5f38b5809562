package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type tasks struct{ *Tx }

const taskColumns = "t.seq, t.id, t.user_id, t.workspace_id, t.project_id, t.reach, t.team_id, t.origin, " +
	"t.allowed_vendors, t.title, t.notes, t.state, t.created_at, t.updated_at, t.done_at, t.version, t.secrets_kept"

func (tx *Tx) scanTask(r Row) (seq int64, t loci.Task, err error) {
	t = loci.Task{ID: r.ID(1), Title: r.Text(9), Notes: r.Text(10),
		EventAccess: loci.EventAccess{OrgID: tx.Org, UserID: r.ID(2), WorkspaceID: r.ID(3), ProjectID: r.ID(4),
			Reach: loci.Reach(r.Text(5)), TeamID: r.ID(6), Origin: r.Text(7)},
		State: loci.TaskState(r.Text(11)), CreatedAt: TimeAt(r, 12), UpdatedAt: TimeAt(r, 13), DoneAt: TimeAt(r, 14),
		Version: r.Int(15), Noticed: loci.Noticed{SecretsKept: r.Bool(16)}}
	t.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(8))
	return r.Int64(0), t, err
}

func noTask() error { return loci.Errorf(loci.NotFound, "no such task") }

func (t tasks) Insert(_ context.Context, task loci.Task) error {
	if err := t.writable(task.OrgID, task.UserID); err != nil {
		return err
	}
	err := t.c.Exec("INSERT INTO tasks ({org} workspace_id, allowed_vendors, title, notes, state, updated_at, done_at, "+
		"version, secrets_kept, id, user_id, project_id, reach, team_id, origin, created_at) "+
		"VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		append(bindTask(&task), [16]byte(task.ID), [16]byte(task.UserID), [16]byte(task.ProjectID), string(task.Reach),
			OrNull(task.TeamID), task.Origin, task.CreatedAt.UnixMicro())...)
	if err = t.d.orTaken(err, "task %s exists already", task.ID); err != nil {
		return err
	}
	return t.workChanged(loci.FeedTask, task.ID, task.Version, nil, &task.EventAccess)
}

// bindTask returns the columns that Update may change.
func bindTask(task *loci.Task) []any {
	return []any{OrNull(task.WorkspaceID), ToJSON(task.AllowedVendors), task.Title, task.Notes, string(task.State),
		task.UpdatedAt.UnixMicro(), micros(task.DoneAt), task.Version, task.SecretsKept}
}

func (t tasks) Get(_ context.Context, v loci.Viewer, id loci.TaskID) (task loci.Task, err error) {
	var q Query
	q.Add("SELECT "+taskColumns+" FROM tasks t WHERE {t} t.id = ? AND ", [16]byte(id))
	t.seesWork(&q, v, "t")
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { _, task, err = t.scanTask(r); return err })
	return task, orMissing(found, err, noTask)
}

func (t tasks) List(_ context.Context, v loci.Viewer, tq store.TaskQuery) ([]loci.Task, store.Position, error) {
	return newestPage(t.Tx, paging{taskPosition, tq.After, tq.Limit}, t.scanTask,
		func(q *Query, before int64, limit int) {
			q.Add("SELECT " + taskColumns + " FROM tasks t WHERE {t} ")
			t.filter(q, v, &tq)
			q.Add(" AND t.seq < ? ORDER BY t.seq DESC LIMIT ?", before, limit)
		})
}

func (t tasks) filter(q *Query, v loci.Viewer, tq *store.TaskQuery) {
	t.seesWork(q, v, "t")
	switch tq.State {
	case "":
	case loci.TaskDoing: // in the text, so that its index serves
		q.Add(" AND t.state = 'doing'")
	default:
		q.Add(" AND t.state = ?", string(tq.State))
	}
	if tq.Open {
		q.Add(" AND t.state <> 'done'")
	}
	if !tq.ProjectID.IsZero() {
		q.Add(" AND t.project_id = ?", [16]byte(tq.ProjectID))
	}
	if tq.Title != "" {
		q.Add(" AND t.title = ?", tq.Title)
	}
	if !tq.Last.IsZero() {
		q.Add(" AND t.id BETWEEN ? AND ?", [16]byte(tq.First), [16]byte(tq.Last))
	}
}

func (t tasks) Count(_ context.Context, v loci.Viewer, tq store.TaskQuery) (n int, err error) {
	if tq.Limit < 1 {
		return 0, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var q Query
	q.Add("SELECT count(*) FROM (SELECT 1 FROM tasks t WHERE {t} ")
	t.filter(&q, v, &tq)
	q.Add(" LIMIT ?) AS found", tq.Limit)
	_, err = t.c.One(q.String(), q.Args, func(r Row) error { n = r.Int(0); return nil })
	return n, err
}

func (t tasks) Update(_ context.Context, task loci.Task) error {
	if err := t.mine(task.OrgID); err != nil {
		return err
	}
	before, there, err := t.accessOfWork("tasks", task.ID)
	if err = orMissing(there, err, noTask); err != nil {
		return err
	}
	err = t.c.Exec("UPDATE tasks SET workspace_id = ?, allowed_vendors = ?, title = ?, notes = ?, state = ?, "+
		"updated_at = ?, done_at = ?, version = ?, secrets_kept = ? WHERE {tasks} id = ? AND version = ?",
		append(bindTask(&task), [16]byte(task.ID), task.Version-1)...)
	if err != nil {
		return err
	}
	if t.c.Changes() == 0 {
		return loci.Errorf(loci.Conflict, "task %s is at another version", task.ID)
	}
	after := before
	after.WorkspaceID, after.AllowedVendors = task.WorkspaceID, task.AllowedVendors
	return t.workChanged(loci.FeedTask, task.ID, task.Version, &before, &after)
}

func (t tasks) Delete(_ context.Context, id loci.TaskID) error {
	n, err := t.eraseWork(loci.FeedTask, "tasks", "s.id = ?", [16]byte(id))
	return orMissing(n > 0, err, noTask)
}

// EraseTasks permanently deletes tasks of the project, at most limit, and returns the number.
func (tx *Tx) EraseTasks(id loci.ProjectID, limit int) (int, error) {
	return tx.eraseWork(loci.FeedTask, "tasks", "s.project_id = ? ORDER BY s.seq LIMIT ?", [16]byte(id), limit)
}
