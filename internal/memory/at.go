package memory

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// GetAt returns a memory as it was at another time, by the rule of loci.Viewer.SeesAt, which
// shows nothing that was in the trash then. For the present it is Get. NotFound if the memory did
// not exist then or is not visible. Invalid for a time at which nothing could be known yet.
func (s *Service) GetAt(ctx context.Context, p loci.Principal, id loci.MemoryID, w loci.When) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	if err := s.checkWhen(&w); err != nil {
		return nil, err
	}
	return s.getAt(ctx, p, id, w)
}

// getAt implements Get and GetAt.
func (s *Service) getAt(ctx context.Context, p loci.Principal, id loci.MemoryID, w loci.When) (*loci.Memory, error) {
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (m *loci.Memory, err error) {
		if w.IsZero() {
			m, err = tx.Memories().Get(ctx, p.Viewer(), id, Within(p))
			err = orReplaced(ctx, tx, p, id, loci.NotFound, err)
		} else {
			m, err = tx.Memories().GetAt(ctx, p.Viewer(), id, w)
		}
		if m, err = showableOne(ctx, tx, p.Viewer(), m, err); err != nil || !w.IsPresent() {
			return m, err
		}
		return m, s.disagreeing(ctx, tx, p.Viewer(), m)
	})
}

// checkWhen cuts the times to the precision of rows, and rejects times that nobody can answer
// for. Valid times in the future are allowed, as far as they are known.
func (s *Service) checkWhen(w *loci.When) error {
	if w.IsZero() {
		return nil
	}
	w.AsOf, w.KnownAt = loci.CutTime(w.AsOf), loci.CutTime(w.KnownAt)
	for _, t := range []struct {
		field string
		at    time.Time
	}{{"as_of", w.AsOf}, {"known_at", w.KnownAt}} {
		if year := t.at.Year(); year < 1 || year > 9999 {
			return loci.FieldErrorf(t.field, "must be a time from year 1 to 9999")
		}
	}
	if w.KnownAt.After(s.Time()) {
		return loci.FieldErrorf("known_at", "is in the future; leave it out to ask for what is known now")
	}
	return nil
}

// readAt returns the visible memories among ids, in that order, in the lifecycle of f or as they were at its time.
func readAt(ctx context.Context, tx store.Tx, v loci.Viewer, ids []loci.MemoryID, f *Filter) ([]*loci.Memory, error) {
	if f.When.IsZero() {
		memories, err := tx.Memories().GetMany(ctx, v, ids, f.Lifecycle)
		if err == nil {
			err = showable(ctx, tx, v, memories...)
		}
		return memories, err
	}
	memories := make([]*loci.Memory, 0, len(ids))
	for _, id := range ids {
		m, err := tx.Memories().GetAt(ctx, v, id, f.When)
		if loci.CodeOf(err) == loci.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		memories = append(memories, m)
	}
	return memories, showable(ctx, tx, v, memories...)
}
