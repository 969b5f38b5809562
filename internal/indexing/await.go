package indexing

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// awaited is how long a search waits for an index that is behind, before its own time begins.
const awaited = 5 * time.Second

// Await returns the index of the memories of an org with all that is stored. It is not Whole if that takes more than
// five seconds, and then the next call goes on.
func (x *Index) Await(ctx context.Context, org loci.OrgID) (*Snapshot, error) {
	o := x.of(org)
	o.used.Store(true)
	short, cancel := context.WithTimeout(ctx, awaited)
	defer cancel()
	for more, behind := true, false; more || behind; {
		var err error
		if more, behind, err = x.goOn(short, o); short.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if s := o.shown.snapshot(); s.Whole && short.Err() == nil {
		return s, nil // somebody may be at work on later changes
	}
	if !o.lock(ctx) {
		return &Snapshot{}, ctx.Err()
	}
	defer o.unlock()
	s := o.snapshot()
	s.Whole = false
	return s, nil
}

// Complete brings the index of an org up to date and writes its files, however long that takes.
func (x *Index) Complete(ctx context.Context, org loci.OrgID) {
	x.Touch(org)
	x.upkeep(ctx, x.of(org), false, 0)
}

// Latest returns the index of the events of an org with all that log has. It tries for as long as each says, again and
// again if that gets it on, as far as five seconds allow. Then it is not Whole, and the next call goes on. It is nil if
// it does not know what became of the events that it has.
func (x *Index) Latest(ctx context.Context, log eventlog.Follower, org loci.OrgID, each time.Duration) (s *Snapshot,
	err error) {
	o := x.of(org)
	o.used.Store(true)
	end, before := time.Now().Add(awaited), int64(-1)
	for o.steps.Load() != before && (s == nil || !s.Whole) && err == nil && ctx.Err() == nil && time.Now().Before(end) {
		before = o.steps.Load()
		short, cancel := context.WithTimeoutCause(ctx, each, loci.ErrSpent)
		s, err = x.latest(short, log, o)
		cancel()
	}
	return s, err
}
