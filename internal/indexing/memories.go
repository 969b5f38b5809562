package indexing

import (
	"context"
	"maps"
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

func (s memories) before(ctx context.Context, w *walk, has func(rowID) bool) ([]index.Row, error) {
	list, err := s.next(ctx, w)
	if err == nil {
		err = w.order.in(ctx, s.tx)
	}
	if err != nil {
		return nil, err
	}
	return missingRows(ctx, &w.order, list, has)
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
	changed, err := tx.Rows().Read(ctx, ids)
	if err != nil {
		return err
	}
	sessions := sessions{tx: tx, order: map[loci.SessionID][]store.Placed{}}
	affected, err := o.affected(ctx, &sessions, ids, changed)
	if err != nil {
		return err
	}
	erased := map[loci.MemoryID]bool{}
	for _, id := range ids {
		erased[id] = true
		delete(affected, id)
	}
	others, err := tx.Rows().Read(ctx, slices.Collect(maps.Keys(affected)))
	if err != nil {
		return err
	}
	for _, m := range changed {
		delete(erased, m.ID)
	}
	for _, id := range ids {
		affected[id] = true
	}
	rows, err := rowsOf(ctx, &sessions, append(changed, others...), o.shown.mark)
	if err != nil {
		return err
	}
	o.takeOut(affected, erased)
	return o.addPart(rows)
}

// affected returns ids and the memories whose context changes with them: those that are beside them
// in a part, and those of the sessions that they are in now.
func (o *orgIndex) affected(ctx context.Context, sessions *sessions, ids []loci.MemoryID, changed []*loci.Memory) (
	map[loci.MemoryID]bool, error) {
	all := slices.Clone(ids)
	for _, m := range changed {
		mates, err := sessions.beside(ctx, m)
		if err != nil {
			return nil, err
		}
		for _, mate := range mates {
			all = append(all, mate.ID)
		}
	}
	return o.beside(all), nil
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
			row.Session += "/" + strconv.Itoa(block)
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
	for _, m := range memories {
		mates, err := sessions.beside(ctx, m)
		if err != nil {
			return nil, err
		}
		for _, mate := range mates {
			if id := mate.ID; !known[id] && !has(id) {
				known[id], others = true, append(others, id)
			}
		}
	}
	beside, err := sessions.tx.Rows().Read(ctx, others)
	if err != nil {
		return nil, err
	}
	return rowsOf(ctx, sessions, append(memories, beside...), recall.MarkOf)
}
