package event

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// touch is a session or an agent that was active.
type touch struct {
	session loci.SessionID
	agent   loci.AgentID
}

// touchGap is how exactly the last activity of a session or an agent is known.
const touchGap = time.Minute

// touch records that the sessions and agents of events are active, each at most once a minute. The events are stored,
// so a failure is only logged.
func (s *Service) touch(ctx context.Context, w *writing) {
	var list []touch
	for t, last := range w.active {
		if w.now.Sub(last) >= touchGap && w.now.Sub(s.touched.get(t)) >= touchGap {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := s.touchAll(ctx, w, list)
	s.warn(ctx, "cannot record the use of a session or an agent", w.p.OrgID, err)
	for _, t := range list {
		s.touched.put(t, w.now)
	}
}

// announce lets the followers of changes know that the sessions of events have new ones. Only people get that: they see
// every event of a session that they see, which an assistant may not.
func (s *Service) announce(ctx context.Context, w *writing) {
	for _, session := range w.sessions {
		access := session.Access()
		access.AllowedVendors = nil
		s.Store.Hint(ctx, store.FeedHint{Org: w.p.OrgID, Kind: loci.FeedEvents, ID: session.ID, Change: loci.Updated,
			Access: []loci.Access{access}})
	}
}

// touchAll records activity in the store.
func (s *Service) touchAll(ctx context.Context, w *writing, list []touch) error {
	return s.Store.Update(ctx, w.p.OrgID, func(tx store.Tx) error {
		for _, t := range list {
			var err error
			if t.agent.IsZero() {
				err = tx.Sessions().Touch(ctx, t.session, w.now)
			} else {
				err = tx.Agents().Touch(ctx, t.agent, w.now)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
