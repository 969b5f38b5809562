package indexing

import (
	"bytes"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
)

// stream names the events of a session that the same readers see, which are cut into blocks together.
type stream struct {
	session loci.SessionID
	class   index.Class
}

// blocksFrom returns the blocks of a stream from the one before that of a row on, in order.
func (o *orgIndex) blocksFrom(st stream, id rowID) (list [][]rowID) {
	var all []index.Block
	for _, p := range o.parts {
		for _, b := range p.view.Blocks(st.session) {
			if b.Class() == st.class {
				all = append(all, b)
			}
		}
	}
	slices.SortFunc(all, func(x, y index.Block) int { return compareIDs(x.First(), y.First()) })
	at, found := slices.BinarySearchFunc(all, id, func(b index.Block, id rowID) int { return compareIDs(b.First(), id) })
	if !found {
		at-- // it is in the block before
	}
	for _, b := range all[max(at-1, 0):] {
		var ids []rowID
		for _, id := range b.Rows() {
			ids = append(ids, id)
		}
		list = append(list, ids)
	}
	return list
}

func compareIDs(x, y rowID) int { return bytes.Compare(x[:], y[:]) }

func streamOf(e *loci.Event) stream {
	access := e.Access()
	return stream{e.SessionID, recall.ClassOf(&access)}
}

// placing changes which events an index has.
type placing struct {
	added []*loci.Event
	gone  map[rowID]bool
	left  []*loci.Event // of the blocks of gone

	from  map[stream]rowID      // the first row of each stream that changes
	known map[rowID]*loci.Event // added and left
	ids   map[stream][]rowID    // of added and left
	out   map[rowID]bool        // rows to take out
	rows  []index.Row           // to add
}

// place makes the changes. It indexes again the blocks that have other events then.
func (s events) place(ctx context.Context, o *orgIndex, p placing) error {
	p.from, p.known, p.ids = map[stream]rowID{}, map[rowID]*loci.Event{}, map[stream][]rowID{}
	if p.out = map[rowID]bool{}; p.gone == nil {
		p.gone = map[rowID]bool{}
	}
	for i, e := range slices.Concat(p.added, p.left) {
		if e.SessionID.IsZero() { // it stands alone
			p.rows = append(p.rows, recall.EventRow(e, loci.EventID{}))
			continue
		}
		st, id := streamOf(e), rowID(e.ID)
		if first, seen := p.from[st]; !seen || compareIDs(id, first) < 0 {
			p.from[st] = id
		}
		p.known[id], p.ids[st] = e, append(p.ids[st], id)
		if i >= len(p.added) {
			p.out[id] = true // the index has it, perhaps in another stream
		}
	}
	for st := range p.from {
		if err := s.cutAgain(ctx, o, &p, st); err != nil {
			return err
		}
	}
	for id := range p.gone {
		p.out[id] = true
	}
	o.takeOut(p.out, p.gone)
	return o.addPart(p.rows)
}

// cutAgain cuts a stream again from its first change on.
func (s events) cutAgain(ctx context.Context, o *orgIndex, p *placing, st stream) error {
	ids, was := p.ids[st], map[rowID][]rowID{} // blocks by their first rows
	for _, b := range o.blocksFrom(st, p.from[st]) {
		was[b[0]], ids = b, append(ids, b...)
	}
	ids = slices.DeleteFunc(ids, func(id rowID) bool { return p.gone[id] })
	slices.SortFunc(ids, compareIDs)
	ids = slices.Compact(ids)
	blocks := slices.DeleteFunc(cut(ids, o.limits.block, func(id rowID) rowID { return id }), func(b []rowID) bool {
		same := slices.Equal(was[b[0]], b)
		if same {
			delete(was, b[0])
		}
		return same
	})
	var unknown []rowID
	for _, id := range slices.Concat(blocks...) {
		if p.known[id] == nil {
			unknown = append(unknown, id)
		}
	}
	list, err := s.read(ctx, unknown)
	if err != nil {
		return err
	}
	for _, e := range list {
		p.known[rowID(e.ID)] = e
	}
	if len(list) < len(unknown) { // the others have been deleted meanwhile
		for _, id := range unknown {
			if p.known[id] == nil {
				p.gone[id] = true
			}
		}
		return s.cutAgain(ctx, o, p, st)
	}
	for _, b := range was {
		for _, id := range b {
			p.out[id] = true
		}
	}
	for _, b := range blocks {
		for _, id := range b {
			p.rows = append(p.rows, recall.EventRow(p.known[id], loci.EventID(b[0])))
		}
	}
	return nil
}
