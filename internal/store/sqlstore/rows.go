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
	add := func(r *fedRow) {
		if n++; n > store.FeedWindow {
			return
		}
		last = r.feedPlace
		if r.kind != loci.FeedMemory {
			return
		}
		if r.change == loci.Erased {
			r.version = store.Erased
		}
		if i, seen := at[r.id]; seen {
			c.Versions[i] = r.version
			return
		}
		at[r.id] = len(c.IDs)
		c.IDs, c.Versions = append(c.IDs, r.id), append(c.Versions, r.version)
	}
	if len(t.fed) > 0 && t.fed[0].seq == p.seq+1 { // the transaction has told of all that there is after p
		for _, r := range t.fed {
			add(&r)
		}
	} else {
		err = feed(t).walk(changedBehind, p, func(r Row, place feedPlace) {
			add(&fedRow{place, loci.FeedKind(r.Text(2)), r.ID(3), r.Int(4), loci.Change(r.Text(5))})
		})
	}
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
	if len(ids) == 0 {
		return nil, nil
	}
	return all(t.c, "SELECT "+memoryColumns+" FROM {ids} {join} memories m ON {m} m.id = j.value", Args{listOf(t.d, ids)},
		func(r Row) (*loci.Memory, error) {
			m, err := t.scanMemory(r)
			return &m.Memory, err
		})
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
