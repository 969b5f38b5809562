package event

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
)

// Get returns an event. NotFound if it does not exist or is not visible.
func (s *Service) Get(ctx context.Context, p loci.Principal, id loci.EventID) (*loci.Event, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	log, err := s.Logs.Of(ctx, p.OrgID)
	if err != nil {
		return nil, err
	}
	list, err := log.Get(ctx, p.Viewer(), []loci.EventID{id})
	if err == nil && len(list) == 0 {
		err = loci.Errorf(loci.NotFound, "no such event")
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Sees implements memory.Events.
func (s *Service) Sees(ctx context.Context, p loci.Principal, id loci.EventID) (bool, error) {
	_, err := s.Get(ctx, p, id)
	if loci.CodeOf(err) == loci.NotFound {
		return false, nil
	}
	return err == nil, err
}

// SearchRequest asks for a page of events.
type SearchRequest struct {
	eventlog.Filter
	Order  eventlog.Order
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the previous page
}

// Page is a page of events.
type Page struct {
	gate.Page[*loci.Event]
	Partial bool // time was up; the next page goes on
}

// Search returns the visible events that pass a filter.
func (s *Service) Search(ctx context.Context, p loci.Principal, r SearchRequest) (page Page, err error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return page, err
	}
	log, err := s.Logs.Of(ctx, p.OrgID)
	if err != nil {
		return page, err
	}
	short, cancel := context.WithTimeoutCause(ctx, s.Patience, loci.ErrSpent)
	defer cancel()
	bound := r
	bound.Limit, bound.Cursor = 0, ""
	page.Page, err = gate.ReadPage(p, "events", bound, r.Limit, r.Cursor,
		func(after eventlog.Position, limit int) ([]*loci.Event, eventlog.Position, error) {
			found, err := log.Find(short, p.Viewer(), eventlog.Query{Filter: r.Filter, Order: r.Order, Limit: limit, After: after})
			page.Partial = found.Partial
			return found.Events, found.Next, err
		})
	if errors.Is(err, loci.ErrSpent) {
		page.Partial, err = true, nil
	}
	return page, err
}
