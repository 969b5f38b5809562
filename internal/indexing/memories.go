package indexing

import (
	"context"
	"slices"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// memories are the memories of an org.
type memories struct {
	tx  store.Tx
	org loci.OrgID
}

func (s memories) end(ctx context.Context) (store.Position, error) { return s.tx.Rows().End(ctx) }

func (s memories) changed(ctx context.Context, o *orgIndex) (changes, error) {
	c, err := s.tx.Rows().Changed(ctx, o.at)
	out := changes{next: c.Next, more: c.More, ahead: c.Ahead}
	if len(c.IDs) > 0 {
		out.apply = func() error { return o.change(ctx, s.tx, c.IDs) }
	}
	return out, err
}

func (s memories) fill(ctx context.Context, o *orgIndex, w *walk) error {
	list, err := s.next(ctx, w)
	w.order.least = o.limits.block
	if err == nil {
		err = w.order.in(ctx, s.tx)
	}
	if err != nil {
		return err
	}
	rows, err := missingRows(ctx, &w.order, list, o.has)
	if err != nil {
		return err
	}
	return o.addPart(rows)
}

func (s memories) listed(ctx context.Context, w *walk) ([]listedRow, error) {
	list, err := s.next(ctx, w)
	out := make([]listedRow, len(list))
	for i, m := range list {
		out[i] = listedRow{m.ID, m.UpdatedAt, m.DeletedAt.IsZero() && m.SupersededBy.IsZero()}
	}
	return out, err
}

// next returns the next batch of memories.
func (s memories) next(ctx context.Context, w *walk) ([]*loci.Memory, error) {
	var number int64
	if w.rest != "" {
		var err error
		if number, err = strconv.ParseInt(w.rest, 10, 64); err != nil {
			return nil, err
		}
	}
	list, next, err := s.tx.Rows().Before(ctx, number, buildBatch)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		w.highest = next + int64(len(list))
	}
	if w.rest = ""; next != 0 {
		w.rest = strconv.FormatInt(next, 10)
	}
	loci.ReportProgress(ctx, loci.Progress{Stage: "reading the memories of " + string(s.org), Done: w.highest - next,
		Total: w.highest})
	return list, nil
}

// change takes memories that changed, and those whose context changes with them, out of the parts
// that have them, and adds them as they are now.
func (o *orgIndex) change(ctx context.Context, tx store.Tx, ids []loci.MemoryID) error {
	sessions := sessions{tx: tx, least: o.limits.block, order: map[loci.SessionID]order{}}
	affected, memories, err := o.affected(ctx, &sessions, ids)
	if err != nil {
		return err
	}
	erased := map[loci.MemoryID]bool{}
	for _, id := range ids {
		erased[id] = true
	}
	for _, m := range memories {
		delete(erased, m.ID)
	}
	rows, err := rowsOf(ctx, &sessions, memories, o.shown.mark)
	if err != nil {
		return err
	}
	o.takeOut(affected, erased)
	return o.addPart(rows)
}

// affected returns the memories that changed, and those whose context changes with them: those in the same block of a
// part, and those in the block of the session where one of them is now. These may be in other blocks of parts, and so on.
func (o *orgIndex) affected(ctx context.Context, sessions *sessions, ids []loci.MemoryID) (
	all map[loci.MemoryID]bool, memories []*loci.Memory, err error) {
	all = map[loci.MemoryID]bool{}
	for next := ids; len(next) > 0; {
		var added []loci.MemoryID
		for id := range o.beside(next) {
			if !all[id] {
				all[id], added = true, append(added, id)
			}
		}
		read, err := sessions.tx.Rows().Read(ctx, added)
		if err != nil {
			return nil, nil, err
		}
		memories, next = append(memories, read...), nil
		err = sessions.beside(ctx, read, func(id loci.MemoryID) {
			if !all[id] {
				next = append(next, id)
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return all, memories, nil
}

// rowsOf returns what the index has of memories: nothing of those in the trash or superseded.
func rowsOf(ctx context.Context, sessions *sessions, memories []*loci.Memory, mark func(*loci.Memory) index.Mark) (
	[]index.Row, error) {
	rows := make([]index.Row, 0, len(memories))
	for _, m := range memories {
		if !m.DeletedAt.IsZero() || !m.SupersededBy.IsZero() {
			continue
		}
		row := recall.IndexRow(m)
		row.Mark = mark(m)
		if row.Session != "" {
			block, err := sessions.block(ctx, m)
			if err != nil {
				return nil, err
			}
			row.Session = string(block[0].ID[:])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// missingRows returns what the index has of memories that has does not report, and of those beside them in
// sessions. Rows of a session must come together, because merging parts does not join what they have of it.
func missingRows(ctx context.Context, sessions *sessions, memories []*loci.Memory, has func(rowID) bool) (
	[]index.Row, error) {
	known := map[loci.MemoryID]bool{}
	memories = slices.DeleteFunc(memories, func(m *loci.Memory) bool { return has(m.ID) })
	for _, m := range memories {
		known[m.ID] = true
	}
	var others []loci.MemoryID
	err := sessions.beside(ctx, memories, func(id loci.MemoryID) {
		if !known[id] && !has(id) {
			known[id], others = true, append(others, id)
		}
	})
	if err != nil {
		return nil, err
	}
	beside, err := sessions.tx.Rows().Read(ctx, others)
	if err != nil {
		return nil, err
	}
	return rowsOf(ctx, sessions, append(memories, beside...), recall.MarkOf)
}
