package sqlstore

import (
	"context"
	"encoding/json"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

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
