package indexing

import (
	"context"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/loci-memory/loci/internal/index"
)

// A long session is cut into blocks, whose rows are each other's context, so that a change of it concerns few rows.
// Each visibility class is cut by itself, so hidden rows do not count. Where a block ends depends on the rows alone,
// not on when or with which others they came: an index that grew is the same as one that is built at once.

// blockRows is how many rows of a session and a class a block has at least.
const blockRows = 64

// cut cuts rows, which are in order, into blocks. A block has as many rows as least says, and those after it up to one
// whose id may begin a block, which about 4 / least of the ids may. So if a row comes or goes, few blocks after it
// change: later ones begin at the same rows as before.
func cut(list []index.Place, least int) (blocks [][]index.Place) {
	begin := 0
	for i := range list {
		if i-begin >= least && begins(list[i].ID, least) {
			blocks, begin = append(blocks, list[begin:i:i]), i
		}
	}
	if begin < len(list) {
		blocks = append(blocks, list[begin:])
	}
	return blocks
}

func begins(id rowID, least int) bool {
	h := fnv.New32a()
	_, _ = h.Write(id[:]) // a hash never fails
	return h.Sum32()%uint32(max(least/4, 1)) == 0
}

// stream names the rows of a session that are cut together.
type stream struct {
	of    [16]byte
	class index.Class
}

// change indexes rows again that have changed, and those beside them.
func (o *orgIndex) change(ctx context.Context, r rows, ids []rowID) error {
	out := o.beside(ids)
	added, erased, err := r.read(ctx, o, slices.Collect(maps.Keys(out)))
	if err != nil {
		return err
	}
	return o.place(ctx, &placing{rows: r, out: out, erased: erased}, added)
}

// placing is a change of the parts.
type placing struct {
	rows
	out, erased map[rowID]bool // rows to take out, and which of them do not exist any more
	known       map[rowID]*index.Row
}

// place adds rows, and takes others out. It indexes again the blocks that have other rows then.
func (o *orgIndex) place(ctx context.Context, p *placing, added []index.Row) error {
	if p.known = map[rowID]*index.Row{}; p.out == nil {
		p.out, p.erased = map[rowID]bool{}, map[rowID]bool{}
	}
	var list []index.Row
	streams := map[stream][]index.Place{}
	for i := range added {
		if r := &added[i]; r.Of == [16]byte{} {
			list = append(list, *r)
		} else {
			p.known[r.ID] = r
			st := stream{r.Of, r.Class}
			streams[st] = append(streams[st], index.PlaceOf(r))
		}
	}
	for st, places := range streams {
		again, err := o.cutAgain(ctx, p, st, places)
		if err != nil {
			return err
		}
		list = append(list, again...)
	}
	o.takeOut(p.out, p.erased)
	return o.addPart(list)
}

// cutAgain cuts a stream again that gets rows at these places. It returns the rows of the blocks that change, and notes
// which rows to take out for them.
func (o *orgIndex) cutAgain(ctx context.Context, p *placing, st stream, added []index.Place) ([]index.Row, error) {
	all, was := slices.Clone(added), map[rowID][]index.Place{}
	goes := func(at index.Place) bool { return p.out[at.ID] }
	for _, b := range o.blocksFrom(st, slices.MinFunc(added, index.Place.Compare)) {
		was[b[0].ID] = b
		all = append(all, slices.DeleteFunc(slices.Clone(b), goes)...)
	}
	slices.SortFunc(all, index.Place.Compare)
	var unknown []rowID
	blocks := slices.DeleteFunc(cut(all, o.limits.block), func(b []index.Place) bool {
		if slices.Equal(was[b[0].ID], b) && !slices.ContainsFunc(b, goes) {
			delete(was, b[0].ID)
			return true
		}
		for _, at := range b {
			if p.known[at.ID] == nil {
				unknown = append(unknown, at.ID)
			}
		}
		return false
	})
	rows, erased, err := p.read(ctx, o, unknown)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		p.known[rows[i].ID] = &rows[i]
	}
	if len(rows) < len(unknown) { // the others have gone meanwhile
		for _, id := range unknown {
			if p.known[id] == nil {
				p.out[id], p.erased[id] = true, erased[id]
			}
		}
		return o.cutAgain(ctx, p, st, added)
	}
	for _, b := range was {
		for _, at := range b {
			p.out[at.ID] = true
		}
	}
	var list []index.Row
	for _, b := range blocks {
		for _, at := range b {
			row := *p.known[at.ID]
			row.Session = string(b[0].ID[:])
			list = append(list, row)
		}
	}
	return list, nil
}

// blocksFrom returns the blocks of a stream from the one before that of a place on, in order.
func (o *orgIndex) blocksFrom(st stream, from index.Place) (list [][]index.Place) {
	var all []index.Block
	for _, p := range o.parts {
		for _, b := range p.view.Blocks(st.of) {
			if b.Class == st.class {
				all = append(all, b)
			}
		}
	}
	slices.SortFunc(all, func(x, y index.Block) int { return x.First.Compare(y.First) })
	at, found := slices.BinarySearchFunc(all, from, func(b index.Block, at index.Place) int { return b.First.Compare(at) })
	if !found {
		at-- // it is in the block before
	}
	for _, b := range all[max(at-1, 0):] {
		list = append(list, b.Rows())
	}
	return list
}
