package event

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

const (
	// upkeepGap is how long Run waits after an event, so that many events cost few turns.
	upkeepGap = time.Second
	// upkeepEvery is how often Run looks after orgs in which nothing happened, such as at the end of a month.
	upkeepEvery = time.Hour
)

// dueOrgs are the orgs whose log has something to do.
type dueOrgs struct {
	mu   sync.Mutex
	orgs map[loci.OrgID]bool
	wake chan struct{}
}

func (d *dueOrgs) add(org loci.OrgID) {
	d.mu.Lock()
	d.orgs[org] = true
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// take returns the orgs and forgets them.
func (d *dueOrgs) take() []loci.OrgID {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer clear(d.orgs)
	return slices.Collect(maps.Keys(d.orgs))
}

// Run keeps the logs of all orgs in order until ctx ends. One process needs to run it; several may.
func (s *Service) Run(ctx context.Context) {
	every := time.NewTicker(upkeepEvery)
	defer every.Stop()
	s.Upkeep(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			s.Upkeep(ctx)
			continue
		case <-s.due.wake:
		}
		select {
		case <-ctx.Done():
		case <-time.After(upkeepGap):
		}
		s.upkeepOf(ctx, s.due.take())
	}
}

// Upkeep looks once after the logs of all orgs that have events, as Run does each hour. It deletes what their orgs keep
// no longer, and the logs of orgs that do not exist any more.
func (s *Service) Upkeep(ctx context.Context) {
	if s.orgs == nil {
		return
	}
	list, err := s.orgs(ctx)
	s.warn(ctx, "cannot list the orgs that have events", "", err)
	var due []loci.OrgID
	for _, org := range list {
		if _, err := s.Store.Orgs().Get(ctx, org); loci.CodeOf(err) == loci.NotFound {
			s.Drop(ctx, org)
			continue
		}
		due = append(due, org)
	}
	s.upkeepOf(ctx, slices.Clone(due))
	s.retainOf(ctx, due)
}

// upkeepOf looks after the logs of some orgs, a part of each in turn, so that none waits for a large one.
func (s *Service) upkeepOf(ctx context.Context, orgs []loci.OrgID) {
	for len(orgs) > 0 && ctx.Err() == nil {
		orgs = slices.DeleteFunc(orgs, func(org loci.OrgID) bool { return !s.upkeep(ctx, org) })
	}
}

// upkeep does a part of what is due for the log of one org, and reports whether there is more. Nothing depends on it
// but time and space, so errors are only logged.
func (s *Service) upkeep(ctx context.Context, org loci.OrgID) (more bool) {
	if ctx.Err() != nil {
		return false
	}
	log, err := s.of(ctx, org)
	if err == nil {
		more, err = log.Upkeep(ctx, org)
	}
	if loci.CodeOf(err) == loci.NotFound { // somebody has deleted the org
		return false
	}
	s.warn(ctx, "cannot look after the log of events; the next turn tries again", org, err)
	return more && err == nil
}
