package sqlstore

import (
	"cmp"
	"context"
	"math"

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

const changedBehind = "SELECT seq, at, kind, row_id, version, change FROM feed WHERE {feed} seq >= ? ORDER BY seq " +
	"LIMIT ?"

func (t rows) Changed(_ context.Context, after store.Position) (c store.RowChanges, err error) {
	p, err := t.Positions.decodeFeed(after, nobody)
	if err != nil {
		return c, err
	}
	n, last, at := 0, p, map[loci.MemoryID]int{}
	err = feed(t).walk(changedBehind, p, func(r Row, place feedPlace) {
		if n++; n > store.FeedWindow {
			return
		}
		last = place
		if r.Text(2) != string(loci.FeedMemory) {
			return
		}
		id, version := loci.MemoryID(r.ID(3)), r.Int(4)
		if r.Text(5) == string(loci.Erased) {
			version = store.Erased
		}
		if i, seen := at[id]; seen {
			c.Versions[i] = version
			return
		}
		at[id] = len(c.IDs)
		c.IDs, c.Versions = append(c.IDs, id), append(c.Versions, version)
	})
	switch {
	case loci.CodeOf(err) == loci.Conflict:
		if end, e := feed(t).end(); e == nil && end.seq < p.seq {
			return store.RowChanges{Next: after, Ahead: true}, nil
		}
		return c, err
	case n == 0:
		c.Next = after
	default:
		c.Next, c.More = t.Positions.encodeFeed(last, nobody), n > store.FeedWindow
	}
	return c, err
}

func (t rows) Read(_ context.Context, ids []loci.MemoryID) ([]*loci.Memory, error) {
	var q Query
	q.Add("SELECT "+memoryColumns+" FROM memories m WHERE {m} m.id = ?", nil)
	return t.eachID(&q, ids, t.scanMemory)
}

func (t rows) Before(_ context.Context, number int64, limit int) (list []*loci.Memory, next int64, err error) {
	number = cmp.Or(number, math.MaxInt64)
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
