package arc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loci-memory/loci/internal/eventlog"
)

// sendBatch sends entries for the first time. If Arc refuses some of them, they become flights that are
// sent again alone. If Arc refuses all, it fails: then the reason is most likely not in the events.
func (s *sender) sendBatch(ctx context.Context, batch []eventlog.Queued) error {
	refusals, now := map[int64]error{}, time.Now()
	if err := s.deliver(ctx, batch, refusals); err != nil {
		return err
	}
	if len(refusals) == countLive(batch) && len(refusals) > 0 {
		if s.vain++; s.vain < maxVain {
			return troubleOf(refusals)
		}
	}
	s.vain = 0
	for _, q := range batch {
		f := s.fly(q, now)
		f.tries = 1
		if refusals[q.Number] != nil {
			f.refusals, f.refused = 1, now
		}
	}
	return nil
}

// deliver sends entries. If Arc refuses them, it sends the halves, down to the single event. It notes
// refusals, and fails for any other reason.
func (s *sender) deliver(ctx context.Context, entries []eventlog.Queued, refusals map[int64]error) error {
	rows := make([]*row, 0, len(entries))
	for _, q := range entries {
		if !q.Erased {
			rows = append(rows, newRow(q))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	err := s.write(ctx, rows)
	if err == nil {
		s.acceptedAt = time.Now()
		s.reached()
		return nil
	}
	if kindOf(err) != refused {
		return err
	}
	if len(rows) == 1 {
		refusals[rows[0].seq] = err
		return nil
	}
	half := len(entries) / 2
	if err := s.deliver(ctx, entries[:half], refusals); err != nil {
		return err
	}
	return s.deliver(ctx, entries[half:], refusals)
}

func (s *sender) write(ctx context.Context, rows []*row) error {
	for _, r := range rows {
		if at := r.event.Time; at.Before(firstTime) || at.After(lastTime) {
			return &fault{kind: refused, text: fmt.Sprintf("Arc has no times like %s", at)}
		}
	}
	body, err := encode(s.c.binding.Measurement, rows)
	if err != nil {
		return err
	}
	return s.c.write(ctx, body)
}

func countLive(entries []eventlog.Queued) (n int) {
	for _, q := range entries {
		if !q.Erased {
			n++
		}
	}
	return n
}

// troubleOf returns one of the refusals, as a trouble of Arc and not of the events.
func troubleOf(refusals map[int64]error) error {
	for _, err := range refusals {
		if f, ok := errors.AsType[*fault](err); ok {
			return &fault{kind: unanswered, status: f.status, text: f.text}
		}
	}
	return nil
}

// resend sends flights again, each of them alone if Arc has refused it before. It marks those that were
// purged meanwhile as shown, because Arc has not shown them for long.
func (s *sender) resend(ctx context.Context, again map[int64]*flight, from, to int64) error {
	for after := from - 1; after < to; {
		entries, err := s.l.local.Queued(ctx, s.org, after, readSize)
		if err != nil || len(entries) == 0 {
			return err
		}
		after = entries[len(entries)-1].Number
		var batch []eventlog.Queued
		for _, q := range entries {
			f := again[q.Number]
			switch {
			case f == nil:
			case q.Erased:
				f.shown = true
			case f.refusals > 0:
				if err := s.sendAgain(ctx, []eventlog.Queued{q}, again); err != nil {
					return err
				}
			default:
				if batch = append(batch, q); len(batch) == s.l.o.BatchSize {
					if err := s.sendAgain(ctx, batch, again); err != nil {
						return err
					}
					batch = nil
				}
			}
		}
		if err := s.sendAgain(ctx, batch, again); err != nil {
			return err
		}
	}
	return nil
}

func (s *sender) sendAgain(ctx context.Context, batch []eventlog.Queued, again map[int64]*flight) error {
	refusals, now := map[int64]error{}, time.Now()
	if err := s.deliver(ctx, batch, refusals); err != nil {
		return err
	}
	for _, q := range batch {
		f, reason := again[q.Number], refusals[q.Number]
		if reason != nil {
			f.refusals, f.refused = f.refusals+1, now
		} else {
			f.refusals, f.at, f.tries = 0, now, f.tries+1
		}
		if f.tries > maxTries {
			reason = errors.New("it was accepted, but has not been shown since")
		} else if f.refusals < maxRefusals || !s.isolated(f) {
			continue
		}
		if err := s.bury(ctx, f, reason); err != nil {
			return err
		}
	}
	return nil
}

// isolated reports whether Arc has taken other events since it was sent a flight that it refused. Until
// then, the reason may be Arc.
func (s *sender) isolated(f *flight) bool { return !s.acceptedAt.Before(f.at) }

// bury makes an event a dead letter.
func (s *sender) bury(ctx context.Context, f *flight, reason error) error {
	s.l.o.Log.ErrorContext(ctx, "Arc refuses an event; it is a dead letter now", "org", string(s.org),
		"event", f.id.String(), "error", reason)
	if err := s.l.local.Bury(ctx, s.org, f.seq, reason.Error()); err != nil {
		return err
	}
	f.shown = true // there is nothing to wait for
	return nil
}
