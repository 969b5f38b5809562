package sqlstore

import (
	"context"
	"encoding/json"

	"github.com/loci-memory/loci"
)

type agents struct{ *Tx }

const agentColumns = "a.id, a.user_id, a.vendor, a.name, a.config, a.created_at, a.updated_at"

func (tx *Tx) scanAgent(r Row) loci.Agent {
	a := loci.Agent{ID: r.ID(0), OrgID: tx.Org, UserID: r.ID(1), Vendor: loci.Vendor(r.Text(2)), Name: r.Text(3),
		CreatedAt: timeAt(r, 5), UpdatedAt: timeAt(r, 6)}
	if !r.Null(4) {
		a.Config = json.RawMessage(r.Text(4))
	}
	return a
}

// sharesWork adds the rule of loci.Viewer.SeesAgent to q. alias is a row of agents or sessions.
func (tx *Tx) sharesWork(q *Query, v loci.Viewer, alias string) {
	if v.OrgID != tx.Org || v.OrgID == "" || v.UserID.IsZero() || v.OnlyProjects {
		q.Add("FALSE")
		return
	}
	q.Add(alias+".user_id = ?", [16]byte(v.UserID))
	if v.Vendor != "" {
		q.Add(" AND "+alias+".vendor = ?", string(v.Vendor))
	}
}

func (t agents) Insert(_ context.Context, a loci.Agent) error {
	if err := t.mine(a.OrgID); err != nil {
		return err
	}
	if err := t.knowsUser(a.UserID); err != nil {
		return err
	}
	var config any
	if len(a.Config) > 0 {
		config = string(a.Config)
	}
	err := t.c.Exec("INSERT INTO agents ({org} id, user_id, vendor, name, config, created_at, updated_at) VALUES ({?} "+
		"?, ?, ?, ?, ?, ?, ?)",
		[16]byte(a.ID), [16]byte(a.UserID), string(a.Vendor), a.Name, config, a.CreatedAt.UnixMicro(),
		a.UpdatedAt.UnixMicro())
	if t.d.taken(err) {
		return loci.Errorf(loci.Conflict, "an agent of that vendor and name exists already; choose another name")
	}
	return err
}

func noAgent() error { return loci.Errorf(loci.NotFound, "no such agent") }

func (t agents) Get(_ context.Context, v loci.Viewer, id loci.AgentID) (a loci.Agent, err error) {
	var q Query
	q.Add("SELECT "+agentColumns+" FROM agents a WHERE {a} a.id = ? AND ", [16]byte(id))
	t.sharesWork(&q, v, "a")
	found, err := t.c.One(q.String(), q.Args, func(r Row) error { a = t.scanAgent(r); return nil })
	return a, orMissing(found, err, noAgent)
}

func (t agents) List(ctx context.Context, v loci.Viewer, after loci.AgentID, limit int) (list []loci.Agent, err error) {
	if limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var last loci.Agent
	if !after.IsZero() {
		if last, err = t.Get(ctx, v, after); err != nil {
			return nil, err
		}
	}
	var q Query
	t.listQuery(&q, v, last, limit)
	err = t.c.Query(q.String(), q.Args, func(r Row) error { list = append(list, t.scanAgent(r)); return nil })
	return list, err
}

// listQuery selects the page after last, or the first page if last is empty. No agent has an
// empty name.
func (t agents) listQuery(q *Query, v loci.Viewer, last loci.Agent, limit int) {
	q.Add("SELECT " + agentColumns + " FROM agents a WHERE {a} ")
	t.sharesWork(q, v, "a")
	q.Add(" AND (a.name, a.vendor) > (?, ?) ORDER BY a.name, a.vendor LIMIT ?", last.Name, string(last.Vendor), limit)
}
