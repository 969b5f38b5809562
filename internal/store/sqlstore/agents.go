package sqlstore

import (
	"context"
	"encoding/json"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type agents struct{ *Tx }

const agentColumns = "a.id, a.user_id, a.vendor, a.name, a.description, a.config, a.created_at, a.updated_at, " +
	"a.last_active_at"

func (tx *Tx) scanAgent(r Row) loci.Agent {
	return loci.Agent{ID: r.ID(0), OrgID: tx.Org, UserID: r.ID(1), Vendor: loci.Vendor(r.Text(2)), Name: r.Text(3),
		Description: r.Text(4), Config: objectAt(r, 5), CreatedAt: TimeAt(r, 6), UpdatedAt: TimeAt(r, 7),
		LastActiveAt: TimeAt(r, 8)}
}

// objectAt returns a JSON object, or nil for NULL.
func objectAt(r Row, col int) json.RawMessage {
	if r.Null(col) {
		return nil
	}
	return json.RawMessage(r.Text(col))
}

// orNoObject is NULL for no object.
func orNoObject(object json.RawMessage) any {
	if len(object) == 0 {
		return nil
	}
	return string(object)
}

// seesAgent adds the rule of loci.Viewer.SeesAgent.
func (tx *Tx) seesAgent(q *Query, v loci.Viewer) {
	if v.OrgID != tx.Org || v.OrgID == "" || v.UserID.IsZero() || v.OnlyProjects {
		q.Add("FALSE")
		return
	}
	q.Add("TRUE")
}

func nameTaken() error {
	return loci.Errorf(loci.Conflict, "the org has an agent of that name; choose another name")
}

func (t agents) Insert(_ context.Context, a loci.Agent) error {
	if err := t.writable(a.OrgID, a.UserID); err != nil {
		return err
	}
	err := t.c.Exec("INSERT INTO agents ({org} id, user_id, vendor, name, description, config, created_at, updated_at, "+
		"last_active_at) VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		[16]byte(a.ID), [16]byte(a.UserID), string(a.Vendor), a.Name, a.Description, orNoObject(a.Config),
		a.CreatedAt.UnixMicro(), a.UpdatedAt.UnixMicro(), micros(a.LastActiveAt))
	if t.d.taken(err) {
		return nameTaken()
	}
	if err != nil {
		return err
	}
	return t.orgChanged(loci.FeedAgent, a.ID, loci.Created)
}

func noAgent() error { return loci.Errorf(loci.NotFound, "no such agent") }

func (t agents) Get(_ context.Context, v loci.Viewer, id loci.AgentID) (a loci.Agent, err error) {
	var q Query
	q.Add("SELECT "+agentColumns+" FROM agents a WHERE {a} a.id = ? AND ", [16]byte(id))
	t.seesAgent(&q, v)
	found, err := t.c.One(q.String(), q.Args, func(r Row) error { a = t.scanAgent(r); return nil })
	return a, orMissing(found, err, noAgent)
}

func (t agents) List(_ context.Context, v loci.Viewer, aq store.AgentQuery) (list []loci.Agent, err error) {
	if aq.Limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var q Query
	q.Add("SELECT " + agentColumns + " FROM agents a WHERE {a} ")
	t.seesAgent(&q, v)
	if aq.Name != "" {
		q.Add(" AND a.name = ?", aq.Name)
	}
	if !aq.Last.IsZero() {
		q.Add(" AND a.id BETWEEN ? AND ?", [16]byte(aq.First), [16]byte(aq.Last))
	}
	q.Add(" AND a.name > ? ORDER BY a.name LIMIT ?", aq.After, aq.Limit) // no agent has an empty name
	return each(t.c, q.String(), q.Args, t.scanAgent)
}

func (t agents) Update(_ context.Context, a loci.Agent) error {
	if err := t.mine(a.OrgID); err != nil {
		return err
	}
	err := t.c.Exec("UPDATE agents SET name = ?, description = ?, config = ?, updated_at = ? WHERE {agents} id = ?",
		a.Name, a.Description, orNoObject(a.Config), a.UpdatedAt.UnixMicro(), [16]byte(a.ID))
	if t.d.taken(err) {
		return nameTaken()
	}
	if err = orMissing(t.c.Changes() > 0, err, noAgent); err != nil {
		return err
	}
	return t.orgChanged(loci.FeedAgent, a.ID, loci.Updated)
}

func (t agents) Touch(_ context.Context, id loci.AgentID, at time.Time) error {
	return t.c.Exec("UPDATE agents SET last_active_at = ?1 WHERE {agents} id = ?2 AND (last_active_at IS NULL OR "+
		"last_active_at < ?1)", at.UnixMicro(), [16]byte(id))
}

func (t agents) Delete(_ context.Context, id loci.AgentID) error {
	err := t.c.Exec("DELETE FROM agents WHERE {agents} id = ?", [16]byte(id))
	if err = orMissing(err == nil && t.c.Changes() > 0, err, noAgent); err != nil {
		return err
	}
	return t.orgChanged(loci.FeedAgent, id, loci.Erased)
}
