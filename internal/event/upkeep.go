package event

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
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
	if s.o.Orgs == nil {
		return
	}
	list, err := s.o.Orgs(ctx)
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

// retainBatch is how many old events are deleted at a time. Between two times the log does other work.
const retainBatch = 500

// retainOf deletes what is too old in some orgs, a part of each in turn, so that none waits for a large one.
func (s *Service) retainOf(ctx context.Context, orgs []loci.OrgID) {
	deleted := map[loci.OrgID]int{}
	for left := slices.Clone(orgs); len(left) > 0 && ctx.Err() == nil; {
		left = slices.DeleteFunc(left, func(org loci.OrgID) bool {
			n, more := s.retain(ctx, org)
			deleted[org] += n
			return !more
		})
	}
	for _, org := range orgs {
		if n := deleted[org]; n > 0 {
			s.Log.InfoContext(ctx, "deleted events that the org keeps no longer", "org", string(org), "events", n)
		}
	}
}

// retain deletes a part of what an org keeps no longer, and reports whether there is more. It asks for the rules each
// time, so it stops as soon as somebody puts the org under legal hold. It waits after somebody has shortened the rules,
// and says so in the log.
func (s *Service) retain(ctx context.Context, org loci.OrgID) (n int, more bool) {
	o, err := s.Store.Orgs().Get(ctx, org)
	if loci.CodeOf(err) == loci.NotFound || err == nil && (o.Hold || o.Retention.Keeps()) {
		return 0, false
	}
	if err == nil && s.Time().Before(o.RetentionFrom) {
		s.foretell(ctx, &o)
		return 0, false
	}
	if err == nil {
		n, err = s.expire(ctx, org, s.tooOld(o.Retention))
	}
	s.warn(ctx, "cannot delete old events; the next turn tries again", org, err)
	return n, n > 0 && err == nil
}

// foretell logs what Loci will delete in an org.
func (s *Service) foretell(ctx context.Context, o *loci.Org) {
	for _, old := range s.tooOld(o.Retention) {
		kind := cmp.Or(old.Type, "every other")
		s.Log.InfoContext(ctx, "will delete old events, because somebody has shortened how long the org keeps them",
			"org", string(o.ID), "event_type", kind, "before", old.Before, "from", o.RetentionFrom)
	}
}

// expire deletes a part of the events that pass one of the selections.
func (s *Service) expire(ctx context.Context, org loci.OrgID, selections []eventlog.Selection) (n int, err error) {
	log, err := s.of(ctx, org)
	for i := 0; i < len(selections) && n == 0 && err == nil; i++ {
		n, err = log.Purge(ctx, org, selections[i], retainBatch)
	}
	return n, err
}

// tooOld selects what an org keeps no longer.
func (s *Service) tooOld(r loci.EventRetention) (list []eventlog.Selection) {
	now := s.Time()
	var others []string
	for _, t := range r.Types {
		others = append(others, t.Type)
		if t.Days > 0 {
			list = append(list, eventlog.Selection{Type: t.Type, Before: loci.Oldest(now, t.Days)})
		}
	}
	if r.Days > 0 {
		list = append(list, eventlog.Selection{NotTypes: others, Before: loci.Oldest(now, r.Days)})
	}
	return list
}

// held reports whether an org is under legal hold. An org that does not exist any more is not.
func (s *Service) held(ctx context.Context, org loci.OrgID) (bool, error) {
	o, err := s.Store.Orgs().Get(ctx, org)
	if loci.CodeOf(err) == loci.NotFound {
		return false, nil
	}
	return o.Hold, err
}
