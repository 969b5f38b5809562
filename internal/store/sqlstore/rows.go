package sqlstore

import (
	"context"
	"math"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type rows struct{ *Tx }

// nobody is the viewer of the positions of Rows, which sees nothing.
var nobody loci.Viewer

func (t rows) End(context.Context) (store.Position, error) {
	p, err := feed(t).end()
	return t.Positions.encodeFeed(p, nobody), err
}

func (t rows) Changed(_ context.Context, after store.Position) (c store.RowChanges, err error) {
	p, err := t.Positions.decodeFeed(after, nobody)
	if err != nil {
		return c, err
	}
	end, err := feed(t).end()
	if err != nil {
		return c, err
	}
	if end.seq <= p.seq {
		return store.RowChanges{Next: after, Ahead: end.seq < p.seq}, nil
	}
	list, err := feed(t).behind(p)
	if err != nil {
		return c, err
	}
	if c.More = len(list) > store.FeedWindow; c.More {
		list = list[:store.FeedWindow]
	}
	seen := map[loci.MemoryID]bool{}
	for i := range list {
		r := &list[i]
		p = r.place
		if r.event.Kind != memoryInFeed || seen[r.id] {
			continue
		}
		seen[r.id] = true
		c.IDs = append(c.IDs, r.id)
	}
	c.Next = t.Positions.encodeFeed(p, nobody)
	return c, nil
}

func (t rows) Read(_ context.Context, ids []loci.MemoryID) ([]*loci.Memory, error) {
	var q Query
	q.Add("SELECT "+memoryColumns+" FROM memories m WHERE {m} m.id = ?", nil)
	return t.eachID(&q, ids, t.scanMemory)
}

func (t rows) Before(_ context.Context, number int64, limit int) (list []*loci.Memory, next int64, err error) {
	if number == 0 {
		number = math.MaxInt64
	}
	err = t.c.Query("SELECT "+memoryColumns+" FROM memories m WHERE {m} m.seq < ? ORDER BY m.seq DESC LIMIT ?",
		Args{number, limit}, func(r Row) error {
			m, err := t.scanMemory(r)
			if err == nil {
				list, next = append(list, &m.Memory), m.Seq
			}
			return err
		})
	if len(list) < limit {
		next = 0
	}
	return list, next, err
}

func (t rows) InSession(_ context.Context, id loci.SessionID) (list []store.Placed, err error) {
	err = t.c.Query("SELECT m.id, m.created_at FROM memories m WHERE {m} m.session_id = ? AND m.deleted_at IS NULL AND "+
		"m.superseded_by IS NULL ORDER BY m.created_at, m.id", Args{[16]byte(id)},
		func(r Row) error {
			list = append(list, store.Placed{ID: r.ID(0), CreatedAt: time.UnixMicro(r.Int64(1)).UTC()})
			return nil
		})
	return list, err
}
