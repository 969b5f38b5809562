package arc

import (
	"context"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

const (
	// lookEvery is how often Run looks for orgs, and a sender for events that other processes stored.
	lookEvery = 5 * time.Second
	claimFor  = time.Minute
	// backoffFrom and backoffTo limit the time until a failed call is repeated.
	backoffFrom, backoffTo = time.Second, time.Minute
)

// Run delivers the events of all orgs, each on its own, until ctx ends.
func (l *Log) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	stops := map[loci.OrgID]context.CancelFunc{}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		if orgs, err := l.o.Orgs(ctx); err == nil {
			l.follow(ctx, orgs, stops, &running)
		} else if ctx.Err() == nil {
			l.o.Log.WarnContext(ctx, "cannot look for orgs whose events go to Arc", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// follow starts a sender for each org that has none, and stops those of other orgs.
func (l *Log) follow(ctx context.Context, orgs []loci.OrgID, stops map[loci.OrgID]context.CancelFunc,
	running *sync.WaitGroup) {
	wanted := map[loci.OrgID]bool{}
	for _, org := range orgs {
		if wanted[org] = true; stops[org] != nil {
			continue
		}
		own, stop := context.WithCancel(ctx)
		stops[org] = stop
		running.Go(func() { l.sender(org).run(own) })
	}
	for org, stop := range stops {
		if !wanted[org] {
			stop()
			delete(stops, org)
		}
	}
}

// sender returns the sender of an org, which Run and Upkeep share.
func (l *Log) sender(org loci.OrgID) *sender {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.senders[org]
	if s == nil {
		s = &sender{l: l, org: org, signal: make(chan struct{}, 1)}
		l.senders[org] = s
	}
	return s
}

// Upkeep does what the local log has to do, and what is due of the delivery, unless Run or another call
// is doing that. See eventlog.Keeper.
func (l *Log) Upkeep(ctx context.Context, org loci.OrgID) (more bool, err error) {
	more, err = l.local.Upkeep(ctx, org)
	if err != nil {
		return more, err
	}
	s := l.sender(org)
	if !s.turns.TryLock() {
		return more, nil
	}
	defer s.turns.Unlock()
	wait, err := s.turn(ctx)
	return more || err == nil && wait == 0, unavailable(err)
}
