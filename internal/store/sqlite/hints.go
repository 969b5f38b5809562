package sqlite

import (
	"context"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// hintGap is how long a hint waits for others, so that many changes of a graph cost few commits of its org's file.
// Events may come all the time: hints of them alone cost one commit in each eventsGap.
const (
	hintGap   = 100 * time.Millisecond
	eventsGap = time.Second
)

// hintTime is how long a hint waits for a file that another process keeps locked. Close waits for it.
const hintTime = 10 * time.Second

// hints are changes in the registry and in the graphs of projects, of which the feed of the org does not tell yet. A
// commit covers one file, and a second one with each change of a graph would cost as much as the change. So one
// goroutine adds them to the feed shortly afterwards. Nothing is lost but the hints of a killed process.
type hints struct {
	mu      sync.Mutex
	waiting map[loci.OrgID][]store.FeedHint
	told    time.Time     // when the last ones were added
	sooner  chan struct{} // has something if one of them waits for hintGap only
	closed  chan struct{} // closes when the store does; nil: there was no hint yet
	ended   bool
	telling sync.WaitGroup // the goroutine that adds them, if it runs
}

// Hint lets the feed of an org tell of a change, which has been committed.
func (s *Store) Hint(ctx context.Context, h store.FeedHint) {
	s.hints.mu.Lock()
	defer s.hints.mu.Unlock()
	if s.hints.ended {
		return
	}
	if s.hints.waiting == nil {
		s.hints.waiting = map[loci.OrgID][]store.FeedHint{}
	}
	if s.hints.closed == nil {
		s.hints.closed = make(chan struct{})
	}
	idle := len(s.hints.waiting) == 0
	for _, known := range s.hints.waiting[h.Org] {
		if known.Kind == h.Kind && known.ID == h.ID && (known.Change == h.Change || h.Change == loci.Updated) {
			return
		}
	}
	h.At = s.opts.Now()
	s.hints.waiting[h.Org] = append(s.hints.waiting[h.Org], h)
	if idle {
		s.hints.sooner = make(chan struct{}, 1)
		wait := max(hintGap, eventsGap-time.Since(s.hints.told))
		sooner := s.hints.sooner
		s.hints.telling.Go(func() { s.tellHints(context.WithoutCancel(ctx), wait, sooner) })
	}
	if h.Kind != loci.FeedEvents {
		select {
		case s.hints.sooner <- struct{}{}:
		default:
		}
	}
}

// tellHints adds the waiting hints to the feeds of their orgs, after some time or sooner.
func (s *Store) tellHints(ctx context.Context, wait time.Duration, sooner <-chan struct{}) {
	select {
	case <-s.hints.closed:
	case <-time.After(wait):
	case <-sooner:
		select {
		case <-s.hints.closed:
		case <-time.After(hintGap):
		}
	}
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	s.hints.mu.Lock()
	list := s.hints.waiting
	s.hints.waiting, s.hints.told = nil, time.Now()
	s.hints.mu.Unlock()
	for org, some := range list {
		err := s.Update(ctx, org, func(t store.Tx) error {
			tx := t.(*sqlstore.Tx) //nolint:forcetypeassert // a transaction of this engine
			for i := range some {
				if err := tx.Hint(&some[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && loci.CodeOf(err) != loci.NotFound { // the org was deleted
			s.opts.Log.WarnContext(ctx, "followers of changes miss some until they read again", "org", string(org), "error", err)
		}
	}
}

// endHints adds what is waiting. Nothing may change afterwards.
func (s *Store) endHints() {
	s.hints.mu.Lock()
	s.hints.ended = true
	if s.hints.closed != nil {
		close(s.hints.closed)
	}
	s.hints.mu.Unlock()
	s.hints.telling.Wait()
}
