package indexing

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// awaited is how long a search waits for an index that is behind, before its own time begins.
const awaited = 5 * time.Second

// Await returns the index of the memories of an org with all that is stored. It is not Whole if that takes more than five
// seconds, and then the next call goes on.
func (x *Index) Await(ctx context.Context, org loci.OrgID) (*Snapshot, error) {
	o := x.of(org)
	o.used.Store(true)
	stamp, known := x.store.Stamp(ctx, org)
	if last := o.current.Load(); known && last != nil && *last == stamp {
		if s := o.shown.snapshot(); s.Whole {
			return s, nil
		}
	}
	before := o.steps.Load()
	short, cancel := context.WithTimeout(ctx, awaited)
	defer cancel()
	for more, behind := true, false; (more || behind) && short.Err() == nil; {
		var err error
		if more, behind, err = x.goOn(short, o); err != nil && short.Err() == nil {
			return nil, err
		}
	}
	if o.steps.Load() != before {
		o.wakeForFiles(x)
	}
	if s := o.shown.snapshot(); s.Whole && short.Err() == nil {
		if known {
			o.current.Store(&stamp)
		}
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

// wakeForFiles wakes Run if there is something to do with files. Whoever else has the lock sees to it.
func (o *orgIndex) wakeForFiles(x *Index) {
	select {
	case o.turn <- struct{}{}:
		if o.wantsUpkeep() {
			x.wake()
		}
		o.unlock()
	default:
	}
}

// Complete brings the index of an org up to date and writes its files, however long that takes.
func (x *Index) Complete(ctx context.Context, org loci.OrgID) {
	o := x.of(org)
	o.used.Store(true)
	x.upkeep(ctx, o, upkeep{})
}

// Wake tells Run that many rows of an org have changed.
func (x *Index) Wake(org loci.OrgID) {
	x.Touch(org)
	x.wake()
}

// Latest returns the index of the events of an org with all that log has. It tries for as long as each says, again and
// again if that gets it on, as far as five seconds allow. Then it is not Whole, and the next call goes on. It is nil if
// it does not know what became of the events that it has.
func (x *Index) Latest(ctx context.Context, log eventlog.Follower, org loci.OrgID, each time.Duration) (*Snapshot, error) {
	o := x.of(org)
	o.used.Store(true)
	for end := time.Now().Add(awaited); ; {
		before := o.steps.Load()
		short, cancel := context.WithTimeoutCause(ctx, each, loci.ErrSpent)
		s, err := x.latest(short, log, o)
		cancel()
		if err != nil || s != nil && s.Whole || o.steps.Load() == before || ctx.Err() != nil || time.Now().After(end) {
			return s, err
		}
	}
}
