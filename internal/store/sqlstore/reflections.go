package sqlstore

import (
	"context"
	"encoding/json"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type reflections struct{ *Tx }

func (t reflections) Insert(_ context.Context, n *loci.Reflection) error {
	if err := t.writable(n.OrgID, n.UserID); err != nil {
		return err
	}
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	err = t.c.Exec("INSERT INTO reflections ({org} user_id, workspace_id, project_id, reach, team_id, origin, "+
		"allowed_vendors, id, created_at, body) VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "+
		"ON CONFLICT ({org} id) DO NOTHING", append(bindAccess(&n.EventAccess), [16]byte(n.ID), n.CreatedAt.UnixMicro(),
		string(body))...)
	if err == nil && t.c.Changes() == 0 {
		err = t.narrow(&n.EventAccess, "s.id = ?", [16]byte(n.ID))
	}
	if err != nil || n.SessionID.IsZero() {
		return err
	}
	return t.c.Exec("INSERT INTO reflection_sessions ({org} session_id, reflection_seq) SELECT {?} ?, s.seq FROM "+
		"reflections s WHERE {s} s.id = ? ON CONFLICT DO NOTHING", [16]byte(n.SessionID), [16]byte(n.ID))
}

// narrow limits the readers of the notes for which a condition holds.
func (t reflections) narrow(to *loci.EventAccess, condition string, value [16]byte) error {
	type row struct {
		seq    int64
		access loci.EventAccess
	}
	var list []row
	err := t.c.Query("SELECT "+workColumns+" FROM reflections s WHERE {s} "+condition, Args{value},
		func(r Row) error {
			access, err := t.scanAccess(r)
			list = append(list, row{r.Int64(0), access})
			return err
		})
	for _, n := range list {
		now := n.access
		if now.Narrow(to); err != nil || now.SameAccess(&n.access) {
			continue
		}
		err = t.c.Exec("UPDATE reflections SET reach = ?, team_id = ?, allowed_vendors = ? WHERE {reflections} seq = ?",
			string(now.Reach), OrNull(now.TeamID), ToJSON(now.AllowedVendors), n.seq)
	}
	return err
}

func noReflection() error { return loci.Errorf(loci.NotFound, "no such notes") }

const reflectionColumns = workColumns + ", s.body"

func (tx *Tx) scanReflection(r Row) (n *loci.Reflection, err error) {
	n = &loci.Reflection{}
	if err := json.Unmarshal(r.Raw(8), n); err != nil {
		return nil, err
	}
	n.TaskIDs = loci.OrEmpty(n.TaskIDs) // it was stored as null once
	n.EventAccess, err = tx.scanAccess(r)
	return n, err
}

func (t reflections) Get(_ context.Context, v loci.Viewer, id loci.ReflectionID) (n *loci.Reflection, err error) {
	var q Query
	q.Add("SELECT "+reflectionColumns+" FROM reflections s WHERE {s} s.id = ? AND ", [16]byte(id))
	t.seesWork(&q, v, "s")
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { n, err = t.scanReflection(r); return err })
	return n, orMissing(found, err, noReflection)
}

func (t reflections) Unread(_ context.Context, after int64, limit int) (list []*loci.Reflection, last int64,
	err error) {
	last = after
	_, err = t.c.One("SELECT coalesce(max(s.seq), 0) FROM reflections s WHERE {s} TRUE", nil,
		func(r Row) error { last = max(last, r.Int64(0)); return nil })
	if err != nil || last == after {
		return nil, after, err
	}
	var read int64
	err = t.c.Query("SELECT "+reflectionColumns+" FROM reflections s WHERE {s} s.seq > ? AND NOT EXISTS (SELECT 1 "+
		"FROM candidates c WHERE {c} c.source_id = s.id) ORDER BY s.seq LIMIT ?", Args{after, limit}, func(r Row) error {
		n, err := t.scanReflection(r)
		list, read = append(list, n), r.Int64(0)
		return err
	})
	if len(list) == limit { // there may be others
		last = read
	}
	return list, last, err
}

type dreams struct{ *Tx }

const dreamPosition byte = 0x25

func (t dreams) Progress(context.Context) (p store.DreamProgress, err error) {
	_, err = t.c.One("SELECT p.body FROM dream_progress p WHERE {p} p.one = 1", nil,
		func(r Row) error { return json.Unmarshal(r.Raw(0), &p) })
	return p, err
}

func (t dreams) SetProgress(_ context.Context, p store.DreamProgress) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return t.c.Exec("INSERT INTO dream_progress ({org} one, body) VALUES ({?} 1, ?) "+
		"ON CONFLICT ({org} one) DO UPDATE SET body = excluded.body", string(body))
}

func (t dreams) Put(_ context.Context, d *loci.Dream) error {
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	change := loci.Created
	_, err = t.c.One("SELECT 1 FROM dreams d WHERE {d} d.id = ?", Args{[16]byte(d.ID)},
		func(Row) error { change = loci.Updated; return nil })
	if err != nil {
		return err
	}
	if err := t.orgChanged(loci.FeedDream, d.ID, change); err != nil {
		return err
	}
	return t.c.Exec("INSERT INTO dreams ({org} id, started_at, body) VALUES ({?} ?, ?, ?) "+
		"ON CONFLICT ({org} id) DO UPDATE SET body = excluded.body", [16]byte(d.ID), d.StartedAt.UnixMicro(), string(body))
}

func noDream() error { return loci.Errorf(loci.NotFound, "no such run of the dream-cycle") }

func scanDream(r Row) (seq int64, d *loci.Dream, err error) {
	d = &loci.Dream{}
	err = json.Unmarshal(r.Raw(1), d)
	d.SetDefaults()
	return r.Int64(0), d, err
}

func (t dreams) Get(_ context.Context, id loci.DreamID) (d *loci.Dream, err error) {
	found, err := t.c.One("SELECT d.seq, d.body FROM dreams d WHERE {d} d.id = ?", Args{[16]byte(id)},
		func(r Row) (err error) { _, d, err = scanDream(r); return err })
	return d, orMissing(found, err, noDream)
}

func (t dreams) List(_ context.Context, limit int, after store.Position) ([]*loci.Dream, store.Position, error) {
	return newestPage(t.Tx, paging{dreamPosition, after, limit}, scanDream, func(q *Query, before int64, limit int) {
		q.Add("SELECT d.seq, d.body FROM dreams d WHERE {d} d.seq < ? ORDER BY d.seq DESC LIMIT ?", before, limit)
	})
}
