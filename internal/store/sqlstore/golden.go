package sqlstore

import (
	"context"
	"encoding/json"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type golden struct{ *Tx }

const goldenPosition byte = 0x26

const goldenColumns = "g.id, g.user_id, g.workspace_id, g.question, g.expected, g.created_at, g.updated_at"

func noGolden() error { return loci.Errorf(loci.NotFound, "no such golden question") }

// sees adds the rule of loci.Viewer.SeesGolden over the alias g.
func (t golden) sees(q *Query, v loci.Viewer) {
	if v.OrgID != t.Org || v.OrgID == "" || v.UserID.IsZero() || v.Vendor != "" || v.OnlyProjects {
		q.Add("FALSE")
		return
	}
	q.Add("g.user_id = ?", [16]byte(v.UserID))
	if !v.WorkspaceID.IsZero() {
		q.Add(" AND g.workspace_id = ?", [16]byte(v.WorkspaceID))
	}
}

func (t golden) Insert(_ context.Context, q loci.GoldenQuestion) error {
	if err := t.writable(q.OrgID, q.UserID); err != nil {
		return err
	}
	err := t.c.Exec("INSERT INTO golden_questions ({org} id, user_id, workspace_id, question, expected, created_at, "+
		"updated_at) VALUES ({?} ?, ?, ?, ?, ?, ?, ?)", [16]byte(q.ID), [16]byte(q.UserID), OrNull(q.WorkspaceID),
		q.Question, expectedJSON(q.Expected), q.CreatedAt.UnixMicro(), q.UpdatedAt.UnixMicro())
	return t.d.orTaken(err, "golden question %s exists already", q.ID)
}

func expectedJSON(list []loci.GoldenMemory) string {
	return ToJSON(loci.Mapped(list, func(m loci.GoldenMemory) string { return m.ID.String() }))
}

func (t golden) scan(r Row) (q loci.GoldenQuestion, err error) {
	q = loci.GoldenQuestion{ID: r.ID(0), OrgID: t.Org, UserID: r.ID(1), WorkspaceID: r.ID(2), Question: r.Text(3),
		CreatedAt: TimeAt(r, 5), UpdatedAt: TimeAt(r, 6)}
	var ids []loci.MemoryID
	if err := json.Unmarshal(r.Raw(4), &ids); err != nil {
		return q, err
	}
	for _, id := range ids {
		q.Expected = append(q.Expected, loci.GoldenMemory{ID: id})
	}
	return q, nil
}

func (t golden) Get(_ context.Context, v loci.Viewer, id loci.GoldenID) (found loci.GoldenQuestion, err error) {
	var q Query
	q.Add("SELECT "+goldenColumns+" FROM golden_questions g WHERE {g} g.id = ? AND ", [16]byte(id))
	t.sees(&q, v)
	there, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { found, err = t.scan(r); return err })
	return found, orMissing(there, err, noGolden)
}

func (t golden) List(_ context.Context, v loci.Viewer, limit int) ([]loci.GoldenQuestion, error) {
	var q Query
	q.Add("SELECT " + goldenColumns + " FROM golden_questions g WHERE {g} ")
	t.sees(&q, v)
	q.Add(" ORDER BY g.seq LIMIT ?", limit)
	return all(t.c, q.String(), q.Args, t.scan)
}

func (t golden) Update(_ context.Context, q loci.GoldenQuestion) error {
	if err := t.mine(q.OrgID); err != nil {
		return err
	}
	err := t.c.Exec("UPDATE golden_questions SET question = ?, expected = ?, updated_at = ? WHERE {golden_questions} "+
		"id = ?", q.Question, expectedJSON(q.Expected), q.UpdatedAt.UnixMicro(), [16]byte(q.ID))
	return orMissing(err == nil && t.c.Changes() > 0, err, noGolden)
}

func (t golden) Delete(_ context.Context, id loci.GoldenID) error {
	err := t.c.Exec("DELETE FROM golden_questions WHERE {golden_questions} id = ?", [16]byte(id))
	return orMissing(err == nil && t.c.Changes() > 0, err, noGolden)
}

func (t golden) InsertRun(_ context.Context, run *loci.GoldenRun) error {
	if err := t.writable(run.OrgID, run.UserID); err != nil {
		return err
	}
	body, err := json.Marshal(run)
	if err != nil {
		return err
	}
	err = t.c.Exec("INSERT INTO golden_runs ({org} id, user_id, workspace_id, body) VALUES ({?} ?, ?, ?, ?)",
		[16]byte(run.ID), [16]byte(run.UserID), OrNull(run.WorkspaceID), string(body))
	if err = t.d.orTaken(err, "the run %s of golden questions exists already", run.ID); err != nil {
		return err
	}
	return t.c.Exec("DELETE FROM golden_runs WHERE {golden_runs} user_id = ?1 AND seq <= (SELECT g.seq "+
		"FROM golden_runs g WHERE {g} g.user_id = ?1 ORDER BY g.seq DESC LIMIT 1 OFFSET ?2)",
		[16]byte(run.UserID), loci.MaxGoldenRuns)
}

func (t golden) scanRun(r Row) (seq int64, run *loci.GoldenRun, err error) {
	run = &loci.GoldenRun{}
	err = json.Unmarshal(r.Raw(3), run)
	run.OrgID, run.UserID, run.WorkspaceID = t.Org, r.ID(1), r.ID(2)
	return r.Int64(0), run, err
}

func (t golden) Run(_ context.Context, v loci.Viewer, id loci.GoldenRunID) (run *loci.GoldenRun, err error) {
	var q Query
	q.Add("SELECT g.seq, g.user_id, g.workspace_id, g.body FROM golden_runs g WHERE {g} g.id = ? AND ", [16]byte(id))
	t.sees(&q, v)
	there, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { _, run, err = t.scanRun(r); return err })
	return run, orMissing(there, err, func() error { return loci.Errorf(loci.NotFound, "no such run") })
}

func (t golden) Runs(_ context.Context, v loci.Viewer, limit int, after store.Position) (
	[]*loci.GoldenRun, store.Position, error) {
	return newestPage(t.Tx, paging{goldenPosition, after, limit}, t.scanRun, func(q *Query, before int64, limit int) {
		q.Add("SELECT g.seq, g.user_id, g.workspace_id, g.body FROM golden_runs g WHERE {g} ")
		t.sees(q, v)
		q.Add(" AND g.seq < ? ORDER BY g.seq DESC LIMIT ?", before, limit)
	})
}
