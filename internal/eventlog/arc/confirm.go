package arc

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

const (
	// confirmSize is how many events one look asks for.
	confirmSize = 20_000
	// maxClusters is how many statements one look may need, before it looks at all times at once.
	maxClusters = 8
)

// confirm looks which flights have arrived, from the oldest on, and sends again what should have.
func (s *sender) confirm(ctx context.Context) error {
	for begin := 0; begin < len(s.flights); begin += confirmSize {
		some := s.flights[begin:min(begin+confirmSize, len(s.flights))]
		if err := s.look(ctx, some); err != nil {
			return err
		}
		if err := s.repeat(ctx, some); err != nil {
			return err
		}
		if slices.ContainsFunc(some, func(f *flight) bool { return !f.shown }) {
			break // what was sent later has hardly arrived
		}
	}
	arrived := slices.IndexFunc(s.flights, func(f *flight) bool { return !f.shown })
	if arrived < 0 {
		arrived = len(s.flights)
	}
	if arrived > 0 {
		s.settling = append(s.settling, settling{s.flights[arrived-1].seq, time.Now()})
		s.flights = slices.Clone(s.flights[arrived:])
	}
	return nil
}

// look marks the flights that Arc shows. Arc opens the files of the hours that a statement names, so
// there is one for each group of events whose times are near to each other.
func (s *sender) look(ctx context.Context, some []*flight) error {
	missing := map[loci.EventID]*flight{}
	var times []loci.EventID
	low, high := int64(0), int64(0)
	for _, f := range some {
		if f.shown || f.refusals > 0 {
			continue
		}
		missing[f.id] = f
		times = append(times, f.id)
		low = cmp.Or(low, f.seq)
		high = f.seq
	}
	slices.SortFunc(times, oldestFirst)
	for _, w := range clusters(times) {
		where := all(compareNumber(colSeq, ">=", low), compareNumber(colSeq, "<=", high))
		rows, err := s.c.selects(ctx, "DISTINCT id", []column{colID}, w, where, "LIMIT 100000")
		if err != nil {
			return err
		}
		s.reached()
		for _, cells := range rows {
			r := reader{cells: cells}
			if f := missing[loci.EventID(r.id())]; f != nil {
				f.shown = true
			}
			if r.err != nil {
				return r.err
			}
		}
	}
	return nil
}

// clusters returns windows that have all times of sorted ids.
func clusters(ids []loci.EventID) (list []window) {
	for _, id := range ids {
		at := timeOf(id)
		next := at.Add(time.Microsecond)
		if n := len(list); n > 0 && at.Sub(list[n-1].until) < time.Hour {
			list[n-1].until = next
		} else {
			list = append(list, window{at, next})
		}
	}
	if len(list) > maxClusters {
		list = []window{{list[0].from, list[len(list)-1].until}}
	}
	return list
}

// repeat sends again the flights that should have arrived, or that Arc refused.
func (s *sender) repeat(ctx context.Context, some []*flight) error {
	again := map[int64]*flight{}
	from, to := int64(0), int64(0)
	now := time.Now()
	probed := false
	for _, f := range some {
		switch {
		case f.shown:
			continue
		case f.refusals == 0 && now.Sub(f.at) < s.l.o.Resend:
			continue
		case f.refusals > 0 && !s.isolated(f):
			if probed || now.Sub(f.refused) < backoffTo {
				continue
			}
			probed = true
		}
		again[f.seq] = f
		from = cmp.Or(from, f.seq)
		to = f.seq
	}
	if len(again) == 0 {
		return nil
	}
	return s.resend(ctx, again, from, to)
}

// settle forgets the events that Arc has shown some time ago.
func (s *sender) settle(ctx context.Context) error {
	now := time.Now()
	done := 0
	for done < len(s.settling) && !now.Before(s.settling[done].at.Add(s.l.o.Settle)) {
		done++
	}
	if done == 0 {
		return nil
	}
	upTo := s.settling[done-1].upTo
	if err := s.l.eraseUpTo(ctx, s.c, upTo); err != nil {
		return err
	}
	if err := s.l.local.Forget(ctx, s.org, upTo); err != nil {
		return err
	}
	s.settling = s.settling[done:]
	return nil
}

// eraseUpTo deletes in Arc the events that were purged while they were in the queue.
func (l *Log) eraseUpTo(ctx context.Context, c *client, upTo int64) error {
	erased, err := l.local.Erased(ctx, c.table.org, confirmSize)
	if err != nil {
		return err
	}
	var ids []loci.EventID
	for _, q := range erased {
		if q.Number <= upTo {
			ids = append(ids, q.Event.ID)
		}
	}
	for some := range slices.Chunk(sortedIDs(ids), idsInStatement) {
		w := window{timeOf(some[0]), timeOf(some[len(some)-1]).Add(time.Microsecond)}
		if err := c.erase(ctx, w, anyOf(colID, idTexts(some))); err != nil {
			return err
		}
	}
	return nil
}
