package indexing

import (
	"context"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

type memories struct {
	tx  store.Tx
	org loci.OrgID
}

func (s memories) end(ctx context.Context) (store.Position, error) { return s.tx.Rows().End(ctx) }

func (s memories) changed(ctx context.Context, o *orgIndex) (changes, error) {
	c, err := s.tx.Rows().Changed(ctx, o.at)
	out := changes{next: c.Next, more: c.More, ahead: c.Ahead}
	if len(c.IDs) > 0 {
		out.apply = func() error { return o.change(ctx, s, c.IDs) }
	}
	return out, err
}

func (s memories) read(ctx context.Context, o *orgIndex, ids []rowID) ([]index.Row, map[rowID]bool, error) {
	list, err := s.tx.Rows().Read(ctx, ids)
	return rowsOf(list, o), without(ids, list, func(m *loci.Memory) rowID { return m.ID }), err
}

func (s memories) next(ctx context.Context, o *orgIndex, w *walk) ([]listedRow, func() []index.Row, error) {
	var number int64
	if w.rest != "" {
		var err error
		if number, err = strconv.ParseInt(w.rest, 10, 64); err != nil {
			return nil, nil, err
		}
	}
	list, next, err := s.tx.Rows().Before(ctx, number, buildBatch)
	if err != nil {
		return nil, nil, err
	}
	if number == 0 {
		w.highest = next + int64(len(list))
	}
	if w.rest = ""; next != 0 {
		w.rest = strconv.FormatInt(next, 10)
	}
	loci.ReportProgress(ctx, loci.Progress{Stage: "reading the memories of " + string(s.org), Done: w.highest - next,
		Total: w.highest})
	out := make([]listedRow, len(list))
	for i, m := range list {
		out[i] = listedRow{m.ID, m.UpdatedAt, m.DeletedAt.IsZero() && m.SupersededBy.IsZero()}
	}
	return out, func() []index.Row { return rowsOf(list, o) }, nil
}

// rowsOf returns what the index has of memories: nothing of those in the trash or superseded.
func rowsOf(memories []*loci.Memory, o *orgIndex) []index.Row {
	rows := make([]index.Row, 0, len(memories))
	for _, m := range memories {
		if m.DeletedAt.IsZero() && m.SupersededBy.IsZero() {
			row := recall.IndexRow(m)
			row.Mark = o.shown.mark(m)
			rows = append(rows, row)
		}
	}
	return rows
}

func without[T any](ids []rowID, list []T, of func(T) rowID) map[rowID]bool {
	left := map[rowID]bool{}
	for _, id := range ids {
		left[id] = true
	}
	for _, row := range list {
		delete(left, of(row))
	}
	return left
}
